#include "rules/accept.h"

#include <assert.h>
#include <string.h>

/* ---- automata ---- */

static size_t letter_of(const struct prepared_automaton *prepared, uint32_t state, unsigned event,
                        unsigned method, bool marked, unsigned colour)
{
    size_t row = (((size_t)state * 2 + event) * prepared->method_count + method) * 2 + marked;
    return row * VIOLATION_COLOURS + colour - 1;
}

static size_t count_letters(const struct prepared_automaton *prepared)
{
    return (size_t)2 * prepared->method_count * 2 * VIOLATION_COLOURS;
}

size_t automaton_configurations(const struct prepared_automaton *prepared, unsigned operations)
{
    size_t count = prepared->state_count;
    for (unsigned i = 0; i < operations; i++)
        count *= prepared->digits;
    return count;
}

/* `number`: the method's among the automaton's; `method`: the object's that it is, or is a copy of.
 */
static void set_letters(const struct violation_automaton *automaton, uint32_t number,
                        uint32_t method, struct prepared_automaton *prepared)
{
    bool marked = automaton->unmarked[number] != number;
    for (uint32_t s = 0; s < automaton->state_count; s++)
        for (unsigned event = 0; event < 2; event++)
            for (unsigned colour = 1; colour <= VIOLATION_COLOURS; colour++)
                prepared->next[letter_of(prepared, s, event, method, marked, colour)] =
                    violation_automaton_next(automaton, s, event, number, colour);
    if (marked) {
        prepared->has_copy[method] = true;
        prepared->digits = 4;
    }
}

bool automaton_prepare(const struct violation_automaton *automaton,
                       const struct rule_object *object, struct arena *arena,
                       struct prepared_automaton *prepared)
{
    *prepared = (struct prepared_automaton){.accepting = automaton->accepting,
                                            .state_count = automaton->state_count,
                                            .initial = automaton->initial,
                                            .method_count = object->method_count,
                                            .single = automaton->single,
                                            .digits = 3};
    size_t count = automaton->state_count * count_letters(prepared);
    bool *useful = arena_allocate(arena, automaton->state_count * sizeof *useful);
    prepared->next = arena_allocate(arena, count * sizeof *prepared->next);
    if (!useful || !prepared->next)
        return false;
    for (size_t i = 0; i < count; i++)
        prepared->next[i] = VIOLATION_DEAD;
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        const char *name = automaton->methods[automaton->unmarked[m]];
        uint32_t method = rule_object_find_method(object, name);
        assert(method < object->method_count);
        set_letters(automaton, m, method, prepared);
    }
    violation_table_trim(prepared->next, automaton->state_count, count_letters(prepared),
                         automaton->accepting, useful);
    return true;
}

static uint32_t step(const struct acceptance *acceptance, uint32_t state, unsigned event,
                     unsigned operation)
{
    struct labelled_operation read = acceptance->labelling->operations[operation];
    bool marked = acceptance->marks >> operation & 1;
    return prepared_automaton_next(acceptance->automaton, state, event, read.method, marked,
                                   acceptance->colours[read.value]);
}

/* In how many ways an operation can be called: unmarked, and marked. */
static unsigned count_marks(const struct acceptance *acceptance, unsigned operation)
{
    return acceptance->automaton->has_copy[acceptance->labelling->operations[operation].method] ? 2
                                                                                                : 1;
}

static void set_mark(struct acceptance *acceptance, unsigned operation, unsigned mark)
{
    acceptance->marks = (acceptance->marks & ~(1u << operation)) | mark << operation;
}

/* Whether a value may have its colour besides the others of the labelling. */
static bool may_have_colour(const struct acceptance *acceptance, unsigned which)
{
    if (!(acceptance->automaton->single >> acceptance->colours[which] & 1))
        return true;
    for (unsigned v = 0; v < acceptance->labelling->value_count; v++)
        if (v != which && acceptance->colours[v] == acceptance->colours[which])
            return false;
    return true;
}

/* Reads the rest of the word from `at` on; values without a colour, and operations that are called,
 * are tried with each colour and mark. */
static bool accepts_word(struct acceptance *acceptance, unsigned at, uint32_t state)
{
    if (at == acceptance->word->length)
        return acceptance->automaton->accepting[state];
    unsigned event = acceptance->word->events[at], operation = event & ~WORD_RETURN;
    unsigned which = acceptance->labelling->operations[operation].value;
    uint8_t *colour = &acceptance->colours[which];
    uint8_t first = *colour ? *colour : 1, last = *colour ? *colour : VIOLATION_COLOURS;
    uint8_t before = *colour;
    for (*colour = first; *colour <= last; (*colour)++) {
        unsigned marks = event >= WORD_RETURN ? 1 : count_marks(acceptance, operation);
        for (unsigned mark = 0; mark < marks && may_have_colour(acceptance, which); mark++) {
            if (event < WORD_RETURN)
                set_mark(acceptance, operation, mark);
            uint32_t next = step(acceptance, state, event >= WORD_RETURN, operation);
            if (next != VIOLATION_DEAD && accepts_word(acceptance, at + 1, next))
                return true;
        }
    }
    *colour = before;
    return false;
}

bool accepts_canonical_word(struct acceptance *acceptance)
{
    memset(acceptance->colours, 0, sizeof acceptance->colours);
    acceptance->marks = 0;
    memcpy(acceptance->read, acceptance->word->events, sizeof acceptance->read);
    return accepts_word(acceptance, 0, acceptance->automaton->initial);
}

/* ---- many words ---- */

/* Words of one history differ in the order within blocks. */
static void find_blocks(struct acceptance *acceptance)
{
    const struct word *word = acceptance->word;
    for (unsigned start = 0, end; start < word->length; start = end) {
        unsigned kind = word->events[start] & WORD_RETURN, members = 0;
        for (end = start; end < word->length && (word->events[end] & WORD_RETURN) == kind; end++)
            members |= 1u << (word->events[end] & ~WORD_RETURN);
        for (unsigned at = start; at < end; at++) {
            acceptance->block_calls[at] = kind ? 0 : (uint16_t)members;
            acceptance->block_returns[at] = kind ? (uint16_t)members : 0;
        }
    }
}

/* The operations of which a call, or a return, may be read next. */
static unsigned readable_calls(const struct acceptance *acceptance, unsigned at, unsigned returned)
{
    unsigned calls = 0;
    if (acceptance->in_blocks)
        return acceptance->block_calls[at];
    for (unsigned i = 0; i < acceptance->labelling->count; i++)
        if (!(returned & ~(unsigned)acceptance->word->before[i]))
            calls |= 1u << i;
    return calls;
}

/* What has been read of an operation is a digit of a configuration's code: nothing, a call, a
 * return, or where the automaton reads marks the call of a marked one. */
enum {
    DIGIT_CALLED = 1,
    DIGIT_RETURNED,
    DIGIT_CALLED_MARKED
};

struct reading {
    unsigned called, returned; /* bits, by operation */
    unsigned at;               /* events so far */
    size_t code;
    uint32_t state;
};

static bool search_from(struct acceptance *acceptance, struct reading reading);

/* `power`: the value of the operation's digit. */
static bool search_call(struct acceptance *acceptance, struct reading reading, unsigned operation,
                        size_t power)
{
    for (unsigned mark = 0; mark < count_marks(acceptance, operation); mark++) {
        set_mark(acceptance, operation, mark);
        uint32_t next = step(acceptance, reading.state, VIOLATION_CALL, operation);
        size_t digit = mark ? DIGIT_CALLED_MARKED : DIGIT_CALLED;
        if (next != VIOLATION_DEAD &&
            search_from(acceptance,
                        (struct reading){reading.called | 1u << operation, reading.returned,
                                         reading.at + 1, reading.code + power * digit, next})) {
            acceptance->read[reading.at] = (uint8_t)operation;
            return true;
        }
    }
    return false;
}

static bool search_return(struct acceptance *acceptance, struct reading reading, unsigned operation,
                          size_t power)
{
    uint32_t next = step(acceptance, reading.state, VIOLATION_RETURN, operation);
    size_t digit = acceptance->marks >> operation & 1 ? DIGIT_CALLED_MARKED : DIGIT_CALLED;
    size_t code = reading.code - power * digit + power * DIGIT_RETURNED;
    if (next == VIOLATION_DEAD ||
        !search_from(acceptance,
                     (struct reading){reading.called, reading.returned | 1u << operation,
                                      reading.at + 1, code, next}))
        return false;
    acceptance->read[reading.at] = (uint8_t)(operation | WORD_RETURN);
    return true;
}

static bool search_from(struct acceptance *acceptance, struct reading reading)
{
    const struct prepared_automaton *automaton = acceptance->automaton;
    unsigned count = acceptance->labelling->count, at = reading.at;
    size_t configuration = reading.code * automaton->state_count + reading.state, power = 1;
    if (at == 2 * count)
        return automaton->accepting[reading.state];
    if (bits_get(acceptance->seen, configuration))
        return false;
    bits_set(acceptance->seen, configuration);
    unsigned calls = readable_calls(acceptance, at, reading.returned) & ~reading.called;
    unsigned running = reading.called & ~reading.returned;
    unsigned returns = acceptance->in_blocks ? running & acceptance->block_returns[at] : running;
    for (unsigned i = 0; i < count; i++, power *= automaton->digits) {
        if ((calls >> i & 1 && search_call(acceptance, reading, i, power)) ||
            (returns >> i & 1 && search_return(acceptance, reading, i, power)))
            return true;
    }
    return false;
}

static bool may_have_colours(const struct acceptance *acceptance)
{
    for (unsigned v = 0; v < acceptance->labelling->value_count; v++)
        if (!may_have_colour(acceptance, v))
            return false;
    return true;
}

bool accepts_some_word(struct acceptance *acceptance, bool of_closure)
{
    unsigned values = acceptance->labelling->value_count;
    size_t configurations =
        automaton_configurations(acceptance->automaton, acceptance->labelling->count);
    memset(acceptance->colours, 1, sizeof acceptance->colours);
    acceptance->in_blocks = !of_closure;
    if (!of_closure)
        find_blocks(acceptance);
    for (;;) {
        if (may_have_colours(acceptance)) {
            bits_clear_all((struct bits){acceptance->seen.words, configurations});
            if (search_from(acceptance, (struct reading){.state = acceptance->automaton->initial}))
                return true;
        }
        acceptance->stopped =
            acceptance->stopped || limits_reached(acceptance->limits) != LIMIT_NONE;
        unsigned i = 0;
        while (i < values && acceptance->colours[i] == VIOLATION_COLOURS)
            acceptance->colours[i++] = 1;
        if (i == values || acceptance->stopped)
            return false;
        acceptance->colours[i]++;
    }
}

/* The automata as tables, one behind the other, and what a call and a return make of a possibility.
 * A letter's transitions lead to none where no accepting state can be reached any more, so that
 * sets of possibilities stay small. */
#include "property/automata_normal.h"

#include <assert.h>
#include <string.h>

/* A letter's number: its method, twice where it may be marked, and its colour. A guess is a set
 * of letters, as bits. */
#define MOST_LETTERS (2 * AUTOMATA_MOST_METHODS * VIOLATION_COLOURS)

/* Added to the guess of a thread that is between the operation that added its colour and the one
 * that gives it back: that one stays known. */
#define HAS_COLOUR (UINT32_C(1) << MOST_LETTERS)

#define NEUTRAL VIOLATION_COLOURS /* the colour of what does not matter */

/* A state of one of the automata, one automaton behind the other; the last is that of no automaton.
 */
struct automata_state {
    uint32_t automaton;
    bool accepts;
    uint32_t next[2][MOST_LETTERS]; /* by event; VIOLATION_DEAD also where nothing accepts any more
                                     */
};

static uint32_t method_of(uint32_t letter)
{
    return letter / (2 * VIOLATION_COLOURS);
}

static bool is_marked(uint32_t letter)
{
    return letter / VIOLATION_COLOURS % 2;
}

static unsigned colour_of(uint32_t letter)
{
    return letter % VIOLATION_COLOURS + 1;
}

/* The same with another colour. */
static uint32_t recolour(uint32_t letter, unsigned colour)
{
    assert(colour >= 1 && colour <= VIOLATION_COLOURS);
    return letter - colour_of(letter) + colour;
}

static uint32_t bit(uint32_t letter)
{
    assert(letter < MOST_LETTERS);
    return UINT32_C(1) << letter;
}

static enum method_role role_of(const struct automata_normal *normal, uint32_t letter)
{
    return normal->object->methods[method_of(letter)].role;
}

/* ---- following ---- */

static bool is_of(const struct automata_normal *normal, uint32_t letter,
                  const struct linear_event *event)
{
    return normal->operations[method_of(letter)] == event->operation;
}

/* The colour of a value; 0: it is none. */
static unsigned colour_of_value(value v)
{
    int64_t integer;
    bool is_colour = value_get_integer(v, &integer) && integer >= 1 && integer <= VIOLATION_COLOURS;
    return is_colour ? (unsigned)integer : 0;
}

/* Whether a call may be read as the letter, by a thread that comes with this guess. */
static bool may_call(const struct automata_normal *normal, uint32_t letter, uint32_t before,
                     const struct linear_event *event)
{
    if (!is_of(normal, letter, event))
        return false;
    if (!normal->object->values_are_processes)
        return role_of(normal, letter) != METHOD_ADDS ||
               colour_of(letter) == colour_of_value(event->argument);
    if (role_of(normal, letter) == METHOD_ADDS)
        return before == POSSIBILITY_IDLE;
    uint32_t added = recolour(0, colour_of(letter));
    return before != POSSIBILITY_IDLE && (before & (bit(added) | bit(added + VIOLATION_COLOURS)));
}

static enum status call(struct automata_normal *normal, possibility of, label l,
                        const struct linear_event *event, struct error *error)
{
    struct possibilities *possibilities = &normal->base.possibilities;
    const struct automata_state *state = &normal->states[possibility_own(of)];
    const uint32_t *guesses = normal->guesses + (size_t)state->automaton * MOST_LETTERS;
    uint32_t before = possibility_of(possibilities, of, event->thread);
    if (before != POSSIBILITY_IDLE && !(before & HAS_COLOUR))
        return linear_events_complain(&normal->base.events, l, error,
                                      "a response of the thread first");
    for (uint32_t letter = 0; letter < normal->letters; letter++) {
        uint32_t next = state->next[VIOLATION_CALL][letter];
        if (guesses[letter] && next != VIOLATION_DEAD && may_call(normal, letter, before, event) &&
            !possibilities_put(possibilities, of, next, event->thread, guesses[letter]))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* Whether an operation that was called as the letter may answer so. */
static bool agrees(const struct automata_normal *normal, uint32_t letter,
                   const struct linear_event *event)
{
    const struct object_method *method = &normal->object->methods[method_of(letter)];
    if (normal->object->values_are_processes || method->role == METHOD_ADDS) {
        assert(!event->has_result); /* it has nothing to answer */
        return true;
    }
    assert(method->result == RESULT_ITS_OWN);
    return method->role == METHOD_ANSWERS ? colour_of_value(event->result) == colour_of(letter)
                                          : event->result == VALUE_NIL;
}

/* Whether no method of the object answers so. */
static bool is_foreign(const struct automata_normal *normal, const struct linear_event *event)
{
    bool found = false;
    for (uint32_t letter = 0; letter < normal->letters; letter++)
        found |= is_of(normal, letter, event) && agrees(normal, letter, event);
    return !found;
}

static enum status answer(struct automata_normal *normal, possibility of, label l,
                          const struct linear_event *event, struct error *error)
{
    struct possibilities *possibilities = &normal->base.possibilities;
    const struct automata_state *state = &normal->states[possibility_own(of)];
    uint32_t guess = possibility_of(possibilities, of, event->thread);
    normal->is_foreign |= is_foreign(normal, event);
    if (guess == POSSIBILITY_IDLE || (guess & HAS_COLOUR))
        return linear_events_complain(&normal->base.events, l, error,
                                      "a call of this operation by the thread first");
    for (uint32_t letter = 0; letter < normal->letters; letter++) {
        uint32_t next = state->next[VIOLATION_RETURN][letter];
        if (!(guess & bit(letter)) || next == VIOLATION_DEAD || !agrees(normal, letter, event))
            continue;
        bool holds = normal->object->values_are_processes && role_of(normal, letter) == METHOD_ADDS;
        TRY_MEMORY(possibilities_put(possibilities, of, next, event->thread,
                                     holds ? guess | HAS_COLOUR : POSSIBILITY_IDLE));
    }
    return STATUS_OK;
}

static enum status follow(struct operations_normal *base, normal_id from, label l,
                          const struct linear_event *event, struct error *error)
{
    struct automata_normal *normal = (struct automata_normal *)base;
    struct possibility_row row = possibilities_row(&base->possibilities, from);
    possibility member = 0;
    while (possibility_row_next(&row, &member))
        TRY(event->kind == LINEAR_INVOKE ? call(normal, member, l, event, error)
                                         : answer(normal, member, l, event, error));
    return STATUS_OK;
}

static bool is_whole(const struct automata_normal *normal, possibility of)
{
    size_t length;
    const uint32_t *words = possibility_threads(&normal->base.possibilities, of, &length);
    for (size_t at = 0; at < length; at += 2)
        if (!(words[at + 1] & HAS_COLOUR))
            return false;
    return true;
}

static enum status finish(struct operations_normal *base, bool by_response, normal_id *id)
{
    (void)by_response;
    struct automata_normal *normal = (struct automata_normal *)base;
    struct possibilities *possibilities = &base->possibilities;
    *id = normal->is_foreign ? NORMAL_NONE : NORMAL_EVERYTHING;
    normal->is_foreign = false;
    for (size_t i = 0; i < possibilities->set.items.length; i++) {
        const possibility member = possibilities->set.items.items[i];
        const struct automata_state *state = &normal->states[possibility_own(member)];
        if (!state->accepts || !(normal->at_once || is_whole(normal, member)))
            continue;
        if (normal->violated_by > state->automaton)
            normal->violated_by = state->automaton;
        *id = NORMAL_NONE;
    }
    if (*id == NORMAL_NONE || possibilities->set.items.length == 0)
        return STATUS_OK;
    return granted(possibilities_finish(possibilities, id));
}

static const struct operations_class operations = {
    .follow = follow,
    .finish = finish,
};

/* ---- as a normal form ---- */

static enum status initial(struct normal *base, normal_id *id, struct error *error)
{
    struct automata_normal *normal = (struct automata_normal *)base;
    struct possibilities *possibilities = &normal->base.possibilities;
    (void)error;
    possibilities_start(possibilities);
    for (uint32_t state = 0, i = 0; i <= normal->automaton_count; i++) {
        uint32_t start = i < normal->automaton_count ? normal->automata[i]->initial : 0;
        possibilities->scratch.length = 0;
        TRY_MEMORY(vector_push(&possibilities->scratch, state + start) &&
                   possibilities_add(possibilities));
        state += i < normal->automaton_count ? normal->automata[i]->state_count : 0;
    }
    return granted(possibilities_finish(possibilities, id));
}

/* The more possibilities, the fewer behaviours. Both rows ascend. */
static bool includes(struct normal *base, normal_id whole, normal_id part, bool *includes)
{
    const struct operations_normal *normal = (const struct operations_normal *)base;
    struct possibility_row members = possibilities_row(&normal->possibilities, whole),
                           others = possibilities_row(&normal->possibilities, part);
    possibility member = 0, other = 0;
    *includes = true;
    while (*includes && possibility_row_next(&members, &member)) {
        bool is_left = true;
        while (is_left && (is_left = possibility_row_next(&others, &other)) && other < member)
            ;
        *includes = is_left && other == member;
    }
    return true;
}

static bool signature(struct normal *base, normal_id id, uint64_t *signature)
{
    struct possibility_row row =
        possibilities_row(&((const struct operations_normal *)base)->possibilities, id);
    possibility member = 0;
    uint64_t bits = 0;
    while (possibility_row_next(&row, &member))
        bits |= possibility_signature(member);
    *signature = ~bits;
    return true;
}

/* Which automaton accepts first is a matter of the order of possibilities. */
static uint64_t known(const struct normal *base)
{
    const struct operations_normal *normal = (const struct operations_normal *)base;
    return operations_normal_known(base) + shared_words_count(&normal->possibilities.abouts);
}

static const struct normal_class class = {
    .initial = initial,
    .step = operations_normal_step,
    .known = known,
    .sizes = operations_normal_sizes,
    .known_step = operations_normal_known_step,
    .includes = includes,
    .signature = signature,
};

/* ---- the automata ---- */

static void take_automata(struct automata_normal *normal, const struct violation_automata *automata)
{
    normal->at_once = normal->object->values_are_processes;
    for (size_t i = 0; i < automata->count; i++) {
        assert(!automata->items[i].single); /* many operations add values of one colour */
        normal->automata[normal->automaton_count++] = &automata->items[i];
        normal->state_count += automata->items[i].state_count;
    }
    normal->violated_by = normal->automaton_count;
    normal->state_count++;
}

/* The automaton's method that a letter is; its method_count: none. */
static uint32_t find_method(const struct automata_normal *normal,
                            const struct violation_automaton *automaton, uint32_t letter)
{
    const char *name = normal->object->methods[method_of(letter)].name;
    uint32_t method = violation_automaton_find_method(automaton, name, strlen(name));
    if (!is_marked(letter) || method == automaton->method_count)
        return method;
    return violation_automaton_marked(automaton, method);
}

static void fill_state(const struct automata_normal *normal, uint32_t number, uint32_t first,
                       uint32_t state)
{
    const struct violation_automaton *automaton = normal->automata[number];
    assert(first + state + 1 < normal->state_count); /* the last is that of no automaton */
    struct automata_state *row = &normal->states[first + state];
    row->automaton = number;
    row->accepts = automaton->accepting[state] && !(normal->at_once && automaton->complete[state]);
    for (uint32_t letter = 0; letter < normal->letters; letter++) {
        uint32_t method = find_method(normal, automaton, letter);
        for (unsigned event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++) {
            uint32_t next = VIOLATION_DEAD;
            if (method < automaton->method_count)
                next = violation_automaton_next(automaton, state, (enum violation_event)event,
                                                method, colour_of(letter));
            row->next[event][letter] = next == VIOLATION_DEAD ? next : first + next;
        }
    }
}

/* The state that reads the neutral colour, and nothing else. */
static void fill_last(const struct automata_normal *normal)
{
    uint32_t last = normal->state_count - 1;
    struct automata_state *row = &normal->states[last];
    row->automaton = normal->automaton_count;
    row->accepts = false;
    for (uint32_t letter = 0; letter < normal->letters; letter++)
        row->next[VIOLATION_CALL][letter] = row->next[VIOLATION_RETURN][letter] =
            colour_of(letter) == NEUTRAL && !is_marked(letter) ? last : VIOLATION_DEAD;
}

static bool leads_on(const struct automata_normal *normal, const bool *coreachable, uint32_t state)
{
    for (unsigned event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++)
        for (uint32_t letter = 0; letter < normal->letters; letter++) {
            uint32_t next = normal->states[state].next[event][letter];
            if (next != VIOLATION_DEAD && coreachable[next])
                return true;
        }
    return false;
}

/* Makes transitions to states from which nothing accepts any more lead to none. */
static enum status trim(struct automata_normal *normal, struct arena *arena)
{
    uint32_t automata_states = normal->state_count - 1;
    bool *coreachable = arena_allocate(arena, normal->state_count * sizeof *coreachable);
    TRY_MEMORY(coreachable);
    for (uint32_t state = 0; state < automata_states; state++)
        coreachable[state] = normal->states[state].accepts;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t state = 0; state < automata_states; state++)
            if (!coreachable[state] && leads_on(normal, coreachable, state))
                coreachable[state] = grows = true;
    }
    for (uint32_t state = 0; state < automata_states; state++)
        for (uint32_t i = 0; i < 2 * normal->letters; i++) {
            uint32_t *next = &normal->states[state].next[i % 2][i / 2];
            if (*next != VIOLATION_DEAD && !coreachable[*next])
                *next = VIOLATION_DEAD;
        }
    return STATUS_OK;
}

static bool reads_alike(const struct automata_normal *normal, uint32_t automaton,
                        enum violation_event event, uint32_t one, uint32_t other)
{
    for (uint32_t i = 0; i < normal->state_count; i++) {
        const struct automata_state *state = &normal->states[i];
        if (state->automaton == automaton && state->next[event][one] != state->next[event][other])
            return false;
    }
    return true;
}

/* Whether a colour does nothing that a later one does not do: then that one is enough. */
static bool is_redundant(const struct automata_normal *normal, uint32_t automaton, unsigned colour)
{
    bool redundant = false;
    for (unsigned later = colour + 1; later <= VIOLATION_COLOURS && !redundant; later++) {
        redundant = true;
        for (uint32_t letter = 0; letter < normal->letters && redundant; letter++)
            redundant =
                colour_of(letter) != colour || role_of(normal, letter) == METHOD_EMPTY ||
                (reads_alike(normal, automaton, VIOLATION_CALL, letter, recolour(letter, later)) &&
                 reads_alike(normal, automaton, VIOLATION_RETURN, letter, recolour(letter, later)));
    }
    return redundant;
}

/* What is guessed at a letter's call: itself, or, where the answer is open, all letters of the
 * operation that are read alike there; nothing for those that others stand for. */
static uint32_t guess_of(const struct automata_normal *normal, uint32_t automaton, uint32_t letter)
{
    uint32_t guess = 0;
    if (role_of(normal, letter) == METHOD_ADDS || normal->object->values_are_processes)
        return is_redundant(normal, automaton, colour_of(letter)) ? 0 : bit(letter);
    for (uint32_t other = 0; other < normal->letters; other++)
        if (normal->operations[method_of(other)] == normal->operations[method_of(letter)] &&
            role_of(normal, other) != METHOD_ADDS &&
            reads_alike(normal, automaton, VIOLATION_CALL, letter, other))
            guess |= bit(other);
    return guess < 2 * bit(letter) ? guess : 0; /* the last of them stands for all */
}

static enum status find_guesses(struct automata_normal *normal, struct arena *arena)
{
    size_t count = (size_t)(normal->automaton_count + 1) * MOST_LETTERS;
    normal->guesses = arena_allocate(arena, count * sizeof *normal->guesses);
    TRY_MEMORY(normal->guesses);
    for (uint32_t automaton = 0; automaton <= normal->automaton_count; automaton++)
        for (uint32_t letter = 0; letter < normal->letters; letter++)
            normal->guesses[automaton * MOST_LETTERS + letter] =
                guess_of(normal, automaton, letter);
    return STATUS_OK;
}

enum status automata_normal_init(struct automata_normal *normal, const struct spec *spec,
                                 const struct rule_object *object,
                                 const struct violation_automata *automata, struct labels *labels,
                                 struct arena *arena, struct budget *budget)
{
    *normal = (struct automata_normal){.object = object,
                                       .letters = 2 * object->method_count * VIOLATION_COLOURS};
    assert(normal->letters <= MOST_LETTERS);
    operations_normal_init(&normal->base, &class, &operations, spec, labels, false, budget);
    normal->automata = arena_allocate(arena, automata->count * sizeof *normal->automata);
    TRY_MEMORY(normal->automata);
    take_automata(normal, automata);
    for (uint32_t method = 0; method < object->method_count; method++) {
        const char *name = object->methods[method].operation;
        normal->operations[method] = spec_operation_find(spec->class, name, strlen(name));
    }
    normal->states = arena_allocate(arena, normal->state_count * sizeof *normal->states);
    TRY_MEMORY(normal->states);
    for (uint32_t i = 0, first = 0; i < normal->automaton_count; i++) {
        for (uint32_t state = 0; state < normal->automata[i]->state_count; state++)
            fill_state(normal, i, first, state);
        first += normal->automata[i]->state_count;
    }
    fill_last(normal);
    TRY(trim(normal, arena));
    return find_guesses(normal, arena);
}

void automata_normal_release(struct automata_normal *normal)
{
    operations_normal_release(&normal->base);
}

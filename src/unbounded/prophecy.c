#include "unbounded/prophecy.h"

#include <assert.h>
#include <string.h>

#include "spec/builtin.h"
#include "spec/spec.h"

/* ---- methods ---- */

/* The methods of an operation of that name, as bits. */
static uint16_t methods_named(const struct rule_object *object, const char *name)
{
    uint16_t methods = 0;
    for (unsigned method = 0; method < object->method_count; method++)
        if (strcmp(name, object->methods[method].operation) == 0)
            methods |= (uint16_t)(1u << method);
    return methods;
}

/* Likewise where the name is another one for an operation of a built-in object. */
static uint16_t methods_called(const struct rule_object *object, const char *name)
{
    const struct spec_class *class = spec_class_find(object->name, strlen(object->name));
    int operation = class ? spec_operation_find(class, name, strlen(name)) : -1;
    uint16_t methods = 0;
    for (unsigned method = 0; operation >= 0 && method < object->method_count; method++) {
        const char *known = object->methods[method].operation;
        if (spec_operation_find(class, known, strlen(known)) == operation)
            methods |= (uint16_t)(1u << method);
    }
    return methods;
}

enum status method_roles_find(const struct lin_object *implementation,
                              const struct rule_object *object, struct arena *arena,
                              struct method_roles *roles, struct error *error)
{
    uint32_t count = implementation->operation_count;
    *roles =
        (struct method_roles){object, arena_allocate(arena, count * sizeof *roles->methods), count};
    TRY_MEMORY(roles->methods);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = implementation->operations[i]->name;
        roles->methods[i] = methods_named(object, name);
        if (!roles->methods[i])
            roles->methods[i] = methods_called(object, name);
        if (!roles->methods[i])
            return error_set(error, STATUS_INTERNAL, NULL, 0, "`%s` is no operation of a %s", name,
                             object->name);
    }
    return STATUS_OK;
}

static bool is_method(const struct method_roles *roles, uint32_t operation, unsigned method)
{
    return roles->methods[operation] >> method & 1;
}

static enum method_role role_of(const struct method_roles *roles, unsigned method)
{
    return roles->object->methods[method].role;
}

static bool answers_value(const struct method_roles *roles, unsigned method)
{
    return role_of(roles, method) == METHOD_ANSWERS && !roles->object->values_are_processes;
}

/* Which methods of an operation can answer so: as bits. */
static unsigned methods_of_answer(const struct method_roles *roles, const struct thread_move *move)
{
    unsigned fitting = 0;
    for (unsigned method = 0; method < roles->object->method_count; method++)
        if (move->answer == (answers_value(roles, method) ? ANSWER_VALUED : ANSWER_PLAIN))
            fitting |= 1u << method;
    return roles->methods[move->operation] & fitting;
}

unsigned method_roles_of(const struct method_roles *roles, uint32_t operation)
{
    unsigned found = 0;
    for (unsigned i = 0; i < roles->object->method_count; i++)
        if (roles->methods[operation] >> i & 1)
            found |= 1u << roles->object->methods[i].role;
    return found;
}

bool method_roles_forbid(const struct method_roles *roles, const struct thread_move *move)
{
    return move->answer != ANSWER_NONE && !methods_of_answer(roles, move);
}

/* ---- an automaton made ready ---- */

static unsigned colour_of(uint32_t letter)
{
    return letter % VIOLATION_COLOURS + 1;
}

static uint32_t *next_of(const struct alphabet *alphabet, enum violation_event event,
                         uint32_t state, uint32_t letter)
{
    size_t row = (size_t)state * 2 + event;
    return &alphabet->next[row * alphabet->letters + letter];
}

/* Of whole histories those are accepted that end in any accepting state, of prefixes not those that
 * end in a complete one: unless such a state can be reached without another accepting one before
 * it, which would be missed. */
static void find_accepting(struct alphabet *alphabet, bool *met)
{
    const struct violation_automaton *automaton = alphabet->automaton;
    uint32_t states = automaton->state_count;
    memset(met, 0, states * sizeof *met);
    met[automaton->initial] = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t s = 0; s < states; s++)
            for (size_t i = 0; i < (size_t)2 * alphabet->letters; i++) {
                uint32_t to = automaton->next[s * (size_t)2 * alphabet->letters + i];
                bool passes = met[s] && (!automaton->accepting[s] || automaton->complete[s]);
                if (!passes || to == VIOLATION_DEAD || met[to])
                    continue;
                met[to] = grows = true;
            }
    }
    for (uint32_t s = 0; s < states; s++)
        alphabet->accepting[s] = automaton->accepting[s] && (!automaton->complete[s] || met[s]);
}

static void copy_automaton(struct alphabet *alphabet, bool at_once)
{
    const struct violation_automaton *automaton = alphabet->automaton;
    for (uint32_t s = 0; s < automaton->state_count; s++)
        for (uint32_t letter = 0; letter < alphabet->letters; letter++)
            for (unsigned event = 0; event < 2; event++)
                *next_of(alphabet, (enum violation_event)event, s, letter) =
                    alphabet->accepting[s] && at_once
                        ? s
                        : violation_automaton_next(automaton, s, (enum violation_event)event,
                                                   letter / VIOLATION_COLOURS, colour_of(letter));
    for (uint32_t letter = 0; letter < alphabet->letters; letter++) {
        uint32_t method = automaton->unmarked[letter / VIOLATION_COLOURS];
        alphabet->method[letter] =
            (uint8_t)rule_object_find_method(alphabet->roles->object, automaton->methods[method]);
    }
}

static bool is_same(const struct alphabet *alphabet, enum violation_event event, uint32_t one,
                    uint32_t other)
{
    for (uint32_t s = 0; s < alphabet->automaton->state_count; s++)
        if (*next_of(alphabet, event, s, one) != *next_of(alphabet, event, s, other))
            return false;
    return true;
}

/* Whether the same answers are returns of both letters. */
static bool answers_alike(const struct alphabet *alphabet, uint32_t one, uint32_t other)
{
    bool valued = role_of(alphabet->roles, alphabet->method[one]) == METHOD_ANSWERS;
    return alphabet->method[one] == alphabet->method[other] &&
           (!valued || colour_of(one) == colour_of(other));
}

static void compare_letters(struct alphabet *alphabet)
{
    bool keeps_colours = alphabet->roles->object->values_are_processes;
    for (uint32_t one = 0; one < alphabet->letters; one++) {
        alphabet->same_call[one] = 0;
        alphabet->same_return[one] = 0;
        for (uint32_t other = 0; other < alphabet->letters; other++) {
            bool alone = keeps_colours && one != other;
            if (!alone && is_same(alphabet, VIOLATION_CALL, one, other))
                alphabet->same_call[one] |= UINT64_C(1) << other;
            if (!alone && !alphabet->same_return[one] && answers_alike(alphabet, one, other) &&
                is_same(alphabet, VIOLATION_RETURN, one, other))
                alphabet->same_return[one] = UINT64_C(1) << other;
        }
    }
}

/* Whether no method that has a value tells the colours apart. */
static bool is_same_colour(const struct alphabet *alphabet, unsigned one, unsigned other)
{
    for (uint32_t first = 0; first < alphabet->letters; first += VIOLATION_COLOURS) {
        uint32_t left = first + one - 1, right = first + other - 1;
        if (role_of(alphabet->roles, alphabet->method[first]) != METHOD_EMPTY &&
            (!is_same(alphabet, VIOLATION_CALL, left, right) ||
             !is_same(alphabet, VIOLATION_RETURN, left, right)))
            return false;
    }
    return true;
}

static void find_colours(struct alphabet *alphabet)
{
    for (unsigned colour = 1; colour <= VIOLATION_COLOURS; colour++) {
        bool fresh = true;
        for (unsigned known = 1; known < colour; known++)
            fresh = fresh && !is_same_colour(alphabet, known, colour);
        alphabet->colours |= (unsigned)fresh << colour;
    }
}

enum status alphabet_make(const struct violation_automaton *automaton,
                          const struct method_roles *roles, bool at_once, struct arena *arena,
                          struct alphabet *alphabet)
{
    uint32_t states = automaton->state_count;
    uint32_t letters = automaton->method_count * VIOLATION_COLOURS;
    bool *useful = arena_allocate(arena, states * sizeof *useful);
    assert(letters <= MOST_LETTERS && MOST_LETTERS <= 64); /* a set is a word */
    *alphabet = (struct alphabet){.automaton = automaton, .roles = roles, .letters = letters};
    alphabet->accepting = arena_allocate(arena, states * sizeof *alphabet->accepting);
    alphabet->next = arena_allocate(arena, (size_t)2 * states * letters * sizeof *alphabet->next);
    alphabet->method = arena_allocate(arena, letters * sizeof *alphabet->method);
    alphabet->same_call = arena_allocate(arena, letters * sizeof *alphabet->same_call);
    alphabet->same_return = arena_allocate(arena, letters * sizeof *alphabet->same_return);
    TRY_MEMORY(useful && alphabet->accepting && alphabet->next && alphabet->method &&
               alphabet->same_call && alphabet->same_return);
    find_accepting(alphabet, useful);
    copy_automaton(alphabet, at_once);
    violation_table_trim(alphabet->next, states, (size_t)2 * letters, alphabet->accepting, useful);
    compare_letters(alphabet);
    find_colours(alphabet);
    return STATUS_OK;
}

/* ---- reading ---- */

/* Letters that the operation of a move may be called with. */
static uint64_t letters_of_call(const struct alphabet *alphabet, auxiliary kept,
                                const struct thread_move *move)
{
    bool by_argument = move->argument != 0;
    uint64_t set = 0;
    for (uint32_t letter = 0; letter < alphabet->letters; letter++) {
        unsigned method = alphabet->method[letter], colour = colour_of(letter);
        enum method_role role = role_of(alphabet->roles, method);
        if (!is_method(alphabet->roles, move->operation, method))
            continue;
        if (by_argument && role == METHOD_ADDS && colour != move->argument)
            continue;
        if (role != METHOD_EMPTY && !(alphabet->colours >> colour & 1))
            continue;
        if (kept && colour != colour_of((uint32_t)__builtin_ctzll(kept)))
            continue;
        set |= UINT64_C(1) << letter;
    }
    return set;
}

size_t alphabet_call(const struct alphabet *alphabet, uint32_t state, auxiliary kept,
                     const struct thread_move *move, struct reading *out)
{
    size_t count = 0;
    for (uint64_t left = letters_of_call(alphabet, kept, move); left;) {
        uint32_t letter = (uint32_t)__builtin_ctzll(left);
        uint64_t together = left & alphabet->same_call[letter];
        uint32_t to = *next_of(alphabet, VIOLATION_CALL, state, letter);
        left &= ~together;
        if (to == VIOLATION_DEAD)
            continue;
        assert(count < MOST_LETTERS);
        out[count] = (struct reading){to, 0};
        for (; together; together &= together - 1)
            out[count].auxiliary |= alphabet->same_return[__builtin_ctzll(together)];
        count++;
    }
    return count;
}

static bool is_kept_by(const struct alphabet *alphabet, uint32_t letter,
                       const struct thread_move *move)
{
    bool valued = move->answer == ANSWER_VALUED;
    return (methods_of_answer(alphabet->roles, move) >> alphabet->method[letter] & 1) &&
           (!valued || colour_of(letter) == move->result);
}

size_t alphabet_return(const struct alphabet *alphabet, uint32_t state, auxiliary prophecy,
                       const struct thread_move *move, struct reading *out)
{
    size_t count = 0;
    for (auxiliary left = prophecy; left; left &= left - 1) {
        uint32_t letter = (uint32_t)__builtin_ctzll(left);
        uint32_t to = *next_of(alphabet, VIOLATION_RETURN, state, letter);
        bool known = to == VIOLATION_DEAD || !is_kept_by(alphabet, letter, move);
        for (size_t i = 0; i < count; i++)
            known = known || out[i].state == to;
        if (!known)
            out[count++] = (struct reading){to, prophecy};
    }
    return count;
}

unsigned alphabet_answers(const struct alphabet *alphabet, auxiliary prophecy)
{
    unsigned answers = 0;
    for (auxiliary left = prophecy; left; left &= left - 1) {
        uint32_t letter = (uint32_t)__builtin_ctzll(left);
        bool valued = answers_value(alphabet->roles, alphabet->method[letter]);
        answers |= valued ? 1u << colour_of(letter) : 1;
    }
    return answers;
}

#include "unbounded/heap_marks.h"

#include <string.h>

static enum method_role role_of(const struct alphabet *alphabet, uint32_t letter)
{
    return alphabet->roles->object->methods[alphabet->method[letter]].role;
}

static unsigned colour_of(uint32_t letter)
{
    return letter % VIOLATION_COLOURS + 1;
}

/* As the file has it. */
static uint32_t next_of(const struct alphabet *alphabet, uint32_t state, enum violation_event event,
                        uint32_t letter)
{
    return violation_automaton_next(alphabet->automaton, state, event, letter / VIOLATION_COLOURS,
                                    colour_of(letter));
}

/* ---- automata that need not know where operations begin ---- */

/* Whether a letter leaves every state as it is; or is read in none, if it may be so. States in
 * which the automaton has accepted are no matter. */
static bool is_ignored(const struct alphabet *alphabet, enum violation_event event, uint32_t letter,
                       bool may_be_dead)
{
    bool all_stay = true, all_dead = true;
    for (uint32_t s = 0; s < alphabet->automaton->state_count; s++) {
        const uint32_t to = next_of(alphabet, s, event, letter);
        if (alphabet->automaton->accepting[s])
            continue;
        all_stay &= to == s;
        all_dead &= to == VIOLATION_DEAD;
    }
    return all_stay || (may_be_dead && all_dead);
}

/* Whether what accepts goes on to accept, whatever comes. */
static bool accepts_for_good(const struct alphabet *alphabet)
{
    const struct violation_automaton *automaton = alphabet->automaton;
    bool stays = true;
    for (uint32_t s = 0; s < automaton->state_count; s++)
        for (uint32_t letter = 0; letter < alphabet->letters && automaton->accepting[s]; letter++)
            stays &= next_of(alphabet, s, VIOLATION_CALL, letter) == s &&
                     next_of(alphabet, s, VIOLATION_RETURN, letter) == s;
    return stays;
}

static bool is_settled_enough(const struct alphabet *alphabet)
{
    bool enough = accepts_for_good(alphabet);
    for (uint32_t letter = 0; letter < alphabet->letters && enough; letter++) {
        const enum method_role role = role_of(alphabet, letter);
        if (role == METHOD_ASKS)
            enough = false;
        if (role == METHOD_ANSWERS)
            enough = is_ignored(alphabet, VIOLATION_CALL, letter, true);
        if (role == METHOD_EMPTY)
            enough = is_ignored(alphabet, VIOLATION_CALL, letter, false) &&
                     is_ignored(alphabet, VIOLATION_RETURN, letter, false);
    }
    return enough;
}

/* ---- automata of the two rules ---- */

/* A state of what a rule says: of its own words, as those of examples/rules/generate are. */
struct rule_state {
    uint8_t phase, first, second; /* how many of colours 1 and 2 are inside */
};

enum rule_phase {
    PHASE_BEFORE,
    PHASE_DURING,
    PHASE_LATE,
    PHASE_ACCEPTED,
};

/* False: no word goes on so. */
typedef bool rule_step(struct rule_state *state, enum violation_event event, enum method_role role,
                       unsigned colour);

static bool cover_step(struct rule_state *state, enum violation_event event, enum method_role role,
                       unsigned colour)
{
    const bool calls = event == VIOLATION_CALL, before = state->phase == PHASE_BEFORE;
    if (state->phase == PHASE_ACCEPTED)
        return true;
    if (!calls && role == METHOD_ADDS && colour == 1)
        return state->first++ < (before ? 1 : HEAP_MOST_MARKED);
    if (calls && role == METHOD_ANSWERS && colour == 1)
        return state->first-- == HEAP_MOST_MARKED;
    if (calls && role == METHOD_EMPTY && colour == 2) {
        state->phase = PHASE_DURING;
        return before && state->first == 1;
    }
    if (!calls && role == METHOD_EMPTY && colour == 2)
        *state = (struct rule_state){.phase = before ? PHASE_LATE : PHASE_ACCEPTED};
    return state->phase != PHASE_LATE;
}

static bool lowest_step(struct rule_state *state, enum violation_event event, enum method_role role,
                        unsigned colour)
{
    const bool calls = event == VIOLATION_CALL, adds = role == METHOD_ADDS;
    if (role == METHOD_EMPTY || colour == 3)
        return true;
    if (state->phase == PHASE_LATE)
        return colour == 2;
    if (state->phase == PHASE_BEFORE) {
        if (!adds || colour != 1)
            return false;
        if (!calls)
            *state = (struct rule_state){.phase = PHASE_DURING, .first = 1};
        return true;
    }
    if (calls && adds)
        return colour == 2;
    if (!calls && !adds)
        return true;
    uint8_t *inside = colour == 1 ? &state->first : &state->second;
    if (adds) {
        (*inside)++;
        return state->first + state->second <= HEAP_MOST_MARKED;
    }
    if (state->first == 0 && state->second == 1 && colour == 2) {
        state->phase = PHASE_LATE;
        return true;
    }
    return (*inside)-- > 0 && state->first + state->second > 0;
}

static bool cover_accepts(const struct rule_state *state)
{
    return state->phase == PHASE_ACCEPTED;
}

static bool lowest_accepts(const struct rule_state *state)
{
    return state->phase == PHASE_LATE ||
           (state->phase == PHASE_DURING && state->first == 0 && state->second > 0);
}

/* A state's number, less than RULE_STATES. */
#define RULE_STATES 64
static uint32_t number_of(const struct rule_state *state)
{
    return (uint32_t)state->phase * 16 + (state->first & 3u) * 4 + (state->second & 3u);
}

/* Whether the automaton goes on, and accepts, only where the rule's words do. */
struct comparison {
    const struct alphabet *alphabet;
    rule_step *step;
    bool (*accepts)(const struct rule_state *state);
    bool met[VIOLATION_MOST_STATES][RULE_STATES];
    bool same;
};

/* What the automaton does not go on from to acceptance is no matter. */
static bool is_useful(const struct alphabet *alphabet, uint32_t state)
{
    bool met[VIOLATION_MOST_STATES] = {false}, grows = true;
    met[state] = true;
    while (grows) {
        grows = false;
        for (uint32_t s = 0; s < alphabet->automaton->state_count; s++) {
            if (met[s] && alphabet->automaton->accepting[s])
                return true;
            for (uint32_t letter = 0; letter < alphabet->letters && met[s]; letter++)
                for (int event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++) {
                    const uint32_t to = next_of(alphabet, s, (enum violation_event)event, letter);
                    if (to == VIOLATION_DEAD || met[to])
                        continue;
                    met[to] = grows = true;
                }
        }
    }
    return false;
}

static void compare(struct comparison *comparison, uint32_t state, struct rule_state rule)
{
    const struct alphabet *alphabet = comparison->alphabet;
    bool *met = &comparison->met[state][number_of(&rule)];
    if (*met || !comparison->same)
        return;
    *met = true;
    if (alphabet->automaton->accepting[state] && !comparison->accepts(&rule))
        comparison->same = false;
    for (uint32_t letter = 0; letter < alphabet->letters && comparison->same; letter++)
        for (int event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++) {
            const enum violation_event side = (enum violation_event)event;
            const uint32_t to = next_of(alphabet, state, side, letter);
            struct rule_state behind = rule;
            if (to == VIOLATION_DEAD || !is_useful(alphabet, to))
                continue;
            if (comparison->step(&behind, side, role_of(alphabet, letter), colour_of(letter)))
                compare(comparison, to, behind);
            else
                comparison->same = false;
        }
}

static bool says_no_more_than(const struct alphabet *alphabet, rule_step *step,
                              bool (*accepts)(const struct rule_state *state))
{
    struct comparison comparison = {
        .alphabet = alphabet, .step = step, .accepts = accepts, .same = true};
    compare(&comparison, alphabet->automaton->initial, (struct rule_state){.phase = PHASE_BEFORE});
    return comparison.same;
}

/* Whether a method is read in several ways, or asks for a value. */
static bool is_plain(const struct alphabet *alphabet)
{
    bool plain = alphabet->automaton->single == 0;
    for (uint32_t i = 0; i < alphabet->automaton->method_count; i++)
        plain &= alphabet->automaton->unmarked[i] == i;
    for (uint32_t letter = 0; letter < alphabet->letters; letter++)
        plain &= role_of(alphabet, letter) != METHOD_ASKS;
    return plain && !alphabet->roles->object->values_are_processes;
}

enum heap_way heap_way_of(const struct alphabet *alphabet)
{
    if (!is_plain(alphabet))
        return HEAP_WAY_NONE;
    if (is_settled_enough(alphabet))
        return HEAP_WAY_SETTLED;
    if (says_no_more_than(alphabet, cover_step, cover_accepts))
        return HEAP_WAY_COVER;
    return says_no_more_than(alphabet, lowest_step, lowest_accepts) ? HEAP_WAY_LOWEST
                                                                    : HEAP_WAY_NONE;
}

/* ---- values that are taken twice ---- */

struct history {
    uint32_t state, brought, taken; /* values of colour 1 */
};

static bool forbids_from(const struct alphabet *alphabet, struct history at, bool *met)
{
    bool *here = &met[(at.state * 2 + at.brought) * 2 + at.taken];
    if (*here || alphabet->automaton->accepting[at.state])
        return true;
    *here = true;
    for (uint32_t letter = 0; letter < alphabet->letters; letter++)
        for (int event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++) {
            const enum method_role role = role_of(alphabet, letter);
            const bool returns = event == VIOLATION_RETURN, first = colour_of(letter) == 1;
            struct history behind = at;
            behind.brought += !returns && first && role == METHOD_ADDS;
            behind.taken += returns && first && role == METHOD_ANSWERS;
            if (behind.brought == 2)
                continue;
            behind.state = next_of(alphabet, at.state, (enum violation_event)event, letter);
            if (behind.state == VIOLATION_DEAD)
                return false;
            if (alphabet->automaton->accepting[behind.state])
                continue;
            if (behind.taken == 2 || !forbids_from(alphabet, behind, met))
                return false;
        }
    return true;
}

bool heap_forbids_repeats(const struct alphabet *alphabet)
{
    bool met[VIOLATION_MOST_STATES * 4] = {false};
    return forbids_from(alphabet, (struct history){.state = alphabet->automaton->initial}, met);
}

/* ---- views ---- */

const char *heap_marks_provide(struct heap_shape *shape)
{
    const struct lin_steps *steps = shape->steps;
    uint32_t most = 0;
    if (steps->shared_values.count > 0)
        return "shared variables hold values";
    for (uint32_t i = 0; i < steps->pool_count; i++)
        if (steps->pools[i].values.count > 1)
            return "nodes hold several values";
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (steps->entries[i].values.count > most)
            most = steps->entries[i].values.count;
    if (HEAP_FIRST_SOURCE + most > HEAP_MOST_ROOTS)
        return "operations have too many values";
    shape->ghosts = HEAP_FIRST_SOURCE + most;
    return NULL;
}

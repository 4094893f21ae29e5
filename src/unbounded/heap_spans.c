#include "unbounded/heap_spans.h"

#include <string.h>

static uint32_t next_of(const struct alphabet *alphabet, uint32_t state, unsigned event,
                        uint32_t letter)
{
    return alphabet->next[((size_t)state * 2 + event) * alphabet->letters + letter];
}

static bool adds(const struct alphabet *alphabet, uint32_t letter)
{
    return alphabet->roles->object->methods[alphabet->method[letter]].role == METHOD_ADDS;
}

static bool adds_colour(const struct alphabet *alphabet, uint32_t letter, uint32_t colour)
{
    return adds(alphabet, letter) && letter % VIOLATION_COLOURS + 1 == colour;
}

/* Whether no other call that brings this colour can be read behind one, before the automaton
 * accepts. */
static bool is_once(const struct alphabet *alphabet, uint32_t colour)
{
    const uint32_t states = alphabet->automaton->state_count;
    bool behind[VIOLATION_MOST_STATES] = {false}, once = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t s = 0; s < states; s++)
            for (unsigned event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++)
                for (uint32_t letter = 0; letter < alphabet->letters; letter++) {
                    const uint32_t to = next_of(alphabet, s, event, letter);
                    const bool brings =
                        event == VIOLATION_CALL && adds_colour(alphabet, letter, colour);
                    if (to == VIOLATION_DEAD || alphabet->accepting[s])
                        continue;
                    once &= !(brings && behind[s]);
                    grows |= (brings || behind[s]) && !behind[to];
                    behind[to] |= brings || behind[s];
                }
    }
    return once;
}

unsigned heap_find_once(const struct alphabet *alphabet)
{
    unsigned found = 0;
    for (uint32_t colour = 1; colour <= VIOLATION_COLOURS; colour++)
        found |= (unsigned)is_once(alphabet, colour) << colour;
    return found;
}

bool heap_may_span(const struct alphabet *alphabet)
{
    const struct violation_automaton *automaton = alphabet->automaton;
    bool may = true;
    for (uint32_t s = 0; s < automaton->state_count; s++)
        for (uint32_t letter = 0; letter < alphabet->letters; letter++) {
            const uint32_t to =
                violation_automaton_next(automaton, s, VIOLATION_RETURN, letter / VIOLATION_COLOURS,
                                         letter % VIOLATION_COLOURS + 1);
            const bool accepts = to != VIOLATION_DEAD && alphabet->accepting[to];
            if (adds(alphabet, letter))
                may &= accepts == alphabet->accepting[s];
        }
    return may;
}

/* ---- one value of a colour ---- */

/* The state behind an event: of letters that do not add, call and return at once. */
static uint32_t behind(const struct alphabet *alphabet, uint32_t state, unsigned event,
                       uint32_t letter)
{
    const uint32_t to = next_of(alphabet, state, event, letter);
    if (adds(alphabet, letter))
        return to;
    return event == VIOLATION_RETURN || to == VIOLATION_DEAD
               ? VIOLATION_DEAD
               : next_of(alphabet, to, VIOLATION_RETURN, letter);
}

/* Marks what can be met from the marked states, until something is accepted. */
static void spread(const struct alphabet *alphabet, bool *met)
{
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t s = 0; s < alphabet->automaton->state_count; s++)
            for (unsigned event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++)
                for (uint32_t letter = 0; letter < alphabet->letters; letter++) {
                    const uint32_t to = behind(alphabet, s, event, letter);
                    const bool goes = met[s] && !alphabet->accepting[s] && to != VIOLATION_DEAD;
                    grows |= goes && !met[to];
                    if (goes)
                        met[to] = true;
                }
    }
}

/* Whether a state behind the return of one that brings the colour has another such return. */
static bool is_seen_twice(const struct alphabet *alphabet, uint32_t colour, uint32_t state)
{
    bool met[VIOLATION_MOST_STATES] = {false}, seen = false;
    met[state] = true;
    spread(alphabet, met);
    for (uint32_t s = 0; s < alphabet->automaton->state_count; s++)
        for (uint32_t letter = colour - 1; letter < alphabet->letters; letter += VIOLATION_COLOURS)
            seen |= met[s] && !alphabet->accepting[s] && adds(alphabet, letter) &&
                    behind(alphabet, s, VIOLATION_RETURN, letter) != VIOLATION_DEAD;
    return seen;
}

static bool is_one_enough(const struct alphabet *alphabet, uint32_t colour, uint32_t plain)
{
    bool met[VIOLATION_MOST_STATES] = {false}, enough = true;
    met[alphabet->automaton->initial] = true;
    spread(alphabet, met);
    for (uint32_t s = 0; s < alphabet->automaton->state_count; s++)
        for (uint32_t letter = colour - 1; letter < alphabet->letters && met[s] && enough;
             letter += VIOLATION_COLOURS) {
            const enum method_role role =
                alphabet->roles->object->methods[alphabet->method[letter]].role;
            const uint32_t called = behind(alphabet, s, VIOLATION_CALL, letter),
                           returned = behind(alphabet, s, VIOLATION_RETURN, letter);
            if (alphabet->accepting[s] || role == METHOD_EMPTY)
                continue;
            if (role != METHOD_ADDS)
                enough = called == VIOLATION_DEAD;
            else
                enough = (called == VIOLATION_DEAD ||
                          called == behind(alphabet, s, VIOLATION_CALL, letter - colour + plain)) &&
                         (returned == VIOLATION_DEAD || alphabet->accepting[returned] ||
                          !is_seen_twice(alphabet, colour, returned));
        }
    return enough;
}

/* Of each state there is another one then, in which the colour is called no more. */
static enum status call_once(struct alphabet *alphabet, uint32_t colour, struct arena *arena)
{
    const uint32_t states = alphabet->automaton->state_count;
    const size_t row = (size_t)2 * alphabet->letters;
    struct violation_automaton *automaton = arena_allocate(arena, sizeof *automaton);
    bool *accepting = arena_allocate(arena, (size_t)2 * states * sizeof *accepting);
    uint32_t *next = arena_allocate(arena, (size_t)2 * states * row * sizeof *next);
    TRY_MEMORY(automaton && accepting && next);
    *automaton = *alphabet->automaton;
    automaton->state_count = 2 * states;
    automaton->accepting = accepting;
    automaton->next = next;
    for (uint32_t s = 0; s < 2 * states; s++) {
        accepting[s] = alphabet->accepting[s % states];
        for (unsigned event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++)
            for (uint32_t letter = 0; letter < alphabet->letters; letter++) {
                const bool calls = event == VIOLATION_CALL && adds_colour(alphabet, letter, colour),
                           later = s >= states;
                uint32_t to = next_of(alphabet, s % states, event, letter);
                if (calls && later && !accepting[s])
                    to = VIOLATION_DEAD;
                if (to != VIOLATION_DEAD && (calls || later))
                    to += states;
                next[(size_t)s * row + event * (size_t)alphabet->letters + letter] = to;
            }
    }
    alphabet->automaton = automaton;
    alphabet->accepting = accepting;
    alphabet->next = next;
    return STATUS_OK;
}

enum status heap_span_alphabet(struct alphabet *alphabet, struct arena *arena)
{
    const uint32_t plain = 31 - (uint32_t)__builtin_clz(alphabet->colours);
    const unsigned once = heap_find_once(alphabet);
    for (uint32_t colour = 1; colour < plain; colour++)
        if (!(once >> colour & 1) && (alphabet->colours >> colour & 1) &&
            2 * alphabet->automaton->state_count <= VIOLATION_MOST_STATES &&
            is_one_enough(alphabet, colour, plain))
            TRY(call_once(alphabet, colour, arena));
    return STATUS_OK;
}

#include "rules/semaphore.h"

#include <stdio.h>

enum {
    ACQUIRE,
    RELEASE,
};

/* What has been called of the operations of colour 2 by the process that finds no place. */
enum stage {
    STAGE_NOTHING,
    STAGE_ACQUIRE,
    STAGE_RELEASE,
    STAGE_BOTH, /* neither has returned: it must enter now */
    STAGE_OVER, /* it has not */
};

static bool make(const char *name, const char *object, uint32_t states, struct arena *arena,
                 struct violation_automaton *automaton)
{
    static const char *const methods[] = {[ACQUIRE] = "Acquire", [RELEASE] = "Release"};
    *automaton = (struct violation_automaton){
        .name = name, .object = object, .rule = "", .for_histories = true};
    return violation_automaton_set_methods(automaton, methods, 2, arena) &&
           violation_automaton_set_states(automaton, states, arena) &&
           violation_automaton_make_table(automaton, arena);
}

static void set(struct violation_automaton *automaton, uint32_t state, enum violation_event event,
                uint32_t method, unsigned colour, uint32_t next)
{
    automaton->next[violation_automaton_at(automaton, state, event, method, colour)] = next;
}

/* All letters of a colour lead back to the state. */
static void set_loops(struct violation_automaton *automaton, uint32_t state, unsigned colour)
{
    for (unsigned event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++)
        for (uint32_t method = ACQUIRE; method <= RELEASE; method++)
            set(automaton, state, event, method, colour, state);
}

static bool name_state(struct violation_automaton *automaton, uint32_t state, uint32_t inside,
                       const char *more, struct arena *arena)
{
    char name[64];
    int length = snprintf(name, sizeof name, "%u inside%s", inside, more);
    automaton->state_names[state] = arena_copy_text(arena, name, (size_t)length);
    return automaton->state_names[state] != NULL;
}

/* State i: so many of colour 1 are inside. */
bool semaphore_inside(const char *object, uint32_t permits, struct arena *arena,
                      struct violation_automaton *automaton)
{
    if (!make("semaphore_inside", object, permits + 2, arena, automaton))
        return false;
    automaton->for_prefixes = true;
    automaton->accepting[permits + 1] = true;
    for (uint32_t i = 0; i <= permits + 1; i++) {
        for (unsigned colour = 1; colour <= VIOLATION_COLOURS; colour++)
            set_loops(automaton, i, colour);
        if (i <= permits) {
            set(automaton, i, VIOLATION_RETURN, ACQUIRE, 1, i + 1);
            set(automaton, i, VIOLATION_CALL, RELEASE, 1, VIOLATION_DEAD);
        }
        if (!name_state(automaton, i, i, "", arena))
            return false;
    }
    return true;
}

/* In each of the stages before STAGE_BOTH there are from 0 to n inside, in the others n. */
static uint32_t covered_state(uint32_t permits, enum stage stage, uint32_t inside)
{
    return stage < STAGE_BOTH ? stage * (permits + 1) + inside
                              : STAGE_BOTH * (permits + 1) + stage - STAGE_BOTH;
}

static bool set_covered(struct violation_automaton *automaton, uint32_t permits, enum stage stage,
                        uint32_t inside, struct arena *arena)
{
    static const char *const more[] = {"", ", Acquire(2) called", ", Release(2) called",
                                       ", 2 between", ", 2 over"};
    uint32_t state = covered_state(permits, stage, inside);
    uint32_t both = inside == permits ? covered_state(permits, STAGE_BOTH, inside) : VIOLATION_DEAD;
    uint32_t over = covered_state(permits, STAGE_OVER, inside);
    set_loops(automaton, state, 3);
    set_loops(automaton, state, 1);
    if (stage != STAGE_OVER) {
        set(automaton, state, VIOLATION_CALL, RELEASE, 1, VIOLATION_DEAD);
        set(automaton, state, VIOLATION_RETURN, ACQUIRE, 1,
            inside < permits ? covered_state(permits, stage, inside + 1) : VIOLATION_DEAD);
    }
    if (stage == STAGE_NOTHING) {
        set(automaton, state, VIOLATION_CALL, ACQUIRE, 2,
            covered_state(permits, STAGE_ACQUIRE, inside));
        set(automaton, state, VIOLATION_CALL, RELEASE, 2,
            covered_state(permits, STAGE_RELEASE, inside));
    }
    if (stage == STAGE_ACQUIRE)
        set(automaton, state, VIOLATION_CALL, RELEASE, 2, both);
    if (stage == STAGE_RELEASE)
        set(automaton, state, VIOLATION_CALL, ACQUIRE, 2, both);
    if (stage >= STAGE_BOTH)
        for (uint32_t method = ACQUIRE; method <= RELEASE; method++)
            set(automaton, state, VIOLATION_RETURN, method, 2, over);
    return name_state(automaton, state, inside, more[stage], arena);
}

bool semaphore_covered(const char *object, uint32_t permits, struct arena *arena,
                       struct violation_automaton *automaton)
{
    if (!make("semaphore_covered", object, 3 * (permits + 1) + 2, arena, automaton))
        return false;
    automaton->accepting[covered_state(permits, STAGE_OVER, permits)] = true;
    for (enum stage stage = STAGE_NOTHING; stage <= STAGE_OVER; stage++)
        for (uint32_t i = stage < STAGE_BOTH ? 0 : permits; i <= permits; i++)
            if (!set_covered(automaton, permits, stage, i, arena))
                return false;
    return true;
}

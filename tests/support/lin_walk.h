/* Every step of every run of the first assertion of a text, as a model in which every statement is
 * a step and nodes keep their numbers, so that they can be followed. */
#ifndef TESTS_SUPPORT_LIN_WALK_H
#define TESTS_SUPPORT_LIN_WALK_H

#include "base/bits.h"
#include "base/interning.h"
#include "support/lin_fixture.h"
#include "verify/lin_instance_open.h"

struct lin_walk_step {
    uint32_t from, to, thread; /* states by number */
    label label;
};

struct lin_walk {
    struct lin_fixture fixture;
    struct labels *labels;
    struct lin_instance instance;
    const struct lin_steps *steps; /* of the instance */
    struct word_arrays states;
    VECTOR(struct lin_walk_step) taken; /* by state */
    struct bits reached;                /* nodes, in one row */
    uint32_t starts[MOST_POOLS];        /* of that row */
};

/* False if the text is wrong. Close it in any case; the budget then has nothing in use. */
bool lin_walk_open(struct lin_walk *walk, const char *text);
void lin_walk_close(struct lin_walk *walk);

/* Takes the steps of so many states at most, breadth first; ends early where a step shows the model
 * to be wrong. */
void lin_walk_run(struct lin_walk *walk, uint32_t most_states);

static inline const uint32_t *lin_walk_state(const struct lin_walk *walk, uint32_t number)
{
    size_t length;
    return word_arrays_get(&walk->states, number, &length);
}

/* Finds the nodes that others than a thread can come by; then, whether one is among them. */
void lin_walk_reach_without(struct lin_walk *walk, const uint32_t *state, uint32_t thread);
bool lin_walk_has_reached(const struct lin_walk *walk, uint32_t pool, uint32_t node);

#endif

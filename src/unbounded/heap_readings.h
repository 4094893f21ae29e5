/* Operations on a heap without bound as a violation automaton reads them where they take effect:
 * call and return at once. */
#ifndef UNBOUNDED_HEAP_READINGS_H
#define UNBOUNDED_HEAP_READINGS_H

#include "unbounded/prophecy.h"

/* An operation, called and answered as `whole` says, as an automaton reads it at once in a state:
 * the states behind it, and whether one of them accepts. */
struct heap_readings {
    uint32_t states[MOST_LETTERS];
    size_t count;
    bool accepts;
};

void heap_read_whole(const struct alphabet *alphabet, uint32_t state,
                     const struct thread_move *whole, struct heap_readings *readings);

/* Whether, in some state that is to come, the automaton reads that an operation adds a value: by
 * operation, value and state. */
void heap_find_adds(const struct alphabet *alphabet, uint32_t operations,
                    bool all[][VIOLATION_COLOURS + 1][VIOLATION_MOST_STATES]);

#endif

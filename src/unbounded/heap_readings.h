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

/* The call of an operation that spans, with each letter as which its return may be read, and the
 * state behind it. Returns how many. */
struct heap_called {
    uint32_t state, letter;
};
size_t heap_read_call(const struct alphabet *alphabet, uint32_t state,
                      const struct thread_move *call, struct heap_called out[MOST_LETTERS]);

/* And its return. */
void heap_read_return(const struct alphabet *alphabet, uint32_t state, uint32_t letter,
                      const struct thread_move *answer, struct heap_readings *readings);

/* Whether reads answer what was written last, and nothing else is done: of a register. */
bool heap_is_register(const struct rule_object *object);

/* Whether, in some state that is to come, the automaton reads that an operation adds a value: by
 * operation, value and state. */
void heap_find_adds(const struct alphabet *alphabet, uint32_t operations,
                    bool all[][VIOLATION_COLOURS + 1][VIOLATION_MOST_STATES]);

#endif

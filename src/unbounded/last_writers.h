/* Finds the threads that may have written the value which a shared variable now has: the holder of
 * a lock, while it is held.
 *
 * Algorithm: let C be the controls in which the variable has this value; no initial control may be
 * in C. A thread enters the set with a move that leads into C, and is followed as long as the
 * control stays in C: through its own moves, and, standing still, through the moves of threads
 * beside it. This is a least fixed point over the pairs of the closure (petri/closure.h).
 *
 * Invariant: in every reachable configuration whose control is in C, some thread stands in a local
 * state that the set has for that control (docs/internals/any_threads.md has the proof). */
#ifndef UNBOUNDED_LAST_WRITERS_H
#define UNBOUNDED_LAST_WRITERS_H

#include "unbounded/thread_net.h"

/* Of one value of one variable. */
struct last_writers_of {
    uint32_t slot, word;      /* of a shared state: its number, and what it is */
    struct bit_matrix stands; /* by control: local states of the net */
};

struct last_writers {
    const struct thread_net *net;
    struct budget *budget;
    const struct limits *limits;
    VECTOR(struct last_writers_of) found;
};

/* The net must be closed, and outlive it with the limits. Release it in any case. */
void last_writers_init(struct last_writers *writers, const struct thread_net *net,
                       struct budget *budget, const struct limits *limits);
void last_writers_release(struct last_writers *writers);

/* Whether the variable has another value at each beginning than at the control. */
bool last_writers_know(const struct last_writers *writers, uint32_t control, uint32_t slot);

/* The local states in one of which, whenever the control is there, some thread stands that has made
 * the variable what it is; a row as wide as closure_beside, the holders' until the next call; its
 * words are null when refused. */
struct bits last_writers_at(struct last_writers *writers, uint32_t control, uint32_t slot);

#endif

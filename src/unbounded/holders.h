/* Who has given a shared variable the value that it has: the holder of a lock, while it is held.
 *
 * Let C be the controls where the variable has a value that it does not have at the beginning.
 * Whoever takes a step into C is followed for as long as C is not left: through steps of its own,
 * and while others step beside it. In every reachable configuration whose control is in C, some
 * thread stands where this leads at that control (docs/internals/any_threads.md has the proof). */
#ifndef UNBOUNDED_HOLDERS_H
#define UNBOUNDED_HOLDERS_H

#include "unbounded/thread_net.h"

/* Of one value of one variable. */
struct holders_of {
    uint32_t slot, word;      /* of a shared state: its number, and what it is */
    struct bit_matrix stands; /* by control: local states of the net */
};

struct holders {
    const struct thread_net *net;
    struct budget *budget;
    const struct limits *limits;
    VECTOR(struct holders_of) found;
};

/* The net must be closed, and outlive it with the limits. Release it in any case. */
void holders_init(struct holders *holders, const struct thread_net *net, struct budget *budget,
                  const struct limits *limits);
void holders_release(struct holders *holders);

/* Whether the variable has another value at each beginning than at the control. */
bool holders_know(const struct holders *holders, uint32_t control, uint32_t slot);

/* The local states in one of which, whenever the control is there, some thread stands that has made
 * the variable what it is; a row as wide as closure_beside, the holders' until the next call; its
 * words are null when refused. */
struct bits holders_at(struct holders *holders, uint32_t control, uint32_t slot);

#endif

/* Operations that can return once others have been called: an enqueue that goes round for as long
 * as the queue is full, when somebody has dequeued.
 *
 * For an execution that can be gone on with so that everything returns is the beginning of one in
 * which everything has returned; and what is a history of an object up to there, it is also before.
 * So new operations may be called to let an old one return. Here they run one after the other, each
 * alone from its call to its return, whenever the old one does not step. */
#ifndef UNBOUNDED_HELPED_H
#define UNBOUNDED_HELPED_H

#include "unbounded/thread_system.h"

struct helped {
    struct thread_system *system;
    unsigned colours;            /* that new operations are called with: 1 << colour */
    struct word_arrays hopeless; /* pairs, shared and local, from which there is no return */
    VECTOR(uint32_t) after;      /* shared states that an operation leads to, */
    VECTOR(uint32_t) first;      /* by shared state where they begin, their number first;
                                    UINT32_MAX: not known yet */
    bool refused;                /* an answer was made up for want of memory */
};

/* The system must outlive it. Release it in any case. */
void helped_init(struct helped *helped, struct thread_system *system, unsigned colours,
                 struct budget *budget);
void helped_release(struct helped *helped);

/* Whether a thread in that local state can return so. */
bool helped_can_return(struct helped *helped, uint32_t shared, uint32_t local);

/* Whether it can return so that then another one can, in its local state. */
bool helped_frees(struct helped *helped, uint32_t shared, uint32_t local, uint32_t other);

#endif

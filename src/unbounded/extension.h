/* Decides whether a running operation can still return if new operations may be called: an enqueue
 * that loops while the queue is full returns once somebody has dequeued.
 *
 * Algorithm: a search over pairs (shared state, local state of that thread). From a pair lead the
 * moves of the thread itself, and whole new operations, each run alone from its call to its return.
 * Invariant: no pair in `hopeless` leads to a return; these are kept from one question to the next.
 *
 * Why new operations may be called: linearizability is closed under prefixes (Herlihy and Wing,
 * TOPLAS 1990). If an extension of the execution, in which everything has returned, is
 * linearizable, so is the execution. */
#ifndef UNBOUNDED_EXTENSION_H
#define UNBOUNDED_EXTENSION_H

#include "unbounded/thread_system.h"

struct extensions {
    struct thread_system *system;
    unsigned colours;            /* that new operations are called with: 1 << colour */
    struct word_arrays hopeless; /* pairs, shared and local, from which there is no return */
    VECTOR(uint32_t) after;      /* shared states that an operation leads to, */
    VECTOR(uint32_t) first;      /* by shared state where they begin, their number first;
                                    UINT32_MAX: not known yet */
    bool refused;                /* an answer was made up for want of memory */
};

/* The system must outlive it. Release it in any case. */
void extensions_init(struct extensions *extensions, struct thread_system *system, unsigned colours,
                     struct budget *budget);
void extensions_release(struct extensions *extensions);

/* Whether a thread in that local state can return so. */
bool extensions_let_return(struct extensions *extensions, uint32_t shared, uint32_t local);

/* Whether it can return so that then another one can, in its local state. */
bool extensions_let_both_return(struct extensions *extensions, uint32_t shared, uint32_t local,
                                uint32_t other);

#endif

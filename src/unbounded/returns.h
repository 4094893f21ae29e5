/* Finds the pairs (control, local state) from which a thread can still return with a given answer.
 *
 * Algorithm: a least fixed point, backwards over a closure (petri/closure.h). A pair has a return
 * if a move of the thread is that return, or leads to a pair that has one; or if a thread that may
 * stand beside it moves the control to one at which the same local state has one. The closure
 * over-approximates what is reachable, so this over-approximates what can return. */
#ifndef UNBOUNDED_RETURNS_H
#define UNBOUNDED_RETURNS_H

#include <limits.h>

#include "petri/closure.h"

struct thread_move;

#define ANY_ANSWER UINT_MAX

/* What is looked for: returns whose answer_bit is among `answers`, by a thread that takes moves of
 * its `own` while other threads change the control by theirs. */
struct returns_question {
    unsigned answers;
    bool later; /* or by a later operation of the thread */
    const void *user;
    bool (*own)(const void *user, const struct thread_move *move); /* null: any */
    bool (*others)(const void *user, const struct thread_move *move);
};

/* Fills `can`, by control, with the local states of threads that can return so, or might if the
 * abstraction is too coarse. STATUS_LIMIT. `can` is to be released in any case. */
enum status returns_find(const struct closure *closure, const struct returns_question *question,
                         const struct limits *limits, struct bit_matrix *can) MUST_CHECK;

#endif

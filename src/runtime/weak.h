/* Weak compare-exchanges, which may fail though the value is the expected one.
 *
 * In a loop that tries again that is nothing new: the next attempt is as if the first had not been
 * made. Elsewhere it is a behaviour of its own, and a choice of the exploration. Which of both
 * holds of a site (an instruction, at a depth of the stack, in an operation) is tried out once: it
 * fails in a run of its own, in which its thread goes first. If that comes to the same attempt
 * again, in the same local state, and has written in between what was there before, the loop tries
 * again.
 *
 * A thread fails so once in an operation, at most: else code that counts attempts would never come
 * to an end. */
#ifndef RUNTIME_WEAK_H
#define RUNTIME_WEAK_H

#include "runtime/threads.h"

/* A scenario begins: nothing was tried out. */
void weak_open(void);

/* A weak compare-exchange comes, in the local state from `frame` to `end`. `request` gets its site,
 * and whether it is one that may fail. False: the attempt that is tried out is repeated, and the
 * run is over. */
bool weak_come(struct thread *thread, const char *frame, const char *end);

/* It was made: with a write, or it failed though it need not. */
void weak_made(struct thread *thread, bool stored, bool failed);

/* A thread writes what was not there, comes to the end of an operation, ... */
void weak_forget(const struct thread *thread);

/* ... or waits: it repeats itself. */
void weak_wait(const struct thread *thread);

/* Takes the compare-exchanges of the last run that have not been tried out: how many, at most
 * WEAK_FOUND. */
enum {
    WEAK_FOUND = 16
};
struct weak_found {
    event_number read;
    uint64_t site;
};
unsigned weak_take(struct weak_found found[WEAK_FOUND]);

/* The next run is one in which that compare-exchange fails; behind it: whether nobody tries again,
 * so that it is a choice from now on. */
void weak_try(const struct weak_found *found);
bool weak_tried(const struct weak_found *found);

#endif

/* Runs of an implementation where values are marked while they are inside (unbounded/heap_marks.h):
 * each thread's view of each state is in the closed set. What is marked, and what is chosen, is
 * told from the run as a whole. */
#ifndef TESTS_SUPPORT_HEAP_FOLLOW_MARKED_H
#define TESTS_SUPPORT_HEAP_FOLLOW_MARKED_H

#include "support/heap_follow.h"

/* Values that calls bring in such runs, each one once. */
#define HEAP_DISTINCT_VALUES 16

/* Follows a run beside a proof that has succeeded. `subject` is the program of the run, read with
 * as many values as above, whose runs are `distinct`. Fails the test where the proof is wrong. */
void heap_follow_marked(struct heap_example *subject, struct heap_proof *proof,
                        const struct heap_walk *run, struct random *random, const char *text,
                        struct heap_followed *followed);

/* Follows so many runs of the program of a proof that has succeeded, whose text this is. */
void heap_follow_marked_runs(struct heap_example *proved, struct heap_proof *proof,
                             const char *specification, unsigned runs, struct random *random,
                             const char *text, struct heap_followed *followed);

#endif

/* Runs of an implementation as what observes a proof reads them: each thread's view of each state
 * is in the closed set, and no run does what the proof excludes. */
#ifndef TESTS_SUPPORT_HEAP_FOLLOW_H
#define TESTS_SUPPORT_HEAP_FOLLOW_H

#include "base/random.h"
#include "support/heap_examples.h"

struct heap_followed {
    uint64_t states, runs, dead; /* dead: runs that no automaton accepts, however they go on */
};

/* Follows a run beside a proof that has succeeded, by an automaton, by what is watched, or without
 * an observer. What the observer reads is told from what operations answer in the end. Fails the
 * test where the proof is wrong. */
void heap_follow(struct heap_example *subject, struct heap_proof *proof,
                 const struct heap_walk *run, struct random *random, const char *text,
                 struct heap_followed *followed);

#endif

/* Decides a queue without walking along time: it builds the word that the values of its enqueues
 * spell, a letter at a time, each an enqueue with the dequeue that takes its value.
 *
 * A queue's enqueues in order spell a word, and its dequeues a prefix of the same word. Which of
 * two enqueues came first shows only when their values leave; so a search that walks along the
 * events has to guess, and keeps what the queue holds in each configuration. This one builds the
 * word: a letter at a time it chooses an enqueue and, with it, the dequeue that takes its value.
 * What the queue holds is never needed, for what is behind the last letter is the same on both
 * sides. Of `n` operations, `k` at once, there are at most about n 4^k configurations (Lee and
 * Mathur, arXiv 2509.05586, have such a bound for queues). docs/internals/search.md has the
 * argument. */
#ifndef SEARCH_QUEUE_SEARCH_H
#define SEARCH_QUEUE_SEARCH_H

#include "monitor/decision.h"

enum queue_found {
    QUEUE_FOUND_ORDER,   /* in decision->linearization */
    QUEUE_FOUND_NONE,    /* there is none: a violation */
    QUEUE_FOUND_NOTHING, /* a limit was reached, or a budget refused */
    QUEUE_NOT_SEARCHED,  /* it is for the general search */
};

/* Searches a part of a queue in which all operations completed, the results of dequeues are known,
 * and at most 64 operations of a kind run at once. Adds to decision->explored. */
enum queue_found queue_search(const struct part *part, struct limits *limits,
                              struct decision *decision);

#endif

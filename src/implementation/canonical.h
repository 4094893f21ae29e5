/* Canonical states of a `.lin` model: nodes that cannot be reached are collected, the others stand
 * in the order in which they are found; locals that will not be read again are 0. And, by the same
 * walk over the nodes, which steps only their thread can notice. */
#ifndef IMPLEMENTATION_CANONICAL_H
#define IMPLEMENTATION_CANONICAL_H

#include "implementation/state.h"

#define LIN_NO_THREAD UINT32_MAX

/* Renumbers the nodes in the order in which they are found; forgets those that are not, unless they
 * are kept. False when refused. */
bool lin_number_nodes(struct lin_worker *worker, uint32_t *slots) MUST_CHECK;

/* The same where the model's options let nodes be renumbered, else only forgets. */
bool lin_renumber(struct lin_worker *worker, uint32_t *slots) MUST_CHECK;

/* Finds the nodes that can be reached without the locals of `thread`, LIN_NO_THREAD: without those
 * of any. They are in worker->order (pool, number) as they are found, and not 0 in worker->numbers.
 * False when refused. */
bool lin_mark_others(struct lin_worker *worker, const uint32_t *slots, uint32_t thread) MUST_CHECK;

/* Forgets what the thread will not read again; references at least, so that nodes are collected. */
void lin_forget_dead(const struct lin_worker *worker, uint32_t *own);

/* Whether the step that has just run from `slots` touched only nodes that no other thread can
 * reach.
 */
bool lin_was_local(struct lin_worker *worker, uint32_t *slots, uint32_t thread);

#endif

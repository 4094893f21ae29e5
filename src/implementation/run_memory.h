/* What instructions do to the locations of a state: writes, the operations that read and write in
 * one step, locks, nodes. */
#ifndef IMPLEMENTATION_RUN_MEMORY_H
#define IMPLEMENTATION_RUN_MEMORY_H

#include "implementation/run.h"

/* Writes to a slot of the state, which breaks the links to it, to what it is part of and to its
 * parts. */
void lin_run_write(struct lin_run *run, uint32_t slot, const datum *words, uint32_t count);
enum ran lin_run_compare_and_swap(struct lin_run *run, uint32_t words);
enum ran lin_run_swap(struct lin_run *run, uint32_t words);
enum ran lin_run_fetch_add(struct lin_run *run, uint32_t range);
enum ran lin_run_dereference(struct lin_run *run, const struct instruction *i);

/* One of the nodes that were given back, or one that is new; which is the scheduler's choice. */
enum ran lin_run_make_node(struct lin_run *run, const struct lin_pool *pool);
enum ran lin_run_free_node(struct lin_run *run, const struct lin_pool *pool);
enum ran lin_run_store_conditional(struct lin_run *run, uint32_t words);
enum ran lin_run_load_linked(struct lin_run *run, uint32_t words);
enum ran lin_run_lock(struct lin_run *run);
enum ran lin_run_unlock(struct lin_run *run);

#endif

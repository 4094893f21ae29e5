/* Decides which changes of memory by one thread other threads can observe, and which values memory
 * holds.
 *
 * A node is visible to the others if a shared variable refers to it, a local variable of theirs, or
 * a visible node; one that was given back included, for it keeps its contents. What a thread writes
 * to any other node is no change for them. A node that it takes while it is not visible is its own
 * until it becomes visible, which only the thread itself can bring about: that is remembered, for
 * what the locals of the others may refer to is often not known well. Nodes of all pools are
 * numbered in one row and are bits of a set; from number 64 on they are always visible. */
#ifndef UNBOUNDED_THREAD_MEMORY_H
#define UNBOUNDED_THREAD_MEMORY_H

#include "unbounded/thread_system.h"

/* The nodes that a thread's locals refer to. */
uint64_t thread_system_references(const struct thread_system *system, uint32_t local);

/* Whether a move changes what other threads may see. `others`: the nodes that local variables of
 * theirs may refer to, more is safe; UINT64_MAX if that is not known. `*own`: nodes of the thread
 * before, none when it is idle; and after. */
bool thread_system_changes(const struct thread_system *system, const struct thread_move *move,
                           uint64_t others, uint64_t *own);

/* The values in shared variables, and in nodes that are reached from them and were not given back:
 * value v is bit v, from 32 on none. False when refused. */
bool thread_system_values(struct thread_system *system, uint32_t shared,
                          uint32_t *values) MUST_CHECK;

#endif

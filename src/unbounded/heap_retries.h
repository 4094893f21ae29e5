/* Threads that can only begin again.
 *
 * A shared variable *moves on* if no step makes it lead to a node to which it did not lead before,
 * unless that node is new, or was nobody's but the thread's own. What it does not lead to now, and
 * others know, it never will again. So a thread that holds a reference to such a node, and compares
 * the variable with it before it does anything (implementation/step_retries.h), is seen where it
 * begins again: of all else that it holds nothing is left. That variables move on is looked at in
 * each step of the set that is closed, and again by the check of certificates. */
#ifndef UNBOUNDED_HEAP_RETRIES_H
#define UNBOUNDED_HEAP_RETRIES_H

#include "unbounded/heap_placement.h"
#include "unbounded/heap_view.h"

/* Relies on all of those that compare with these variables, bits. */
void heap_retries_use(struct heap_shape *shape, uint32_t variables);

/* The shared variables that have to move on: bits. */
uint32_t heap_retries_variables(const struct heap_shape *shape);

/* Leaves out those on whose way an operation may be looked at as it reads. */
void heap_retries_place(struct heap_shape *shape, const struct heap_placement *placement);

/* Those of the variables that do not move on in a step: bits. Nodes of both views have the same
 * index. */
uint32_t heap_retries_move_back(const struct heap_shape *shape, const struct heap_view *before,
                                const struct heap_view *after);

#endif

/* What the check of a certificate believes of views (unbounded/heap_certificate.h): which heaps one
 * stands for, and the one that a heap has. Written apart from unbounded/heap_view.c, of which only
 * the words are shared. */
#ifndef UNBOUNDED_HEAP_SHORTEN_H
#define UNBOUNDED_HEAP_SHORTEN_H

#include "unbounded/heap_view.h"

/* Why a check ends where there is no room. */
extern const char heap_too_many_nodes[];

/* Whether two nodes differ in references and in locks of their own threads only. */
bool heap_same_values(const struct heap_shape *shape, const struct heap_node *one,
                      const struct heap_node *other);

/* What the link of a node or a run leads to. */
uint32_t heap_link_of(const struct heap_shape *shape, const struct heap_node *node);

/* Leads whatever leads to a run to what the run leads to. */
void heap_leave_out(const struct heap_shape *shape, struct heap_view *view, uint32_t run);

/* Calls `each` with the views of a heap: with chains of plain nodes as runs, nodes numbered in the
 * order in which they are found. Several where the heap has a run or none behind a node of which
 * that is known in a view. `moved` is where each of its nodes is then; HEAP_GONE. False if there
 * was no room. */
typedef void heap_shortened(void *user, struct heap_view *view, const uint32_t *moved);
bool heap_shorten(const struct heap_shape *shape, const struct heap_view *heap,
                  heap_shortened *each, void *user) MUST_CHECK;

#endif

/* Heaps of operations by their response: which of the running ones is due first. Pairing heaps
 * (Fredman, Sedgewick, Sleator and Tarjan, Algorithmica 1986) whose links are two numbers per
 * operation, so that any number of heaps share one array: an operation is in at most one. Adding is
 * constant, taking logarithmic (amortised). */
#ifndef MONITOR_DEADLINES_H
#define MONITOR_DEADLINES_H

#include <assert.h>

#include "history/part.h"

#define DEADLINES_NONE UINT32_MAX /* an empty heap */

struct deadline_link {
    uint32_t child;   /* first of those that are due later */
    uint32_t sibling; /* next child of the same parent */
};

struct deadlines {
    const struct interval *intervals;
    struct deadline_link *links; /* by operation; not initialised */
};

/* The heap of two; either may be empty. */
static inline uint32_t deadlines_merge(const struct deadlines *deadlines, uint32_t one,
                                       uint32_t other)
{
    if (one == DEADLINES_NONE)
        return other;
    if (other == DEADLINES_NONE)
        return one;
    if (deadlines->intervals[other].response < deadlines->intervals[one].response) {
        uint32_t swapped = one;
        one = other;
        other = swapped;
    }
    deadlines->links[other].sibling = deadlines->links[one].child;
    deadlines->links[one].child = other;
    return one;
}

static inline uint32_t deadlines_add(const struct deadlines *deadlines, uint32_t heap,
                                     uint32_t operation)
{
    deadlines->links[operation] = (struct deadline_link){DEADLINES_NONE, DEADLINES_NONE};
    return deadlines_merge(deadlines, heap, operation);
}

/* The heap without its first, `heap` itself (not empty). */
static inline uint32_t deadlines_take(const struct deadlines *deadlines, uint32_t heap)
{
    assert(heap != DEADLINES_NONE);
    struct deadline_link *links = deadlines->links;
    uint32_t pairs = DEADLINES_NONE, rest = DEADLINES_NONE;
    for (uint32_t at = links[heap].child, next; at != DEADLINES_NONE; at = next) {
        uint32_t partner = links[at].sibling;
        next = partner == DEADLINES_NONE ? DEADLINES_NONE : links[partner].sibling;
        uint32_t pair = deadlines_merge(deadlines, at, partner);
        links[pair].sibling = pairs;
        pairs = pair;
    }
    for (uint32_t at = pairs, next; at != DEADLINES_NONE; at = next) {
        next = links[at].sibling;
        rest = deadlines_merge(deadlines, rest, at);
    }
    return rest;
}

#endif

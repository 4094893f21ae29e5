/* Decides whether the values of a stack's history can be eliminated one after the other, which is
 * the heart of the stack's monitor. O(n log n).
 *
 * Take a linearizable history, and the value that is pushed first: it is pushed and popped while
 * the stack holds nothing else. So its push contains a moment that is critical for no other value,
 * and so does its pop. Conversely, a value v whose push has such a moment p and whose pop has such
 * a moment q can be put into any linearization of the others: no other value is critical at p or q,
 * hence each is over by p, or lives within p .. q, or begins after q; let the operations of the
 * first happen before v's push, those of the second between push and pop, those of the third after
 * the pop. (Sorting a stack's history by sets of whole values keeps it legal.) Therefore the
 * history is linearizable exactly when all values can be eliminated, one after the other, each free
 * with respect to those that are left; which one is taken first does not matter, as eliminating one
 * never makes another less free. After Lee and Mathur, OOPSLA 2025 (arXiv 2410.04581); the moments
 * (moments.h) and the index structures are ours.
 *
 *     cover     at each moment, how many of the values left are critical there
 *     waiting   for each operation that has not met a moment with cover 0: its last moment
 *
 * A moment with cover 0 frees every waiting operation around it, once and for all; a value both of
 * whose operations are free no longer covers anything. Each step is O(log n), and there are at most
 * as many as moments, operations and values: O(n log n) in all.
 *
 * A value whose push and pop overlap may be popped as soon as it is pushed, at a moment of both: it
 * is in nobody's way, and nobody in its. A value that is never popped is popped at the end. */
#ifndef MONITOR_STACK_ELIMINATION_H
#define MONITOR_STACK_ELIMINATION_H

#include "base/maximum_tree.h"
#include "base/segment_tree.h"
#include "monitor/moments.h"

/* A value, and the free moments that its operations met first; MOMENT_NONE: none yet. */
struct piece {
    struct stay stay;
    uint32_t add_at, remove_at;
};

struct elimination {
    const struct values *values;
    const struct moments *moments;
    struct budget *budget;
    struct piece *pieces; /* by element */
    uint32_t count;
    uint32_t *order; /* elements in the order of their elimination */
    uint32_t eliminated;
    uint32_t uncovered; /* of those in `order`: their critical moments are uncovered */
    uint32_t left;      /* critical elements not yet eliminated */
    struct segment_tree cover;
    struct maximum_tree waiting;

    /* As `cover`, but without the elements that are never removed; only on request. */
    bool tracks_removed;
    struct segment_tree removed_cover;
};

/* Prepares the elimination; nothing is free yet. False when refused. To be released in any case. */
bool elimination_init(struct elimination *elimination, const struct values *values,
                      const struct moments *moments, bool tracks_removed) MUST_CHECK;
void elimination_release(struct elimination *elimination);

/* Eliminates what can be eliminated: all of it if then left == 0. False when a limit is reached. */
bool elimination_run(struct elimination *elimination, struct limits *limits) MUST_CHECK;

/* Lets an element that is never removed, and not eliminated, be removed from `moment` on. */
void elimination_shorten(struct elimination *elimination, uint32_t element, uint32_t moment);

/* Before elimination_run: the first moment from `from` on at which nothing is critical. */
uint32_t elimination_find_empty(const struct elimination *elimination, uint32_t from);

/* Whether some operation that waits contains `moment`. */
bool elimination_awaits(const struct elimination *elimination, uint32_t moment);

static inline bool piece_is_left(const struct piece *piece)
{
    return stay_is_critical(&piece->stay) &&
           (piece->add_at == MOMENT_NONE || piece->remove_at == MOMENT_NONE);
}

static inline bool piece_is_removed(const struct values *values, uint32_t element)
{
    return values->elements.items[element].remove_response != POSITION_NEVER;
}

#endif

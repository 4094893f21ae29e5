/* How many nodes there are of some kind, in what all threads see of a heap without bound: a natural
 * number, of which a step may show on a view (unbounded/heap_view.h) that it does not grow, or that
 * it becomes less. What becomes less whenever something happens, and otherwise does not grow, lets
 * it happen finitely often. */
#ifndef UNBOUNDED_HEAP_RANKS_H
#define UNBOUNDED_HEAP_RANKS_H

#include "unbounded/heap_view.h"

#define HEAP_MOST_RANKS 64
#define HEAP_RANK_ALL   UINT32_MAX

/* The nodes that a shared variable leads to along a field of its nodes. */
struct heap_rank {
    uint32_t variable; /* its word; HEAP_RANK_ALL: any leads to them, along any field */
    uint32_t pool;     /* of its nodes */
    uint32_t field;    /* HEAP_RANK_ALL: along any */
    uint32_t clear;    /* only those in which this field is null, false or 0; HEAP_RANK_ALL: all */
    uint32_t apart; /* only those that this shared variable does not lead to; HEAP_RANK_ALL: all */
};

enum heap_rank_change {
    HEAP_RANK_MAY_GROW,
    HEAP_RANK_DOES_NOT_GROW,
    HEAP_RANK_BECOMES_LESS,
};

/* Some that may be asked of an implementation, plain ones first; returns how many. */
uint32_t heap_ranks_of(const struct heap_shape *shape, struct heap_rank ranks[HEAP_MOST_RANKS]);

/* What a step does to a rank: both views have the same nodes at the same places, new ones behind
 * the others, and what the step looks at is no run. */
enum heap_rank_change heap_rank_compare(const struct heap_shape *shape,
                                        const struct heap_rank *rank,
                                        const struct heap_view *before,
                                        const struct heap_view *after);

/* What a step of an operation, of which both views are, does to the numbers of nodes to which its
 * locals lead along a field of their nodes: bits of those that do not grow, and of those that
 * become less. The bits of one operation mean the same in all its steps. */
void heap_ranks_of_locals(const struct heap_shape *shape, const struct heap_view *before,
                          const struct heap_view *after, uint64_t *keeps, uint64_t *lowers);

#endif

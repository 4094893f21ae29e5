/* Views show all that shared variables lead to. Nodes of a view are one each, and a run is one or
 * more, or any, all of which are reached along its link when its first node is; so a set of nodes
 * of a view stands for nodes of the heap, and the smaller set for fewer. */
#include "unbounded/heap_ranks.h"

struct ranks {
    struct heap_rank *items;
    uint32_t count;
};

static void add(struct ranks *ranks, struct heap_rank rank)
{
    if (ranks->count < HEAP_MOST_RANKS)
        ranks->items[ranks->count++] = rank;
}

/* Along a field other than the link it is not known what the nodes of a run lead to. */
static bool is_followed(const struct heap_shape *shape, const struct lin_pool *pool,
                        const struct lin_reference_slot *reference)
{
    const uint32_t number = (uint32_t)(pool - shape->steps->pools);
    const int32_t link = shape->link[number];
    return reference->pool == number && (link < 0 || (uint32_t)link == reference->slot - 1);
}

/* The ranks of a variable, in each of which nodes are counted where `clear` is, or all. */
static void add_of_variable(const struct heap_shape *shape,
                            const struct lin_reference_slot *variable, uint32_t clear,
                            struct ranks *ranks)
{
    const struct lin_pool *pool = &shape->steps->pools[variable->pool];
    for (uint32_t i = 0; i < pool->reference_count; i++)
        if (is_followed(shape, pool, &pool->references[i]) && clear != pool->references[i].slot - 1)
            add(ranks, (struct heap_rank){.variable = variable->slot,
                                          .pool = variable->pool,
                                          .field = pool->references[i].slot - 1,
                                          .clear = clear,
                                          .apart = HEAP_RANK_ALL});
    if (clear == HEAP_RANK_ALL)
        add(ranks, (struct heap_rank){variable->slot, variable->pool, HEAP_RANK_ALL, clear,
                                      HEAP_RANK_ALL});
}

uint32_t heap_ranks_of(const struct heap_shape *shape, struct heap_rank ranks[HEAP_MOST_RANKS])
{
    struct ranks found = {ranks, 0};
    const struct lin_steps *steps = shape->steps;
    for (size_t i = 0; i < steps->shared_references.length; i++)
        add_of_variable(shape, &steps->shared_references.items[i], HEAP_RANK_ALL, &found);
    add(&found, (struct heap_rank){HEAP_RANK_ALL, 0, HEAP_RANK_ALL, HEAP_RANK_ALL, HEAP_RANK_ALL});
    for (size_t i = 0; i < steps->shared_references.length; i++)
        for (size_t j = 0; j < steps->shared_references.length; j++)
            if (i != j)
                add(&found,
                    (struct heap_rank){steps->shared_references.items[i].slot,
                                       steps->shared_references.items[i].pool, HEAP_RANK_ALL,
                                       HEAP_RANK_ALL, steps->shared_references.items[j].slot});
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *variable = &steps->shared_references.items[i];
        for (uint32_t j = 0; j < shape->fields[variable->pool]; j++)
            if (!(shape->private_fields[variable->pool] >> j & 1))
                add_of_variable(shape, variable, j, &found);
    }
    return found.count;
}

static uint64_t node_of(uint32_t reference)
{
    return reference ? UINT64_C(1) << (reference - 1) : 0;
}

/* The nodes that a node or a run leads to, as far as they are asked for. */
static uint64_t led_to(const struct heap_shape *shape, const struct heap_rank *rank,
                       const struct heap_node *node)
{
    const struct lin_pool *pool = &shape->steps->pools[node->pool];
    uint64_t nodes = 0;
    if (rank->field != HEAP_RANK_ALL)
        return node->pool == rank->pool ? node_of(node->fields[rank->field]) : 0;
    for (uint32_t i = 0; i < pool->reference_count; i++)
        nodes |= node_of(node->fields[pool->references[i].slot - 1]);
    return nodes;
}

/* All that some nodes lead to along what the rank follows: bits. */
static uint64_t reach(const struct heap_shape *shape, const struct heap_rank *rank,
                      const struct heap_view *view, uint64_t next)
{
    uint64_t reached = 0;
    while (next) {
        const uint32_t node = (uint32_t)__builtin_ctzll(next);
        reached |= UINT64_C(1) << node;
        next = (next | led_to(shape, rank, &view->nodes[node])) & ~reached;
    }
    return reached;
}

/* Likewise a shared variable. */
static uint64_t reach_from(const struct heap_shape *shape, const struct heap_rank *rank,
                           const struct heap_view *view, uint32_t variable)
{
    uint64_t first = 0;
    for (size_t i = 0; i < shape->steps->shared_references.length; i++) {
        const uint32_t slot = shape->steps->shared_references.items[i].slot;
        if (variable == HEAP_RANK_ALL || variable == slot)
            first |= node_of(view->shared[slot]);
    }
    return reach(shape, rank, view, first);
}

/* The nodes that are counted: bits. */
static uint64_t count_nodes(const struct heap_shape *shape, const struct heap_rank *rank,
                            const struct heap_view *view)
{
    uint64_t counted = reach_from(shape, rank, view, rank->variable);
    if (rank->apart != HEAP_RANK_ALL)
        counted &= ~reach_from(shape, rank, view, rank->apart);
    for (uint32_t i = 0; rank->clear != HEAP_RANK_ALL && i < view->count; i++)
        if (view->nodes[i].pool != rank->pool || view->nodes[i].fields[rank->clear])
            counted &= ~(UINT64_C(1) << i);
    return counted;
}

/* Some nodes of a view beside those behind a step. */
static enum heap_rank_change compare(const struct heap_view *before, uint64_t were, uint64_t are)
{
    if (are & ~were)
        return HEAP_RANK_MAY_GROW;
    for (uint64_t gone = were & ~are; gone; gone &= gone - 1)
        if (before->nodes[__builtin_ctzll(gone)].run != HEAP_ANY)
            return HEAP_RANK_BECOMES_LESS;
    return HEAP_RANK_DOES_NOT_GROW;
}

enum heap_rank_change heap_rank_compare(const struct heap_shape *shape,
                                        const struct heap_rank *rank,
                                        const struct heap_view *before,
                                        const struct heap_view *after)
{
    return compare(before, count_nodes(shape, rank, before), count_nodes(shape, rank, after));
}

void heap_ranks_of_locals(const struct heap_shape *shape, const struct heap_view *before,
                          const struct heap_view *after, uint64_t *keeps, uint64_t *lowers)
{
    const struct lin_steps *steps = shape->steps;
    const struct lin_entry *entry = entry_at(steps, before->thread[LIN_THREAD_AT] - 1);
    uint32_t number = 0;
    *keeps = *lowers = 0;
    for (uint32_t i = 0; i < entry->reference_count; i++) {
        const uint32_t slot = LIN_THREAD_HEADER + entry->references[i].slot,
                       pool = entry->references[i].pool;
        for (uint32_t j = 0; j < steps->pools[pool].reference_count; j++) {
            const struct lin_reference_slot *field = &steps->pools[pool].references[j];
            const struct heap_rank rank = {.pool = pool, .field = field->slot - 1};
            if (!is_followed(shape, &steps->pools[pool], field) || number == HEAP_MOST_RANKS)
                continue;
            const uint64_t bit = UINT64_C(1) << number++;
            const enum heap_rank_change change =
                compare(before, reach(shape, &rank, before, node_of(before->thread[slot])),
                        reach(shape, &rank, after, node_of(after->thread[slot])));
            *keeps |= change == HEAP_RANK_MAY_GROW ? 0 : bit;
            *lowers |= change == HEAP_RANK_BECOMES_LESS ? bit : 0;
        }
    }
}

/* Sets tell which pairs are new, and a vector has the nodes by number. Where pairs wait on their
 * way, they are added in the order in which they were found, so that numbers do not depend on it.
 */
#include "explore/nodes.h"

#include <assert.h>

/* ---- sets ---- */

static bool add_state(void *of, uint32_t state, uint32_t with, bool *fresh)
{
    struct state_set *set = of;
    assert(with == 0); /* a state alone */
    (void)with;
    return state_set_add(set, state, fresh);
}

bool state_parts_init(struct state_parts *parts, uint32_t bits, struct budget *budget)
{
    const uint32_t count = UINT32_C(1) << bits;
    *parts = (struct state_parts){bits, memory_allocate(budget, count * sizeof *parts->sets)};
    for (uint32_t i = 0; i < count && parts->sets; i++)
        vector_init(&parts->sets[i].words, budget);
    return parts->sets;
}

void state_parts_release(struct state_parts *parts, struct budget *budget)
{
    const uint32_t count = UINT32_C(1) << parts->bits;
    for (uint32_t i = 0; i < count && parts->sets; i++)
        vector_release(&parts->sets[i].words);
    memory_release(budget, parts->sets, count * sizeof *parts->sets);
    parts->sets = NULL;
}

size_t state_parts_bytes(const struct state_parts *parts)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i >> parts->bits == 0 && parts->sets; i++)
        bytes += parts->sets[i].words.capacity * sizeof *parts->sets[i].words.items;
    return bytes;
}

static bool add_state_in_parts(void *of, uint32_t state, uint32_t with, bool *fresh)
{
    const struct state_parts *parts = of;
    return add_state(&parts->sets[state & ((UINT32_C(1) << parts->bits) - 1)], state >> parts->bits,
                     with, fresh);
}

static bool add_pair(void *set, uint32_t state, uint32_t with, bool *fresh)
{
    return pairs_add(set, state, with, fresh);
}

const struct node_set nodes_are_states = {.add = add_state};
const struct node_set nodes_are_states_in_parts = {.add = add_state_in_parts}; /* bits are few */
const struct node_set nodes_are_pairs = {.add = add_pair};

/* ---- nodes ---- */

void nodes_init(struct nodes *nodes, const struct node_set *class, void *set, struct budget *budget)
{
    assert(class->add);
    *nodes = (struct nodes){.class = class, .set = set};
    node_list_init(&nodes->items, budget);
}

void nodes_release(struct nodes *nodes)
{
    node_list_release(&nodes->items);
}

enum status nodes_renumber(struct nodes *nodes, const uint32_t *numbers)
{
    struct search_node renumbered[NODES_A_CHUNK];
    for (uint32_t first = 0; first < nodes->items.length; first += NODES_A_CHUNK) {
        const uint32_t count = node_list_chunk(&nodes->items, first);
        node_list_read(&nodes->items, first, count, renumbered);
        for (uint32_t i = 0; i < count; i++)
            renumbered[i].state = numbers[renumbered[i].state];
        TRY_MEMORY(node_list_replace(&nodes->items, first, renumbered));
    }
    return STATUS_OK;
}

bool nodes_path(const struct nodes *nodes, uint32_t to, struct node_path *path)
{
    size_t length = path->items.length;
    for (uint32_t node = to, parent; node != NODE_NONE; node = parent, length++) {
        parent = nodes_get(nodes, node).parent;
        assert(parent == NODE_NONE || parent < node); /* parents are found first */
    }
    if (!vector_reserve(&path->items, length))
        return false;
    path->items.length = length;
    for (uint32_t node = to; node != NODE_NONE; node = nodes_get(nodes, node).parent)
        path->items.items[--length] = node;
    return true;
}

/* ---- finding ---- */

void finder_init(struct finder *finder, struct nodes *nodes, bool waits)
{
    finder->nodes = nodes;
    finder->waits = waits && nodes->class == &nodes_are_pairs; /* see add_waiting */
    finder->first = finder->count = 0;
}

enum status finder_add(struct finder *finder, struct search_node node)
{
    struct nodes *nodes = finder->nodes;
    bool fresh = false;
    assert(node.parent == NODE_NONE || node.parent < nodes->items.length); /* older */
    TRY_MEMORY(nodes->class->add(nodes->set, node.state, node.with, &fresh));
    return fresh ? nodes_push(nodes, node) : STATUS_OK;
}

/* Adds the first that wait, all in one half. */
static enum status add_waiting(struct finder *finder, uint32_t count)
{
    const struct search_node *first = finder->waiting + finder->first;
    struct nodes *nodes = finder->nodes;
    assert(count <= finder->count && count <= FINDER_HALF);
    finder->first = (finder->first + FINDER_HALF) % FINDER_WAITING;
    finder->count -= count;
    for (const struct search_node *node = first; node < first + count; node++) {
        bool fresh = false;
        assert(node->parent == NODE_NONE || node->parent < nodes->items.length); /* older */
        TRY_MEMORY(pairs_add(nodes->set, node->state, node->with, &fresh));
        if (fresh)
            TRY(nodes_push(nodes, *node));
    }
    return STATUS_OK;
}

enum status finder_advance(struct finder *finder)
{
    return add_waiting(finder, FINDER_HALF);
}

enum status finder_settle(struct finder *finder, uint32_t *count)
{
    while (finder->count > 0)
        TRY(add_waiting(finder, finder->count < FINDER_HALF ? finder->count : FINDER_HALF));
    *count = finder->nodes->items.length;
    return STATUS_OK;
}

/* The nodes get their distances in place of their parents, those before them first. */
static void find_longest(struct nodes *nodes, struct search_extent *extent)
{
    struct search_node distances[NODES_A_CHUNK];
    for (uint32_t first = 0; first < nodes->items.length; first += NODES_A_CHUNK) {
        const uint32_t count = node_list_chunk(&nodes->items, first);
        node_list_read(&nodes->items, first, count, distances);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t parent = distances[i].parent;
            uint32_t distance = 0;
            assert(parent == NODE_NONE || parent < first + i); /* found before */
            if (parent != NODE_NONE)
                distance = 1 + (parent < first ? nodes_get(nodes, parent).parent
                                               : distances[parent - first].parent);
            distances[i] = (struct search_node){.parent = distance};
            extent->longest = distance > extent->longest ? distance : extent->longest;
        }
        if (!node_list_replace(&nodes->items, first, distances))
            return; /* the longest among those so far */
    }
}

struct search_extent nodes_extent(struct nodes *nodes, const struct explorer *explorer)
{
    struct search_extent extent = {.depth = explorer->depth,
                                   .has_turned = explorer->has_turned,
                                   .is_newest = explorer->is_newest};
    if (extent.has_turned || extent.is_newest)
        find_longest(nodes, &extent);
    return extent;
}

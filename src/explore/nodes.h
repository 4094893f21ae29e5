/* The nodes that a search has found, by number, each with the node that it was found from: the
 * store of searches in which a node is a state of a graph, or a pair of one and a number of
 * something else (a normalised state, a set).
 *
 * `struct nodes` is shared by the workers of a search, `struct finder` is a worker's own. */
#ifndef EXPLORE_NODES_H
#define EXPLORE_NODES_H

#include <assert.h>

#include "base/faults.h"
#include "base/status.h"
#include "base/vector.h"
#include "explore/explore.h"
#include "explore/node_list.h"
#include "space/pairs.h"

/* The set that tells whether a pair is new. */
struct node_set {
    /* Adds a pair; *fresh: it is a node of its own. False when refused. */
    bool (*add)(void *set, uint32_t state, uint32_t with, bool *fresh);

    /* Brings what that looks at first closer, where threads add to a set in parts. Null: it is near
     * enough. */
    void (*prefetch)(const void *set, uint32_t state);
};

extern const struct node_set nodes_are_states; /* of a struct state_set: `with` is always 0 */
extern const struct node_set nodes_are_pairs;  /* of a struct pairs */

/* Which states were added, a bit each. */
struct state_set {
    VECTOR(uint32_t) words;
};

/* The same of a graph in parts, 1 << bits of them: threads may add states of different ones. */
struct state_parts {
    uint32_t bits;
    struct state_set *sets;
};

/* Adds a state. False when refused. */
static inline MUST_CHECK bool state_set_add(struct state_set *set, uint32_t state, bool *fresh)
{
    while (UNLIKELY(set->words.length <= state / 32))
        if (!vector_push(&set->words, 0))
            return false;
    uint32_t bit = UINT32_C(1) << (state % 32), *word = &set->words.items[state / 32];
    *fresh = !(*word & bit);
    *word |= bit;
    return true;
}

extern const struct node_set nodes_are_states_in_parts; /* of a struct state_parts */

/* With no states in it. False when refused; release it whatever it answers. */
bool state_parts_init(struct state_parts *parts, uint32_t bits, struct budget *budget) MUST_CHECK;
void state_parts_release(struct state_parts *parts, struct budget *budget);
size_t state_parts_bytes(const struct state_parts *parts);

struct nodes {
    const struct node_set *class;
    void *set; /* not owned */
    struct node_list items;
};

void nodes_init(struct nodes *nodes, const struct node_set *class, void *set,
                struct budget *budget);
void nodes_release(struct nodes *nodes);

static inline struct search_node nodes_get(const struct nodes *nodes, uint32_t node)
{
    return node_list_get(&nodes->items, node);
}

/* Appends one that is in the set. STATUS_LIMIT. */
static inline MUST_CHECK enum status nodes_push(struct nodes *nodes, struct search_node node)
{
    return granted(nodes->items.length < NODE_NONE && node_list_push(&nodes->items, node));
}

/* Gives the states of all nodes other numbers, numbers[state]. STATUS_LIMIT. */
enum status nodes_renumber(struct nodes *nodes, const uint32_t *numbers) MUST_CHECK;

#define FINDER_HALF    SIZE_OR_SMALL(32, 2) /* a power of two */
#define FINDER_WAITING (2 * FINDER_HALF)    /* pairs on their way */

/* Where a pair of a struct pairs goes is anywhere in memory: pairs therefore wait in a short
 * queue, in their order, while the memory that they need is brought closer. They are added by
 * halves of the queue, when both are full. */
struct finder {
    struct nodes *nodes;
    bool waits;
    struct search_node waiting[FINDER_WAITING];
    uint32_t first, count; /* `first` begins a half */
};

/* `waits`: nobody needs to know how many nodes there are before finder_settle. */
void finder_init(struct finder *finder, struct nodes *nodes, bool waits);

/* Adds a node that does not wait; and those of the older half, when both are full. */
enum status finder_add(struct finder *finder, struct search_node node) MUST_CHECK;
enum status finder_advance(struct finder *finder) MUST_CHECK;

/* Finds a node, which may be known already. STATUS_LIMIT. */
static inline MUST_CHECK enum status finder_find(struct finder *finder, uint32_t state,
                                                 uint32_t with, uint32_t parent)
{
    const struct search_node node = {state, with, parent};
    if (!finder->waits)
        return finder_add(finder, node);
    assert(finder->count < FINDER_WAITING && finder->first % FINDER_HALF == 0);
    const struct pairs *pairs = finder->nodes->set;
    const uint32_t last = (finder->first + finder->count) % FINDER_WAITING;
    const struct search_node *older = &finder->waiting[last ^ FINDER_HALF];
    finder->waiting[last] = node;
    pairs_prefetch_row(pairs, state);
    if (finder->count++ >= FINDER_HALF)
        pairs_prefetch(pairs, older->state, older->with);
    return finder->count == FINDER_WAITING ? finder_advance(finder) : STATUS_OK;
}

/* Adds those that wait; *count: of all nodes. STATUS_LIMIT. */
enum status finder_settle(struct finder *finder, uint32_t *count) MUST_CHECK;

/* How far the search got whose nodes these are, when it is over and nothing else is asked: where
 * nodes were found from is overwritten. */
struct search_extent nodes_extent(struct nodes *nodes, const struct explorer *explorer) MUST_CHECK;

/* The numbers of nodes on the way to one from an initial one, both included. */
struct node_path {
    VECTOR(uint32_t) items;
};

/* Appends that way to a path. False when refused. */
bool nodes_path(const struct nodes *nodes, uint32_t to, struct node_path *path) MUST_CHECK;

#endif

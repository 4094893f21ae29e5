/* The strongly connected components of a graph of numbered nodes (Tarjan, Depth-First Search and
 * Linear Graph Algorithms, 1972; without recursion). A component comes after all that its edges
 * lead to. The emptiness check of temporal formulas, which need not wait for a component to be
 * complete, is in property/liveness.c. */
#ifndef EXPLORE_COMPONENTS_H
#define EXPLORE_COMPONENTS_H

#include "explore/depth_first.h"

struct components_of {
    /* As in depth_visitor. Edges that do not count may be answered by the node itself. */
    enum status (*edge)(void *self, uint32_t node, uint32_t number, uint32_t *target);

    /* A component is complete: `members` are its nodes, those met last first, so that the one
     * by which it was entered is the last. Its edges are all known. More are found unless *stop is
     * set. May call components_forget. Null: nothing is done. */
    enum status (*complete)(void *self, const uint32_t *members, uint32_t count, bool *stop);
};

struct components {
    const struct components_of *of;
    void *self;
    struct depth_first search;
    VECTOR(uint32_t) index;     /* by node: when it was met, from 1 on; 0: it was not */
    VECTOR(uint32_t) low;       /* by node: the least index that is known to be in its component */
    VECTOR(uint32_t) component; /* by node: its number; NODE_NONE: it is in none yet */
    VECTOR(uint32_t) open;      /* nodes met whose component is not complete, by index */
    uint32_t met, count;        /* nodes that were; complete components */
};

/* Of the nodes 0 .. nodes - 1, none met yet. False when refused. Release whatever comes of it. */
bool components_init(struct components *components, const struct components_of *of, void *self,
                     uint32_t nodes, struct budget *budget) MUST_CHECK;
void components_release(struct components *components);

/* Finds the components of what a node leads to, unless it was met. Components found before are not
 * entered. */
enum status components_from(struct components *components, uint32_t root) MUST_CHECK;

static inline bool components_met(const struct components *components, uint32_t node)
{
    return components->index.items[node] != 0;
}

/* The component of a node; NODE_NONE: it is in none yet. */
static inline uint32_t components_get(const struct components *components, uint32_t node)
{
    return components->component.items[node];
}

/* A node of a complete component counts as not met any more: its edges have become others. */
void components_forget(struct components *components, uint32_t node);

#endif

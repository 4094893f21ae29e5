/* A shortest way along stored edges, from some nodes to the first edge that a question asks for:
 * breadth first (breadth_first.c), so no way with fewer edges ends as asked. For what is told of an
 * answer: the way to a cycle and round it, inside one component of a graph. */
#ifndef EXPLORE_SHORTEST_WAY_H
#define EXPLORE_SHORTEST_WAY_H

#include "explore/nodes.h"

struct way_step {
    uint32_t node;
    uint32_t number; /* of its edge that is taken */
};

struct way_edges {
    /* Edge `number`, counted from 0, of a node. *target: where it leads; NODE_NONE: there is no
     * such edge; the node itself: it does not count. *ends: the way is complete with this edge. */
    enum status (*edge)(void *self, uint32_t node, uint32_t number, uint32_t *target, bool *ends);
};

struct shortest_way {
    VECTOR(struct way_step) steps; /* one behind the other, the last ends it */
    struct state_set met;
    struct nodes nodes; /* `state` of each is the node of the graph */
    struct node_path path;
};

void shortest_way_init(struct shortest_way *way, struct budget *budget);
void shortest_way_release(struct shortest_way *way);

/* Finds the shortest way of one edge or more that begins in one of `count` nodes; of several the
 * one whose nodes and edges come first. Replaces the way found before. *found is false, and the way
 * empty, where no edge ends it. STATUS_LIMIT, and whatever `edge` answers. */
enum status shortest_way_find(struct shortest_way *way, const struct way_edges *edges, void *self,
                              const uint32_t *from, size_t count, bool *found) MUST_CHECK;

#endif

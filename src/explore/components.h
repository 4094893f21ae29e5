/* The strongly connected components of a graph of numbered nodes, without recursion, and what is on
 * their edges (Couvreur, On-the-fly Verification of Linear Temporal Logic, FM 1999, which grows
 * components as Dijkstra and Gabow do): the nodes that are not in a complete component fall into
 * *pieces* of components, one behind the other along the path; an edge back to such a node makes
 * one of all pieces from that node's on. So it is known of each edge that closes a cycle which
 * marks (acceptance sets) are on edges inside, before the component is complete.
 *
 * A component comes after all that its edges lead to. */
#ifndef EXPLORE_COMPONENTS_H
#define EXPLORE_COMPONENTS_H

#include "explore/depth_first.h"

/* Nodes each of which leads to each other. */
struct component_piece {
    uint32_t first;  /* its nodes are those of components->open from here on */
    bool cyclic;     /* it has an edge inside */
    uint64_t marks;  /* of the edges inside */
    uint64_t led_by; /* of the edge by which its first node was met */
};

struct components_of {
    /* As in depth_visitor. May set components->marks to what is on the edge. Edges that do not
     * count may be answered by the node itself. */
    enum status (*edge)(void *self, uint32_t node, uint32_t number, uint32_t *target);

    /* A component is complete: `members` are its nodes, those met last first, so that the one by
     * which it was entered is the last. Its edges are all known; components_piece has their marks.
     * More are found unless *stop is set. May call components_forget. Null: nothing is done. */
    enum status (*complete)(void *self, const uint32_t *members, uint32_t count, bool *stop);

    /* An edge inside components_piece was found. Null: nothing is done. */
    enum status (*closed)(void *self, bool *stop);
};

struct components {
    const struct components_of *of;
    void *self;
    struct depth_first search;
    VECTOR(uint32_t) known; /* by node: not met, its place in `open`, or its component */
    VECTOR(uint32_t) open;  /* nodes met whose component is not complete, in that order */
    VECTOR(struct component_piece) pieces; /* of these */
    uint64_t marks;                        /* of the edge followed last */
    uint32_t count;                        /* complete components */
};

/* Of nodes from 0 on, none met yet, with room for `nodes` of them. False when refused. Release
 * whatever comes of it. */
bool components_init(struct components *components, const struct components_of *of, void *self,
                     uint32_t nodes, struct budget *budget) MUST_CHECK;
void components_release(struct components *components);

/* Finds the components of what a node leads to, unless it was met. Components found before are not
 * entered. */
enum status components_from(struct components *components, uint32_t root) MUST_CHECK;

#define COMPONENT_COMPLETE                                                                         \
    UINT32_C(0x80000000) /* in `known`: the rest is the component's number                         \
                          */

static inline bool components_met(const struct components *components, uint32_t node)
{
    return node < components->known.length && components->known.items[node] != 0;
}

/* The component of a node; NODE_NONE: it is in none yet. */
static inline uint32_t components_get(const struct components *components, uint32_t node)
{
    const uint32_t known = node < components->known.length ? components->known.items[node] : 0;
    return known & COMPONENT_COMPLETE ? known & ~COMPONENT_COMPLETE : NODE_NONE;
}

/* The piece at the end of the path. */
static inline const struct component_piece *components_piece(const struct components *components)
{
    return &components->pieces.items[components->pieces.length - 1];
}

/* A node of a complete component counts as not met any more: its edges have become others. */
void components_forget(struct components *components, uint32_t node);

#endif

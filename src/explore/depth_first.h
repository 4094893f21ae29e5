/* Depth first with a path: the other order in which searches go through numbered nodes. Who asks
 * decides which nodes are entered (most keep a mark by node), and may look at the path: what is on
 * it leads to the node at its end, so an edge back to it closes a cycle. */
#ifndef EXPLORE_DEPTH_FIRST_H
#define EXPLORE_DEPTH_FIRST_H

#include "base/status.h"
#include "base/vector.h"
#include "explore/explore.h"

struct depth_visitor {
    /* A node is met: as a root, or because an edge leads to it from the end of the path. *enter: go
     * there now; it is then the end of the path. */
    enum status (*meet)(void *self, uint32_t node, bool *enter);

    /* The target of edge `number`, counted from 0, of the node at the end of the path; NODE_NONE:
     * there is no such edge. */
    enum status (*edge)(void *self, uint32_t node, uint32_t number, uint32_t *target);

    /* The node, which has no more edges, was taken off the path's end. Null: nothing is done. */
    enum status (*leave)(void *self, uint32_t node);
};

struct depth_step {
    uint32_t node;
    uint32_t next; /* number of the edge that is to be followed next */
};

struct depth_first {
    VECTOR(struct depth_step) path;
    bool stop;                 /* set by whoever has seen enough: the path stays as it is */
    struct explorer *explorer; /* counts the nodes entered, has the limits and the log; not owned.
                                  Null: none */
};

void depth_first_init(struct depth_first *search, struct budget *budget);
void depth_first_release(struct depth_first *search);

/* Meets a node as a root, and all that is met behind it. Any status but STATUS_OK ends
 * the search; STATUS_LIMIT also when the path cannot grow. */
enum status depth_first_from(struct depth_first *search, const struct depth_visitor *visitor,
                             void *self, uint32_t root) MUST_CHECK;

#endif

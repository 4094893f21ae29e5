/* The normal form of a state graph: a normalised state is the set of states that one visible trace
 * can lead to, closed under τ. Interned by content, its successors worked out as they are asked
 * for. Where the graph keeps ample sets, a closure follows them as function tau(S) of Liu, Chen,
 * Liu and Sun (2009, figure 3) does: depth first, such a set only if it does not return to the
 * path.
 */
#ifndef PROPERTY_GRAPH_NORMAL_H
#define PROPERTY_GRAPH_NORMAL_H

#include "base/faults.h"
#include "base/interning.h"
#include "explore/depth_first.h"
#include "property/normal_steps.h"
#include "reduce/symmetry.h"
#include "space/graph.h"

/* What a closure follows from a state on its path. */
struct closure_step {
    const struct edge *edges;
    uint32_t count;
};

#define GRAPH_NORMAL_NEAR SIZE_OR_SMALL(32, 4)

struct graph_normal {
    struct normal normal;
    /* Steps known by labels below GRAPH_NORMAL_NEAR, which are all that most models have: by
     * normalised state, near_width of each. 0: not known; 1: there is none; else 2 + where to. */
    VECTOR(uint32_t) near;
    uint32_t near_width;
    uint64_t worked_out;         /* steps that are known */
    struct normal_steps far;     /* the others */
    struct graph *specification; /* not owned */
    bool symmetric;              /* that graph is one of a symmetry: its states are renumbered */
    VECTOR(uint32_t) slots;      /* scratch */
    struct word_arrays sets;     /* ascending state_ids */
    struct arena arena;
    VECTOR(const struct normal_edge *) edges; /* by label; null: not expanded yet */
    VECTOR(uint32_t) degrees;
    VECTOR(uint32_t) marks; /* of states: the last closure that has it */
    uint32_t mark;
    VECTOR(uint32_t) stacked; /* of states: the last closure that has it on the path; 0: none */
    struct depth_first search;
    VECTOR(struct closure_step) chosen; /* by state on the path */
    struct error *error;                /* of the search at hand */
    VECTOR(state_id) closure;
    VECTOR(state_id) seeds; /* what a closure is made of, where its search is a reduced one */
    VECTOR(struct edge) visible;
    VECTOR(struct normal_edge) scratch;
};

/* `symmetric`: the graph is one of a symmetry, and the implementation's steps carry turnings. */
void graph_normal_init(struct graph_normal *normal, struct graph *specification, bool symmetric);
void graph_normal_release(struct graph_normal *normal);

/* Its members, ascending. */
const uint32_t *graph_normal_members(const struct graph_normal *normal, normal_id id,
                                     size_t *count);

#endif

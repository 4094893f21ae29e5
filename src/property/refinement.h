/* Refinement on the fly: the product of an implementation's state graph with a normal form, walked
 * until the normal form cannot follow. */
#ifndef PROPERTY_REFINEMENT_H
#define PROPERTY_REFINEMENT_H

#include "explore/execution.h"
#include "property/failures.h"
#include "space/graph.h"

struct checkpoint;
struct search_stats;
struct swarm;

struct refinement_options {
    bool antichain; /* of one implementation state keep the smallest normalised states only */
    enum explore_order order;  /* not along edges; oldest first a counterexample is a shortest */
    uint64_t stall;            /* in turns: see struct explorer; 0: as usual */
    struct failures *failures; /* null: traces only */
    struct swarm *swarm;       /* of EXPLORE_SWARM: what its searches share */
    struct checkpoint *checkpoint; /* null: none */
    struct search_stats *stats;    /* filled when the search ends; null: none */
    unsigned threads;              /* that take up pairs, if they may; 0: one */
    uint32_t threads_from;         /* see struct explorer; 0: as usual */
    struct limits *limits;
};

struct refinement {
    enum holds answer;
    enum limit limit;
    uint64_t pairs; /* stored: without antichain each is one state of the full product */
    uint64_t transitions;
    struct search_extent extent;
    struct execution execution; /* VIOLATED: up to and including the step that cannot be followed,
                       or to the state that refuses or diverges */
    normal_id before;     /* VIOLATED: the normalised state before that step, or in that state */
    enum failure failure; /* VIOLATED: FAILURE_NONE if it is the step */
};

/* Traces of the graph ⊆ traces of the normal form, `terminate` being an event, and with
 * options->failures the same for failures (and divergences). The answer is in
 * `result`; STATUS_USAGE: the checkpoint cannot be used; STATUS_INPUT for a fault of the model,
 * with `result->execution` leading to it. Release the result whatever the status. */
enum status refine(struct graph *implementation, struct normal *specification,
                   const struct refinement_options *options, struct refinement *result,
                   struct error *error) MUST_CHECK;

/* Tells a log (null: none) where the specification cannot follow: "refinement: pair (12, 3) cannot
 * follow dequeue!1". */
void refinement_tell_log(const struct log *log, const struct graph *implementation, state_id state,
                         normal_id normal, label event);
void refinement_init(struct refinement *result, struct budget *budget);
void refinement_release(struct refinement *result);

#endif

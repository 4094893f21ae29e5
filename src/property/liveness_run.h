/* What a search for accepted runs found: a short way to a component of the product, and a loop in
 * it. */
#ifndef PROPERTY_LIVENESS_RUN_H
#define PROPERTY_LIVENESS_RUN_H

#include "explore/execution.h"
#include "property/product.h"

/* A step of a run's loop. */
struct liveness_step {
    struct step step;
    state_id target;
};

struct liveness {
    enum holds answer; /* VIOLATED: a run is accepted */
    enum limit limit;
    uint64_t states, transitions, depth; /* of the product; the longest path */
    uint64_t met;                        /* atoms that held somewhere; complete where it HOLDS */
    bool too_many; /* nothing was decided: process fairness, and more than 63 processes */

    /* The run, or what leads to a fault. Where it is no lasso it ends, and stays there. */
    struct execution execution;
    VECTOR(uint64_t) letters; /* by state of the execution */

    /* The loop as a graph of its own: node i is where its step i begins, all of them one cycle; and
     * what each step of the graph is. The events of the graph are numbered for this. */
    struct fair_graph loop;
    struct fair_cycle cycle;
    VECTOR(struct liveness_step) steps;
    uint32_t processes; /* that there are where the loop begins */
};

void liveness_init(struct liveness *result, struct budget *budget);
void liveness_release(struct liveness *result);

/* Looks for a run that is fair and accepted among `count` nodes, each of which leads to each other;
 * writes it to `result`, and sets result->too_many where it cannot be told which processes take
 * part. Nothing is added to the product by this or after it unless there is no such run.
 * STATUS_LIMIT. */
enum status liveness_run_find(struct product *product, const struct liveness_options *options,
                              const node_id *nodes, size_t count, struct liveness *result,
                              bool *found) MUST_CHECK;

/* Writes the way to product->faulty. */
enum status liveness_run_to_fault(struct product *product, struct liveness *result) MUST_CHECK;

#endif

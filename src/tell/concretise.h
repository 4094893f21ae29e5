/* From an execution of a reduced model to one of the model inside: undoes the renumbering of
 * threads and values, and fills in steps that were fused. */
#ifndef TELL_CONCRETISE_H
#define TELL_CONCRETISE_H

#include "explore/execution.h"
#include "space/graph.h"

#define CONCRETISE_MOST_STEPS 2048 /* of one fused step */

struct concretise_options {
    unsigned most; /* steps of one process that a step may stand for: 1, or up to
                      CONCRETISE_MOST_STEPS where steps are fused */
    bool to_fault; /* if the model is wrong in a step from the last state: on to the last step
                      before that, as far as it is found */
};

/* Replaces `execution`, of a graph of the model whose worker `reduced` is, by one of `plain`, a
 * graph of the model inside in which nothing is renumbered and each step stands for itself. That
 * model renumbers (turn, turn_label); where the graph is that of a decorator of it, its slots come
 * first. *found is false, and the execution as it was, where some step has no counterpart.
 * STATUS_LIMIT; STATUS_INPUT: a fault of the plain model on the way. */
enum status concretise(struct worker *reduced, const struct graph *graph, struct graph *plain,
                       const struct concretise_options *options, struct execution *execution,
                       bool *found, struct error *error) MUST_CHECK;

#endif

/* An execution of a `.lin` model whose steps were fused, taken apart again: the same execution of
 * the model in which every statement that touches something shared, every call and every answer is
 * a step of its own. */
#ifndef TELL_LIN_UNFOLD_H
#define TELL_LIN_UNFOLD_H

#include "explore/execution.h"
#include "lin/model.h"
#include "space/graph.h"

/* Replaces `execution`, of the graph of `fused`, by one of `plain`, a graph of the same
 * implementation with the same locals forgotten, nothing fused and the threads in no order.
 * STATUS_INTERNAL if there is none; STATUS_LIMIT. */
enum status lin_unfold(const struct lin_model *fused, const struct graph *graph,
                       struct graph *plain, struct execution *execution,
                       struct error *error) MUST_CHECK;

/* The same of an execution that leads to where the model is wrong: on to the last statement before
 * that, as far as it is found. */
enum status lin_unfold_to_fault(const struct lin_model *fused, const struct graph *graph,
                                struct graph *plain, struct execution *execution,
                                struct error *error) MUST_CHECK;

#endif

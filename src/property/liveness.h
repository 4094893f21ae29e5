/* Whether an automaton accepts a run of a model: for the automaton of a formula's negation, whether
 * the formula is violated. product.h says what the automaton reads. */
#ifndef PROPERTY_LIVENESS_H
#define PROPERTY_LIVENESS_H

#include "property/liveness_run.h"

/* Looks for a run that is accepted, and fair, on the fly. The graph must be the plain one: no ample
 * sets, nothing skipped. STATUS_INPUT: a fault of the model, with result->execution leading to
 * it. */
enum status liveness_search(struct graph *graph, const struct liveness_options *options,
                            struct liveness *result, struct error *error) MUST_CHECK;

#endif

/* Refinement and reachability by searches that store no states and may miss some: they find a
 * violation, and never prove that there is none. What they find is an execution of the graph, as
 * any other. */
#ifndef PROPERTY_INCOMPLETE_H
#define PROPERTY_INCOMPLETE_H

#include "explore/bitstate.h"
#include "property/reachability.h"
#include "property/refinement.h"

/* A swarm whose number of searches is not set has so many, unless there is a time limit. */
#define SWARM_SEARCHES 256

/* As refine and reach, of which they are the other half: where options->order is an incomplete one
 * the answer is VIOLATED (of QUESTION_REACHES: HOLDS), or UNDECIDED, without a limit where the
 * search came to its end. Not for failures, extremes, choices and divergence: their answer is
 * UNDECIDED at once. */
enum status refine_in_order(struct graph *implementation, struct normal *specification,
                            const struct refinement_options *options, struct refinement *result,
                            struct error *error) MUST_CHECK;
enum status reach_in_order(struct graph *graph, const struct reachability_options *options,
                           struct reachability *result, struct error *error) MUST_CHECK;

#endif

/* Part of an execution graph. */
#ifndef SCENARIO_RESTRICTION_H
#define SCENARIO_RESTRICTION_H

#include "scenario/execution_graph.h"

/* The graph without what is deleted, which nothing that is kept comes of; `read` (unless it is
 * EXECUTION_NONE) is kept without a source, and last in the order of replay. `kept`
 * is another graph; `numbers` gets the new number of each event. */
void execution_restrict(const struct execution_graph *graph, const bool *deleted, event_number read,
                        struct execution_graph *kept, event_number *numbers);

#endif

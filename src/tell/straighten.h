/* An execution of a model with symmetry, told in the model's own numbers: each state there stands
 * for those that differ by a renumbering, and each step says which renumbering came behind it. */
#ifndef TELL_STRAIGHTEN_H
#define TELL_STRAIGHTEN_H

#include "explore/execution.h"
#include "reduce/symmetry.h"
#include "space/graph.h"

/* Replaces an execution of `reduced`, the graph of a symmetry, by one of the model inside it, whose
 * states are added to `plain` (a graph of that model, freshly made). *found is false, and the
 * execution is as it was, where some step has no counterpart: a term in another form than a
 * renumbered one would have. */
enum status straighten(const struct graph *reduced, struct graph *plain,
                       struct execution *execution, bool *found, struct error *error) MUST_CHECK;

#endif

/* Finds place invariants: weights of places whose sum no step raises, which bounds the tokens of
 * every reachable marking. */
#ifndef PETRI_INVARIANTS_H
#define PETRI_INVARIANTS_H

#include "petri/problem.h"

/* Adds to the problem's bounds those that hold of the invariants that its net comes with and, with
 * `find`, of some that are computed, those with few places first. Open places have no weight in
 * them. STATUS_LIMIT when memory is refused, or the limits (may be null) are reached. */
enum status invariants_bound(struct problem *problem, bool find, struct budget *budget,
                             const struct limits *limits) MUST_CHECK;

#endif

/* Weights of places whose sum no step raises: what bounds the tokens of every reachable marking. */
#ifndef PETRI_INVARIANTS_H
#define PETRI_INVARIANTS_H

#include "petri/problem.h"

#define MOST_WEIGHT 1000000 /* so that weighted sums stay far below 2^64 */

/* Adds some to the problem's invariants, those with few places first. Open places have no weight in
 * them. False when memory is refused, or the limits (may be
 * null) are reached. */
bool invariants_find(struct problem *problem, struct budget *budget,
                     const struct limits *limits) MUST_CHECK;

#endif

/* Finds the places and transitions of a net that can matter to its targets, backwards from these.
 */
#ifndef PETRI_RELEVANCE_H
#define PETRI_RELEVANCE_H

#include "petri/concurrency.h"

/* Marks places (of a target, or taken from by a transition that matters) and transitions (that
 * raise a place that matters), both by number and none before, leaving out what the pairs exclude.
 * False when memory is refused. */
bool relevance_find(const struct net *net, const struct concurrency *pairs, struct budget *budget,
                    struct bits places, struct bits transitions) MUST_CHECK;

#endif

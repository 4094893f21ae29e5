/* The check of the concurrency relation: like certificate.c, of which it is a part, it believes the
 * definition of a transition's firing, and nothing of how the relation was found. */
#ifndef PETRI_PAIRS_CHECK_H
#define PETRI_PAIRS_CHECK_H

#include "petri/concurrency.h"

/* Whether every two of the tokens are possible together. */
bool pairs_possible(const struct concurrency *pairs, struct arcs tokens);

/* Whether the relation is symmetric, holds of the initial markings, and is kept by every transition
 * of the net. STATUS_INTERNAL with what is wrong with it; STATUS_LIMIT. The arena is for what is
 * noted on the way; the limits may be null. */
enum status pairs_check(const struct concurrency *pairs, const struct net *net, struct arena *arena,
                        const struct limits *limits, struct error *error) MUST_CHECK;

#endif

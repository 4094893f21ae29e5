/* Plain accesses that race, and are taken as relaxed atomic ones, where that is asked for: their
 * places in the program. An exploration in which a race is found takes both of its accesses so from
 * then on, and begins anew. */
#ifndef RUNTIME_RELAXED_H
#define RUNTIME_RELAXED_H

#include "scenario/exchange.h"

/* The places that are known already. */
void relaxed_begin(const struct exchange_relaxed *places);

/* A race: whether a plain access of it is at a place that was not known, which it is now. */
bool relaxed_add(const struct finding *race);

/* Whether the plain access at a place is one, if it is of a size and an address that atomic ones
 * may have. */
bool relaxed_has(const void *at, const void *address, size_t size);

const struct exchange_relaxed *relaxed_places(void);

#endif

/* Checks whether an order of operations is a linearization, independently of how it was found. */
#ifndef DECIDE_WITNESS_H
#define DECIDE_WITNESS_H

#include "monitor/decision.h"

/* Replays `order` against the part's specification, and checks that it respects precedence and has
 * every completed operation exactly once: independent of how it was found. False if it is no
 * linearization (or a budget refused: then limits says so); `*bad`, if not null, is the place in
 * `order` of the first fault. */
bool witness_is_valid(const struct part *part, const uint32_t *order, size_t length,
                      struct limits *limits, size_t *bad);

#endif

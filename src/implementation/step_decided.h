/* Steps that come out as they would now whatever other threads do meanwhile, because a reference
 * that the thread holds is stale, or what it leads to is settled (implementation/step_settled.h).
 * docs/internals/reductions.md has what follows. */
#ifndef IMPLEMENTATION_STEP_DECIDED_H
#define IMPLEMENTATION_STEP_DECIDED_H

#include "implementation/step_settled.h"

/* Fills in steps->decided, by instruction. Once steps->pure is there. */
enum status lin_step_find_decided(struct lin_steps *steps,
                                  const struct lin_settled *settled) MUST_CHECK;

#endif

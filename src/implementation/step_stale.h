/* What is stale: a thread holds a node that a shared variable led to and never will again, or waits
 * to link behind a node that another is behind. docs/internals/reductions.md has what follows. */
#ifndef IMPLEMENTATION_STEP_STALE_H
#define IMPLEMENTATION_STEP_STALE_H

#include "implementation/step_settled.h"

/* Fills in steps->stale, by instruction. Once steps->pure is there. */
enum status lin_step_find_stale(struct lin_steps *steps,
                                const struct lin_settled *settled) MUST_CHECK;

#endif

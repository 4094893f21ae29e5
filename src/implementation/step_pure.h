/* Pure iterations: a thread comes back to where it stood in a loop, and nothing is left of what it
 * did there. docs/internals/reductions.md has what follows from that. */
#ifndef IMPLEMENTATION_STEP_PURE_H
#define IMPLEMENTATION_STEP_PURE_H

#include "implementation/steps.h"

/* Fills in steps->pure, which stays null where no iteration is taken for pure. Once all operations
 * are there. */
enum status lin_step_find_pure(struct lin_steps *steps) MUST_CHECK;

#endif

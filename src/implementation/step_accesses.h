/* Accesses of which it is known only when they run whether others notice them: to an item of a
 * shared array to whose items only their own threads write, and to *sticky* fields, of which it is
 * supposed that once they are set they never change (docs/internals/reductions.md). */
#ifndef IMPLEMENTATION_STEP_ACCESSES_H
#define IMPLEMENTATION_STEP_ACCESSES_H

#include "implementation/steps.h"

/* Fills steps->accesses and steps->suppositions, and marks these instructions. STATUS_LIMIT. */
enum status lin_step_find_accesses(struct lin_steps *steps) MUST_CHECK;

#endif

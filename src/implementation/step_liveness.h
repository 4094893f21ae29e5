/* Backward data flow over the locals: what a thread stands at a STEP or RETURN with, but will not
 * read before it writes, is no part of its state. */
#ifndef IMPLEMENTATION_STEP_LIVENESS_H
#define IMPLEMENTATION_STEP_LIVENESS_H

#include "implementation/step_compiler.h"

/* Fills in steps->live, once all code is there. */
enum status lin_step_find_live(struct lin_steps *steps) MUST_CHECK;

#endif

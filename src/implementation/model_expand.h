/* All steps of a state at once, compiled (implementation/native_expand.c): what they are labelled.
 */
#ifndef IMPLEMENTATION_MODEL_EXPAND_H
#define IMPLEMENTATION_MODEL_EXPAND_H

#include "implementation/state.h"

/* As model_class.expand. */
enum status lin_model_expand(struct worker *base, struct packed_steps *steps) MUST_CHECK;

#endif

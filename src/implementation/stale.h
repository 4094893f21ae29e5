/* States from which some thread can only come back to where it stood, with nothing done, and those
 * in which what a thread does next comes out the same at any later time. */
#ifndef IMPLEMENTATION_STALE_H
#define IMPLEMENTATION_STALE_H

#include "implementation/state.h"

/* Whether a thread that stands at stale->at, with these locals, holds what is stale. */
bool lin_holds_stale(const struct lin_steps *steps, const uint32_t *state, const uint32_t *locals,
                     const struct lin_stale *stale);

/* Whether some thread holds what is stale (implementation/step_stale.h). */
bool lin_is_stale(const struct lin_model *model, const uint32_t *state);

/* Whether the thread stands before a step that is decided (implementation/step_decided.h). */
bool lin_is_decided(const struct lin_steps *steps, const uint32_t *state, uint32_t thread);

#endif

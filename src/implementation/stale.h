/* States from which some thread can only come back to where it stood, with nothing done. */
#ifndef IMPLEMENTATION_STALE_H
#define IMPLEMENTATION_STALE_H

#include "implementation/state.h"

/* Whether a thread that stands at stale->at, with these locals, holds what is stale. */
bool lin_holds_stale(const struct lin_steps *steps, const uint32_t *state, const uint32_t *locals,
                     const struct lin_stale *stale);

/* Whether some thread holds what is stale (implementation/step_stale.h). */
bool lin_is_stale(const struct lin_model *model, const uint32_t *state);

#endif

/* Which steps of a `.lin` implementation other threads may fail to notice, as far as its code says.
 */
#ifndef IMPLEMENTATION_QUIET_STEPS_H
#define IMPLEMENTATION_QUIET_STEPS_H

#include "implementation/state.h"

/* Whether an instruction touches something shared that is no node reached by a reference. */
bool lin_touches_shared(const struct lin_model *model, const struct instruction *i);

/* Fills model->quiet: of each STEP whether the step may end without touching anything of that
 * kind, or may run out of nodes. False when refused. */
bool lin_find_quiet_steps(struct lin_model *model) MUST_CHECK;

#endif

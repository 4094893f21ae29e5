/* What an idle thread of a `.lin` model may call: which operations, how many, with which arguments.
 */
#ifndef IMPLEMENTATION_MODEL_CALLS_H
#define IMPLEMENTATION_MODEL_CALLS_H

#include "implementation/state.h"

/* What a thread may call, before it has called anything; 0 if that is not counted. */
uint32_t lin_operations_at_first(const struct lin_setting *setting);

/* Appends the steps that begin with a call. */
enum status lin_model_call_any(struct lin_worker *worker, const uint32_t *state, uint32_t thread,
                               uint32_t known_as, struct successors *out,
                               struct error *error) MUST_CHECK;

#endif

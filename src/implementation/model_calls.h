/* What an idle thread of a `.lin` model may call: which operations, how many, with which arguments.
 */
#ifndef IMPLEMENTATION_MODEL_CALLS_H
#define IMPLEMENTATION_MODEL_CALLS_H

#include "implementation/state.h"

/* What a thread may call, before it has called anything; 0 if that is not counted. */
uint32_t lin_operations_at_first(const struct lin_setting *setting);

/* The label of a thread's call, of all those in order, operation by operation, with each argument
 * from least to greatest; LABEL_REFUSED when refused. */
label lin_model_label_call(struct lin_worker *worker, uint32_t call, uint32_t thread);

/* Appends the steps that begin with a call. */
enum status lin_model_call_any(struct lin_worker *worker, const uint32_t *state, uint32_t thread,
                               uint32_t known_as, struct successors *out,
                               struct error *error) MUST_CHECK;

#endif

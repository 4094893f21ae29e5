/* What nobody will read of nodes (implementation/step_fields.h), in a state. */
#ifndef IMPLEMENTATION_FIELDS_H
#define IMPLEMENTATION_FIELDS_H

#include "implementation/state.h"

/* Sets the fields of nodes that no thread will read before it writes them to 0. False when refused.
 */
bool lin_forget_fields(struct lin_worker *worker, uint32_t *slots) MUST_CHECK;

#endif

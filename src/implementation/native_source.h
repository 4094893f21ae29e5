/* A `.lin` model's steps and canonical form, written as C (implementation/native_abi.h). */
#ifndef IMPLEMENTATION_NATIVE_SOURCE_H
#define IMPLEMENTATION_NATIVE_SOURCE_H

#include "implementation/state.h"

/* Whether the model can be written: it has not too many nodes, and no code that is not understood.
 */
bool lin_native_fits(const struct lin_model *model);

/* Appends the whole source, of a model that fits. False when refused. */
bool lin_native_write(const struct lin_model *model, struct text *out) MUST_CHECK;

/* Its parts. `run`: false when refused. */
bool lin_native_write_run(const struct lin_model *model, struct text *out) MUST_CHECK;
void lin_native_write_states(const struct lin_model *model, struct text *out);

#endif

/* A `.lin` model's steps and canonical form, written as C (implementation/native_abi.h). */
#ifndef IMPLEMENTATION_NATIVE_SOURCE_H
#define IMPLEMENTATION_NATIVE_SOURCE_H

#include "implementation/state.h"

/* Whether the model can be written: it has not too many nodes, and no code that is not understood.
 */
bool lin_native_fits(const struct lin_model *model);

/* Appends the whole source, of a model that fits. False when refused. */
bool lin_native_write(const struct lin_model *model, struct text *out) MUST_CHECK;

/* Whether the host executes an instruction: a point, a print or the call of a program. */
bool lin_native_executes(enum opcode op);

/* Whether whole steps can be written, of several runs. */
bool lin_native_joins(const struct lin_model *model);

/* Its parts. `run`: false when refused. */
bool lin_native_write_run(const struct lin_model *model, struct text *out) MUST_CHECK;
void lin_native_write_joined(const struct lin_model *model, struct text *out);
void lin_native_write_states(const struct lin_model *model, struct text *out);
void lin_native_write_stale(const struct lin_model *model, struct text *out);

#endif

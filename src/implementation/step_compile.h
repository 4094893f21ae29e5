/* The compiler of implementations: operations, clients, conditions, put together by its parts. */
#ifndef IMPLEMENTATION_STEP_COMPILE_H
#define IMPLEMENTATION_STEP_COMPILE_H

#include "implementation/steps.h"

/* Compiles a checked implementation; memory is the arena's, which must outlive it, and the vectors
 * are released with lin_steps_release. STATUS_INPUT for a statement that touches more than one
 * shared location, and for what else the language forbids, with its place. */
enum status lin_steps_compile(const struct lin_module *module, const struct lin_object *object,
                              const int32_t *parameters, const struct lin_setting *setting,
                              struct arena *arena, struct lin_steps *steps,
                              struct error *error) MUST_CHECK;

/* Adds a condition over the shared variables; it begins at instruction `*start` and leaves its
 * value on the stack at an END. */
enum status lin_steps_condition(struct lin_steps *steps, const struct lin_expression *condition,
                                uint32_t *start, struct error *error) MUST_CHECK;

#endif

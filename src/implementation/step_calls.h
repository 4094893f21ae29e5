/* Calls: functions and operations put where they are called, built-in operations on locations, and
 * operations of the specification that a program uses. */
#ifndef IMPLEMENTATION_STEP_CALLS_H
#define IMPLEMENTATION_STEP_CALLS_H

#include "implementation/step_compiler.h"

/* The body of a function or operation begins, or an operation's own; to be closed in any case. */
enum status lin_step_open_body(struct lin_step_compiler *compiler,
                               const struct lin_operation *operation,
                               struct lin_step_body *body) MUST_CHECK;
void lin_step_close_body(struct lin_step_compiler *compiler, struct lin_step_body *body);

/* A call of a function, of `cas`, `swap`, `lock` and the like, or of an operation by a program. */
enum status lin_step_compile_call(struct lin_step_compiler *compiler,
                                  const struct lin_expression *call) MUST_CHECK;

#endif

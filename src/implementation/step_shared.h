/* What touches what is shared, and so is a step: at most one location in each. */
#ifndef IMPLEMENTATION_STEP_SHARED_H
#define IMPLEMENTATION_STEP_SHARED_H

#include "implementation/step_compiler.h"

/* Whether evaluating it is a step: it touches what is shared, makes or gives back a node. May be
 * null. */
bool lin_step_is_shared(const struct lin_expression *expression);

/* Whether it has steps, those of the functions that it calls among them. */
bool lin_step_statement_is_shared(struct lin_step_compiler *compiler,
                                  const struct lin_statement *statement);

/* Before a statement: the mark of a step, if it is one, and the rule of one location. */
enum status lin_step_begin(struct lin_step_compiler *compiler,
                           const struct lin_expression *expression, place at,
                           bool waits) MUST_CHECK;

#endif

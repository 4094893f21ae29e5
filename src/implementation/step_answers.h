/* Where operations and functions end, with what answer; and linearization points, with the answer
 * that they promise. */
#ifndef IMPLEMENTATION_STEP_ANSWERS_H
#define IMPLEMENTATION_STEP_ANSWERS_H

#include "implementation/step_compiler.h"

/* Sets how many words answers take, and these locals aside. */
enum status lin_step_size_answers(struct lin_step_compiler *compiler) MUST_CHECK;

/* The answer of a called operation, as the program sees it. */
enum status lin_step_compile_called_return(struct lin_step_compiler *compiler,
                                           const struct lin_expression *expression,
                                           place at) MUST_CHECK;

/* `return` in a function. */
enum status lin_step_compile_function_return(struct lin_step_compiler *compiler,
                                             const struct lin_statement *statement) MUST_CHECK;

/* The end of an operation: a RETURN that the thread stands at until it has answered. */
enum status lin_step_compile_answer(struct lin_step_compiler *compiler,
                                    const struct lin_expression *expression, place at) MUST_CHECK;

/* `linearize`: local computation as a rule, so that a point belongs to the step before it. */
enum status lin_step_compile_linearize(struct lin_step_compiler *compiler,
                                       const struct lin_statement *statement) MUST_CHECK;

#endif

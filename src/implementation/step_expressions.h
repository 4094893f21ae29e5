/* Expressions of implementations: code that leaves the value on the stack. */
#ifndef IMPLEMENTATION_STEP_EXPRESSIONS_H
#define IMPLEMENTATION_STEP_EXPRESSIONS_H

#include "implementation/step_compiler.h"

/* A part of an expression, with something of it on the stack. */
enum status lin_step_compile_operand(struct lin_step_compiler *compiler,
                                     const struct lin_expression *expression) MUST_CHECK;

/* The location that `*p` is; any other expression itself. */
const struct lin_expression *lin_step_location(const struct lin_step_compiler *compiler,
                                               const struct lin_expression *expression);

/* Leaves the address of a location on the stack. */
enum status lin_step_compile_address(struct lin_step_compiler *compiler,
                                     const struct lin_expression *expression) MUST_CHECK;

/* What must hold of the integer on top before it goes into a place of this type. */
enum status lin_step_compile_range(struct lin_step_compiler *compiler, place at,
                                   const struct lin_type *type,
                                   const struct lin_expression *source) MUST_CHECK;

/* What an operation answered becomes an int or bool, if it is one. */
enum status lin_step_convert(struct lin_step_compiler *compiler,
                             const struct lin_expression *expression,
                             enum lin_type_kind kind) MUST_CHECK;

/* A part of an expression, converted. */
enum status lin_step_compile_operand_as(struct lin_step_compiler *compiler,
                                        const struct lin_expression *expression,
                                        enum lin_type_kind kind) MUST_CHECK;

/* A value for a place of this type. */
enum status lin_step_compile_into(struct lin_step_compiler *compiler,
                                  const struct lin_expression *expression,
                                  const struct lin_type *target) MUST_CHECK;

/* Leaves the words of the value on the stack. */
enum status lin_step_compile_value(struct lin_step_compiler *compiler,
                                   const struct lin_expression *expression) MUST_CHECK;

/* The constant that a value is compared with; remembers that this value is told apart. */
enum status lin_step_compile_value_name(struct lin_step_compiler *compiler,
                                        const struct lin_expression *constant) MUST_CHECK;

/* A condition, as a step of its own if it touches what is shared; leaves a boolean. */
enum status lin_step_compile_condition(struct lin_step_compiler *compiler,
                                       const struct lin_expression *expression,
                                       place at) MUST_CHECK;

#endif

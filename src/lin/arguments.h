/* What parameters are: constant expressions, and the arguments of a reference to an object. */
#ifndef LIN_ARGUMENTS_H
#define LIN_ARGUMENTS_H

#include "lin/ast.h"
#include "value/value.h"

/* The value of an expression made of constants and of parameters, whose values are given (null:
 * there are none); STATUS_INPUT, without a message, if it is not. */
enum status lin_constant(const struct lin_expression *expression, const value *parameters,
                         struct value_pool *pool, value *result) MUST_CHECK;

/* The same of lists, sets and maps as well, of constants without parameters; `{}` is a set. */
enum status lin_constant_value(const struct lin_expression *expression, struct value_pool *pool,
                               value *result) MUST_CHECK;

/* The values of an object's parameters: given in the reference (may be null) by position or name,
 * or by default; `initial` (may be null) is that of the parameter of that name. An array in the
 * module's arena. STATUS_USAGE with what was expected. */
enum status lin_arguments(const struct lin_module *module, const struct lin_object *object,
                          const struct lin_reference *reference, const value *initial,
                          struct value_pool *pool, value **arguments,
                          struct error *error) MUST_CHECK;

#endif

/* What names and expressions mean, and of which type they are. */
#ifndef LIN_CHECK_EXPRESSION_H
#define LIN_CHECK_EXPRESSION_H

#include "lin/check_scope.h"

enum status checker_check_expression(struct checker *checker,
                                     struct lin_expression *expression) MUST_CHECK;

/* Checks an expression that must be of a kind. */
enum status checker_check_kind(struct checker *checker, struct lin_expression *expression,
                               enum lin_type_kind kind) MUST_CHECK;

/* Finds the struct or record that a type names, and checks the bounds of a range. */
enum status checker_resolve_type(struct checker *checker, struct lin_type *type) MUST_CHECK;

/* Types, lengths and the initial value of a variable or field. */
enum status checker_check_variable(struct checker *checker,
                                   struct lin_variable *variable) MUST_CHECK;

#endif

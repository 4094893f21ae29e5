/* Where which statement may stand, and what operations answer. */
#ifndef LIN_CHECK_STATEMENT_H
#define LIN_CHECK_STATEMENT_H

#include "lin/check_scope.h"

/* The body of an operation, function, thread or `init`. Others can be looked at whatever is wrong
 * with it. */
enum status checker_check_body(struct checker *checker, struct lin_operation *operation) MUST_CHECK;

/* Remembers the bare names that are answered and not declared: symbols. */
enum status checker_collect_returns(struct checker *checker, const struct lin_statement *statement,
                                    bool is_function) MUST_CHECK;

#endif

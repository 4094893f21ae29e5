/* The assertions of a `.lin` module, decided. */
#ifndef VERIFY_LIN_ASSERTION_H
#define VERIFY_LIN_ASSERTION_H

#include "lin/ast.h"
#include "verify/csp_assertion.h"

/* Decides one assertion of a checked module. STATUS_OK: the answer is in `result`, perhaps
 * UNDECIDED with its limit. STATUS_INPUT: the assertion or the model is wrong, with its place; for
 * a fault at run time result->trace leads to it. */
enum status lin_assertion_decide(const struct lin_module *module,
                                 const struct lin_assertion *assertion, struct value_pool *pool,
                                 const struct assertion_options *options,
                                 struct assertion_result *result, struct error *error) MUST_CHECK;

#endif

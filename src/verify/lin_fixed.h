/* The assertions of a `.lin` module that are about a number of threads, decided. */
#ifndef VERIFY_LIN_FIXED_H
#define VERIFY_LIN_FIXED_H

#include "lin/ast.h"
#include "verify/csp_assertion.h"

/* As lin_assertion_decide, of an assertion with so many threads as it says or, where there are any,
 * options->bounds. */
enum status lin_decide_fixed(const struct lin_module *module, const struct lin_assertion *assertion,
                             struct value_pool *pool, const struct assertion_options *options,
                             struct assertion_result *result, struct error *error) MUST_CHECK;

#endif

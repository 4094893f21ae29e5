/* An assertion about any number of threads, decided: docs/internals/any_threads.md. */
#ifndef VERIFY_LIN_ANY_H
#define VERIFY_LIN_ANY_H

#include "lin/ast.h"
#include "value/value.h"
#include "verify/assertion.h"

/* As lin_assertion_decide, of an assertion about any number of threads. */
enum status lin_any_decide(const struct lin_module *module, const struct lin_assertion *assertion,
                           struct value_pool *pool, const struct assertion_options *options,
                           struct assertion_result *result, struct error *error) MUST_CHECK;

/* Completes the reason of a violation, of `result` or a shorter one that is shown for it: with how
 * many threads, and which rule it breaks. STATUS_LIMIT. */
enum status lin_any_tell(const struct lin_module *module, const struct lin_assertion *assertion,
                         const struct assertion_result *result, struct assertion_result *shown,
                         struct error *error) MUST_CHECK;

#endif

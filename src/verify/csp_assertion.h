/* The assertions of a CSP# model, decided. */
#ifndef VERIFY_CSP_ASSERTION_H
#define VERIFY_CSP_ASSERTION_H

#include "csp/program.h"
#include "spec/spec.h"
#include "verify/assertion.h"

/* The specification that a `linearizes` names: of a `.lin` file that the model includes, else a
 * built-in one. Owned by the caller. */
enum status csp_assertion_spec(const struct csp_module *module,
                               const struct csp_assertion *assertion, struct value_pool *pool,
                               struct budget *budget, struct spec **spec,
                               struct error *error) MUST_CHECK;

/* Decides one assertion. STATUS_OK: the answer is in `result`, perhaps UNDECIDED with its limit.
 * STATUS_INPUT: the assertion or the model is wrong, with its place; for a fault at run time
 * result->trace leads to it. */
enum status csp_assertion_decide(struct csp_program *program, const struct csp_assertion *assertion,
                                 struct value_pool *pool, const struct assertion_options *options,
                                 struct assertion_result *result, struct error *error) MUST_CHECK;

#endif

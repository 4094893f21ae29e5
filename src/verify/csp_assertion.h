/* The assertions of a CSP# model, decided. */
#ifndef VERIFY_CSP_ASSERTION_H
#define VERIFY_CSP_ASSERTION_H

#include "csp/program.h"
#include "value/value.h"
#include "verify/assertion.h"

/* Decides one assertion. STATUS_OK: the answer is in `result`, perhaps UNDECIDED with its limit.
 * STATUS_INPUT: the assertion or the model is wrong, with its place; for a fault at run time
 * result->trace leads to it. */
enum status csp_assertion_decide(struct csp_program *program, const struct csp_assertion *assertion,
                                 struct value_pool *pool, const struct assertion_options *options,
                                 struct assertion_result *result, struct error *error) MUST_CHECK;

#endif

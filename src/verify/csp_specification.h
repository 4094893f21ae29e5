/* The sequential specification that a `linearizes` of a CSP# model names: of a `.lin` file that the
 * model includes, else a built-in one, `register(initial = 3)`, `semaphore(3)`. */
#ifndef VERIFY_CSP_SPECIFICATION_H
#define VERIFY_CSP_SPECIFICATION_H

#include "csp/program.h"
#include "spec/spec.h"

/* Owned by the caller. STATUS_INPUT: there is none of that name, or its arguments are wrong. */
enum status csp_assertion_spec(const struct csp_module *module,
                               const struct csp_assertion *assertion, struct value_pool *pool,
                               struct budget *budget, struct spec **spec,
                               struct error *error) MUST_CHECK;

#endif

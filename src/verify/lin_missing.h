/* What an implementation lacks of its specification, and which of its own operations no thread ever
 * calls because the client order does not come to them: nothing that is found of the others says
 * anything of these operations. */
#ifndef VERIFY_LIN_MISSING_H
#define VERIFY_LIN_MISSING_H

#include "lin/ast.h"
#include "spec/spec.h"
#include "verify/assertion.h"

/* Of an assertion about an implementation that was decided, and is no violation of linearizability:
 * the result's `missing` and `uncalled`. Where the order lets no operation be called, or the
 * implementation has none, what holds is not decided: nothing was asked. STATUS_LIMIT. */
enum status lin_missing_find(const struct lin_module *module, const struct lin_assertion *assertion,
                             struct value_pool *pool, struct budget *budget,
                             struct assertion_result *result, struct error *error) MUST_CHECK;

#endif

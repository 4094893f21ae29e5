#include "verify/lin_assertion.h"

#include "base/transport.h"
#include "verify/lin_any.h"
#include "verify/lin_any_setting.h"
#include "verify/lin_fixed.h"
#include "verify/lin_missing.h"

enum status lin_assertion_decide(const struct lin_module *module,
                                 const struct lin_assertion *assertion, struct value_pool *pool,
                                 const struct assertion_options *options,
                                 struct assertion_result *result, struct error *error)
{
    if (transport_helps(options->ranks) && lin_assertion_is_any(assertion))
        return STATUS_OK; /* rank 0 decides it */
    if (options->bounds)  /* part of an answer about any number of threads */
        return lin_decide_fixed(module, assertion, pool, options, result, error);
    TRY(lin_assertion_is_any(assertion)
            ? lin_any_decide(module, assertion, pool, options, result, error)
            : lin_decide_fixed(module, assertion, pool, options, result, error));
    const bool is_told = assertion->property == LIN_LINEARIZES && result->answer == VIOLATED;
    if (assertion->property == LIN_REFINES || is_told || transport_helps(options->ranks))
        return STATUS_OK;
    enum status status =
        lin_missing_find(module, assertion, pool, options->limits->budget, result, error);
    if (status == STATUS_LIMIT) {
        assertion_refused(result, options->limits);
        status = STATUS_OK;
    }
    return status;
}

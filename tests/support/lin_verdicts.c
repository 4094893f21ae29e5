#include "support/lin_verdicts.h"

#include <string.h>

const char *const verdict_names[] = {"holds",     "violated",   "undecided", "model error",
                                     "too large", "wrong text", "internal"};

enum verdict lin_verdict_of(struct lin_fixture *fixture, size_t number,
                            const struct assertion_options *options,
                            struct assertion_result *result)
{
    assertion_result_init(result, &fixture->budget);
    enum status status =
        lin_assertion_decide(&fixture->module, &fixture->module.assertions.items[number],
                             fixture->pool, options, result, &fixture->error);
    if (status == STATUS_INPUT)
        return strstr(fixture->error.message, "the model's promise") ||
                       strstr(fixture->error.message, " linearization point")
                   ? VERDICT_MODEL_ERROR
                   : VERDICT_WRONG_TEXT;
    if (status != STATUS_OK)
        return VERDICT_INTERNAL;
    if (result->answer == HOLDS)
        return VERDICT_HOLDS;
    if (result->answer == VIOLATED)
        return VERDICT_VIOLATED;
    return result->limit == LIMIT_NONE ? VERDICT_UNDECIDED : VERDICT_TOO_LARGE;
}

enum verdict lin_verdict(struct lin_fixture *fixture, size_t number, reductions used,
                         uint64_t most_work)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = most_work;
    const struct assertion_options options = {.reductions = used, .limits = &limits};
    enum verdict verdict = lin_verdict_of(fixture, number, &options, &result);
    assertion_result_release(&result);
    return verdict;
}

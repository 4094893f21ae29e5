#include "support/lin_verdicts.h"

#include <string.h>

const char *const verdict_names[] = {"holds",     "violated",   "undecided", "model error",
                                     "too large", "wrong text", "internal"};

enum verdict lin_verdict(struct lin_fixture *fixture, size_t number, reductions used,
                         uint64_t most_work)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    limits.most_work = most_work;
    struct assertion_options options = {.reductions = used, .limits = &limits};
    assertion_result_init(&result, &fixture->budget);
    enum status status =
        lin_assertion_decide(&fixture->module, &fixture->module.assertions.items[number],
                             fixture->pool, &options, &result, &fixture->error);
    enum verdict verdict = VERDICT_INTERNAL;
    if (status == STATUS_INPUT)
        verdict = strstr(fixture->error.message, "the model's promise") ||
                          strstr(fixture->error.message, " linearization point")
                      ? VERDICT_MODEL_ERROR
                      : VERDICT_WRONG_TEXT;
    else if (status == STATUS_OK && result.answer == HOLDS)
        verdict = VERDICT_HOLDS;
    else if (status == STATUS_OK && result.answer == VIOLATED)
        verdict = VERDICT_VIOLATED;
    else if (status == STATUS_OK)
        verdict = result.limit == LIMIT_NONE ? VERDICT_UNDECIDED : VERDICT_TOO_LARGE;
    assertion_result_release(&result);
    return verdict;
}

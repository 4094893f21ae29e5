#include "verify/lin_bounded.h"

#include <inttypes.h>

#include "base/log.h"
#include "verify/lin_fixed.h"

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a && (!b || a < b) ? a : b;
}

enum status lin_search_bounded(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               const struct assertion_options *options,
                               const struct lin_bounded_effort *effort, uint32_t *operations,
                               struct assertion_result *result, struct error *error)
{
    struct budget *outer = options->limits->budget, inner;
    const size_t half = budget_left(outer) / 2;
    const uint64_t end = effort->nanoseconds ? clock_nanoseconds() + effort->nanoseconds : 0;
    uint64_t states = 0, transitions = 0;
    enum status status = STATUS_OK;
    result->answer = HOLDS;
    while (status == STATUS_OK && result->answer == HOLDS && *operations < effort->operations &&
           states < effort->states) {
        const uint32_t most = *operations + 1;
        /* Nodes are counted by the operations of each thread. */
        const bool few_each = effort->threads == 1 && !effort->endless;
        const struct lin_bounds bounds = {.threads = effort->endless ? effort->threads
                                                                     : least(most, effort->threads),
                                          .operations = few_each ? (int32_t)most : -1,
                                          .values = effort->values ? effort->values : most,
                                          .fresh = effort->values == 0 && !effort->endless};
        struct limits limits;
        struct assertion_options few = *options;
        few.bounds = &bounds;
        few.most_operations = effort->endless ? 0 : most;
        few.limits = &limits;
        budget_init(&inner, outer, effort->bytes < half ? effort->bytes : half);
        limits_init_within(&limits, options->limits, &inner);
        limits.deadline = earlier(limits.deadline, end);
        limits.most_work = effort->states - states;
        if (effort->endless)
            LOG(limits.log, "few threads: %" PRIu32 " that go on for ever", effort->threads);
        else
            LOG(limits.log, "few threads: executions with at most %" PRIu32 " operations", most);
        assertion_result_release(result);
        assertion_result_init(result, outer);
        status = lin_decide_fixed(module, assertion, pool, &few, result, error);
        states += result->states;
        transitions += result->transitions;
        *operations += result->answer == HOLDS;
    }
    if (result->answer == HOLDS)
        result->answer = UNDECIDED;
    result->states = states;
    result->transitions = transitions;
    return status;
}

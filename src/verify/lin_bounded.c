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

/* One search, of a run of them that may take `effort` together. */
struct search {
    const struct lin_module *module;
    const struct lin_assertion *assertion;
    struct value_pool *pool;
    const struct assertion_options *options;
    const struct lin_bounded_effort *effort;
    size_t bytes;
    uint64_t end;                 /* 0: none */
    uint64_t states, transitions; /* so far */
};

static struct search search_begin(const struct lin_module *module,
                                  const struct lin_assertion *assertion, struct value_pool *pool,
                                  const struct assertion_options *options,
                                  const struct lin_bounded_effort *effort)
{
    const size_t half = budget_left(options->limits->budget) / 2;
    return (struct search){.module = module,
                           .assertion = assertion,
                           .pool = pool,
                           .options = options,
                           .effort = effort,
                           .bytes = effort->bytes < half ? effort->bytes : half,
                           .end =
                               effort->nanoseconds ? clock_nanoseconds() + effort->nanoseconds : 0};
}

/* Within bounds; most_operations as in assertion_options. */
static enum status search_within(struct search *search, const struct lin_bounds *bounds,
                                 uint32_t most_operations, struct assertion_result *result,
                                 struct error *error)
{
    struct budget *outer = search->options->limits->budget, inner;
    struct limits limits;
    struct assertion_options few = *search->options;
    few.bounds = bounds;
    few.most_operations = most_operations;
    few.limits = &limits;
    budget_init(&inner, outer, search->bytes);
    limits_init_within(&limits, search->options->limits, &inner);
    limits.deadline = earlier(limits.deadline, search->end);
    limits.most_work = search->effort->states - search->states;
    assertion_result_release(result);
    assertion_result_init(result, outer);
    enum status status =
        lin_decide_fixed(search->module, search->assertion, search->pool, &few, result, error);
    search->states += result->states;
    search->transitions += result->transitions;
    return status;
}

/* What holds of few says nothing of many. */
static void search_end(const struct search *search, struct assertion_result *result)
{
    if (result->answer == HOLDS)
        result->answer = UNDECIDED;
    result->states = search->states;
    result->transitions = search->transitions;
}

enum status lin_search_bounded(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               const struct assertion_options *options,
                               const struct lin_bounded_effort *effort, uint32_t *operations,
                               struct assertion_result *result, struct error *error)
{
    struct search search = search_begin(module, assertion, pool, options, effort);
    enum status status = STATUS_OK;
    result->answer = HOLDS;
    while (status == STATUS_OK && result->answer == HOLDS && *operations < effort->operations &&
           search.states < effort->states) {
        const uint32_t most = *operations + 1;
        /* Nodes are counted by the operations of each thread. */
        const struct lin_bounds bounds = {.threads = least(most, effort->threads),
                                          .operations = effort->threads == 1 ? (int32_t)most : -1,
                                          .values = effort->values ? effort->values : most,
                                          .fresh = effort->values == 0};
        LOG(options->limits->log, "few threads: executions with at most %" PRIu32 " operations",
            most);
        status = search_within(&search, &bounds, most, result, error);
        *operations += result->answer == HOLDS;
    }
    search_end(&search, result);
    return status;
}

enum status lin_search_endless(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               const struct assertion_options *options,
                               const struct lin_bounded_effort *effort,
                               struct assertion_result *result, struct error *error)
{
    struct search search = search_begin(module, assertion, pool, options, effort);
    const struct lin_bounds bounds = {.threads = effort->threads,
                                      .operations = -1,
                                      .values = effort->values ? effort->values : 1};
    LOG(options->limits->log, "few threads: %" PRIu32 " that go on for ever", effort->threads);
    enum status status = search_within(&search, &bounds, 0, result, error);
    search_end(&search, result);
    return status;
}

/* Two questions, each asked of the model with a bound on the operations of all threads together.
 *
 * How few operations? The bound is raised from 1 until the assertion is violated, with all
 * reductions: fusing steps and exchanging threads or values leaves the operations of a history as
 * they are, but for pending ones that no violation needs.
 *
 * How few steps, with so few operations? Breadth first, in single steps. Exchanging threads and
 * values and forgetting dead locals merge states that are equally far from a violation, so they are
 * used; an antichain may replace a pair by one that is further away. */
#include "property/lin_smallest.h"

#include <string.h>

struct question {
    const struct lin_module *module;
    const struct lin_assertion *assertion;
    struct value_pool *pool;
    const struct assertion_options *options;
    struct error *error;
};

static uint32_t operations_of(const struct trace *trace)
{
    uint32_t count = 0;
    for (size_t i = 0; i < trace->steps.length; i++)
        count +=
            trace->steps.items[i].visible && strncmp(trace->steps.items[i].event, "inv.", 4) == 0;
    return count;
}

static enum status ask(const struct question *question, uint32_t most, reductions used,
                       struct assertion_result *result)
{
    struct assertion_options options = *question->options;
    options.most_operations = most;
    options.reductions &= used;
    assertion_result_release(result);
    assertion_result_init(result, options.limits->budget);
    return lin_assertion_decide(question->module, question->assertion, question->pool, &options,
                                result, question->error);
}

/* Takes over `trial` if it is smaller; what is not taken over is released by the next question. */
static bool improve(struct assertion_result *best, struct assertion_result *trial,
                    uint32_t operations, size_t steps)
{
    uint32_t count = operations_of(&trial->trace);
    if (trial->answer != VIOLATED || count > operations ||
        (count == operations && trial->trace.steps.length >= steps))
        return false;
    struct assertion_result swapped = *best;
    *best = *trial;
    *trial = swapped;
    return true;
}

static enum status search(const struct question *question, const struct assertion_result *known,
                          struct assertion_result *trial, struct assertion_result *best,
                          bool *is_smaller)
{
    uint32_t operations = operations_of(&known->trace);
    size_t steps = known->trace.steps.length;
    for (uint32_t most = 1; most < operations; most++) {
        TRY(ask(question, most, ~(reductions)0, trial));
        if (trial->limit != LIMIT_NONE)
            break;
        if (improve(best, trial, operations, steps)) {
            *is_smaller = true;
            operations = operations_of(&best->trace);
            steps = best->trace.steps.length;
        }
    }
    if (operations > 0) {
        TRY(ask(question, operations, REDUCE_SYMMETRY | REDUCE_SLICE, trial));
        *is_smaller |= improve(best, trial, operations, steps);
    }
    return STATUS_OK;
}

enum status lin_assertion_smallest(const struct lin_module *module,
                                   const struct lin_assertion *assertion, struct value_pool *pool,
                                   const struct assertion_options *options,
                                   const struct assertion_result *known,
                                   struct assertion_result *smaller, bool *is_smaller,
                                   struct error *error)
{
    const struct question question = {module, assertion, pool, options, error};
    struct assertion_result trial;
    *is_smaller = false;
    if (known->answer != VIOLATED ||
        (assertion->property != LIN_LINEARIZES && assertion->property != LIN_NEVER))
        return STATUS_OK;
    assertion_result_init(&trial, options->limits->budget);
    enum status status = search(&question, known, &trial, smaller, is_smaller);
    assertion_result_release(&trial);
    return status;
}

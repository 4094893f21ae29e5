/* Questions, each asked of the model with a bound on the operations of all threads together.
 *
 * How few operations? The bound is raised from 1 until the assertion is violated, with all
 * reductions: fusing steps and exchanging threads or values leaves the operations of a history as
 * they are, but for pending ones that no violation needs.
 *
 * Where there may be any number of threads: how few, with so few operations?
 *
 * How few steps, with so few operations? Breadth first, in single steps. Exchanging threads and
 * values and forgetting dead locals merge states that are equally far from a violation, so they are
 * used; an antichain may replace a pair by one that is further away. */
#include "verify/lin_smallest.h"

#include "verify/lin_instance.h"

struct question {
    const struct lin_module *module;
    const struct lin_assertion *assertion;
    struct value_pool *pool;
    const struct assertion_options *options;
    struct lin_bounds *bounds; /* null: those of the assertion */
    uint64_t a_search;         /* states that one search may visit; 0: as many as all of them */
    uint64_t left;             /* that all of them may still visit */
    struct error *error;
};

static uint32_t operations_of(const struct trace *trace)
{
    uint32_t count = 0;
    for (size_t i = 0; i < trace->steps.length; i++)
        count += trace->steps.items[i].visible && trace->steps.items[i].said.kind == LABEL_INVOKE;
    return count;
}

static enum status ask(struct question *question, uint32_t most, reductions used,
                       struct assertion_result *result)
{
    struct assertion_options options = *question->options;
    options.limits->most_work = question->a_search && question->a_search < question->left
                                    ? question->a_search
                                    : question->left;
    options.most_operations = most;
    options.bounds = question->bounds;
    options.reductions &= used;
    assertion_result_release(result);
    assertion_result_init(result, options.limits->budget);
    if (question->left == 0)
        return STATUS_OK;
    enum status status = lin_assertion_decide(question->module, question->assertion, question->pool,
                                              &options, result, question->error);
    question->left -= result->states < question->left ? result->states : question->left;
    return status;
}

/* Of an execution; compared in this order. */
struct size {
    uint32_t operations, threads;
    size_t steps;
};

static struct size size_of(const struct question *question, const struct assertion_result *result)
{
    return (struct size){.operations = operations_of(&result->trace),
                         .threads = question->bounds ? result->threads : 0,
                         .steps = result->trace.steps.length};
}

static bool is_less(struct size a, struct size b)
{
    if (a.operations != b.operations)
        return a.operations < b.operations;
    return a.threads != b.threads ? a.threads < b.threads : a.steps < b.steps;
}

/* Takes over `trial` if it is smaller; what is not taken over is released by the next question. */
static bool improve(const struct question *question, struct assertion_result *best,
                    struct assertion_result *trial, struct size *size)
{
    struct size found = size_of(question, trial);
    if (trial->answer != VIOLATED || !is_less(found, *size))
        return false;
    struct assertion_result swapped = *best;
    *best = *trial;
    *trial = swapped;
    *size = found;
    return true;
}

/* Lowers the number of threads as far as the assertion stays violated. */
static enum status take_threads(struct question *question, uint32_t operations,
                                struct assertion_result *trial)
{
    struct lin_bounds *bounds = question->bounds;
    const uint32_t most = bounds->threads;
    for (bounds->threads = 1; bounds->threads < most; bounds->threads++) {
        TRY(ask(question, operations, ~(reductions)0, trial));
        if (trial->answer != HOLDS)
            break;
    }
    if (trial->answer != VIOLATED)
        bounds->threads = most;
    return STATUS_OK;
}

static enum status search(struct question *question, const struct assertion_result *known,
                          struct assertion_result *trial, struct assertion_result *best,
                          bool *is_smaller)
{
    struct size size = size_of(question, known);
    for (uint32_t most = 1; most < size.operations; most++) {
        TRY(ask(question, most, ~(reductions)0, trial));
        if (trial->limit != LIMIT_NONE || question->left == 0)
            break;
        *is_smaller |= improve(question, best, trial, &size);
    }
    if (size.operations > 0 && question->bounds) {
        TRY(take_threads(question, size.operations, trial));
        *is_smaller |= improve(question, best, trial, &size);
    }
    if (size.operations > 0) {
        TRY(ask(question, size.operations, REDUCE_SYMMETRY | REDUCE_SLICE, trial));
        *is_smaller |= improve(question, best, trial, &size);
    }
    return STATUS_OK;
}

enum status lin_assertion_smallest(const struct lin_module *module,
                                   const struct lin_assertion *assertion, struct value_pool *pool,
                                   const struct assertion_options *options,
                                   const struct assertion_result *known, uint64_t states,
                                   struct assertion_result *smaller, bool *is_smaller,
                                   struct error *error)
{
    struct lin_bounds bounds = {.threads = known->threads,
                                .operations = -1,
                                .values = known->values,
                                .fresh = assertion->property == LIN_LINEARIZES};
    struct question question = {.module = module,
                                .assertion = assertion,
                                .pool = pool,
                                .options = options,
                                .bounds = known->threads ? &bounds : NULL,
                                .a_search = options->limits->most_work,
                                .left = states,
                                .error = error};
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

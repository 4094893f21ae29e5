/* The parts of a history, and of a violation once more the core and the states along an order. */
#include <linchpin/check.h>

#include <stdlib.h>

#include "api/objects.h"
#include "api/question.h"
#include "base/require.h"
#include "decide/retrace.h"

#define BOUND_MAGIC UINT32_C(0x6c706264)

/* The parts of a history and the budget and limits of the work on them. */
struct lp_bound {
    uint32_t magic;
    struct question question;
    struct budget budget;
    struct limits limits;
    struct parts parts;
};

static lp_status bound_open(struct lp_bound *bound, const char *function, lp_context *context,
                            const lp_history *history, const lp_binding *bindings, size_t count,
                            const lp_check_options *options, lp_error *error)
{
    struct error fault;
    lp_check_options own;
    question_require(function, context, history, bindings, count);
    REQUIRE_SIZED(&own, options, require);
    *bound = (struct lp_bound){.magic = BOUND_MAGIC};
    lp_status opened =
        question_open(&bound->question, context, history, bindings, count, own.inferred, error);
    if (opened != LP_OK)
        return opened;
    budget_init(&bound->budget, &context->budget, 0);
    limits_for(&bound->limits, context, &bound->budget, own.timeout);
    bound->parts.budget = &bound->budget;
    struct bind_options bind = {.bindings = bound->question.inner,
                                .binding_count = bound->question.binding_count,
                                .independent = own.independent,
                                .results = (enum results_reading)own.results};
    enum status status = parts_create(history->history, &bind, &bound->parts, &fault);
    if (status != STATUS_OK)
        question_close(&bound->question);
    return report_status(status, &fault, error);
}

static void bound_close(struct lp_bound *bound)
{
    parts_release(&bound->parts);
    question_close(&bound->question);
    bound->magic = 0;
}

lp_status lp_bound_create(lp_context *context, const lp_history *history,
                          const lp_binding *bindings, size_t binding_count,
                          const lp_check_options *options, lp_bound **bound, lp_error *error)
{
    REQUIRE_NOT_NULL(bound);
    struct lp_bound *made = memory_small(sizeof *made); /* its budget stays where it is */
    lp_status status =
        bound_open(made, __func__, context, history, bindings, binding_count, options, error);
    *bound = status == LP_OK ? made : NULL;
    if (status != LP_OK)
        free(made);
    return status;
}

void lp_bound_destroy(lp_bound *bound)
{
    if (!bound)
        return;
    REQUIRE_ALIVE(bound, BOUND_MAGIC);
    bound_close(bound);
    free(bound);
}

/* The interval of the operation at `place`; part->count if it is none of the part's. Intervals
 * stand in the order of invocations, as operations do. */
static uint32_t interval_at(const struct part *part, uint32_t place)
{
    uint32_t low = 0, high = part->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (part->intervals[middle].index < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < part->count && part->intervals[low].index == place ? low : part->count;
}

/* The part that all these operations belong to, and where they stand in it (`count` places); null
 * with LP_USAGE if there is none. */
static const struct part *find_part(const struct lp_bound *bound, const uint32_t *indices,
                                    size_t count, uint32_t *intervals, struct error *error)
{
    const lp_history *history = bound->question.history;
    for (size_t i = 0; i < count; i++)
        REQUIRE(indices[i] < history->history->operations.length, "there is no such operation");
    for (size_t i = 0; i < bound->parts.items.length; i++) {
        const struct part *part = &bound->parts.items.items[i];
        size_t found = 0;
        for (; found < count; found++) {
            uint32_t index = indices[found];
            intervals[found] = interval_at(part, history->places ? history->places[index] : index);
            if (intervals[found] == part->count)
                break;
        }
        if (found == count)
            return part;
    }
    error_set(error, STATUS_USAGE, NULL, 0,
              "the operations belong to different objects or keys, or did not happen");
    return NULL;
}

lp_status lp_core_verify(lp_context *context, const lp_history *history, const lp_binding *bindings,
                         size_t binding_count, const lp_check_options *options,
                         const uint32_t *core, size_t length, bool *violation, bool *minimal,
                         lp_error *error)
{
    struct lp_bound bound;
    struct error fault;
    REQUIRE(core || length == 0, "core is null");
    REQUIRE_NOT_NULL(violation);
    REQUIRE_NOT_NULL(minimal);
    lp_status opened =
        bound_open(&bound, __func__, context, history, bindings, binding_count, options, error);
    if (opened != LP_OK)
        return opened;
    uint32_t *intervals = memory_small(length * sizeof *intervals);
    const struct part *part = find_part(&bound, core, length, intervals, &fault);
    enum status status = STATUS_USAGE;
    if (part)
        status = retrace_core(part, intervals, length, &bound.limits, violation, minimal, &fault);
    free(intervals);
    report_status(status, &fault, error);
    bound_close(&bound);
    return (lp_status)status;
}

lp_status lp_bound_states(lp_bound *bound, const uint32_t *order, size_t length, size_t first,
                          char **states, size_t *legal, lp_error *error)
{
    struct error fault;
    REQUIRE_ALIVE(bound, BOUND_MAGIC);
    REQUIRE(order || length == 0, "order is null");
    REQUIRE(first <= length, "first is behind the end of the order");
    REQUIRE(states || first == length, "states is null");
    REQUIRE_NOT_NULL(legal);
    *legal = 0;
    uint32_t *intervals = memory_small(length * sizeof *intervals);
    struct text *texts = memory_small((length - first) * sizeof *texts);
    for (size_t i = 0; i < length - first; i++)
        texts[i] = TEXT_EMPTY;
    const struct part *part = find_part(bound, order, length, intervals, &fault);
    enum status status = STATUS_USAGE;
    if (part)
        status =
            retrace_states(part, intervals, length, first, &bound->limits, texts, legal, &fault);
    for (size_t i = 0; i < length - first; i++) {
        if (status == STATUS_OK)
            states[i] = first + i < *legal ? text_take(&texts[i]) : NULL;
        text_release(&texts[i]);
    }
    free(texts);
    free(intervals);
    return report_status(status, &fault, error);
}

lp_status lp_order_states(lp_context *context, const lp_history *history,
                          const lp_binding *bindings, size_t binding_count,
                          const lp_check_options *options, const uint32_t *order, size_t length,
                          size_t first, char **states, size_t *legal, lp_error *error)
{
    struct lp_bound bound;
    REQUIRE_NOT_NULL(legal);
    *legal = 0;
    lp_status status =
        bound_open(&bound, __func__, context, history, bindings, binding_count, options, error);
    if (status != LP_OK)
        return status;
    status = lp_bound_states(&bound, order, length, first, states, legal, error);
    bound_close(&bound);
    return status;
}

static lp_part describe_part(const struct history *history, const struct part *part)
{
    const char *object = NULL;
    if (part->object != NO_OBJECT)
        object = value_get_text(history->objects.items[part->object], NULL);
    return (lp_part){.object = object,
                     .has_key = part->has_key || part->has_independent,
                     .key = part->has_independent ? part->independent : part->key,
                     .operations = part->count};
}

void lp_bound_parts(const lp_bound *bound, lp_part **parts, size_t *count, uint32_t *part_of)
{
    REQUIRE_ALIVE(bound, BOUND_MAGIC);
    REQUIRE_NOT_NULL(parts);
    REQUIRE_NOT_NULL(count);
    REQUIRE_NOT_NULL(part_of);
    const struct history *inner = bound->question.history->history;
    for (size_t i = 0; i < inner->operations.length; i++)
        part_of[i] = LP_NO_PART;
    *count = bound->parts.items.length;
    *parts = memory_small(*count * sizeof **parts);
    for (size_t i = 0; i < *count; i++) {
        const struct part *part = &bound->parts.items.items[i];
        (*parts)[i] = describe_part(inner, part);
        for (uint32_t k = 0; k < part->count; k++)
            part_of[inner->operations.items[part->intervals[k].index].record] = (uint32_t)i;
    }
}

lp_status lp_history_parts(lp_context *context, const lp_history *history,
                           const lp_binding *bindings, size_t binding_count,
                           const lp_check_options *options, lp_part **parts, size_t *count,
                           uint32_t *part_of, lp_error *error)
{
    struct lp_bound bound;
    lp_status status =
        bound_open(&bound, __func__, context, history, bindings, binding_count, options, error);
    if (status != LP_OK)
        return status;
    lp_bound_parts(&bound, parts, count, part_of);
    bound_close(&bound);
    return LP_OK;
}

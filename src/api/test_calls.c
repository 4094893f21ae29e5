/* Whether calls of an execution that were written down have a legal order. */
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/require.h"
#include "lin/spec.h"
#include "scenario/clients.h"
#include "scenario/sequential_order.h"
#include "spec/builtin.h"

#include <linchpin/program.h>

struct asking {
    struct budget budget;
    struct limits limits;
    struct value_pool *pool;
    struct spec *spec;
    struct sequential_search search;
    struct executed_operation operations[LP_TEST_CALLS];
    bool searches;
};

static enum status open_spec(struct asking *asking, const char *name, struct error *error)
{
    const struct spec_request request = {.name = name};
    asking->pool = value_pool_create(&asking->budget);
    TRY_MEMORY(asking->pool);
    if (!lin_spec_is_named(name))
        return spec_create(&request, asking->pool, &asking->budget, &asking->spec, error);
    TRY(lin_spec_open(name, &request, asking->pool, &asking->budget, &asking->spec, error));
    return sequential_spec_check(asking->spec, error);
}

static bool result_is(const lp_test_call *call, const char *name)
{
    return call->result && strcmp(call->result, name) == 0;
}

static enum status bind(struct asking *asking, const lp_test_call *call, size_t number,
                        struct error *error)
{
    int operation = spec_operation_find(asking->spec->class, call->name, strlen(call->name));
    struct executed_result result = {.argument = call->argument,
                                     .has_argument = call->has_argument,
                                     .second = call->second,
                                     .third = call->third,
                                     .has_third = call->has_third,
                                     .has_second = call->has_second,
                                     .is_empty = result_is(call, "empty"),
                                     .is_no = result_is(call, "no"),
                                     .is_yes = result_is(call, "yes"),
                                     .is_done = result_is(call, "done")};
    struct executed_operation *bound = &asking->operations[number];
    struct text complaint = TEXT_EMPTY;
    char *end = NULL;
    if (operation < 0)
        return error_set(error, STATUS_INPUT, NULL, 0, "the specification %s has no operation %s",
                         asking->spec->class->name, call->name);
    bool is_named = result.is_empty || result.is_no || result.is_yes || result.is_done;
    if (call->result && !is_named)
        result.result = strtoll(call->result, &end, 10);
    if (end && (*end || end == call->result))
        return error_set(error, STATUS_INPUT, NULL, 0,
                         "%s: expected a number, empty, done, no or yes as result, found '%s'",
                         call->name, call->result);
    *bound = (struct executed_operation){.thread = (uint8_t)call->thread,
                                         .returned = call->result != NULL,
                                         .may_fail = call->may_fail,
                                         .may_wait = call->may_wait};
    enum status status =
        executed_operation_bind(asking->spec, (uint16_t)operation, &result, bound, &complaint);
    if (status == STATUS_INPUT)
        error_set(error, status, NULL, 0, "%s", text_string(&complaint));
    text_release(&complaint);
    return status;
}

static enum status ask(struct asking *asking, const lp_test_call *calls, size_t count,
                       bool *have_order)
{
    struct sequential_question question = {.count = (unsigned)count, .waits = SEQUENTIAL_NONE};
    struct sequential_order order;
    uint16_t before[LP_TEST_CALLS];
    question.before = before;
    for (size_t i = 0; i < count; i++) {
        const struct executed_operation *operation = &asking->operations[i];
        uint16_t bit = (uint16_t)(1u << i);
        before[i] = (uint16_t)(calls[i].before & ((1u << count) - 1) & ~(unsigned)bit);
        question.class[i] = sequential_class(&asking->search, &operation->call);
        TRY_MEMORY(question.class[i] != CLASS_REFUSED);
        question.required |= operation->returned ? bit : 0;
        question.optional |= operation->returned ? 0 : bit;
        question.may_fail |= operation->may_fail && operation->answered_no ? bit : 0;
        question.never_legal |= operation->never_legal ? bit : 0;
        question.present |= bit;
    }
    enum sequential_answer answer = sequential_find(&asking->search, &question, &order);
    *have_order = answer == SEQUENTIAL_FOUND;
    return answer == SEQUENTIAL_LIMIT ? STATUS_LIMIT : STATUS_OK;
}

static enum status find_order(struct asking *asking, const char *spec, const lp_test_call *calls,
                              size_t count, bool *have_order, struct error *error)
{
    TRY(open_spec(asking, spec, error));
    for (size_t i = 0; i < count; i++)
        TRY(bind(asking, &calls[i], i, error));
    asking->searches = true;
    TRY_MEMORY(sequential_search_init(&asking->search, asking->spec, &asking->limits));
    return ask(asking, calls, count, have_order);
}

lp_status lp_test_calls_have_order(lp_context *context, const char *spec, const lp_test_call *calls,
                                   size_t count, bool *have_order, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(spec);
    REQUIRE_NOT_NULL(have_order);
    REQUIRE(count <= LP_TEST_CALLS, "at most LP_TEST_CALLS calls");
    struct error fault = {0};
    struct asking asking = {.pool = NULL};
    budget_init(&asking.budget, &context->budget, 0);
    limits_for(&asking.limits, context, &asking.budget, 0);
    enum status status = find_order(&asking, spec, calls, count, have_order, &fault);
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    if (asking.searches)
        sequential_search_release(&asking.search);
    spec_destroy(asking.spec);
    value_pool_destroy(asking.pool);
    return report_status(status, &fault, error);
}

#include "api/tested_calls.h"

#include <inttypes.h>

void tested_append_call(const struct testing *testing, const struct exchange_operation_run *run,
                        struct text *text)
{
    const struct scenario_operation *operation = &testing->interface.operations[run->operation];
    text_format(text, "%s(", operation->name);
    if (scenario_operation_has_argument(operation))
        text_format(text, "%" PRId64, run->argument);
    if (operation->takes_two)
        text_format(text, ", %" PRId64, run->second);
    if (operation->takes_three)
        text_format(text, ", %" PRId64, run->third);
    text_append(text, ")");
}

/* Those that were not called are not told: the number of a call among the others. */
static unsigned number_of(const struct exchange_result *result, unsigned operation)
{
    unsigned number = 0;
    for (unsigned i = 0; i < operation; i++)
        number += result->operations[i].called;
    return number;
}

unsigned tested_find_call(const struct exchange_result *result, unsigned thread, unsigned index)
{
    for (uint32_t i = 0; i < result->operation_count; i++) {
        const struct exchange_operation_run *run = &result->operations[i];
        if (run->called && run->thread == thread && index > run->begin &&
            (!run->finished || index <= run->end))
            return number_of(result, i) + 1;
    }
    return 0;
}

unsigned tested_find_call_before(const struct exchange_result *result, unsigned thread,
                                 unsigned index)
{
    unsigned before = index > 1 ? tested_find_call(result, thread, index - 1) : 0;
    return before ? before : tested_find_call(result, thread, index);
}

static uint32_t renumber(const struct exchange_result *result, uint32_t operations)
{
    uint32_t calls = 0;
    for (uint32_t i = 0; i < result->operation_count; i++)
        if (operations >> i & 1 && result->operations[i].called)
            calls |= UINT32_C(1) << number_of(result, i);
    return calls;
}

static enum status tell_call(struct testing *testing, const struct exchange_result *result,
                             unsigned operation, lp_test_call *call, const char **line)
{
    const struct exchange_operation_run *run = &result->operations[operation];
    const struct scenario_operation *described = &testing->interface.operations[run->operation];
    uint32_t flags = testing->test->operations[run->operation].flags;
    struct text text = TEXT_EMPTY, answer = TEXT_EMPTY;
    *call = (lp_test_call){.thread = run->thread + 1U,
                           .name = described->name,
                           .has_argument = scenario_operation_has_argument(described),
                           .argument = run->argument,
                           .has_second = described->takes_two,
                           .second = run->second,
                           .has_third = described->takes_three,
                           .third = run->third,
                           .may_fail = flags & EXCHANGE_MAY_FAIL,
                           .may_wait = flags & EXCHANGE_MAY_WAIT,
                           .before = renumber(result, result->before[operation])};
    text_format(&text, "thread %u: ", call->thread);
    tested_append_call(testing, run, &text);
    if (run->finished) {
        scenario_print_result(run->result, &answer);
        text_format(&text, " -> %s", text_string(&answer));
        call->result = testing_keep(testing, &answer);
        TRY_MEMORY(call->result);
    } else {
        text_append(&text, " has not returned");
    }
    *line = testing_keep(testing, &text);
    TRY_MEMORY(*line);
    return STATUS_OK;
}

static enum status tell_client(struct testing *testing, const struct exchange_result *result)
{
    lp_tested *visible = &testing->visible;
    const char **client = arena_zeroed(&testing->arena, (result->edge_count + 1) * sizeof *client);
    TRY_MEMORY(client);
    for (uint32_t i = 0; i < result->edge_count; i++) {
        const struct exchange_operation_run *from = &result->operations[result->edges[i].from];
        const struct exchange_operation_run *to = &result->operations[result->edges[i].to];
        struct text text = TEXT_EMPTY;
        tested_append_call(testing, to, &text);
        text_format(&text, " of thread %u begins after ", to->thread + 1U);
        tested_append_call(testing, from, &text);
        text_format(&text, " of thread %u has returned", from->thread + 1U);
        client[visible->client_count] = testing_keep(testing, &text);
        TRY_MEMORY(client[visible->client_count++]);
    }
    visible->client = client;
    return STATUS_OK;
}

/* The longest legal order, and who cannot follow although nothing must come before it any more. */
static enum status tell_order(struct testing *testing, const struct exchange_result *result)
{
    lp_tested *visible = &testing->visible;
    uint32_t *numbers = arena_allocate(&testing->arena, 2 * SCENARIO_CALLS * sizeof *numbers);
    uint32_t *stuck = numbers + SCENARIO_CALLS, made = 0;
    TRY_MEMORY(numbers);
    for (uint32_t i = 0; i < result->order_length; i++) {
        numbers[visible->order_length++] = number_of(result, result->order[i]);
        made |= UINT32_C(1) << numbers[i];
    }
    for (uint32_t i = 0; i < visible->operation_count; i++) {
        const lp_test_call *call = &visible->calls[i];
        uint32_t missing = call->before & ~made;
        for (uint32_t j = 0; j < visible->operation_count; j++)
            if (!visible->calls[j].result) /* it may have happened, or not */
                missing &= ~(UINT32_C(1) << j);
        if (call->result && !(made >> i & 1) && missing == 0)
            stuck[visible->stuck_length++] = i;
    }
    visible->order = numbers;
    visible->stuck = stuck;
    if (*result->state) {
        struct text state = TEXT_EMPTY;
        text_append(&state, result->state);
        visible->state = testing_keep(testing, &state);
        TRY_MEMORY(visible->state);
    }
    return STATUS_OK;
}

enum status tested_tell_calls(struct testing *testing, const struct exchange_result *result)
{
    lp_tested *visible = &testing->visible;
    lp_test_call *calls = arena_zeroed(&testing->arena, SCENARIO_CALLS * sizeof *calls);
    const char **lines = arena_zeroed(&testing->arena, SCENARIO_CALLS * sizeof *lines);
    TRY_MEMORY(calls && lines);
    for (uint32_t i = 0; i < result->operation_count; i++)
        if (result->operations[i].called) {
            size_t number = visible->operation_count++;
            TRY(tell_call(testing, result, i, &calls[number], &lines[number]));
        }
    visible->operations = lines;
    visible->calls = calls;
    TRY(tell_client(testing, result));
    return result->finding.kind == FINDING_NOT_LINEARIZABLE ? tell_order(testing, result)
                                                            : STATUS_OK;
}

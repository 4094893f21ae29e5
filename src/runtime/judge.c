#include "runtime/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lin/spec.h"
#include "runtime/describe.h"
#include "runtime/functions.h"
#include "scenario/clients.h"
#include "scenario/contract.h"
#include "scenario/sequential_order.h"
#include "spec/builtin.h"

struct judge {
    struct judge_settings settings;
    struct value_pool *pool;
    struct spec *spec;
    struct clients *clients;
    struct serial_histories *serial; /* of the specification auto; null: it is another one */
    struct test_interface interface; /* then */
    uint16_t operations[SCENARIO_OPERATIONS]; /* of the specification, by those of the test */
};

static bool is_auto(const lp_test *test)
{
    return test->spec && strcmp(test->spec, "auto") == 0;
}

static enum status open_auto(struct judge *judge, struct error *error)
{
    static struct exchange_test described;
    describe_test(judge->settings.test, &described);
    TRY(test_interface_init(&judge->interface, &described, error));
    judge->serial = serial_histories_create(judge->settings.budget);
    if (!judge->serial)
        return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    serial_histories_name(judge->serial, judge->settings.scenario, &judge->interface.interface);
    return serial_histories_spec(judge->serial, judge->pool, &judge->spec, error);
}

static enum status open_spec(struct judge *judge, struct error *error)
{
    struct budget *budget = judge->settings.budget;
    const char *name = judge->settings.test->spec;
    const struct spec_request request = {.name = name};
    judge->pool = value_pool_create(budget);
    if (!judge->pool)
        return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    if (judge->settings.test->sequential)
        return functions_spec(judge->settings.test, judge->pool, budget, &judge->spec, error);
    if (is_auto(judge->settings.test))
        return open_auto(judge, error);
    if (!lin_spec_is_named(name))
        return spec_create(&request, judge->pool, budget, &judge->spec, error);
    TRY(lin_spec_open(name, &request, judge->pool, budget, &judge->spec, error));
    return sequential_spec_check(judge->spec, error);
}

static enum status find_operations(struct judge *judge, struct error *error)
{
    const lp_test *test = judge->settings.test;
    for (size_t i = 0; !judge->serial && i < SCENARIO_OPERATIONS && test->ops[i].name; i++) {
        const char *name = test->ops[i].name;
        int found =
            test->sequential ? (int)i : spec_operation_find(judge->spec->class, name, strlen(name));
        if (found < 0)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "the specification %s has no operation %s", test->spec, name);
        judge->operations[i] = (uint16_t)found;
    }
    return STATUS_OK;
}

enum status judge_open(const struct judge_settings *settings, struct judge **opened,
                       struct error *error)
{
    struct judge *judge = memory_small(sizeof *judge);
    memset(judge, 0, sizeof *judge);
    judge->settings = *settings;
    TRY(open_spec(judge, error));
    TRY(find_operations(judge, error));
    const struct clients_settings clients = {
        .spec = judge->spec, .model = settings->model, .limits = settings->limits};
    *opened = judge;
    return clients_create(&clients, &judge->clients);
}

void judge_close(struct judge *judge)
{
    if (!judge)
        return;
    clients_destroy(judge->clients);
    spec_destroy(judge->spec);
    serial_histories_destroy(judge->serial);
    value_pool_destroy(judge->pool);
    free(judge);
}

/* The operations that were called, and their numbers among all. */
struct called {
    struct executed_operation items[SCENARIO_CALLS];
    uint8_t numbers[SCENARIO_CALLS];
    size_t count;
};

/* Of auto: the call is known by its number, and any answer may be right. */
static enum status bind_number(const struct judge *judge, unsigned number,
                               const struct exchange_operation_run *run,
                               struct executed_operation *executed, struct text *complaint)
{
    const struct executed_result result = {.argument = number, .has_argument = true};
    TRY(executed_operation_bind(judge->spec, 0, &result, executed, complaint));
    executed->answered_no = run->finished && (run->result == LP_EMPTY || run->result == LP_NO);
    if (run->finished)
        executed->call.result = serial_answer(judge->pool, run->result);
    return executed->call.result == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status bind(const struct judge *judge, const struct execution_graph *graph,
                        unsigned number, const struct exchange_operation_run *run,
                        struct executed_operation *executed, struct text *complaint)
{
    const lp_op *operation = &judge->settings.test->ops[run->operation];
    event_number last = graph->last[run->thread];
    /* of functions in C the step says which calls have no result */
    bool is_unsaid = run->result == LP_DONE && !judge->settings.test->sequential;
    const struct executed_result result = {.argument = run->argument,
                                           .second = run->second,
                                           .third = run->third,
                                           .has_third = operation->run3 != NULL,
                                           .result = run->result,
                                           .has_argument = operation->run2 || operation->run3 ||
                                                           operation->from || operation->to,
                                           .has_second = operation->run2 || operation->run3,
                                           .is_empty = run->result == LP_EMPTY,
                                           .is_no = run->result == LP_NO,
                                           .is_yes = run->result == LP_YES,
                                           .is_done = is_unsaid};
    *executed = (struct executed_operation){.thread = run->thread,
                                            .before = run->begin,
                                            .after = run->end,
                                            .returned = run->finished,
                                            .may_fail = operation->flags & LP_MAY_FAIL,
                                            .may_wait = judge_may_wait(judge, run->operation),
                                            .must_answer = !(operation->flags & LP_MAY_WAIT)};
    if (!run->finished)
        executed->after = last >= 0 ? graph->events[last].index : 0;
    if (judge->serial)
        return bind_number(judge, number, run, executed, complaint);
    return executed_operation_bind(judge->spec, judge->operations[run->operation], &result,
                                   executed, complaint);
}

static enum status bind_called(const struct judge *judge, const struct execution_graph *graph,
                               const struct exchange_result *result, struct called *called,
                               struct text *complaint)
{
    called->count = 0;
    for (uint32_t i = 0; i < result->operation_count; i++) {
        if (!result->operations[i].called)
            continue;
        TRY(bind(judge, graph, i, &result->operations[i], &called->items[called->count],
                 complaint));
        called->numbers[called->count++] = (uint8_t)i;
    }
    return STATUS_OK;
}

static enum exchange_end refuse(const struct text *complaint, struct exchange_result *result)
{
    strncpy(result->finding.sentence, text_string(complaint), EXCHANGE_SENTENCE - 1);
    return END_USAGE;
}

static void tell(struct clients *clients, const struct clients_answer *answer,
                 const struct called *called, struct exchange_result *result)
{
    const uint8_t *numbers = called->numbers;
    struct text state = TEXT_EMPTY;
    clients_print_state(clients, &state);
    result->finding = (struct finding){.kind = FINDING_NOT_LINEARIZABLE};
    if (answer->fault == CLIENTS_HANGS || answer->fault == CLIENTS_WAITS) {
        result->finding.kind = FINDING_WAITS;
        result->never_waits = numbers[answer->operation];
        result->may_wait = answer->fault == CLIENTS_WAITS;
    }
    result->edge_count = (uint32_t)answer->edge_count;
    for (size_t i = 0; i < answer->edge_count; i++)
        result->edges[i] = (struct exchange_edge){.from = numbers[answer->edges[i].from],
                                                  .to = numbers[answer->edges[i].to]};
    memset(result->before, 0, sizeof result->before);
    for (size_t to = 0; to < called->count; to++)
        for (size_t from = 0; from < called->count; from++)
            if (answer->closed[to] >> from & 1)
                result->before[numbers[to]] |= (uint16_t)(1u << numbers[from]);
    result->order_length = (uint32_t)answer->order_length;
    for (size_t i = 0; i < answer->order_length; i++)
        result->order[i] = numbers[answer->order[i]];
    snprintf(result->state, sizeof result->state, "%s", text_string(&state));
    text_release(&state);
}

struct serial_histories *judge_serial_histories(const struct judge *judge)
{
    return judge->serial;
}

/* Marks what threads keep that have come to their end within an order in which clients call: the
 * calls of that order. Whether there are any. */
static bool mark_kept(const struct judge *judge, const struct exchange_result *result,
                      struct called *called)
{
    static struct exchange_test described;
    struct scenario_orders orders;
    orders_standing standing[SCENARIO_THREADS];
    unsigned within[SCENARIO_THREADS] = {0}, kept = 0; /* calls by their numbers among all */
    bool has_ended[SCENARIO_THREADS];
    describe_test(judge->settings.test, &described);
    if (!contract_orders(judge->spec, &described, &orders))
        return false;
    for (unsigned i = 0; i < SCENARIO_THREADS; i++) {
        standing[i] = ORDERS_BETWEEN;
        has_ended[i] = true;
    }
    for (uint32_t i = 0; i < result->operation_count; i++) {
        const struct exchange_operation_run *run = &result->operations[i];
        orders_standing *now = &standing[run->thread];
        has_ended[run->thread] &= run->finished;
        *now = orders_behind(&orders, *now, (uint16_t)run->operation);
        within[run->thread] = *now & ORDERS_BETWEEN ? 0 : within[run->thread] | 1u << i;
    }
    for (unsigned i = 0; i < SCENARIO_THREADS; i++)
        kept |= has_ended[i] ? within[i] : 0;
    for (size_t i = 0; i < called->count; i++)
        called->items[i].is_kept = kept >> called->numbers[i] & 1;
    return kept != 0;
}

enum exchange_end judge_decide(struct judge *judge, const struct execution_graph *graph, bool hangs,
                               bool *waits_behind, struct exchange_result *result)
{
    struct called called;
    struct clients_answer answer;
    struct text complaint = TEXT_EMPTY;
    enum status status = bind_called(judge, graph, result, &called, &complaint);
    enum clients_end rest = CLIENTS_GO_ON;
    if (status == STATUS_OK && hangs)
        rest = judge->settings.is_of_set && mark_kept(judge, result, &called) ? CLIENTS_HANG_KEPT
                                                                              : CLIENTS_HANG;
    if (status == STATUS_OK)
        status = clients_decide(judge->clients, graph, called.items, called.count, rest, &answer);
    enum exchange_end end = END_COMPLETE;
    *waits_behind = status == STATUS_OK && answer.waits_behind;
    if (status == STATUS_INPUT)
        end = refuse(&complaint, result);
    else if (status != STATUS_OK || answer.verdict == VERDICT_UNKNOWN)
        end = END_UNDECIDED;
    else if (answer.verdict == VERDICT_VIOLATION)
        end = END_FINDING;
    if (end == END_FINDING)
        tell(judge->clients, &answer, &called, result);
    text_release(&complaint);
    return end;
}

bool judge_breaks_contract(const struct judge *judge, const struct scenario *scenario)
{
    static struct exchange_test described;
    struct test_interface made;
    struct contract contract;
    struct error error;
    const lp_test *test = judge->settings.test;
    if (!test->sequential)
        return false;
    describe_test(test, &described);
    if (test_interface_init(&made, &described, &error) != STATUS_OK ||
        !contract_init(&contract, judge->spec, &described, judge->settings.limits))
        return false;
    bool broken = contract_look(&contract, &made.interface, scenario) == CONTRACT_BROKEN;
    contract_release(&contract);
    return broken;
}

bool judge_may_wait(const struct judge *judge, uint32_t operation)
{
    return judge->settings.test->ops[operation].flags & LP_MAY_WAIT ||
           spec_operation_may_wait(judge->spec->class, judge->operations[operation]);
}

uint64_t judge_histories(const struct judge *judge)
{
    return clients_figures(judge->clients).decided;
}

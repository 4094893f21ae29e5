/* Recording a history event by event, or operation by operation. */
#include <linchpin/history.h>

#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/memory.h"
#include "base/require.h"

#define REQUIRE_OPEN(history)                                                                      \
    do {                                                                                           \
        REQUIRE_ALIVE(history, HISTORY_MAGIC);                                                     \
        REQUIRE((history)->builder, "the history is closed");                                      \
    } while (0)

static enum status refused(struct error *error)
{
    return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
}

lp_history *lp_history_create(lp_context *context, const char *name)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(name);
    struct history *inner = history_create(name, context->pool, &context->budget);
    struct history_builder *builder = inner ? history_builder_create(inner) : NULL;
    lp_history *history = builder ? history_wrap(context, inner, 0) : NULL;
    if (history) {
        history->builder = builder;
    } else {
        history_builder_abandon(builder);
        history_destroy(inner);
    }
    return history;
}

/* Whether every operation is in its own place, which is so unless intervals came in another order
 * than they were called in. Else makes the table of places; false when refused. */
static bool find_places(lp_history *history)
{
    const struct history *inner = history->history;
    size_t count = inner->operations.length, i = 0;
    while (i < count && inner->operations.items[i].record == i)
        i++;
    if (i == count)
        return true;
    history->places = memory_allocate(inner->budget, count * sizeof *history->places);
    if (!history->places)
        return false;
    for (i = 0; i < count; i++)
        history->places[inner->operations.items[i].record] = (uint32_t)i;
    return true;
}

lp_history *history_wrap(lp_context *context, struct history *inner, uint64_t hash)
{
    lp_history *history = memory_zeroed(&context->budget, sizeof *history);
    if (history) {
        *history = (lp_history){
            .magic = HISTORY_MAGIC, .context = context, .history = inner, .hash = hash};
        if (find_places(history))
            return history;
        memory_release(&context->budget, history, sizeof *history);
    }
    return NULL;
}

void lp_history_destroy(lp_history *history)
{
    if (!history)
        return;
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    history->magic = 0;
    struct budget *budget = &history->context->budget;
    size_t count = history->history->operations.length;
    history_builder_abandon(history->builder);
    memory_release(budget, history->places, count * sizeof *history->places);
    history_destroy(history->history);
    memory_release(budget, history, sizeof *history);
}

lp_status lp_history_object(lp_history *history, const char *object, lp_error *error)
{
    REQUIRE_OPEN(history);
    history->object = VALUE_NIL;
    if (!object)
        return LP_OK;
    struct error fault;
    value name = value_text(history->context->pool, KIND_STRING, object, strlen(object));
    if (name == VALUE_REFUSED)
        return report_status(refused(&fault), &fault, error);
    history->object = name;
    return LP_OK;
}

lp_status lp_history_key(lp_history *history, lp_value key, lp_error *error)
{
    REQUIRE_OPEN(history);
    struct error fault;
    if (key == VALUE_REFUSED)
        return report_status(refused(&fault), &fault, error);
    history->key = key;
    return LP_OK;
}

/* The part of an event that invocations and intervals have in common. */
static enum status make_invocation(const lp_history *history, lp_value process,
                                   const char *function, lp_value argument, struct event *event,
                                   struct error *error)
{
    value name = value_text(history->context->pool, KIND_STRING, function, strlen(function));
    *event = (struct event){.process = process,
                            .function = name,
                            .value = argument,
                            .key = history->key,
                            .object = history->object,
                            .time = TIME_NONE,
                            .line = history->events + 1,
                            .type = EVENT_INVOKE,
                            .has_value = true,
                            .has_key = history->key != VALUE_NIL,
                            .has_object = history->object != VALUE_NIL};
    if (process == VALUE_REFUSED || argument == VALUE_REFUSED || name == VALUE_REFUSED)
        return refused(error);
    return STATUS_OK;
}

static enum status record_event(lp_history *history, const struct event *event, struct error *error)
{
    TRY(history_builder_event(history->builder, event, error));
    history->events++;
    history->by_event = true;
    return STATUS_OK;
}

lp_status lp_history_invoke(lp_history *history, lp_value process, const char *function,
                            lp_value argument, lp_error *error)
{
    REQUIRE_OPEN(history);
    REQUIRE_NOT_NULL(function);
    REQUIRE(!history->by_interval, "the history is recorded by lp_history_interval");
    struct error fault;
    struct event event;
    enum status status = make_invocation(history, process, function, argument, &event, &fault);
    if (status == STATUS_OK)
        status = record_event(history, &event, &fault);
    return report_status(status, &fault, error);
}

lp_status lp_history_complete(lp_history *history, lp_value process, lp_outcome outcome,
                              lp_value result, lp_error *error)
{
    static const enum event_type types[] = {EVENT_OK, EVENT_FAIL, EVENT_INFO};
    REQUIRE_OPEN(history);
    REQUIRE(outcome >= LP_OUTCOME_OK && outcome <= LP_OUTCOME_UNKNOWN, "no such outcome");
    REQUIRE(!history->by_interval, "the history is recorded by lp_history_interval");
    struct error fault;
    enum status status = STATUS_OK;
    struct event event = {.process = process,
                          .value = result,
                          .time = TIME_NONE,
                          .line = history->events + 1,
                          .type = (uint8_t)types[outcome],
                          .has_value = true};
    if (process == VALUE_REFUSED || result == VALUE_REFUSED)
        status = refused(&fault);
    if (status == STATUS_OK)
        status = record_event(history, &event, &fault);
    return report_status(status, &fault, error);
}

lp_status lp_history_interval(lp_history *history, lp_value process, const char *function,
                              lp_value argument, int64_t called, lp_outcome outcome,
                              lp_value result, int64_t returned, lp_error *error)
{
    REQUIRE_OPEN(history);
    REQUIRE_NOT_NULL(function);
    REQUIRE(outcome >= LP_OUTCOME_OK && outcome <= LP_OUTCOME_UNKNOWN, "no such outcome");
    REQUIRE(!history->by_event, "the history is recorded by lp_history_invoke");
    struct error fault;
    struct timed_operation operation = {.result = result,
                                        .return_time = returned,
                                        .return_line = history->events + 1,
                                        .outcome = (uint8_t)outcome,
                                        .result_recorded = true};
    enum status status =
        make_invocation(history, process, function, argument, &operation.event, &fault);
    operation.event.time = called;
    if (status == STATUS_OK && result == VALUE_REFUSED)
        status = refused(&fault);
    if (status == STATUS_OK)
        status = history_builder_timed(history->builder, &operation, &fault);
    if (status == STATUS_OK) {
        history->events++;
        history->by_interval = true;
    }
    return report_status(status, &fault, error);
}

lp_status lp_history_note(lp_history *history, lp_value process, const char *name, lp_value about,
                          int64_t time, lp_error *error)
{
    REQUIRE_OPEN(history);
    REQUIRE_NOT_NULL(name);
    struct error fault;
    struct event event;
    enum status status = make_invocation(history, process, name, about, &event, &fault);
    event.type = EVENT_NOTE;
    event.noted = EVENT_INFO;
    event.time = time;
    if (status == STATUS_OK)
        status = history_builder_event(history->builder, &event, &fault);
    if (status == STATUS_OK)
        history->events++;
    return report_status(status, &fault, error);
}

lp_status lp_history_close(lp_history *history, lp_error *error)
{
    REQUIRE_OPEN(history);
    struct error fault;
    enum status status = history_builder_finish(history->builder, &fault);
    history->builder = NULL;
    if (status == STATUS_OK && !find_places(history))
        status = refused(&fault);
    return report_status(status, &fault, error);
}

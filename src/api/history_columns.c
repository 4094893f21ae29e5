/* Recording a whole table at once. */
#include <linchpin/history.h>

#include <string.h>

#include "api/objects.h"
#include "base/memory.h"
#include "base/require.h"
#include "history/marshal.h"

/* A table being recorded, with its names as values. */
struct recorder {
    lp_history *history;
    const lp_columns *columns;
    value *names, *objects;
};

static enum status refused(struct error *error)
{
    return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
}

/* The texts as values; null when refused. */
static value *make_names(lp_context *context, const char *const *texts, size_t count)
{
    value *names = memory_allocate(&context->budget, count * sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        names[i] = value_text(context->pool, KIND_STRING, texts[i], strlen(texts[i]));
        if (names[i] == VALUE_REFUSED) {
            memory_release(&context->budget, names, count * sizeof *names);
            names = NULL;
        }
    }
    return names;
}

static value entry_of(const lp_value *column, size_t i)
{
    return column ? column[i] : VALUE_NIL;
}

/* Whether the completion of entry i carries a result at all. */
static bool answers(const lp_columns *columns, size_t i)
{
    return !columns->answers || columns->answers[i];
}

static value result_of(const lp_columns *columns, size_t i)
{
    return answers(columns, i) ? entry_of(columns->result, i) : VALUE_NIL;
}

static value name_of(const value *names, size_t count, const uint32_t *column, size_t i)
{
    if (!column || column[i] == LP_NO_NAME)
        return VALUE_NIL;
    REQUIRE(column[i] < count, "there is no such name");
    return names[column[i]];
}

static enum status make_event(const struct recorder *recorder, size_t i, bool invokes,
                              struct event *event, struct error *error)
{
    static const enum event_type types[] = {EVENT_OK, EVENT_FAIL, EVENT_INFO};
    const lp_columns *columns = recorder->columns;
    uint8_t outcome = columns->outcome ? columns->outcome[i] : LP_OUTCOME_OK;
    REQUIRE(outcome <= LP_OUTCOME_UNKNOWN, "no such outcome");
    if (columns->process[i] == VALUE_REFUSED || entry_of(columns->key, i) == VALUE_REFUSED ||
        entry_of(columns->argument, i) == VALUE_REFUSED || result_of(columns, i) == VALUE_REFUSED)
        return refused(error);
    *event = (struct event){
        .process = columns->process[i],
        .function = name_of(recorder->names, columns->name_count, columns->function, i),
        .value = invokes ? entry_of(columns->argument, i) : result_of(columns, i),
        .key = entry_of(columns->key, i),
        .object = name_of(recorder->objects, columns->object_count, columns->object, i),
        .time = columns->called ? columns->called[i] : TIME_NONE,
        .line = recorder->history->events + 1,
        .type = (uint8_t)(invokes ? EVENT_INVOKE : types[outcome]),
        .has_value = invokes || answers(columns, i)};
    event->has_key = event->key != VALUE_NIL;
    event->has_object = event->object != VALUE_NIL;
    event->named = columns->invokes && lp_value_kind(event->process) != LP_INTEGER;
    return STATUS_OK;
}

static enum status record_event(const struct recorder *recorder, size_t i, struct error *error)
{
    struct event event;
    TRY(make_event(recorder, i, recorder->columns->invokes[i], &event, error));
    return history_builder_event(recorder->history->builder, &event, error);
}

static enum status record_interval(const struct recorder *recorder, size_t i, struct error *error)
{
    const lp_columns *columns = recorder->columns;
    struct timed_operation operation = {.result = result_of(columns, i),
                                        .return_time = columns->returned[i],
                                        .return_line = recorder->history->events + 1,
                                        .outcome = columns->outcome ? columns->outcome[i]
                                                                    : (uint8_t)LP_OUTCOME_OK,
                                        .result_recorded = answers(columns, i)};
    TRY(make_event(recorder, i, true, &operation.event, error));
    return history_builder_timed(recorder->history->builder, &operation, error);
}

static lp_status record(lp_history *history, const lp_columns *columns,
                        enum status (*one)(const struct recorder *, size_t, struct error *),
                        lp_error *error)
{
    struct error fault;
    enum status status = STATUS_OK;
    lp_context *context = history->context;
    struct recorder recorder = {.history = history,
                                .columns = columns,
                                .names = make_names(context, columns->names, columns->name_count),
                                .objects =
                                    make_names(context, columns->objects, columns->object_count)};
    if ((!recorder.names && columns->name_count) || (!recorder.objects && columns->object_count))
        status = refused(&fault);
    for (size_t i = 0; i < columns->length && status == STATUS_OK; i++) {
        status = one(&recorder, i, &fault);
        history->events += status == STATUS_OK;
    }
    memory_release(&context->budget, recorder.names, columns->name_count * sizeof(value));
    memory_release(&context->budget, recorder.objects, columns->object_count * sizeof(value));
    return report_status(status, &fault, error);
}

lp_status lp_history_intervals(lp_history *history, const lp_columns *columns, lp_error *error)
{
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    lp_columns own;
    REQUIRE_NOT_NULL(columns);
    REQUIRE_SIZED(&own, columns, answers);
    columns = &own;
    REQUIRE(history->builder, "the history is closed");
    REQUIRE(!history->by_event, "the history is recorded by events");
    REQUIRE(!columns->length ||
                (columns->process && columns->function && columns->called && columns->returned),
            "process, function, called or returned is null");
    history->by_interval = true;
    return record(history, columns, record_interval, error);
}

lp_status lp_history_events(lp_history *history, const lp_columns *columns, lp_error *error)
{
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    lp_columns own;
    REQUIRE_NOT_NULL(columns);
    REQUIRE_SIZED(&own, columns, answers);
    columns = &own;
    REQUIRE(history->builder, "the history is closed");
    REQUIRE(!history->by_interval, "the history is recorded by intervals");
    REQUIRE(!columns->length || (columns->process && columns->function && columns->invokes),
            "process, function or invokes is null");
    history->by_event = true;
    return record(history, columns, record_event, error);
}

lp_status lp_history_marshalled(lp_history *history, const void *bytes, size_t length, size_t width,
                                bool *understood, lp_error *error)
{
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    REQUIRE(bytes || length == 0, "bytes is null");
    REQUIRE(width == 6 || width == 7, "rows have 6 or 7 columns");
    REQUIRE_NOT_NULL(understood);
    REQUIRE(history->builder, "the history is closed");
    REQUIRE(!history->by_event, "the history is recorded by events");
    history->by_interval = true;
    struct marshal marshal;
    struct timed_operation operation;
    struct error fault;
    enum status status = STATUS_OK;
    *understood = marshal_open(&marshal, history->context->pool, bytes, length);
    while (*understood && marshal.rows && status == STATUS_OK) {
        *understood = marshal_row(&marshal, width, &operation);
        if (!*understood)
            break;
        operation.event.line = operation.return_line = history->events + 1;
        status = history_builder_timed(history->builder, &operation, &fault);
        history->events += status == STATUS_OK;
    }
    if (*understood && status == STATUS_OK)
        *understood = marshal_is_at_end(&marshal);
    return report_status(status, &fault, error);
}

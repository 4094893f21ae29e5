/* Looking into a closed history, and rewriting it. */
#include <linchpin/check.h>

#include <string.h>

#include "api/objects.h"
#include "base/require.h"
#include "value/print.h"

_Static_assert((int)LP_OUTCOME_UNKNOWN == (int)OUTCOME_UNKNOWN, "lp_outcome is enum outcome_kind");
_Static_assert(LP_NEVER == POSITION_NEVER && LP_TIME_NONE == TIME_NONE, "positions and times");

#define REQUIRE_CLOSED(history)                                                                    \
    do {                                                                                           \
        REQUIRE_ALIVE(history, HISTORY_MAGIC);                                                     \
        REQUIRE(!(history)->builder, "the history is not closed");                                 \
    } while (0)

const char *lp_history_name(const lp_history *history)
{
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    return history->history->name;
}

const char *lp_history_format(const lp_history *history)
{
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    const char *format = history->history->format;
    return *format ? format : NULL;
}

uint64_t lp_history_hash(const lp_history *history)
{
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    return history->hash;
}

size_t lp_history_length(const lp_history *history)
{
    REQUIRE_CLOSED(history);
    return history->history->operations.length;
}

size_t lp_history_passed_over(const lp_history *history)
{
    REQUIRE_CLOSED(history);
    return history->history->passed_over;
}

static const struct operation *operation_at(const lp_history *history, size_t index)
{
    size_t place = history->places ? history->places[index] : index;
    return &history->history->operations.items[place];
}

lp_operation lp_history_operation(const lp_history *history, size_t index)
{
    REQUIRE_CLOSED(history);
    const struct history *inner = history->history;
    REQUIRE(index < inner->operations.length, "there is no operation of that index");
    const struct operation *operation = operation_at(history, index);
    const char *object = NULL;
    if (operation->object != NO_OBJECT)
        object = value_get_text(inner->objects.items[operation->object], NULL);
    return (lp_operation){.process = inner->processes.items[operation->process],
                          .function = history_function_name(inner, operation->function),
                          .object = object,
                          .key = operation->key,
                          .argument = operation->argument,
                          .result = operation->result,
                          .outcome = (lp_outcome)operation->outcome,
                          .has_key = operation->has_key,
                          .result_recorded = operation->result_recorded,
                          .invoke = operation->invoke,
                          .response = operation->response,
                          .invoke_time = operation->invoke_time,
                          .response_time = operation->response_time,
                          .invoke_line = operation->invoke_line,
                          .response_line = operation->response_line};
}

size_t lp_history_annotations(const lp_history *history)
{
    REQUIRE_CLOSED(history);
    return history->history->annotations.length;
}

lp_annotation lp_history_annotation(const lp_history *history, size_t index)
{
    REQUIRE_CLOSED(history);
    REQUIRE(index < history->history->annotations.length, "there is no annotation of that index");
    const struct annotation *annotation = &history->history->annotations.items[index];
    const char *function = value_get_text(annotation->function, NULL);
    return (lp_annotation){.process = annotation->process,
                           .function = function ? function : "",
                           .value = annotation->value,
                           .position = annotation->position,
                           .time = annotation->time,
                           .line = annotation->line};
}

/* One operation alone: its invocation and right behind it its completion. */
static enum status add_alone(struct history_builder *builder, const struct history *from,
                             const struct operation *operation, struct error *error)
{
    struct event event = {.process = from->processes.items[operation->process],
                          .function = from->functions.items[operation->function],
                          .value = operation->argument,
                          .key = operation->key,
                          .time = TIME_NONE,
                          .type = EVENT_INVOKE,
                          .has_value = operation->argument != VALUE_NIL,
                          .has_key = operation->has_key,
                          .has_object = operation->object != NO_OBJECT};
    if (event.has_object)
        event.object = from->objects.items[operation->object];
    TRY(history_builder_event(builder, &event, error));
    event.type = operation->outcome == OUTCOME_OK ? EVENT_OK : EVENT_INFO;
    event.value = operation->result;
    event.has_value = operation->result_recorded;
    return history_builder_event(builder, &event, error);
}

lp_history *lp_history_sequential(const lp_history *history, const uint32_t *order, size_t length)
{
    REQUIRE_CLOSED(history);
    REQUIRE(order || length == 0, "order is null");
    const struct history *from = history->history;
    lp_context *context = history->context;
    struct history *to = history_create(from->name, from->pool, &context->budget);
    struct history_builder *builder = to ? history_builder_create(to) : NULL;
    enum status status = builder ? STATUS_OK : STATUS_LIMIT;
    for (size_t i = 0; i < length && status == STATUS_OK; i++) {
        REQUIRE(order[i] < from->operations.length, "there is no operation of that index");
        status = add_alone(builder, from, operation_at(history, order[i]), NULL);
    }
    if (status == STATUS_OK)
        status = history_builder_finish(builder, NULL);
    else
        history_builder_abandon(builder);
    if (status != STATUS_OK) {
        history_destroy(to);
        return NULL;
    }
    to->format = from->format;
    to->specification = from->specification; /* static, or as old as `from` */
    to->initial_known = from->initial_known;
    to->initial = from->initial;
    lp_history *sequential = history_wrap(context, to, 0);
    if (!sequential)
        history_destroy(to);
    return sequential;
}

/* From events to operations.
 *
 * Invariant: running[p] is the one operation of process p that has no completion yet. Positions are
 * handed out in the order of the events, so operations come out ordered by invocation. Every event
 * costs a look into two small tables and one operation to write to; nothing is allocated but for
 * the growing vectors. */
#include "history/builder.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "spec/spec.h"
#include "value/print.h"

static const char *const type_names[] = {"invoke", "ok", "fail", "info", "note"};

enum status builder_refused(const struct history_builder *builder, struct error *error)
{
    return error_set(error, STATUS_LIMIT, builder->history->name, 0, "the memory limit is reached");
}

struct history_builder *history_builder_create(struct history *history)
{
    struct history_builder *builder = memory_zeroed(history->budget, sizeof *builder);
    if (!builder)
        return NULL;
    builder->history = history;
    builder->latest_time = TIME_NONE;
    labels_init(&builder->processes, history->budget);
    labels_init(&builder->noted, history->budget);
    labels_init(&builder->functions, history->budget);
    labels_init(&builder->objects, history->budget);
    vectors_init(history->budget, &builder->running, &builder->waiting);
    return builder;
}

void history_builder_abandon(struct history_builder *builder)
{
    if (!builder)
        return;
    struct budget *budget = builder->history->budget;
    labels_release(&builder->processes);
    labels_release(&builder->noted);
    labels_release(&builder->functions);
    labels_release(&builder->objects);
    vectors_release(&builder->running, &builder->waiting);
    memory_release(budget, builder, sizeof *builder);
}

#define SHOWN_SIZE 100

/* The value as messages show it. */
static const char *show(value v, char shown[static SHOWN_SIZE])
{
    struct text text = TEXT_EMPTY;
    value_print_edn(v, &text);
    snprintf(shown, SHOWN_SIZE, "%s", text_string(&text));
    text_release(&text);
    return shown;
}

uint32_t builder_process_number(struct history_builder *builder, value process)
{
    uint32_t number = labels_find(&builder->processes, process);
    if (LIKELY(number != LABEL_NONE))
        return number;
    number = (uint32_t)builder->running.length;
    if (!vector_push(&builder->running, NOT_RUNNING) ||
        !vector_push(&builder->history->processes, process) ||
        !labels_add(&builder->processes, process, number))
        return LABEL_NONE;
    return number;
}

/* The letters of a name as a string: a text's own, or else how the value is printed. */
static value name_of(const struct history_builder *builder, value v)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    if (letters)
        return value_text(builder->history->pool, KIND_STRING, letters, length);
    struct text text = TEXT_EMPTY;
    value_print_edn(v, &text);
    value name = value_text(builder->history->pool, KIND_STRING, text_string(&text), text.length);
    text_release(&text);
    return name;
}

/* Names are handed around as C strings. */
static bool has_zero_byte(value v)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    return letters && memchr(letters, 0, length);
}

/* The number of a name not seen in this form yet. LABEL_NONE when refused; `most` when there are
 * that many names already. */
static uint32_t name_number(struct history_builder *builder, struct labels *labels, value v,
                            uint32_t count, uint32_t most, bool *is_new, value *name)
{
    *is_new = false;
    *name = name_of(builder, v);
    if (*name == VALUE_REFUSED)
        return LABEL_NONE;
    uint32_t number = labels_find(labels, *name);
    if (number == LABEL_NONE) {
        if (count == most)
            return most;
        number = count;
        *is_new = true;
        if (!labels_add(labels, *name, number))
            return LABEL_NONE;
    }
    if (*name != v && !labels_add(labels, v, number))
        return LABEL_NONE;
    return number;
}

static enum status function_number(struct history_builder *builder, const struct event *event,
                                   uint16_t *function, struct error *error)
{
    if (LIKELY(event->function == builder->last_function && event->function != VALUE_NIL)) {
        *function = builder->last_function_number;
        return STATUS_OK;
    }
    uint32_t number = labels_find(&builder->functions, event->function);
    if (UNLIKELY(number == LABEL_NONE)) {
        bool is_new;
        char shown[SHOWN_SIZE];
        value name;
        size_t length;
        if (!value_get_text(event->function, &length) || length == 0 ||
            has_zero_byte(event->function))
            return error_set(error, STATUS_INPUT, builder->history->name, event->line,
                             "expected the name of an operation as `f`, found %s",
                             show(event->function, shown));
        uint32_t count = (uint32_t)builder->history->functions.length;
        number = name_number(builder, &builder->functions, event->function, count, UINT16_MAX,
                             &is_new, &name);
        if (number == UINT16_MAX)
            return error_set(error, STATUS_INPUT, builder->history->name, event->line,
                             "expected at most %u different operations, found another: %s",
                             UINT16_MAX, show(event->function, shown));
        if (number == LABEL_NONE || (is_new && !vector_push(&builder->history->functions, name)))
            return builder_refused(builder, error);
    }
    builder->last_function = event->function;
    *function = builder->last_function_number = (uint16_t)number;
    return STATUS_OK;
}

static enum status object_number(struct history_builder *builder, const struct event *event,
                                 uint16_t *object, struct error *error)
{
    *object = NO_OBJECT;
    if (!event->has_object || event->object == VALUE_NIL)
        return STATUS_OK;
    uint32_t number = labels_find(&builder->objects, event->object);
    if (number == LABEL_NONE) {
        bool is_new;
        char shown[SHOWN_SIZE];
        value name;
        if (has_zero_byte(event->object))
            return error_set(error, STATUS_INPUT, builder->history->name, event->line,
                             "expected the name of an object, found %s",
                             show(event->object, shown));
        uint32_t count = (uint32_t)builder->history->objects.length;
        number = name_number(builder, &builder->objects, event->object, count, NO_OBJECT, &is_new,
                             &name);
        if (number == NO_OBJECT)
            return error_set(error, STATUS_INPUT, builder->history->name, event->line,
                             "expected at most %u different objects, found another: %s", NO_OBJECT,
                             show(event->object, shown));
        if (number == LABEL_NONE || (is_new && !vector_push(&builder->history->objects, name)))
            return builder_refused(builder, error);
    }
    *object = (uint16_t)number;
    return STATUS_OK;
}

enum status builder_invocation(struct history_builder *builder, const struct event *event,
                               struct operation *operation, struct error *error)
{
    TRY(function_number(builder, event, &operation->function, error));
    TRY(object_number(builder, event, &operation->object, error));
    operation->argument = event->value;
    operation->result = VALUE_NIL;
    operation->key = event->key;
    operation->has_key = event->has_key;
    operation->invoke_time = event->time;
    operation->response_time = TIME_NONE;
    operation->response = POSITION_NEVER;
    operation->invoke_line = event->line;
    operation->response_line = 0;
    operation->outcome = OUTCOME_UNKNOWN;
    operation->result_recorded = false;
    operation->process = builder_process_number(builder, event->process);
    return operation->process == LABEL_NONE ? builder_refused(builder, error) : STATUS_OK;
}

/* Compares the event's time with those before it. */
static void note_time(struct history_builder *builder, const struct event *event,
                      uint32_t operation)
{
    struct time_reversal *reversal = &builder->history->reversal;
    if (event->time == TIME_NONE || reversal->found)
        return;
    if (UNLIKELY(event->time < builder->latest_time)) {
        *reversal = (struct time_reversal){.found = true,
                                           .time = event->time,
                                           .latest_time = builder->latest_time,
                                           .line = event->line,
                                           .latest_line = builder->latest_line,
                                           .operation = operation,
                                           .latest_operation = builder->latest_operation};
        return;
    }
    builder->latest_time = event->time;
    builder->latest_line = event->line;
    builder->latest_operation = operation;
}

struct builder_times builder_times_now(const struct history_builder *builder)
{
    return (struct builder_times){builder->latest_time, builder->latest_line,
                                  builder->latest_operation, builder->history->reversal.found,
                                  builder->history->unread.found};
}

void builder_times_put(struct history_builder *builder, const struct builder_times *times)
{
    builder->latest_time = times->latest_time;
    builder->latest_line = times->latest_line;
    builder->latest_operation = times->latest_operation;
    builder->history->reversal.found = times->reversed;
    builder->history->unread.found = times->unread;
}

static enum status add_invocation(struct history_builder *builder, const struct event *event,
                                  struct error *error)
{
    struct history *history = builder->history;
    size_t count = history->operations.length;
    if (UNLIKELY(count == HISTORY_MAX_OPERATIONS))
        return error_set(error, STATUS_INPUT, history->name, event->line,
                         "expected at most %u operations, found more", HISTORY_MAX_OPERATIONS);
    if (UNLIKELY(!vector_reserve(&history->operations, count + 1)))
        return builder_refused(builder, error);
    struct operation *operation = &history->operations.items[count];
    TRY(builder_invocation(builder, event, operation, error));
    uint32_t running = builder->running.items[operation->process];
    if (UNLIKELY(running != NOT_RUNNING)) {
        char shown[SHOWN_SIZE];
        return error_set(
            error, STATUS_INPUT, history->name, event->line,
            "expected process %s to complete `%s` of line %u first, found another "
            "invocation",
            show(event->process, shown),
            history_function_name(history, history->operations.items[running].function),
            history->operations.items[running].invoke_line);
    }
    builder->running.items[operation->process] = (uint32_t)count;
    operation->record = (uint32_t)count;
    operation->invoke = history->positions++;
    history->operations.length++;
    note_time(builder, event, operation->record);
    return STATUS_OK;
}

/* Whether the completion is of the function that was invoked, by its name if it is not known. */
static bool completes_function(const struct history_builder *builder, const struct event *event,
                               const struct operation *operation)
{
    if (event->function == VALUE_NIL)
        return true;
    uint32_t number = event->function == builder->last_function
                          ? builder->last_function_number
                          : labels_find(&builder->functions, event->function);
    if (number == operation->function)
        return true;
    size_t length;
    const char *name = value_get_text(event->function, &length),
               *other = history_function_name(builder->history, operation->function);
    return name && other && name_is(other, name, length);
}

/* What a completion says again must be what its invocation said. */
static enum status check_completion(struct history_builder *builder, const struct event *event,
                                    const struct operation *operation, struct error *error)
{
    struct history *history = builder->history;
    char shown[SHOWN_SIZE];
    if (UNLIKELY(!completes_function(builder, event, operation))) {
        uint16_t function = 0;
        TRY(function_number(builder, event, &function, error));
        return error_set(error, STATUS_INPUT, history->name, event->line,
                         "expected the completion of `%s` of line %u, found one of `%s`",
                         history_function_name(history, operation->function),
                         operation->invoke_line, history_function_name(history, function));
    }
    if (event->has_key && (!operation->has_key || event->key != operation->key))
        return error_set(error, STATUS_INPUT, history->name, event->line,
                         "expected the key of the invocation in line %u, found %s",
                         operation->invoke_line, show(event->key, shown));
    uint16_t object = NO_OBJECT;
    if (event->has_object) {
        TRY(object_number(builder, event, &object, error));
        if (object != NO_OBJECT && object != operation->object)
            return error_set(error, STATUS_INPUT, history->name, event->line,
                             "expected the object of the invocation in line %u, found %s",
                             operation->invoke_line, show(event->object, shown));
    }
    return STATUS_OK;
}

static enum status add_completion(struct history_builder *builder, const struct event *event,
                                  struct error *error)
{
    struct history *history = builder->history;
    uint32_t process = labels_find(&builder->processes, event->process);
    uint32_t running = process == LABEL_NONE ? NOT_RUNNING : builder->running.items[process];
    if (UNLIKELY(running == NOT_RUNNING)) {
        char shown[SHOWN_SIZE];
        return error_set(error, STATUS_INPUT, history->name, event->line,
                         "expected an invocation first, found `%s` of process %s, which is in no "
                         "operation",
                         type_names[event->type], show(event->process, shown));
    }
    struct operation *operation = &history->operations.items[running];
    TRY(check_completion(builder, event, operation, error));
    operation->result = event->value;
    operation->response_time = event->time;
    operation->response_line = event->line;
    operation->response = history->positions++;
    operation->outcome = event->type == EVENT_OK     ? OUTCOME_OK
                         : event->type == EVENT_FAIL ? OUTCOME_FAIL
                                                     : OUTCOME_UNKNOWN;
    operation->result_recorded = event->has_value;
    builder->running.items[process] = NOT_RUNNING;
    note_time(builder, event, operation->record);
    return STATUS_OK;
}

static enum status add_annotation(struct history_builder *builder, const struct event *event,
                                  struct error *error)
{
    struct history *history = builder->history;
    struct annotation annotation = {.position = history->positions,
                                    .line = event->line,
                                    .process = event->process,
                                    .function = event->function,
                                    .value = event->value,
                                    .time = event->time,
                                    .type = event->noted};
    if (value_get_text(event->function, NULL))
        annotation.function = name_of(builder, event->function);
    if (annotation.function == VALUE_REFUSED)
        return builder_refused(builder, error);
    return vector_push(&history->annotations, annotation) ? STATUS_OK
                                                          : builder_refused(builder, error);
}

/* A named process is a client from its first invocation on: if there was an `info` before, it
 * completes nothing. */
static enum status meet_client(struct history_builder *builder, const struct event *event,
                               struct error *error)
{
    const struct history *history = builder->history;
    uint32_t noted = labels_find(&builder->noted, event->process);
    char shown[SHOWN_SIZE];
    if (noted == LABEL_NONE)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, history->name, history->annotations.items[noted].line,
                     "expected an invocation first, found `info` of process %s, which is in no "
                     "operation (it is a client: it invokes in line %u)",
                     show(event->process, shown), event->line);
}

/* Notes an `info` of a process that has not invoked so far. */
static enum status add_named_info(struct history_builder *builder, const struct event *event,
                                  struct error *error)
{
    struct event note = *event;
    uint32_t index = (uint32_t)builder->history->annotations.length;
    note.noted = EVENT_INFO;
    if (labels_find(&builder->noted, event->process) == LABEL_NONE &&
        !labels_add(&builder->noted, event->process, index))
        return builder_refused(builder, error);
    return add_annotation(builder, &note, error);
}

static enum status add_event(struct history_builder *builder, const struct event *event,
                             struct error *error)
{
    if (UNLIKELY(event->named) && labels_find(&builder->processes, event->process) == LABEL_NONE) {
        if (event->type == EVENT_INFO)
            return add_named_info(builder, event, error);
        if (event->type == EVENT_INVOKE)
            TRY(meet_client(builder, event, error));
    }
    switch ((enum event_type)event->type) {
    case EVENT_INVOKE:
        return add_invocation(builder, event, error);
    case EVENT_NOTE:
        return add_annotation(builder, event, error);
    default:
        return add_completion(builder, event, error);
    }
}

enum status history_builder_event(struct history_builder *builder, const struct event *event,
                                  struct error *error)
{
    assert(builder->waiting.length == 0 || event->type == EVENT_NOTE);
    if (LIKELY(!event->time_unread))
        return add_event(builder, event, error);
    struct unread_time *unread = &builder->history->unread;
    struct event timeless = *event;
    if (!unread->found)
        *unread = (struct unread_time){true, event->line, (value)event->time};
    timeless.time = TIME_NONE;
    timeless.time_unread = false;
    return add_event(builder, &timeless, error);
}

/* Gives back what the vectors' doubling took in advance: operations are most of the memory. */
static void trim(struct history *history)
{
    size_t size = sizeof *history->operations.items;
    size_t length = history->operations.length, capacity = history->operations.capacity;
    if (length == 0 || length == capacity)
        return;
    struct operation *moved =
        memory_resize(history->budget, history->operations.items, capacity * size, length * size);
    if (!moved)
        return;
    history->operations.items = moved;
    history->operations.capacity = length;
}

enum status history_builder_finish(struct history_builder *builder, struct error *error)
{
    if (!builder)
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (builder->waiting.length > 0)
        status = builder_order_timed(builder, error);
    trim(builder->history);
    history_builder_abandon(builder);
    return status;
}

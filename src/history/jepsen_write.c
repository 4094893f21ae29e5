#include "history/jepsen_write.h"

#include <assert.h>

#include "base/utf8.h"
#include "history/writing.h"
#include "value/edn.h"

const char *jepsen_type_name(unsigned type)
{
    static const char *const names[] = {
        [EVENT_INVOKE] = "invoke", [EVENT_OK] = "ok", [EVENT_FAIL] = "fail", [EVENT_INFO] = "info"};
    assert(type < ARRAY_LENGTH(names));
    return names[type];
}

/* The event as a reader would have found it. */
static struct event event_of(const struct history *history, const struct written_event *written)
{
    const struct operation *operation = &history->operations.items[written->operation];
    struct event event = {.process = history->processes.items[operation->process],
                          .function = history->functions.items[operation->function],
                          .key = operation->key,
                          .has_key = operation->has_key,
                          .has_object = operation->object != NO_OBJECT};
    if (event.has_object)
        event.object = history->objects.items[operation->object];
    if (written->response) {
        static const uint8_t types[] = {
            [OUTCOME_OK] = EVENT_OK, [OUTCOME_FAIL] = EVENT_FAIL, [OUTCOME_UNKNOWN] = EVENT_INFO};
        event.type = types[operation->outcome];
        event.value = operation->result;
        event.has_value = operation->result_recorded;
        event.time = operation->response_time;
    } else {
        event.type = EVENT_INVOKE;
        event.value = operation->argument;
        event.has_value = true;
        event.time = operation->invoke_time;
    }
    return event;
}

static struct event event_of_annotation(const struct annotation *annotation, bool named)
{
    return (struct event){.process = annotation->process,
                          .function = annotation->function,
                          .value = annotation->value,
                          .has_value = true,
                          .time = annotation->time,
                          .type = named ? (uint8_t)EVENT_INFO : annotation->type};
}

/* JSON and EDN are UTF-8, and their readers follow collections to a bounded depth only. */
static bool is_sayable(value v, unsigned depth)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    if (letters)
        return utf8_is_valid(letters, length);
    const value *items = value_get_items(v, &length);
    if (items && depth == VALUE_MAX_DEPTH)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_sayable(items[i], depth + 1))
            return false;
    return true;
}

static const char *say_checked(const struct event *event, jepsen_sayer *say, struct text *text)
{
    const value parts[] = {event->process, event->function, event->value, event->key,
                           event->object};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        if (!is_sayable(parts[i], 0))
            return "a text that is not UTF-8, or more than 200 collections within one another";
    return say(event, text);
}

/* What is to be written, and how. */
struct jepsen_writing {
    const struct history *history;
    const struct written_event *order;
    const char *format;
    jepsen_sayer *say;
    bool named;
};

static const char *say_operation(const struct jepsen_writing *writing, const struct event *event,
                                 struct text *text)
{
    int64_t process;
    if (!writing->named && !value_get_integer(event->process, &process))
        return "a process that is no integer";
    return say_checked(event, writing->say, text);
}

static enum status say_annotation(const struct jepsen_writing *writing,
                                  const struct annotation *annotation, struct text *text,
                                  struct error *error)
{
    struct event event = event_of_annotation(annotation, writing->named);
    const char *complaint = say_checked(&event, writing->say, text);
    if (!complaint)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, writing->history->name, annotation->line,
                     "the format %s cannot say %s", writing->format, complaint);
}

/* Says all events, to nobody if `out` is null. */
static enum status say_all(const struct jepsen_writing *writing, FILE *out, struct error *error)
{
    const struct history *history = writing->history;
    struct text text = TEXT_EMPTY;
    enum status status = STATUS_OK;
    size_t noted = 0;
    for (uint32_t i = 0; i <= history->positions && status == STATUS_OK; i++) {
        text_clear(&text);
        for (; noted < history->annotations.length && status == STATUS_OK; noted++) {
            const struct annotation *annotation = &history->annotations.items[noted];
            if (annotation->position > i)
                break;
            status = say_annotation(writing, annotation, &text, error);
        }
        if (i < history->positions && status == STATUS_OK) {
            struct event event = event_of(history, &writing->order[i]);
            const char *complaint = say_operation(writing, &event, &text);
            if (complaint)
                status = writing_impossible(history, writing->order[i].operation, writing->format,
                                            complaint, error);
        }
        if (out && text.length)
            fwrite(text.bytes, 1, text.length, out);
    }
    text_release(&text);
    return status;
}

enum status jepsen_write(const struct history *history, const char *format, jepsen_sayer *say,
                         bool named, FILE *out, struct error *error)
{
    struct written_event *order;
    TRY(writing_order(history, &order, error));
    struct jepsen_writing writing = {history, order, format, say, named};
    enum status status = say_all(&writing, NULL, error);
    if (status == STATUS_OK)
        status = say_all(&writing, out, error);
    writing_order_release(history, order);
    return status;
}

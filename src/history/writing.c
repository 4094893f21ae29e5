#include "history/writing.h"

#include <assert.h>

enum status writing_impossible(const struct history *history, uint32_t operation,
                               const char *format, const char *what, struct error *error)
{
    const struct operation *at = &history->operations.items[operation];
    return error_set(error, STATUS_INPUT, history->name, at->invoke_line,
                     "the format %s cannot say %s, which operation %u (`%s`) has", format, what,
                     at->record, history_function_name(history, at->function));
}

static void order_events(const struct history *history, struct written_event *events)
{
    for (uint32_t i = 0; i < history->operations.length; i++) {
        const struct operation *operation = &history->operations.items[i];
        assert(operation->invoke < history->positions);
        events[operation->invoke] = (struct written_event){.operation = i};
        if (operation->response == POSITION_NEVER)
            continue;
        assert(operation->response < history->positions);
        events[operation->response] = (struct written_event){.operation = i, .response = true};
    }
}

static enum status say_all(const struct history *history, const struct event_writing *writing,
                           const struct written_event *events, FILE *out, struct error *error)
{
    struct text text = TEXT_EMPTY;
    enum status status = STATUS_OK;
    if (out)
        fputs(writing->before, out);
    for (uint32_t i = 0; i < history->positions && status == STATUS_OK; i++) {
        text_clear(&text);
        const char *complaint = writing->say(writing, history, &events[i], &text);
        if (complaint)
            status =
                writing_impossible(history, events[i].operation, writing->format, complaint, error);
        else if (out && fputs(i ? writing->between : "", out) >= 0)
            fwrite(text.bytes, 1, text.length, out);
    }
    if (out)
        fputs(writing->after, out);
    text_release(&text);
    return status;
}

enum status writing_order(const struct history *history, struct written_event **events,
                          struct error *error)
{
    *events = memory_allocate(history->budget, history->positions * sizeof **events);
    if (!*events)
        return error_set(error, STATUS_LIMIT, history->name, 0, "the memory limit was reached");
    order_events(history, *events);
    return STATUS_OK;
}

void writing_order_release(const struct history *history, struct written_event *events)
{
    memory_release(history->budget, events, history->positions * sizeof *events);
}

enum status writing_events(const struct history *history, const struct event_writing *writing,
                           FILE *out, struct error *error)
{
    struct written_event *events;
    TRY(writing_order(history, &events, error));
    enum status status = say_all(history, writing, events, NULL, error);
    if (status == STATUS_OK)
        status = say_all(history, writing, events, out, error);
    writing_order_release(history, events);
    return status;
}

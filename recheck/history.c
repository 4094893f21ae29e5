/* Recorded histories: events in JSON, a line each or in one list. */
#include <string.h>

#include "recheck.h"

struct event {
    value map, process, type;
    size_t line;
};

struct events {
    struct event *items;
    size_t count, room;
};

static void add_event(struct events *events, const struct file *file, value map, size_t line)
{
    struct event event = {map, get_field(map, "process"), get_field(map, "type"), line};
    if (!event.process || event.process == VALUE_NIL || !event.type)
        unreadable(file->path, line, "expected an event with a process and a type");
    if (events->count == events->room)
        events->items =
            room(events->items, events->room = 2 * events->room + 64, sizeof *events->items);
    events->items[events->count++] = event;
}

static void read_events(const struct file *file, struct events *events)
{
    size_t at = 0, line = 0, length, blank = strspn(file->bytes, " \t\r\n");
    const char *text;
    if (file->bytes[blank] == '[') {
        value all = read_json(file->path, 1, file->bytes, file->length);
        for (size_t i = 0; i < all->length; i++)
            add_event(events, file, all->items[i], 1);
        return;
    }
    while (next_line(file, &at, &line, &text, &length))
        if (strspn(text, " \t\r") < length)
            add_event(events, file, read_json(file->path, line, text, length), line);
}

static void invoke(struct history *history, const struct event *event, size_t *running)
{
    value function = get_field(event->map, "f"), argument = get_field(event->map, "value");
    if (*running != NEVER)
        unreadable(history->file->path, event->line, "expected the completion of line %zu first",
                   history->operations[*running].line);
    if (!function || function->kind != STRING || function->length == 0 ||
        memchr(function->text, 0, function->length))
        unreadable(history->file->path, event->line, "expected the name of an operation as f");
    value key = get_field(event->map, "key");
    *running = history->count;
    history->operations[history->count++] =
        (struct operation){.process = event->process,
                           .function = function,
                           .key = key == VALUE_NIL ? NULL : key,
                           .argument = argument ? argument : VALUE_NIL,
                           .result = VALUE_NIL,
                           .outcome = UNKNOWN,
                           .invoke = history->positions++,
                           .response = NEVER,
                           .line = event->line};
}

static void complete(struct history *history, const struct event *event, size_t *running)
{
    if (*running == NEVER)
        unreadable(history->file->path, event->line, "expected an invocation first");
    struct operation *operation = &history->operations[*running];
    value function = get_field(event->map, "f"), result = get_field(event->map, "value");
    value key = get_field(event->map, "key");
    if ((function && function != VALUE_NIL && !value_is(function, operation->function->text)) ||
        (key && key != VALUE_NIL && key != operation->key))
        unreadable(history->file->path, event->line, "expected the completion of line %zu",
                   operation->line);
    operation->result = result ? result : VALUE_NIL;
    operation->recorded = result != NULL;
    operation->outcome = value_is(event->type, "ok")     ? OK
                         : value_is(event->type, "fail") ? FAIL
                                                         : UNKNOWN;
    size_t position = history->positions++;
    operation->response = operation->outcome == OK ? position : NEVER;
    *running = NEVER;
}

void read_history(const struct file *file, struct history *history)
{
    struct events events = {0};
    read_events(file, &events);
    *history = (struct history){.file = file};
    history->operations = room(NULL, events.count + 1, sizeof *history->operations);
    size_t processes = 0, *running = room(NULL, events.count + 1, sizeof *running);
    for (size_t i = 0; i < events.count; i++) {
        const struct event *event = &events.items[i];
        if (value_is(event->type, "invoke") && !*event->process->number) {
            running[++processes] = NEVER;
            *event->process->number = processes;
        }
    }
    for (size_t i = 0; i < events.count; i++) {
        const struct event *event = &events.items[i];
        bool known = value_is(event->type, "ok") || value_is(event->type, "fail") ||
                     value_is(event->type, "info");
        if (!value_is(event->type, "invoke") && !known)
            unreadable(file->path, event->line, "expected invoke, ok, fail or info as type");
        /* A process that is no integer is a client if it invokes; else its `info` is a note. */
        if (event->process->kind != INTEGER && !*event->process->number &&
            value_is(event->type, "info"))
            continue;
        if (known && !*event->process->number)
            unreadable(file->path, event->line, "expected an invocation first");
        value object = get_field(event->map, "object");
        if (object && object != VALUE_NIL)
            not_known("%s:%zu: linchpin-recheck does not know objects with names", file->path,
                      event->line);
        size_t *now = &running[*event->process->number];
        if (known)
            complete(history, event, now);
        else
            invoke(history, event, now);
    }
    for (size_t i = 0; i < events.count; i++)
        *events.items[i].process->number = 0;
}

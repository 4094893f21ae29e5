#include "support/difference.h"

#include <stddef.h>

static const char *operation_difference(const struct history *a, const struct operation *x,
                                        const struct history *b, const struct operation *y,
                                        bool processes)
{
    if (processes && a->processes.items[x->process] != b->processes.items[y->process])
        return "process";
    if (a->functions.items[x->function] != b->functions.items[y->function])
        return "function";
    if ((x->object == NO_OBJECT) != (y->object == NO_OBJECT) ||
        (x->object != NO_OBJECT && a->objects.items[x->object] != b->objects.items[y->object]))
        return "object";
    if (x->argument != y->argument)
        return "argument";
    if (x->result != y->result || x->result_recorded != y->result_recorded)
        return "result";
    if (x->has_key != y->has_key || (x->has_key && x->key != y->key))
        return "key";
    if (x->invoke_time != y->invoke_time || x->response_time != y->response_time)
        return "time";
    if (x->invoke != y->invoke || x->response != y->response)
        return "position";
    if (x->record != y->record)
        return "record";
    return x->outcome != y->outcome ? "outcome" : NULL;
}

static const char *find_difference(const struct history *a, const struct history *b, bool processes)
{
    if (a->operations.length != b->operations.length)
        return "number of operations";
    if (a->annotations.length != b->annotations.length)
        return "number of annotations";
    if (a->positions != b->positions)
        return "positions";
    for (size_t i = 0; i < a->operations.length; i++) {
        const char *difference =
            operation_difference(a, &a->operations.items[i], b, &b->operations.items[i], processes);
        if (difference)
            return difference;
    }
    for (size_t i = 0; i < a->annotations.length; i++) {
        const struct annotation *x = &a->annotations.items[i], *y = &b->annotations.items[i];
        if (x->process != y->process || x->value != y->value || x->time != y->time ||
            x->type != y->type || x->position != y->position || x->function != y->function)
            return "annotation";
    }
    return NULL;
}

const char *history_difference(const struct history *a, const struct history *b)
{
    return find_difference(a, b, true);
}

const char *history_difference_but_processes(const struct history *a, const struct history *b)
{
    return find_difference(a, b, false);
}

const char *history_difference_with_lines(const struct history *a, const struct history *b)
{
    const char *difference = history_difference(a, b);
    if (difference)
        return difference;
    for (size_t i = 0; i < a->operations.length; i++)
        if (a->operations.items[i].invoke_line != b->operations.items[i].invoke_line ||
            a->operations.items[i].response_line != b->operations.items[i].response_line)
            return "line";
    for (size_t i = 0; i < a->annotations.length; i++)
        if (a->annotations.items[i].line != b->annotations.items[i].line)
            return "annotation's line";
    return NULL;
}

bool event_is_same(const struct event *a, const struct event *b)
{
    return a->process == b->process && a->function == b->function && a->value == b->value &&
           a->key == b->key && a->object == b->object && a->time == b->time && a->type == b->type &&
           a->noted == b->noted && a->line == b->line && a->has_value == b->has_value &&
           a->has_key == b->has_key && a->has_object == b->has_object;
}

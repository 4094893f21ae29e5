#include "stream/processes.h"

#include <string.h>

#include "base/faults.h"
#include "history/builder.h"

#define LEAST SIZE_OR_SMALL(64, 2) /* that are forgotten at a time */

static bool are_told_apart(const struct stream *stream)
{
    const struct bind_options *bind = &stream->options.bind;
    for (size_t i = 0; i < bind->binding_count; i++)
        if (spec_tells_callers(bind->bindings[i].spec))
            return true;
    return false;
}

/* Numbers those that stay anew, in `numbers`; how many they are. */
static uint32_t number_anew(const struct stream *stream, uint32_t *numbers)
{
    const struct history *history = stream->history;
    uint32_t count = 0;
    for (size_t i = 0; i < history->processes.length; i++)
        if (stream->builder->running.items[i] != NOT_RUNNING ||
            value_kind_of(history->processes.items[i]) != KIND_INTEGER)
            numbers[i] = 0;
    for (size_t i = 0; i < history->operations.length; i++)
        numbers[history->operations.items[i].process] = 0;
    for (size_t i = 0; i < history->processes.length; i++)
        if (numbers[i] != LABEL_NONE)
            numbers[i] = count++;
    return count;
}

/* Labels of the processes by their new numbers. False when refused. */
static bool label_anew(const struct history *history, const uint32_t *numbers,
                       struct labels *labels)
{
    bool done = true;
    for (size_t i = 0; i < history->processes.length && done; i++)
        done =
            numbers[i] == LABEL_NONE || labels_add(labels, history->processes.items[i], numbers[i]);
    return done;
}

static void use(struct stream *stream, const uint32_t *numbers, uint32_t count)
{
    struct history *history = stream->history;
    uint32_t *running = stream->builder->running.items;
    for (size_t i = 0; i < history->processes.length; i++)
        if (numbers[i] != LABEL_NONE) {
            history->processes.items[numbers[i]] = history->processes.items[i];
            running[numbers[i]] = running[i];
        }
    history->processes.length = stream->builder->running.length = count;
    for (size_t i = 0; i < history->operations.length; i++) {
        struct operation *operation = &history->operations.items[i];
        struct tracked *tracked = &stream->tracked.items[i];
        operation->process = numbers[operation->process];
        tracked->call.process = operation->process;
    }
}

void stream_forget_processes(struct stream *stream)
{
    const size_t length = stream->history->processes.length;
    if (length < stream->next_processes || are_told_apart(stream))
        return;
    struct budget *budget = stream->limits->budget;
    struct labels labels;
    uint32_t *numbers = memory_allocate(budget, length * sizeof *numbers);
    if (!numbers)
        return;
    memset(numbers, 0xff, length * sizeof *numbers); /* LABEL_NONE everywhere */
    labels_init(&labels, budget);
    const uint32_t count = number_anew(stream, numbers);
    stream->next_processes = 2 * (size_t)count + LEAST;
    if (count < length && label_anew(stream->history, numbers, &labels)) {
        use(stream, numbers, count);
        labels_release(&stream->builder->processes);
        stream->builder->processes = labels;
    } else {
        labels_release(&labels);
    }
    memory_release(budget, numbers, length * sizeof *numbers);
}

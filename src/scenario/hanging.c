#include "scenario/hanging.h"

#include <string.h>

static memory_value newest_value(const struct execution_graph *graph, unsigned location)
{
    event_number newest = execution_newest_write(graph, location);
    return newest < 0 ? graph->locations[location].initial : graph->events[newest].value;
}

/* A value that another write stored as well is as good as that of the newest: the next iteration
 * reads from that one, and goes the same way. */
static bool would_read_again(const struct execution_graph *graph,
                             const struct execution_event *read)
{
    struct execution_event again = *read;
    if (read->fails) /* for no reason: not for ever */
        return false;
    again.value = execution_cut(newest_value(graph, read->location), read->size);
    return read->is_lock && execution_fails(read) ? execution_fails(&again)
                                                  : again.value == read->value;
}

bool hanging_would_repeat(const struct execution_graph *graph, unsigned thread, unsigned since)
{
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->thread == thread && event->index > since && event->kind == EVENT_KIND_READ &&
            !would_read_again(graph, event))
            return false;
    }
    return true;
}

void hanging_put_last(struct execution_graph *graph, const uint8_t since[EXECUTION_THREADS])
{
    bool early[EXECUTION_EVENTS] = {false};
    uint8_t order[EXECUTION_EVENTS];
    unsigned count = 0;
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->index > since[event->thread])
            continue;
        for (event_number j = 0; j < graph->event_count; j++)
            early[j] |= event_is_in_prefix(&graph->events[j], event);
    }
    for (int wanted = 1; wanted >= 0; wanted--)
        for (unsigned at = 0; at < graph->replay_count; at++)
            if (early[graph->replay[at]] == (bool)wanted)
                order[count++] = graph->replay[at];
    memcpy(graph->replay, order, count);
}

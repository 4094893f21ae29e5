#include "scenario/restriction.h"

#include <assert.h>
#include <string.h>

/* Leaves out the locations that nothing accesses any more: what is stored there when they are
 * accessed for the first time need not be the same the next time. */
static void forget_locations(struct execution_graph *graph)
{
    uint16_t numbers[EXECUTION_LOCATIONS];
    unsigned count = 0;
    for (unsigned i = 0; i < graph->location_count; i++) {
        const struct execution_location *location = &graph->locations[i];
        numbers[i] = (uint16_t)count;
        if (location->last_read >= 0 || location->last_write >= 0)
            graph->locations[count++] = *location;
    }
    if (count == graph->location_count)
        return;
    graph->location_count = (uint16_t)count;
    for (event_number i = 0; i < graph->event_count; i++)
        if (event_is_access(&graph->events[i]))
            graph->events[i].location = numbers[graph->events[i].location];
}

/* Makes the ranks of a location's writes, of which `last` was added last, 1, 2, 3, ... again. */
static void close_ranks(struct execution_graph *graph, event_number last)
{
    uint16_t ranks[EXECUTION_EVENTS];
    struct execution_event *events = graph->events;
    unsigned count = 0, highest = 0;
    for (event_number i = last; i >= 0; i = events[i].previous, count++)
        if (events[i].rank > highest)
            highest = events[i].rank;
    if (count == highest)
        return;
    for (event_number i = last; i >= 0; i = events[i].previous) {
        ranks[i] = 1;
        for (event_number j = last; j >= 0; j = events[j].previous)
            ranks[i] += events[j].rank < events[i].rank;
    }
    for (event_number i = last; i >= 0; i = events[i].previous)
        events[i].rank = ranks[i];
}

/* The last event below `first` of those of a location that one is of, itself among them. */
static event_number previous_below(const struct execution_event *events, event_number last,
                                   event_number first)
{
    while (last >= first)
        last = events[last].previous;
    return last;
}

/* The events before the first one that is deleted stay as they are. */
static event_number keep_beginning(const struct execution_graph *graph, const bool *deleted,
                                   struct execution_graph *kept, event_number *numbers)
{
    const struct execution_event *events = graph->events;
    const bool *end = memchr(deleted, true, graph->event_count * sizeof *deleted);
    event_number first = (event_number)(end ? end - deleted : graph->event_count);
    memcpy(kept->events, events, (size_t)first * sizeof *events);
    kept->event_count = (uint16_t)first;
    for (event_number i = 0; i < first; i++)
        numbers[i] = i;
    for (unsigned i = 0; i < EXECUTION_THREADS; i++) {
        kept->last[i] = graph->last[i];
        while (kept->last[i] >= first)
            kept->last[i] = events[kept->last[i]].before;
    }
    for (unsigned i = 0; i < graph->location_count; i++) {
        struct execution_location *location = &kept->locations[i];
        location->last_read = previous_below(events, location->last_read, first);
        location->last_write = previous_below(events, location->last_write, first);
    }
    return first;
}

void execution_restrict(const struct execution_graph *graph, const bool *deleted, event_number read,
                        struct execution_graph *kept, event_number *numbers)
{
    execution_clear(kept);
    kept->wakes_freely = graph->wakes_freely;
    kept->location_count = graph->location_count;
    memcpy(kept->locations, graph->locations, graph->location_count * sizeof *kept->locations);
    event_number first = keep_beginning(graph, deleted, kept, numbers);
    for (event_number i = first; i < graph->event_count; i++) {
        numbers[i] = deleted[i] ? EXECUTION_NONE : (event_number)kept->event_count;
        if (!deleted[i])
            kept->events[kept->event_count++] = graph->events[i];
    }
    if (read >= 0)
        kept->events[numbers[read]].source = EXECUTION_NONE;
    for (event_number i = 0; i < kept->event_count; i++) {
        struct execution_event *event = &kept->events[i];
        if (event->source >= first) {
            event->source = numbers[event->source];
            assert(event->source >= 0); /* what is kept is closed under rf */
        }
        if (i < first)
            continue;
        if (event->before >= 0)
            event->before = numbers[event->before];
        if (event_is_access(event))
            execution_set_location(kept, i, event->location);
        event_number *last = &kept->last[event->thread];
        if (*last < 0 || kept->events[*last].index < event->index)
            *last = i;
    }
    for (unsigned at = 0; at < graph->replay_count; at++) {
        event_number old = graph->replay[at];
        if (!deleted[old] && old != read)
            kept->replay[kept->replay_count++] = (uint8_t)numbers[old];
    }
    if (read >= 0)
        kept->replay[kept->replay_count++] = (uint8_t)numbers[read];
    for (unsigned i = 0; i < kept->location_count; i++)
        close_ranks(kept, kept->locations[i].last_write);
    forget_locations(kept);
}

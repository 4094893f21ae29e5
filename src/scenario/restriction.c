#include "scenario/restriction.h"

#include <assert.h>
#include <string.h>

/* The writes of a location, and the highest rank of one. */
struct writes {
    uint16_t count, highest;
};

/* Leaves out the locations that nothing accesses any more: what is stored there when they are
 * accessed for the first time need not be the same the next time. */
static void forget_locations(struct execution_graph *graph, const bool *used)
{
    uint16_t numbers[EXECUTION_LOCATIONS];
    unsigned count = 0;
    for (unsigned i = 0; i < graph->location_count; i++) {
        numbers[i] = (uint16_t)count;
        if (used[i])
            graph->locations[count++] = graph->locations[i];
    }
    if (count == graph->location_count)
        return;
    graph->location_count = (uint16_t)count;
    for (event_number i = 0; i < graph->event_count; i++)
        if (event_is_access(&graph->events[i]))
            graph->events[i].location = numbers[graph->events[i].location];
}

/* How many writes of the same location come before a write in mo. */
static unsigned earlier_writes(const struct execution_graph *graph,
                               const struct execution_event *write)
{
    unsigned count = 0;
    for (event_number i = 0; i < graph->event_count; i++)
        count += graph->events[i].kind == EVENT_KIND_WRITE &&
                 graph->events[i].location == write->location &&
                 graph->events[i].rank < write->rank;
    return count;
}

/* Makes the ranks of each location's writes 1, 2, 3, ... again. */
static void close_ranks(struct execution_graph *graph, const struct writes *writes)
{
    uint16_t ranks[EXECUTION_EVENTS];
    bool closes = false;
    for (unsigned i = 0; i < graph->location_count; i++)
        closes |= writes[i].count != writes[i].highest;
    if (!closes)
        return;
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        ranks[i] = event->rank;
        if (event->kind == EVENT_KIND_WRITE &&
            writes[event->location].count != writes[event->location].highest)
            ranks[i] = (uint16_t)(1 + earlier_writes(graph, event));
    }
    for (event_number i = 0; i < graph->event_count; i++)
        graph->events[i].rank = ranks[i];
}

/* Closes the ranks of what is left, and leaves out locations. */
static void tidy(struct execution_graph *graph)
{
    struct writes writes[EXECUTION_LOCATIONS];
    bool used[EXECUTION_LOCATIONS];
    memset(writes, 0, graph->location_count * sizeof *writes);
    memset(used, false, graph->location_count * sizeof *used);
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (!event_is_access(event))
            continue;
        struct writes *of = &writes[event->location];
        used[event->location] = true;
        of->count += event->kind == EVENT_KIND_WRITE;
        if (event->kind == EVENT_KIND_WRITE && event->rank > of->highest)
            of->highest = event->rank;
    }
    close_ranks(graph, writes);
    forget_locations(graph, used);
}

void execution_restrict(const struct execution_graph *graph, const bool *deleted, event_number read,
                        struct execution_graph *kept, event_number *numbers)
{
    execution_clear(kept);
    kept->wakes_freely = graph->wakes_freely;
    kept->location_count = graph->location_count;
    memcpy(kept->locations, graph->locations, graph->location_count * sizeof *kept->locations);
    for (event_number i = 0; i < graph->event_count; i++) {
        numbers[i] = deleted[i] ? EXECUTION_NONE : (event_number)kept->event_count;
        if (!deleted[i])
            kept->events[kept->event_count++] = graph->events[i];
    }
    if (read >= 0)
        kept->events[numbers[read]].source = EXECUTION_NONE;
    for (event_number i = 0; i < kept->event_count; i++) {
        struct execution_event *event = &kept->events[i];
        if (event->source >= 0) {
            event->source = numbers[event->source];
            assert(event->source >= 0); /* what is kept is closed under rf */
        }
        if (event->before >= 0)
            event->before = numbers[event->before];
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
    tidy(kept);
}

#include "scenario/client_order.h"

#include <assert.h>
#include <string.h>

/* The events of each thread in program order, and the clocks along which paths go. */
struct paths {
    const struct execution_graph *graph;
    event_number events[EXECUTION_THREADS][EXECUTION_EVENTS + 1]; /* by index, from 1 */
    union vector_clock total[EXECUTION_EVENTS]; /* under sc: of po U rf U mo U fr */
    struct access {
        union vector_clock clock; /* of happens-before */
        uint16_t rank, location;  /* twice that of a write in mo, of a read one behind it */
        uint8_t thread, index;
    } accesses[EXECUTION_EVENTS];
    unsigned access_count;
    bool is_total;
};

static void find_events(struct paths *paths)
{
    for (unsigned i = 0; i < paths->graph->event_count; i++) {
        const struct execution_event *event = &paths->graph->events[i];
        paths->events[event->thread][event->index] = (event_number)i;
        if (!event_is_access(event))
            continue;
        unsigned rank = event->kind == EVENT_KIND_WRITE
                            ? 2U * event->rank
                            : 2U * execution_source_rank(paths->graph, event) + 1;
        paths->accesses[paths->access_count++] = (struct access){.clock = event->happens_before,
                                                                 .rank = (uint16_t)rank,
                                                                 .location = event->location,
                                                                 .thread = event->thread,
                                                                 .index = event->index};
    }
}

/* Joins the clock of `from` to that of `to`; whether that made a difference. */
static bool join(struct paths *paths, event_number from, event_number to)
{
    if (from < 0)
        return false;
    union vector_clock old = paths->total[to];
    paths->total[to] = clock_join(old, paths->total[from]);
    return paths->total[to].word != old.word;
}

/* For each access the write in front of it in mo; of a read that which it reads. */
static bool join_memory(struct paths *paths, event_number number)
{
    const struct execution_graph *graph = paths->graph;
    const struct execution_event *event = &graph->events[number];
    bool changed = false;
    for (unsigned i = 0; event->kind == EVENT_KIND_WRITE && i < graph->event_count; i++) {
        const struct execution_event *earlier = &graph->events[i];
        if (!event_is_access(earlier) || earlier->location != event->location ||
            i == (unsigned)number)
            continue;
        unsigned rank = earlier->kind == EVENT_KIND_WRITE ? earlier->rank
                                                          : execution_source_rank(graph, earlier);
        if (rank + 1u == event->rank)
            changed |= join(paths, (event_number)i, number);
    }
    return changed;
}

static void find_total_clocks(struct paths *paths)
{
    const struct execution_graph *graph = paths->graph;
    for (unsigned i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        paths->total[i] = event->porf;
        assert(event->porf.of[event->thread] == event->index);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned at = 0; at < graph->replay_count; at++) {
            event_number i = graph->replay[at];
            changed |= join(paths, graph->events[i].before, i);
            changed |= join(paths, graph->events[i].source, i);
            changed |= join_memory(paths, i);
        }
    }
}

/* How many events of each thread come before the `index`-th of `thread`, or are it. */
static union vector_clock clock_at(const struct paths *paths, unsigned thread, unsigned index)
{
    if (index == 0)
        return (union vector_clock){.word = 0};
    event_number event = paths->events[thread][index];
    return paths->is_total ? paths->total[event] : paths->graph->events[event].happens_before;
}

static bool has_events(const struct client_place *place)
{
    return place->before < place->after;
}

/* Fills in before, certain and links. */
static void find_paths(const struct paths *paths, const struct client_place *places,
                       struct client_order *order)
{
    for (unsigned j = 0; j < order->count; j++) {
        const struct client_place *to = &places[j];
        union vector_clock at_call = clock_at(paths, to->thread, to->before), at_first = at_call;
        if (has_events(to))
            at_first = clock_at(paths, to->thread, to->before + 1u);
        union vector_clock at_return = clock_at(paths, to->thread, to->after);
        for (unsigned i = 0; i < order->count; i++) {
            const struct client_place *from = &places[i];
            bool same = from->thread == to->thread;
            uint16_t bit = (uint16_t)(1u << i);
            if (from->returned && (same ? i < j : at_call.of[from->thread] > from->after))
                order->before[j] |= bit;
            if (from->returned && !same && has_events(from) && has_events(to) &&
                at_first.of[from->thread] >= from->after)
                order->certain[j] |= bit;
            if (same ? i <= j : at_return.of[from->thread] > from->before)
                order->links[j] |= bit;
        }
        order->certain[j] |= order->before[j];
    }
}

/* The places in the order of each location that an operation's prefix reaches up to, and that what
 * is behind its call begins at. */
struct reach {
    uint16_t least_behind[EXECUTION_LOCATIONS], most_before[EXECUTION_LOCATIONS];
};

static void find_reach(const struct paths *paths, const struct client_place *place,
                       union vector_clock at_return, struct reach *reach)
{
    const struct execution_graph *graph = paths->graph;
    memset(reach->least_behind, 0xff, graph->location_count * sizeof *reach->least_behind);
    memset(reach->most_before, 0, graph->location_count * sizeof *reach->most_before);
    for (const struct access *access = paths->accesses, *end = access + paths->access_count;
         access < end; access++) {
        uint16_t *least = &reach->least_behind[access->location];
        uint16_t *most = &reach->most_before[access->location];
        if (access->clock.of[place->thread] > place->before && access->rank < *least)
            *least = access->rank;
        if (at_return.of[access->thread] >= access->index && access->rank > *most)
            *most = access->rank;
    }
}

static bool is_coherent(const struct execution_graph *graph, const struct reach *from,
                        const struct reach *to)
{
    for (unsigned i = 0; i < graph->location_count; i++)
        if (to->least_behind[i] < from->most_before[i])
            return false;
    return true;
}

static void find_possible(const struct paths *paths, const struct client_place *places,
                          struct client_order *order)
{
    const struct execution_graph *graph = paths->graph;
    struct reach reach[CLIENTS_OPERATIONS];
    for (unsigned i = 0; i < order->count && !paths->is_total; i++) {
        const struct client_place *place = &places[i];
        union vector_clock at_return = clock_at(paths, place->thread, place->after);
        find_reach(paths, place, at_return, &reach[i]);
    }
    for (unsigned i = 0; i < order->count; i++) {
        const struct client_place *from = &places[i];
        union vector_clock past = clock_at(paths, from->thread, from->after);
        if (!paths->is_total && from->after > 0)
            past = graph->events[paths->events[from->thread][from->after]].porf;
        for (unsigned j = 0; j < order->count && from->returned; j++) {
            const struct client_place *to = &places[j];
            if (to->thread == from->thread
                    ? i < j
                    : past.of[to->thread] <= to->before &&
                          (paths->is_total || is_coherent(graph, &reach[i], &reach[j])))
                order->possible[j] |= (uint16_t)(1u << i);
        }
    }
    for (unsigned j = 0; j < order->count; j++)
        order->possible[j] |= order->certain[j];
}

void client_order_find(const struct execution_graph *graph, enum memory_model model,
                       const struct client_place *places, unsigned count,
                       struct client_order *order)
{
    struct paths paths;
    assert(count <= CLIENTS_OPERATIONS);
    memset(order, 0, sizeof *order);
    order->count = count;
    paths.graph = graph;
    paths.is_total = model == MEMORY_SC;
    paths.access_count = 0;
    find_events(&paths);
    if (paths.is_total)
        find_total_clocks(&paths);
    find_paths(&paths, places, order);
    find_possible(&paths, places, order);
}

void client_order_close(const struct client_order *order, uint16_t *before)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned j = 0; j < order->count; j++) {
            uint16_t closed = before[j];
            unsigned called = 0;
            for (unsigned left = closed; left; left &= left - 1)
                called |= order->links[__builtin_ctz(left)];
            for (; called; called &= called - 1)
                closed |= before[__builtin_ctz(called)];
            changed |= closed != before[j];
            before[j] = closed;
        }
    }
}

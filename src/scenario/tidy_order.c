/* Which events have been made is a vector: of each thread how many. How much an event is against
 * time depends on that alone, so the best order is a shortest path through the vectors, each with
 * the thread that stepped last; they are met in an order in which none comes before its
 * predecessors. */
#include "scenario/tidy_order.h"

#include <string.h>

enum {
    MOST_STATES = 1 << 21,
    AGAINST_TIME = 1 << 16, /* more than there are switches */
    NEVER = 0xff
};

static const uint32_t UNREACHED = UINT32_MAX;

struct ordering {
    struct execution_graph *graph;
    unsigned threads;
    unsigned lengths[EXECUTION_THREADS];
    size_t strides[EXECUTION_THREADS]; /* of the number of a vector */
    size_t vectors;
    event_number events[EXECUTION_THREADS][EXECUTION_EVENTS]; /* by thread and index from 0 */
    uint8_t newer[EXECUTION_EVENTS][EXECUTION_THREADS]; /* of an access: the index of the first
                                                           event of a thread that writes what is
                                                           newer; NEVER */
    uint32_t *costs;                                    /* by vector and last thread */
    uint8_t *previous;
};

static bool is_newer(const struct execution_graph *graph, const struct execution_event *write,
                     const struct execution_event *access)
{
    unsigned rank =
        access->kind == EVENT_KIND_WRITE ? access->rank : execution_source_rank(graph, access);
    return write->kind == EVENT_KIND_WRITE && write->location == access->location &&
           write->rank > rank;
}

struct tidiness tidiness_of(const struct execution_graph *graph)
{
    struct tidiness tidiness = {0, 0};
    unsigned thread = EXECUTION_THREADS;
    for (unsigned at = 0; at < graph->replay_count; at++) {
        const struct execution_event *event = &graph->events[graph->replay[at]];
        bool is_against = false;
        for (unsigned i = 0; event_is_access(event) && !event->is_update && i < at; i++)
            is_against |= is_newer(graph, &graph->events[graph->replay[i]], event);
        tidiness.against_time += is_against;
        tidiness.switches += at > 0 && event->thread != thread;
        thread = event->thread;
    }
    return tidiness;
}

static void find_newer(struct ordering *ordering, event_number number)
{
    const struct execution_graph *graph = ordering->graph;
    const struct execution_event *access = &graph->events[number];
    memset(ordering->newer[number], NEVER, EXECUTION_THREADS);
    for (event_number i = 0; event_is_access(access) && i < graph->event_count; i++) {
        const struct execution_event *write = &graph->events[i];
        uint8_t *first = &ordering->newer[number][write->thread];
        if (i != number && is_newer(graph, write, access) && write->index < *first)
            *first = write->index;
    }
}

static bool lay_out(struct ordering *ordering)
{
    const struct execution_graph *graph = ordering->graph;
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        ordering->events[event->thread][event->index - 1] = i;
        if (ordering->lengths[event->thread] < event->index)
            ordering->lengths[event->thread] = event->index;
        find_newer(ordering, i);
    }
    ordering->vectors = 1;
    for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
        if (ordering->lengths[thread])
            ordering->threads = thread + 1;
        ordering->strides[thread] = ordering->vectors;
        ordering->vectors *= ordering->lengths[thread] + 1;
        if (ordering->vectors * (thread + 1) > MOST_STATES)
            return false;
    }
    return true;
}

static unsigned made_by(const struct ordering *ordering, size_t vector, unsigned thread)
{
    return (unsigned)(vector / ordering->strides[thread] % (ordering->lengths[thread] + 1));
}

/* How many events a thread makes next, an update two; 0: none, or its source is not there yet. */
static unsigned can_make(const struct ordering *ordering, size_t vector, unsigned thread,
                         event_number *event)
{
    const struct execution_graph *graph = ordering->graph;
    unsigned made = made_by(ordering, vector, thread), length = ordering->lengths[thread];
    if (made == length)
        return 0;
    *event = ordering->events[thread][made];
    event_number source = graph->events[*event].source;
    if (source >= 0 &&
        made_by(ordering, vector, graph->events[source].thread) < graph->events[source].index)
        return 0;
    bool updates = made + 1 < length && graph->events[ordering->events[thread][made + 1]].is_update;
    return updates ? 2 : 1;
}

static bool is_against_time(const struct ordering *ordering, size_t vector, event_number event)
{
    for (unsigned thread = 0; thread < ordering->threads; thread++)
        if (made_by(ordering, vector, thread) >= ordering->newer[event][thread])
            return true;
    return false;
}

static void relax(struct ordering *ordering, size_t vector, unsigned last)
{
    uint32_t cost = ordering->costs[vector * ordering->threads + last];
    event_number event;
    for (unsigned thread = 0; cost != UNREACHED && thread < ordering->threads; thread++) {
        unsigned count = can_make(ordering, vector, thread, &event);
        if (!count)
            continue;
        uint32_t with = cost + (vector > 0 && thread != last) +
                        (is_against_time(ordering, vector, event) ? AGAINST_TIME : 0);
        size_t to = (vector + count * ordering->strides[thread]) * ordering->threads + thread;
        if (with < ordering->costs[to]) {
            ordering->costs[to] = with;
            ordering->previous[to] = (uint8_t)last;
        }
    }
}

/* Follows the path back from the end. */
static void write_down(struct ordering *ordering, unsigned last)
{
    struct execution_graph *graph = ordering->graph;
    size_t vector = ordering->vectors - 1;
    for (unsigned at = graph->replay_count; at > 0;) {
        unsigned made = made_by(ordering, vector, last);
        event_number event = ordering->events[last][made - 1];
        unsigned previous = ordering->previous[vector * ordering->threads + last];
        graph->replay[--at] = (uint8_t)event;
        vector -= ordering->strides[last];
        if (graph->events[event].is_update) {
            graph->replay[--at] = (uint8_t)graph->events[event].before;
            vector -= ordering->strides[last];
        }
        last = previous;
    }
}

static void find_order(struct ordering *ordering, unsigned last)
{
    size_t states = ordering->vectors * ordering->threads;
    for (size_t i = 0; i < states; i++)
        ordering->costs[i] = UNREACHED;
    ordering->costs[0] = 0;
    for (size_t vector = 0; vector < ordering->vectors; vector++)
        for (unsigned thread = 0; thread < ordering->threads; thread++)
            relax(ordering, vector, thread);
    const uint32_t *ends = &ordering->costs[states - ordering->threads];
    unsigned best = last;
    for (unsigned thread = 0; last == TIDY_ANY_THREAD && thread < ordering->threads; thread++)
        if (best == TIDY_ANY_THREAD || ends[thread] < ends[best])
            best = thread;
    if (ends[best] != UNREACHED)
        write_down(ordering, best);
}

bool tidy_order(struct execution_graph *graph, unsigned last, struct budget *budget)
{
    struct ordering *ordering = memory_zeroed(budget, sizeof *ordering);
    if (!ordering)
        return false;
    ordering->graph = graph;
    bool fits = lay_out(ordering);
    size_t states = ordering->vectors * ordering->threads;
    if (fits && states > 0) {
        ordering->costs = memory_allocate(budget, states * sizeof *ordering->costs);
        ordering->previous = memory_allocate(budget, states);
        fits = ordering->costs && ordering->previous;
        if (fits &&
            (last == TIDY_ANY_THREAD || (last < ordering->threads && ordering->lengths[last])))
            find_order(ordering, last);
        memory_release(budget, ordering->costs, states * sizeof *ordering->costs);
        memory_release(budget, ordering->previous, states);
    }
    memory_release(budget, ordering, sizeof *ordering);
    return fits;
}

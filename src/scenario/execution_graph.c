#include "scenario/execution_graph.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

void execution_copy(struct execution_graph *to, const struct execution_graph *from)
{
    memcpy(to, from, offsetof(struct execution_graph, replay) + from->replay_count);
    memcpy(to->locations, from->locations, from->location_count * sizeof *to->locations);
    memcpy(to->events, from->events, from->event_count * sizeof *to->events);
}

void execution_clear(struct execution_graph *graph)
{
    graph->event_count = graph->replay_count = graph->location_count = 0;
    graph->wakes_freely = false;
    for (unsigned i = 0; i < EXECUTION_THREADS; i++)
        graph->last[i] = EXECUTION_NONE;
}

event_number execution_add(struct execution_graph *graph, unsigned thread, enum event_kind kind,
                           enum memory_order_c11 order)
{
    assert(thread < EXECUTION_THREADS);
    if (graph->event_count == EXECUTION_EVENTS)
        return EXECUTION_NONE;
    event_number before = graph->last[thread];
    event_number number = (event_number)graph->event_count++;
    graph->last[thread] = number;
    graph->events[number] = (struct execution_event){
        .thread = (uint8_t)thread,
        .kind = (uint8_t)kind,
        .order = (uint8_t)order,
        .index = (uint8_t)(before < 0 ? 1 : graph->events[before].index + 1),
        .source = EXECUTION_NONE,
        .before = before,
    };
    graph->replay[graph->replay_count++] = (uint8_t)number;
    return number;
}

bool execution_add_location(struct execution_graph *graph, const void *address, unsigned size,
                            memory_value initial)
{
    if (graph->location_count == EXECUTION_LOCATIONS)
        return false;
    graph->locations[graph->location_count++] = (struct execution_location){
        .address = address,
        .initial = execution_cut(initial, size),
        .size = (uint8_t)size,
        .last_read = EXECUTION_NONE,
        .last_write = EXECUTION_NONE,
    };
    return true;
}

void execution_set_location(struct execution_graph *graph, event_number number, unsigned location)
{
    struct execution_event *event = &graph->events[number];
    struct execution_location *of = &graph->locations[location];
    assert(event_is_access(event) && location < graph->location_count);
    event_number *last = event->kind == EVENT_KIND_READ ? &of->last_read : &of->last_write;
    event->location = (uint16_t)location;
    event->previous = *last;
    *last = number;
}

event_number execution_newest_write(const struct execution_graph *graph, unsigned location)
{
    event_number newest = EXECUTION_INITIAL;
    unsigned rank = 0;
    for (event_number i = graph->locations[location].last_write; i >= 0;
         i = graph->events[i].previous)
        if (graph->events[i].rank > rank) {
            rank = graph->events[i].rank;
            newest = i;
        }
    return newest;
}

/* What a write hands on: the clock of a release, or of the release fence before it, and, for an
 * update, what it read besides (a release sequence). */
static union vector_clock message(const struct execution_graph *graph,
                                  const struct execution_event *write,
                                  const struct execution_event *before)
{
    if (write->order == ORDER_PLAIN)
        return (union vector_clock){.word = 0};
    union vector_clock handed =
        order_releases(write->order) ? write->happens_before : write->released;
    if (write->is_update && before->source >= 0)
        handed = clock_join(handed, graph->events[before->source].message);
    return handed;
}

void execution_update_clocks(struct execution_graph *graph, event_number number)
{
    struct execution_event *event = &graph->events[number];
    static const struct execution_event nothing;
    const struct execution_event *before =
        event->before >= 0 ? &graph->events[event->before] : &nothing;
    event->happens_before = before->happens_before;
    event->porf = before->porf;
    event->acquirable = before->acquirable;
    event->released = before->released;
    event->message.word = 0;
    if (event->source >= 0) {
        const struct execution_event *source = &graph->events[event->source];
        event->porf = clock_join(event->porf, source->porf);
        if (event->kind != EVENT_KIND_READ)
            event->happens_before = clock_join(event->happens_before, source->happens_before);
        else if (order_acquires(event->order))
            event->happens_before = clock_join(event->happens_before, source->message);
        if (event->kind == EVENT_KIND_READ)
            event->acquirable = clock_join(event->acquirable, source->message);
    }
    if (event->kind == EVENT_KIND_FENCE && order_acquires(event->order))
        event->happens_before = clock_join(event->happens_before, event->acquirable);
    event->happens_before.of[event->thread] = event->index;
    event->porf.of[event->thread] = event->index;
    if (event->kind == EVENT_KIND_FENCE && order_releases(event->order))
        event->released = event->happens_before;
    if (event->kind == EVENT_KIND_WRITE)
        event->message = message(graph, event, before);
}

void execution_place(struct execution_graph *graph, event_number write, unsigned rank)
{
    struct execution_event *placed = &graph->events[write];
    assert(placed->kind == EVENT_KIND_WRITE && rank > 0);
    for (event_number i = graph->locations[placed->location].last_write; i >= 0;
         i = graph->events[i].previous)
        graph->events[i].rank += graph->events[i].rank >= rank;
    placed->rank = (uint16_t)rank;
}

/* The last access of a thread to a location up to its event with an index; null: there is none. */
static const struct execution_event *last_access(const struct execution_graph *graph,
                                                 event_number last, unsigned location,
                                                 unsigned index)
{
    for (event_number i = last; i >= 0; i = graph->events[i].before) {
        const struct execution_event *event = &graph->events[i];
        if (event->index <= index && event->location == location && event_is_access(event))
            return event;
    }
    return NULL;
}

/* Of each thread the last access tells: no earlier one contradicts it. */
unsigned execution_least_rank(const struct execution_graph *graph, unsigned location,
                              union vector_clock past)
{
    unsigned least = 0;
    for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
        const struct execution_event *event =
            past.of[thread] ? last_access(graph, graph->last[thread], location, past.of[thread])
                            : NULL;
        if (!event)
            continue;
        unsigned rank =
            event->kind == EVENT_KIND_WRITE ? event->rank : execution_source_rank(graph, event);
        if (rank > least)
            least = rank;
    }
    return least;
}

bool execution_has_update(const struct execution_graph *graph, unsigned location,
                          event_number write, event_number but)
{
    for (event_number i = graph->locations[location].last_write; i >= 0;
         i = graph->events[i].previous) {
        const struct execution_event *event = &graph->events[i];
        if (i != but && event->is_update && graph->events[event->before].source == write)
            return true;
    }
    return false;
}

/* The events in any order: what each is, is summed up. */
uint64_t execution_hash(const struct execution_graph *graph)
{
    uint64_t sum = graph->event_count;
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        const struct execution_event *source =
            event->source >= 0 ? &graph->events[event->source] : NULL;
        uint64_t hash = hash_pair(event->thread, event->index);
        hash = hash_pair(hash, (uint64_t)event->kind << 8 | event->order);
        if (event_is_access(event))
            hash = hash_pair(hash, (uintptr_t)graph->locations[event->location].address);
        hash = hash_pair(hash, event->kind == EVENT_KIND_WRITE ? event->rank : 0);
        hash = hash_pair(hash, (uint64_t)event->value);
        if (event->size > sizeof(uint64_t))
            hash = hash_pair(hash, (uint64_t)(event->value >> 64));
        hash = hash_pair(hash, source ? source->thread * 256U + source->index : 0);
        sum += hash;
    }
    return sum;
}

event_number execution_first_read(const struct execution_graph *graph, event_number number)
{
    const struct execution_event *write = &graph->events[number];
    event_number first = EXECUTION_NONE;
    for (event_number i = graph->locations[write->location].last_read; i >= 0;
         i = graph->events[i].previous)
        if (!event_is_in_prefix(&graph->events[i], write))
            first = i;
    return first;
}

bool execution_fails(const struct execution_event *read)
{
    memory_value expected = execution_cut(read->expected, read->size);
    if (read->operation == OPERATION_COMPARE_EXCHANGE)
        return read->fails || read->value != expected;
    if (read->operation == OPERATION_ADD_UNLESS)
        return read->value == expected;
    if (read->operation == OPERATION_AWAIT_NONE)
        return read->value != 0;
    return read->operation == OPERATION_AWAIT && read->value < expected;
}

bool execution_waits_behind(const struct execution_graph *graph, event_number number)
{
    struct execution_event read = graph->events[number];
    read.value = execution_cut(execution_source_value(graph, &read), read.size);
    return read.is_lock && execution_fails(&read);
}

bool execution_stores(const struct execution_event *read, memory_value *stored)
{
    memory_value old = read->value, operand = read->operand, value = 0;
    if (execution_fails(read))
        return false;
    switch ((enum memory_operation)read->operation) {
    case OPERATION_LOAD:
    case OPERATION_AWAIT:
    case OPERATION_AWAIT_NONE:
        return false;
    case OPERATION_EXCHANGE:
        value = operand;
        break;
    case OPERATION_ADD:
    case OPERATION_ADD_UNLESS:
        value = old + operand;
        break;
    case OPERATION_SUB:
        value = old - operand;
        break;
    case OPERATION_AND:
        value = old & operand;
        break;
    case OPERATION_OR:
        value = old | operand;
        break;
    case OPERATION_XOR:
        value = old ^ operand;
        break;
    case OPERATION_NAND:
        value = ~(old & operand);
        break;
    case OPERATION_COMPARE_EXCHANGE:
        value = operand;
        break;
    }
    *stored = execution_cut(value, read->size);
    return true;
}

#include "scenario/alternatives.h"

#include <assert.h>
#include <string.h>

#include "scenario/restriction.h"

/* ---- graphs to work on ---- */

/* Room for a graph, given back in the opposite order; null when memory is refused. */
static struct execution_graph *take_room(struct exploration *exploration)
{
    struct budget *budget = exploration->settings.budget;
    if (exploration->copies_in_use == exploration->copies.length) {
        struct execution_graph *made = memory_allocate(budget, sizeof *made);
        if (!made || !vector_push(&exploration->copies, made)) {
            memory_release(budget, made, sizeof *made);
            exploration->refused = true;
            return NULL;
        }
    }
    return exploration->copies.items[exploration->copies_in_use++];
}

static struct execution_graph *take_copy(struct exploration *exploration,
                                         const struct execution_graph *graph)
{
    struct execution_graph *copy = take_room(exploration);
    if (copy)
        execution_copy(copy, graph);
    return copy;
}

static void give_copy(struct exploration *exploration)
{
    assert(exploration->copies_in_use > 0);
    exploration->copies_in_use--;
}

/* ---- the work list ---- */

static void append(struct exploration *exploration, const void *bytes, size_t size)
{
    memcpy(exploration->list.items + exploration->list.length, bytes, size);
    exploration->list.length += size;
}

void alternatives_push(struct exploration *exploration, const struct execution_graph *graph)
{
    size_t head = offsetof(struct execution_graph, replay) + graph->replay_count;
    size_t locations = graph->location_count * sizeof *graph->locations;
    size_t events = graph->event_count * sizeof *graph->events;
    size_t length = head + locations + events;
    if (exploration->along)
        return;
    if (!vector_reserve(&exploration->list, exploration->list.length + length + sizeof length)) {
        exploration->refused = true;
        return;
    }
    append(exploration, graph, head);
    append(exploration, graph->locations, locations);
    append(exploration, graph->events, events);
    append(exploration, &length, sizeof length);
    exploration->figures.pushed++;
    if (exploration->list.length > exploration->figures.most_bytes)
        exploration->figures.most_bytes = exploration->list.length;
}

bool alternatives_pop(struct exploration *exploration, struct execution_graph *graph)
{
    size_t length, all = exploration->list.length;
    if (all == 0)
        return false;
    memcpy(&length, exploration->list.items + all - sizeof length, sizeof length);
    const uint8_t *from = exploration->list.items + all - sizeof length - length;
    size_t head = offsetof(struct execution_graph, replay);
    memcpy(graph, from, head);
    memcpy(graph->replay, from + head, graph->replay_count);
    from += head + graph->replay_count;
    memcpy(graph->locations, from, graph->location_count * sizeof *graph->locations);
    from += graph->location_count * sizeof *graph->locations;
    memcpy(graph->events, from, graph->event_count * sizeof *graph->events);
    exploration->list.length = all - sizeof length - length;
    return true;
}

bool alternatives_allow(struct exploration *exploration, const struct execution_graph *graph)
{
    bool consistent =
        execution_is_consistent(graph, exploration->settings.model, exploration->settings.psc);
    exploration->figures.inconsistent += !consistent;
    return consistent;
}

/* ---- what a new event may do ---- */

static union vector_clock past_of(const struct execution_graph *graph, event_number event)
{
    event_number before = graph->events[event].before;
    return before >= 0 ? graph->events[before].happens_before : (union vector_clock){.word = 0};
}

static void revisit(struct exploration *exploration, const struct execution_graph *graph,
                    event_number write);

bool alternatives_settle(struct exploration *exploration, struct execution_graph *graph,
                         event_number number)
{
    struct execution_event *read = &graph->events[number];
    memory_value stored;
    read->value = execution_cut(execution_source_value(graph, read), read->size);
    bool stores = execution_stores(read, &stored);
    read->order = execution_fails(read) ? read->failure_order : read->success_order;
    execution_update_clocks(graph, number);
    if (!stores)
        return true;
    event_number made =
        execution_add(graph, read->thread, EVENT_KIND_WRITE, (enum memory_order_c11)read->order);
    assert(made >= 0 && graph->events[made].before == number); /* exploration_read left room */
    struct execution_event *write = &graph->events[made];
    write->is_update = true;
    execution_set_location(graph, made, read->location);
    write->size = read->size;
    write->value = stored;
    write->at = read->at;
    const struct schedule *schedule = exploration->schedule;
    if (schedule && schedule->steps[exploration->step].kind == 'u')
        write->rank = schedule->steps[exploration->step].rank;
    else
        execution_place(graph, made, execution_source_rank(graph, read) + 1);
    execution_update_clocks(graph, made);
    bool taken = execution_has_update(graph, read->location, read->source, made);
    revisit(exploration, graph, made);
    return !taken;
}

/* If the read is a compare-exchange that would succeed, but may fail: the graph in which it does.
 */
static void push_failing(struct exploration *exploration, const struct execution_graph *graph,
                         event_number number)
{
    struct execution_event read = graph->events[number];
    memory_value stored;
    read.value = execution_cut(execution_source_value(graph, &read), read.size);
    if (!read.may_fail || exploration->along || !execution_stores(&read, &stored))
        return;
    struct execution_graph *copy = take_copy(exploration, graph);
    if (!copy)
        return;
    copy->events[number].fails = true;
    if (alternatives_settle(exploration, copy, number) && alternatives_allow(exploration, copy))
        alternatives_push(exploration, copy);
    give_copy(exploration);
}

static void push_settled(struct exploration *exploration, struct execution_graph *graph,
                         event_number read)
{
    push_failing(exploration, graph, read);
    if (alternatives_settle(exploration, graph, read) && alternatives_allow(exploration, graph))
        alternatives_push(exploration, graph);
}

/* ---- backward revisits ---- */

/* Whether an event was there when another one was added that goes, or is kept as a write comes of
 * it. */
static inline bool is_there(const struct execution_graph *graph, event_number event,
                            event_number added, const struct execution_event *write)
{
    return event <= added || event_is_in_prefix(&graph->events[event], write);
}

/* Whether all writes of a location that were there, but for a new one, have at most some rank. */
static bool has_newest(const struct execution_graph *graph, unsigned location, unsigned rank,
                       event_number added, event_number write)
{
    for (event_number i = graph->locations[location].last_write; i >= 0;
         i = graph->events[i].previous)
        if (graph->events[i].rank > rank && i != write &&
            is_there(graph, i, added, &graph->events[write]))
            return false;
    return true;
}

static bool is_read(const struct execution_graph *graph, event_number number,
                    const struct execution_event *write)
{
    for (event_number i = graph->locations[graph->events[number].location].last_read; i >= 0;
         i = graph->events[i].previous)
        if (graph->events[i].source == number && is_there(graph, i, number, write))
            return true;
    return false;
}

/* Whether an event, which goes when a write that was added last becomes the source of a read, was
 * added as the greedy run adds it, to what was there then and what the write comes of. */
static bool is_maximal(const struct execution_graph *graph, event_number number, event_number write)
{
    const struct execution_event *event = &graph->events[number];
    if (event->kind == EVENT_KIND_CHOICE)
        return event->value == 0;
    if (event->kind == EVENT_KIND_READ)
        return !event->fails && has_newest(graph, event->location,
                                           execution_source_rank(graph, event), number, write);
    return event->kind != EVENT_KIND_WRITE ||
           (has_newest(graph, event->location, event->rank, number, write) &&
            !is_read(graph, number, &graph->events[write]));
}

/* Of the events from `first` on which a write does not come of, the last one that is not maximal;
 * none: EXECUTION_NONE. */
static event_number find_bound(const struct execution_graph *graph, event_number first,
                               event_number write)
{
    for (event_number i = (event_number)(graph->event_count - 1); i >= first; i--)
        if (i != write && !event_is_in_prefix(&graph->events[i], &graph->events[write]) &&
            !is_maximal(graph, i, write))
            return i;
    return EXECUTION_NONE;
}

/* The writes of a location with at least some rank, in the order in which they were added, the
 * initial one first. */
static const event_number *list_writes(const struct execution_graph *graph, unsigned location,
                                       unsigned least, event_number list[EXECUTION_EVENTS + 1])
{
    event_number *first = list + EXECUTION_EVENTS + 1;
    for (event_number i = graph->locations[location].last_write; i >= 0;
         i = graph->events[i].previous)
        if (graph->events[i].rank >= least)
            *--first = i;
    if (least == 0)
        *--first = EXECUTION_INITIAL;
    return first;
}

/* Every place in mo of a write that is no update, with the read reading from it. */
static void push_places(struct exploration *exploration, struct execution_graph *kept,
                        event_number read, event_number write, unsigned least)
{
    event_number list[EXECUTION_EVENTS + 1];
    struct execution_event *placed = &kept->events[write];
    unsigned location = placed->location, own = placed->rank;
    for (event_number i = kept->locations[location].last_write; i >= 0;
         i = kept->events[i].previous) /* out of mo for now */
        kept->events[i].rank -= kept->events[i].rank > own;
    placed->rank = 0;
    unsigned past = execution_least_rank(kept, location, past_of(kept, write));
    if (past > least)
        least = past;
    for (const event_number *other = list_writes(kept, location, least, list),
                            *end = list + ARRAY_LENGTH(list);
         other < end; other++) {
        if (*other == write || execution_has_update(kept, location, *other, EXECUTION_NONE))
            continue;
        struct execution_graph *copy = take_copy(exploration, kept);
        if (!copy)
            return;
        execution_place(copy, write, execution_rank(kept, *other) + 1);
        push_settled(exploration, copy, read);
        give_copy(exploration);
    }
}

static void push_revisit(struct exploration *exploration, const struct execution_graph *graph,
                         event_number old_read, event_number old_write, const bool *deleted)
{
    event_number numbers[EXECUTION_EVENTS];
    struct execution_graph *kept = take_room(exploration);
    if (!kept)
        return;
    execution_restrict(graph, deleted, old_read, kept, numbers);
    event_number read = numbers[old_read], write = numbers[old_write];
    const struct execution_event *source = &kept->events[write];
    unsigned location = source->location;
    unsigned least = execution_least_rank(kept, location, past_of(kept, read));
    kept->events[read].source = write;
    if (!source->is_update) {
        push_places(exploration, kept, read, write, least);
    } else {
        event_number from = kept->events[source->before].source;
        if (source->rank >= least && !execution_has_update(kept, location, from, write))
            push_settled(exploration, kept, read);
    }
    give_copy(exploration);
}

/* The reads of its location that a write does not come of, from `first` on, those that were added
 * last first; how many there are. */
static unsigned list_reads(const struct execution_graph *graph, event_number write,
                           event_number first, event_number *list)
{
    const struct execution_event *source = &graph->events[write];
    unsigned count = 0;
    for (event_number i = graph->locations[source->location].last_read; i >= first;
         i = graph->events[i].previous)
        if (!event_is_in_prefix(&graph->events[i], source))
            list[count++] = i;
    return count;
}

/* All that goes, and the read itself, must have been added as the greedy run adds them. */
static void revisit(struct exploration *exploration, const struct execution_graph *graph,
                    event_number write)
{
    const struct execution_event *source = &graph->events[write];
    bool deleted[EXECUTION_EVENTS];
    event_number reads[EXECUTION_EVENTS];
    if (source->order == ORDER_PLAIN || exploration->along)
        return;
    event_number first = execution_first_read(graph, write);
    if (first < 0)
        return;
    event_number bound = find_bound(graph, first, write);
    unsigned count = list_reads(graph, write, bound >= first ? bound + 1 : first, reads);
    while (count > 0) {
        event_number i = reads[--count];
        memset(deleted, false, (size_t)i + 1);
        for (event_number k = (event_number)(i + 1); k < graph->event_count; k++)
            deleted[k] = k != write && !event_is_in_prefix(&graph->events[k], source);
        push_revisit(exploration, graph, i, write, deleted);
    }
}

/* ---- what is read, and where is written ---- */

void alternatives_of_read(struct exploration *exploration, const struct exploration_access *access,
                          event_number number)
{
    struct execution_graph *graph = &exploration->graph;
    event_number list[EXECUTION_EVENTS + 1];
    unsigned location = graph->events[number].location;
    memory_value initial = graph->locations[location].initial;
    unsigned least = execution_least_rank(graph, location, past_of(graph, number));
    event_number newest = execution_newest_write(graph, location);
    bool chooses = !exploration->along && !access->is_last;
    const event_number *next = list_writes(graph, location, least, list);
    for (const event_number *end = list + ARRAY_LENGTH(list); chooses && next < end; next++) {
        event_number i = *next;
        const struct execution_event *event = i >= 0 ? &graph->events[i] : NULL;
        if (i == newest || (access->is_vain && (!event || event->order != ORDER_PLAIN) &&
                            access->is_vain(access->thread, event ? event->value : initial)))
            continue;
        struct execution_graph *copy = take_copy(exploration, graph);
        if (!copy)
            return;
        copy->events[number].source = i;
        if (!execution_waits_behind(copy, number))
            push_settled(exploration, copy, number);
        give_copy(exploration);
    }
    graph->events[number].source = newest;
    push_failing(exploration, graph, number);
    bool settled = alternatives_settle(exploration, graph, number);
    assert(settled); /* the newest write has no update */
    (void)settled;
}

void alternatives_of_write(struct exploration *exploration, event_number number)
{
    struct execution_graph *graph = &exploration->graph;
    struct execution_event *write = &graph->events[number];
    event_number list[EXECUTION_EVENTS + 1];
    unsigned location = write->location;
    unsigned least = execution_least_rank(graph, location, past_of(graph, number));
    execution_update_clocks(graph, number);
    unsigned newest = execution_rank(graph, execution_newest_write(graph, location));
    bool chooses = write->order != ORDER_PLAIN && !exploration->along && least < newest;
    const event_number *next = list_writes(graph, location, least, list);
    for (const event_number *end = list + ARRAY_LENGTH(list); chooses && next < end; next++) {
        unsigned rank = execution_rank(graph, *next);
        if (*next == number || rank == newest ||
            execution_has_update(graph, location, *next, EXECUTION_NONE))
            continue;
        struct execution_graph *copy = take_copy(exploration, graph);
        if (!copy)
            return;
        execution_place(copy, number, rank + 1);
        if (alternatives_allow(exploration, copy))
            alternatives_push(exploration, copy);
        give_copy(exploration);
    }
    write->rank = (uint16_t)(newest + 1);
    revisit(exploration, graph, number);
}

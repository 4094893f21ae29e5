#include "scenario/exploration.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "scenario/restriction.h"

struct exploration {
    struct exploration_settings settings;
    struct execution_graph graph;
    unsigned position; /* how many events of `graph.replay` this run has made */
    bool begun, along;
    unsigned preferred; /* along: of the threads that can step, these (a bit each) come first */
    bool is_to_wake;    /* all runs are to be begun anew, with wakes_freely */
    const struct schedule *schedule; /* that is followed; null: none */
    unsigned step;                   /* of it, that comes next */
    uint8_t goes_on;                 /* along a graph: the thread behind it, or SCHEDULE_NOBODY */
    bool is_evidence;                /* what is repeated ended with a finding */
    bool refused;                    /* memory for the work list */
    VECTOR(uint8_t) list;            /* graphs, each with its length behind it */
    VECTOR(struct execution_graph *) copies; /* to work on: too large for a stack */
    size_t copies_in_use;
    uint64_t seen[(EXECUTION_LOCATIONS + 63) / 64]; /* locations that this run has accessed */
    struct exploration_figures figures;
};

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

static void push(struct exploration *exploration, const struct execution_graph *graph)
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

static bool pop(struct exploration *exploration, struct execution_graph *graph)
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

static bool is_consistent(struct exploration *exploration, const struct execution_graph *graph)
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

/* A read has its source: works out its value and clocks, and adds the write of a read-modify-write
 * right behind the source in mo. False when another one has that place: such a graph is none, but
 * the write may be what the other should have read. */
static bool settle(struct exploration *exploration, struct execution_graph *graph,
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
    if (settle(exploration, copy, number) && is_consistent(exploration, copy))
        push(exploration, copy);
    give_copy(exploration);
}

static void push_settled(struct exploration *exploration, struct execution_graph *graph,
                         event_number read)
{
    push_failing(exploration, graph, read);
    if (settle(exploration, graph, read) && is_consistent(exploration, graph))
        push(exploration, graph);
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

/* ---- runs ---- */

enum status exploration_create(const struct exploration_settings *settings,
                               struct exploration **exploration)
{
    *exploration = memory_zeroed(settings->budget, sizeof **exploration);
    TRY_MEMORY(*exploration);
    (*exploration)->settings = *settings;
    execution_clear(&(*exploration)->graph);
    vectors_init(settings->budget, &(*exploration)->list, &(*exploration)->copies);
    return STATUS_OK;
}

void exploration_destroy(struct exploration *exploration)
{
    if (!exploration)
        return;
    for (size_t i = 0; i < exploration->copies.length; i++)
        memory_release(exploration->settings.budget, exploration->copies.items[i],
                       sizeof *exploration->copies.items[i]);
    vectors_release(&exploration->list, &exploration->copies);
    memory_release(exploration->settings.budget, exploration, sizeof *exploration);
}

static void start(struct exploration *exploration, bool along)
{
    assert(exploration->copies_in_use == 0);
    exploration->along = along;
    exploration->schedule = NULL;
    exploration->goes_on = SCHEDULE_NOBODY;
    exploration->is_evidence = false;
    exploration->preferred = 0;
    exploration->position = 0;
    memset(exploration->seen, 0, sizeof exploration->seen);
}

bool exploration_begin(struct exploration *exploration)
{
    start(exploration, false);
    if (exploration->begun) {
        if (!pop(exploration, &exploration->graph)) {
            if (!exploration->is_to_wake || exploration->graph.wakes_freely)
                return false;
            execution_clear(&exploration->graph);
            exploration->graph.wakes_freely = true;
        }
    } else {
        execution_clear(&exploration->graph);
    }
    exploration->begun = true;
    exploration->figures.runs++;
    return true;
}

void exploration_wake_freely(struct exploration *exploration)
{
    exploration->is_to_wake = true;
}

void exploration_begin_along(struct exploration *exploration, const struct execution_graph *graph)
{
    execution_copy(&exploration->graph, graph);
    start(exploration, true);
}

void exploration_goes_on(struct exploration *exploration, unsigned thread)
{
    exploration->goes_on = (uint8_t)thread;
    exploration->is_evidence = true;
}

void exploration_begin_as(struct exploration *exploration, const struct schedule *schedule)
{
    execution_clear(&exploration->graph);
    start(exploration, true);
    exploration->graph.wakes_freely = schedule->wakes_freely;
    exploration->schedule = schedule;
    exploration->step = 0;
    exploration->goes_on = schedule->goes_on;
    exploration->is_evidence = true;
}

unsigned exploration_created(const struct exploration *exploration)
{
    if (!exploration->schedule || exploration->step == 0)
        return EXECUTION_THREADS;
    return exploration->schedule->steps[exploration->step - 1].location - 1U;
}

unsigned exploration_steps_made(const struct exploration *exploration)
{
    return exploration->step;
}

bool exploration_is_as_scheduled(struct exploration *exploration)
{
    return exploration->step == exploration->schedule->count &&
           schedule_is_atomic(&exploration->graph) &&
           is_consistent(exploration, &exploration->graph);
}

void exploration_begin_failing(struct exploration *exploration, const struct execution_graph *graph,
                               event_number read)
{
    event_number numbers[EXECUTION_EVENTS];
    bool deleted[EXECUTION_EVENTS];
    for (event_number i = 0; i < graph->event_count; i++)
        deleted[i] = !event_is_in_prefix(&graph->events[i], &graph->events[read]);
    event_number source = graph->events[read].source;
    execution_restrict(graph, deleted, read, &exploration->graph, numbers);
    start(exploration, true);
    struct execution_event *failing = &exploration->graph.events[numbers[read]];
    failing->source = source >= 0 ? numbers[source] : source;
    failing->fails = true;
    exploration->preferred = 1U << failing->thread;
    (void)settle(exploration, &exploration->graph, numbers[read]); /* it adds no write */
}

bool exploration_is_along(const struct exploration *exploration)
{
    return exploration->along;
}

void exploration_restart(struct exploration *exploration)
{
    exploration->list.length = 0;
    exploration->begun = false;
}

bool exploration_repeats(const struct exploration *exploration)
{
    return exploration->position < exploration->graph.replay_count;
}

bool exploration_is_led(const struct exploration *exploration)
{
    return exploration_repeats(exploration) || exploration->goes_on != SCHEDULE_NOBODY ||
           (exploration->schedule && exploration->step < exploration->schedule->count);
}

int exploration_turn(const struct exploration *exploration, unsigned runnable)
{
    const struct execution_graph *graph = &exploration->graph;
    if (exploration_repeats(exploration))
        return graph->events[graph->replay[exploration->position]].thread;
    if (exploration->schedule && exploration->step < exploration->schedule->count)
        return exploration->schedule->steps[exploration->step].thread;
    /* Once it has ended the others go on: a thread without events is in no graph, but may race. */
    if (exploration->goes_on != SCHEDULE_NOBODY && runnable >> exploration->goes_on & 1)
        return exploration->goes_on;
    unsigned first = runnable & exploration->preferred;
    return runnable ? __builtin_ctz(first ? first : runnable) : -1;
}

const struct execution_graph *exploration_graph(const struct exploration *exploration)
{
    return &exploration->graph;
}

void exploration_made(const struct exploration *exploration, struct execution_graph *made)
{
    const struct execution_graph *graph = &exploration->graph;
    event_number numbers[EXECUTION_EVENTS];
    bool deleted[EXECUTION_EVENTS];
    memset(deleted, true, sizeof deleted);
    for (unsigned at = 0; at < exploration->position; at++)
        deleted[graph->replay[at]] = false;
    execution_restrict(graph, deleted, EXECUTION_NONE, made, numbers);
}

struct exploration_figures exploration_figures(const struct exploration *exploration)
{
    return exploration->figures;
}

event_number exploration_update(const struct exploration *exploration, event_number read)
{
    const struct execution_graph *graph = &exploration->graph;
    if (exploration->position == 0)
        return EXECUTION_NONE;
    event_number last = graph->replay[exploration->position - 1];
    const struct execution_event *event = &graph->events[last];
    return event->is_update && event->before == read ? last : EXECUTION_NONE;
}

void exploration_set_value(struct exploration *exploration, event_number write, memory_value value)
{
    struct execution_event *event = &exploration->graph.events[write];
    assert(event->kind == EVENT_KIND_WRITE);
    event->value = execution_cut(value, event->size);
}

/* ---- events ---- */

/* The next event of the graph that is repeated, if it is of that thread and kind. */
static enum exploration_step repeat(struct exploration *exploration, unsigned thread,
                                    enum event_kind kind, event_number *event)
{
    *event = exploration->graph.replay[exploration->position];
    const struct execution_event *found = &exploration->graph.events[*event];
    if (found->thread != thread || found->kind != kind)
        return STEP_DIFFERS;
    exploration->position++;
    return STEP_TAKEN;
}

/* The number of a location, a new one if need be. */
static enum exploration_step find_location(struct exploration *exploration,
                                           const struct exploration_access *access,
                                           unsigned *location)
{
    struct execution_graph *graph = &exploration->graph;
    for (*location = 0; *location < graph->location_count; ++*location)
        if (graph->locations[*location].address == access->address)
            return graph->locations[*location].size == access->size ? STEP_TAKEN : STEP_MIXED;
    return execution_add_location(graph, access->address, access->size, access->initial)
               ? STEP_TAKEN
               : STEP_TOO_LARGE;
}

/* Whether a location is accessed for the first time in this run. */
static bool sees_first(struct exploration *exploration, unsigned location)
{
    uint64_t *word = &exploration->seen[location / 64], bit = UINT64_C(1) << (location % 64);
    bool first = !(*word & bit);
    *word |= bit;
    return first;
}

/* Whether what a location has at first may be another value than it had: with the last access of a
 * thread a run has ended that found it to race with a plain write, which may come later now. */
static bool may_race(const struct exploration *exploration, event_number number)
{
    const struct execution_graph *graph = &exploration->graph;
    const struct execution_event *event = &graph->events[number];
    event_number last = graph->last[event->thread];
    return exploration->is_evidence && (last == number || (graph->events[last].is_update &&
                                                           graph->events[last].before == number));
}

/* Whether what an event has is a value, which may have more bytes than the event. */
static inline bool has_value(const struct execution_event *event, memory_value had,
                             memory_value value)
{
    return had == value || had == execution_cut(value, event->size);
}

static enum exploration_step repeat_access(struct exploration *exploration,
                                           const struct exploration_access *access,
                                           enum event_kind kind, event_number *number)
{
    enum exploration_step step = repeat(exploration, access->thread, kind, number);
    struct execution_event *event = &exploration->graph.events[*number];
    if (step != STEP_TAKEN)
        return step;
    if (exploration->graph.locations[event->location].address != access->address ||
        event->size != access->size)
        return STEP_DIFFERS;
    bool is_left_over = access->is_on_stack && kind == EVENT_KIND_WRITE;
    if (sees_first(exploration, event->location) && !is_left_over &&
        exploration->graph.locations[event->location].initial !=
            execution_cut(access->initial, access->size) &&
        !may_race(exploration, *number))
        return STEP_DIFFERS;
    if (kind == EVENT_KIND_WRITE)
        return event->order == ORDER_PLAIN || has_value(event, event->value, access->operand)
                   ? STEP_TAKEN
                   : STEP_DIFFERS;
    return event->operation == access->operation &&
                   has_value(event, event->operand, access->operand) &&
                   has_value(event, event->expected, access->expected)
               ? STEP_TAKEN
               : STEP_DIFFERS;
}

/* Atomics of the stronger models always synchronise: what a compiler could make of their orders is
 * not looked at (see docs). */
static uint8_t effective_order(const struct exploration *exploration, enum memory_order_c11 order,
                               uint8_t least)
{
    if (exploration->settings.model == MEMORY_RC11 || order == ORDER_SEQ_CST ||
        order == ORDER_PLAIN)
        return (uint8_t)order;
    return least;
}

static enum exploration_step finish(const struct exploration *exploration)
{
    return exploration->refused ? STEP_LIMIT : STEP_TAKEN;
}

/* Whether a read of a schedule may succeed, or fail, that did not: with its last step a run has
 * ended that found it to race with a plain write (see may_race). */
static bool may_turn_out(const struct exploration *exploration, event_number number)
{
    return exploration->step + 1 == exploration->schedule->count &&
           exploration->graph.events[number].source == EXECUTION_INITIAL;
}

/* The event, which has been added, does what the schedule has next, if it may. */
static enum exploration_step follow(struct exploration *exploration, event_number number)
{
    struct execution_graph *graph = &exploration->graph;
    bool reads = graph->events[number].kind == EVENT_KIND_READ;
    if (!schedule_choose(exploration->schedule, exploration->step, graph, number) ||
        (reads && !settle(exploration, graph, number)) ||
        (schedule_letter(graph, number) != exploration->schedule->steps[exploration->step].kind &&
         !(reads && may_turn_out(exploration, number))))
        return STEP_DIFFERS;
    if (!reads)
        execution_update_clocks(graph, number);
    exploration->step++;
    return STEP_TAKEN;
}

/* The newest write in mo, and on the list a graph for each other one that coherence leaves; but
 * none in which the thread waits because of an older one: nothing comes of the read there, and it
 * would not wait for ever. */
static void choose_source(struct exploration *exploration, const struct exploration_access *access,
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
    bool settled = settle(exploration, graph, number);
    assert(settled); /* the newest write has no update */
    (void)settled;
}

enum exploration_step exploration_read(struct exploration *exploration,
                                       const struct exploration_access *access,
                                       event_number *number)
{
    struct execution_graph *graph = &exploration->graph;
    unsigned location;
    if (exploration_repeats(exploration)) {
        enum exploration_step step = repeat_access(exploration, access, EVENT_KIND_READ, number);
        if (step == STEP_TAKEN && exploration_repeats(exploration)) {
            const struct execution_event *next =
                &graph->events[graph->replay[exploration->position]];
            exploration->position += next->is_update && next->before == *number;
        }
        return step;
    }
    enum exploration_step step = find_location(exploration, access, &location);
    if (step != STEP_TAKEN)
        return step;
    if (graph->event_count + 2 > EXECUTION_EVENTS)
        return STEP_TOO_LARGE;
    *number = execution_add(graph, access->thread, EVENT_KIND_READ, access->order);
    struct execution_event *read = &graph->events[*number];
    bool updates = operation_may_store(access->operation);
    execution_set_location(graph, *number, location);
    read->size = (uint8_t)access->size;
    read->operation = (uint8_t)access->operation;
    read->is_lock = access->is_lock;
    read->may_fail = access->may_fail;
    read->success_order =
        effective_order(exploration, access->order, updates ? ORDER_ACQ_REL : ORDER_ACQUIRE);
    read->failure_order = effective_order(exploration, access->failure_order, ORDER_ACQUIRE);
    read->operand = execution_cut(access->operand, access->size);
    read->expected = execution_cut(access->expected, access->size);
    read->at = access->at;
    read->call = (uint8_t)access->call;
    step = STEP_TAKEN;
    if (exploration->schedule)
        step = follow(exploration, *number);
    else
        choose_source(exploration, access, *number);
    exploration->position = graph->replay_count;
    return step == STEP_TAKEN ? finish(exploration) : step;
}

/* The last place in mo, and on the list a graph for each other one that coherence leaves. */
static void choose_place(struct exploration *exploration, event_number number)
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
        if (is_consistent(exploration, copy))
            push(exploration, copy);
        give_copy(exploration);
    }
    write->rank = (uint16_t)(newest + 1);
    revisit(exploration, graph, number);
}

enum exploration_step exploration_write(struct exploration *exploration,
                                        const struct exploration_access *access,
                                        event_number *number)
{
    struct execution_graph *graph = &exploration->graph;
    unsigned location;
    if (exploration_repeats(exploration))
        return repeat_access(exploration, access, EVENT_KIND_WRITE, number);
    enum exploration_step step = find_location(exploration, access, &location);
    if (step != STEP_TAKEN)
        return step;
    *number = execution_add(graph, access->thread, EVENT_KIND_WRITE,
                            effective_order(exploration, access->order, ORDER_RELEASE));
    if (*number < 0)
        return STEP_TOO_LARGE;
    struct execution_event *write = &graph->events[*number];
    execution_set_location(graph, *number, location);
    write->size = (uint8_t)access->size;
    write->value = execution_cut(access->operand, access->size);
    write->at = access->at;
    write->call = (uint8_t)access->call;
    step = STEP_TAKEN;
    if (exploration->schedule)
        step = follow(exploration, *number);
    else
        choose_place(exploration, *number);
    exploration->position = graph->replay_count;
    return step == STEP_TAKEN ? finish(exploration) : step;
}

/* An event that is no access. */
static enum exploration_step make(struct exploration *exploration, unsigned thread,
                                  enum event_kind kind, enum memory_order_c11 order,
                                  event_number source, const void *at, event_number *number)
{
    struct execution_graph *graph = &exploration->graph;
    if (exploration_repeats(exploration))
        return repeat(exploration, thread, kind, number);
    *number =
        thread < EXECUTION_THREADS ? execution_add(graph, thread, kind, order) : EXECUTION_NONE;
    if (*number < 0)
        return STEP_TOO_LARGE;
    graph->events[*number].source = source;
    graph->events[*number].at = at;
    execution_update_clocks(graph, *number);
    exploration->position = graph->replay_count;
    return exploration->schedule ? follow(exploration, *number) : STEP_TAKEN;
}

enum exploration_step exploration_fence(struct exploration *exploration, unsigned thread,
                                        enum memory_order_c11 order, const void *at,
                                        event_number *event)
{
    return make(exploration, thread, EVENT_KIND_FENCE, order, EXECUTION_NONE, at, event);
}

enum exploration_step exploration_mark(struct exploration *exploration, unsigned thread,
                                       enum event_kind kind, event_number source, const void *at,
                                       event_number *event)
{
    assert(kind != EVENT_KIND_READ && kind != EVENT_KIND_WRITE && kind != EVENT_KIND_FENCE);
    return make(exploration, thread, kind, ORDER_PLAIN, source, at, event);
}

enum exploration_step exploration_choose(struct exploration *exploration, unsigned thread,
                                         unsigned count, const void *at, event_number *event)
{
    struct execution_graph *graph = &exploration->graph;
    bool repeats = exploration_repeats(exploration);
    enum exploration_step step =
        make(exploration, thread, EVENT_KIND_CHOICE, ORDER_PLAIN, EXECUTION_NONE, at, event);
    if (step != STEP_TAKEN || repeats)
        return step;
    if (exploration->schedule) {
        unsigned value = exploration->schedule->steps[exploration->step - 1].location;
        graph->events[*event].value = value;
        return value < count ? STEP_TAKEN : STEP_DIFFERS;
    }
    for (unsigned value = 1; value < count; value++) {
        graph->events[*event].value = value;
        push(exploration, graph);
    }
    graph->events[*event].value = 0;
    return finish(exploration);
}

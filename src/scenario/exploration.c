#include "scenario/exploration.h"

#include <assert.h>
#include <string.h>

#include "scenario/alternatives.h"
#include "scenario/restriction.h"

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
        if (!alternatives_pop(exploration, &exploration->graph)) {
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
           alternatives_allow(exploration, &exploration->graph);
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
    (void)alternatives_settle(exploration, &exploration->graph,
                              numbers[read]); /* it adds no write */
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
        (reads && !alternatives_settle(exploration, graph, number)) ||
        (schedule_letter(graph, number) != exploration->schedule->steps[exploration->step].kind &&
         !(reads && may_turn_out(exploration, number))))
        return STEP_DIFFERS;
    if (!reads)
        execution_update_clocks(graph, number);
    exploration->step++;
    return STEP_TAKEN;
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
        alternatives_of_read(exploration, access, *number);
    exploration->position = graph->replay_count;
    return step == STEP_TAKEN ? finish(exploration) : step;
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
        alternatives_of_write(exploration, *number);
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
        alternatives_push(exploration, graph);
    }
    graph->events[*event].value = 0;
    return finish(exploration);
}

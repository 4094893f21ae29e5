#include "runtime/livelock.h"

#include <string.h>

#include "base/hash.h"
#include "base/table.h"
#include "base/vector.h"
#include "runtime/globals.h"
#include "runtime/heap.h"
#include "runtime/retry.h"
#include "runtime/scheduler.h"
#include "runtime/sections.h"
#include "scenario/lasso.h"

enum {
    MOST_RUNS = 1 << 13,
    MOST_BYTES = 1 << 20, /* of a state */
    RUNS_A_LOOK = 64,
    NOBODY = -1
};

/* What tells two states apart. */
struct fingerprint {
    uint64_t all[2];
    uint64_t memory; /* but for stacks */
};

/* A state on the way of a run. */
struct passed {
    struct fingerprint fingerprint;
    unsigned events;    /* made in front of it */
    unsigned ready;     /* threads that can step, a bit each */
    uint8_t by;         /* the thread that steps next */
    bool is_forgetful;  /* what happens next may depend on more than the state */
    size_t start, size; /* of the state among those that are kept */
};

static struct livelock {
    struct exploration *exploration;
    struct budget *budget;
    VECTOR(char) state;
    struct table places; /* of states: numbers of nodes, ... */
    VECTOR(struct lasso_node) nodes;
    VECTOR(struct fingerprint) found; /* ... what they are, ... */
    VECTOR(uint8_t) ready;            /* ... and the threads whose steps are to be taken */
    VECTOR(char) kept;                /* the states of a run, one behind the other */
    uint8_t way[EXECUTION_EVENTS * 2];
    unsigned way_length;
    struct passed passed[EXECUTION_EVENTS * 2];
    unsigned passed_count;
    bool is_led, keeps, refused;
} livelock;

/* ---- states ---- */

static void put(const void *bytes, size_t size)
{
    if (livelock.refused || livelock.state.length + size > MOST_BYTES ||
        !vector_reserve(&livelock.state, livelock.state.length + size)) {
        livelock.refused = true;
        return;
    }
    memcpy(livelock.state.items + livelock.state.length, bytes, size);
    livelock.state.length += size;
}

static void put_word(uint64_t word)
{
    put(&word, sizeof word);
}

static void put_memory(void)
{
    size_t size;
    for (size_t i = 0; i < GLOBALS_RANGES; i++) {
        const char *start = globals_range(i, &size);
        put(start, size);
    }
    for (unsigned i = 0; i < REGION_THREADS; i++) {
        const char *storage = fiber_storage(&execution.threads[i].fiber, &size);
        put_word(heap_used(i));
        put(region_arena(i), heap_used(i));
        if (i < execution.thread_count)
            put(storage, size);
    }
}

static void put_request(const struct request *request)
{
    const struct exploration_access *access = &request->access;
    put_word(request->kind);
    put_word((uintptr_t)access->address);
    put_word((uint64_t)access->size << 32 | (uint64_t)access->operation << 16 |
             (uint64_t)access->order << 8 | (uint64_t)access->failure_order);
    put_word((uint64_t)access->is_lock << 8 | (uint64_t)access->may_fail << 16 |
             (uint64_t)access->call);
    put(&access->operand, sizeof access->operand);
    put(&access->expected, sizeof access->expected);
    put_word((uintptr_t)access->at);
    put_word(request->other);
    put_word(request->site);
}

static void put_held(const struct held_locks *held)
{
    put_word(held->count);
    for (unsigned i = 0; i < held->count; i++) {
        put_word((uintptr_t)held->items[i].lock);
        put_word((uint64_t)held->items[i].times << 1 | held->items[i].shared);
    }
}

/* Where a thread stands, and what is kept for it. */
static void put_thread(unsigned number)
{
    const struct thread *thread = &execution.threads[number];
    const char *frame = execution.threads[number].frame, *end = region_stack_end(number);
    put_word(thread->state);
    put_word((uint64_t)thread->operation << 8 | (uint64_t)thread->created << 3 |
             (uint64_t)thread->failed << 2 | (uint64_t)thread->detached << 1 | thread->joined);
    put_word((uint64_t)thread->freed << 32 | (uint64_t)thread->keys_made << 8 |
             thread->at_end_count);
    put_word(thread->random);
    put_word((uint64_t)(unsigned)thread->error);
    put_word((uintptr_t)thread->throws_at);
    put_word((uintptr_t)thread->result);
    put_held(&thread->held);
    if (thread->has_specific)
        put(thread->specific, sizeof thread->specific);
    if (thread->state != THREAD_ASKING)
        return;
    put_request(&thread->request);
    if (!frame)
        frame = thread->fiber.stack_pointer;
    put_word((uintptr_t)frame);
    put_word((uintptr_t)thread->fiber.stack_pointer);
    put(frame, (size_t)(end - frame));
}

static void put_operations(void)
{
    for (size_t i = 0; i < execution.operation_count; i++) {
        const struct exchange_operation_run *run = &execution.operations[i];
        put_word((uint64_t)run->called << 1 | run->finished);
        put_word(run->finished ? (uint64_t)run->result : 0);
    }
}

static struct fingerprint take_fingerprint(void)
{
    struct fingerprint taken;
    livelock.state.length = 0;
    put_memory();
    const char *bytes = livelock.state.items;
    taken.memory = hash_bytes(bytes, livelock.state.length, 1);
    for (unsigned i = 0; i < execution.thread_count; i++)
        put_thread(i);
    put_operations();
    taken.all[0] = hash_bytes(livelock.state.items, livelock.state.length, 2);
    taken.all[1] = hash_bytes(livelock.state.items, livelock.state.length, 3);
    return taken;
}

static bool is_same(const struct fingerprint *a, const struct fingerprint *b)
{
    return a->all[0] == b->all[0] && a->all[1] == b->all[1] && a->memory == b->memory;
}

/* Whether a thread has looked at a clock, waits for a signal, or comes to a choice: what it does
 * next is then not decided by memory and its stack alone, or not the same for ever. */
static bool is_forgetful(const struct thread *thread)
{
    return thread->looks_at_clock || thread->jumps > 0 || thread->waiting.condition ||
           thread->state == THREAD_BLOCKED ||
           (thread->state == THREAD_ASKING && thread->request.kind == ASKED_CHOICE);
}

/* Keeps the state that was looked at last. */
static void keep(struct passed *passed)
{
    passed->start = livelock.kept.length;
    passed->size = livelock.state.length;
    if (!vector_reserve(&livelock.kept, passed->start + passed->size)) {
        livelock.refused = true;
        return;
    }
    memcpy(livelock.kept.items + passed->start, livelock.state.items, passed->size);
    livelock.kept.length += passed->size;
}

static bool is_same_kept(const struct passed *a, const struct passed *b)
{
    return a->size == b->size && is_same(&a->fingerprint, &b->fingerprint) &&
           memcmp(livelock.kept.items + a->start, livelock.kept.items + b->start, a->size) == 0;
}

/* ---- runs ---- */

/* Whether a thread asks for a lock that is not free: it goes on once that is. */
static bool waits_for_lock(const struct thread *thread)
{
    const struct exploration_access *access = &thread->request.access;
    if (thread->state != THREAD_ASKING || thread->request.kind != ASKED_READ || !access->is_lock)
        return false;
    const struct execution_event read = {.operation = (uint8_t)access->operation,
                                         .size = (uint8_t)access->size,
                                         .value = memory_load(access->address, access->size),
                                         .operand = execution_cut(access->operand, access->size),
                                         .expected = execution_cut(access->expected, access->size)};
    return execution_fails(&read);
}

static unsigned count_events(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < execution.thread_count; i++)
        count += execution.threads[i].state == THREAD_UNUSED ? 0U : execution.threads[i].now.of[i];
    return count;
}

/* Whose turn it is. A thread that has not begun comes first: what it does up to its first event
 * depends on nothing. */
static int choose(unsigned ready)
{
    struct passed *passed = &livelock.passed[livelock.passed_count];
    for (unsigned i = 0; i < execution.thread_count; i++)
        if (execution.threads[i].state == THREAD_FRESH)
            return (int)i;
    if (livelock.refused || livelock.passed_count == ARRAY_LENGTH(livelock.passed))
        return NOBODY;
    *passed = (struct passed){.events = count_events(), .ready = ready};
    for (unsigned i = 0; i < execution.thread_count; i++) {
        const struct thread *thread = &execution.threads[i];
        passed->is_forgetful |= is_forgetful(thread);
        if (waits_for_lock(thread))
            passed->ready &= ~(1U << i);
    }
    passed->fingerprint = take_fingerprint();
    if (livelock.keeps)
        keep(passed);
    int turn = NOBODY;
    if (livelock.is_led && exploration_is_led(livelock.exploration))
        turn = exploration_turn(livelock.exploration, ready);
    else if (!livelock.is_led && livelock.passed_count < livelock.way_length)
        turn = livelock.way[livelock.passed_count];
    passed->by = (uint8_t)turn;
    livelock.passed_count++;
    return turn;
}

static void make_run(void)
{
    livelock.passed_count = 0;
    livelock.kept.length = 0;
    execution.choose = choose;
    (void)scheduler_run(); /* of one that ends early nothing is known */
    execution.choose = NULL;
}

/* Runs along the way. False: it does not come to its end. */
static bool go_along(void)
{
    static struct execution_graph nothing;
    execution_clear(&nothing);
    exploration_begin_along(livelock.exploration, &nothing);
    make_run();
    return !execution.over && !livelock.refused && livelock.passed_count == livelock.way_length + 1;
}

/* ---- going through all states ---- */

static void find_way(uint32_t node, unsigned next)
{
    unsigned length = 1;
    for (uint32_t at = node; livelock.nodes.items[at].parent >= 0;
         at = (uint32_t)livelock.nodes.items[at].parent)
        length++;
    livelock.way_length = length;
    livelock.way[--length] = (uint8_t)next;
    for (uint32_t at = node; livelock.nodes.items[at].parent >= 0;
         at = (uint32_t)livelock.nodes.items[at].parent)
        livelock.way[--length] = livelock.nodes.items[at].by;
}

/* The node of the last state of a run, a new one if need be; LASSO_NOT_TAKEN when refused. */
static int32_t find_node(int32_t parent, unsigned by)
{
    const struct passed *passed = &livelock.passed[livelock.passed_count - 1];
    struct table_search search = table_search(&livelock.places, passed->fingerprint.all[0]);
    while (table_next(&search))
        if (is_same(&livelock.found.items[search.number], &passed->fingerprint))
            return (int32_t)search.number;
    uint32_t number = (uint32_t)livelock.nodes.length;
    struct lasso_node made = {.parent = parent, .by = (uint8_t)by};
    for (unsigned i = 0; i < EXECUTION_THREADS; i++) {
        bool can_step = passed->is_forgetful || passed->ready >> i & 1;
        made.to[i] = can_step ? LASSO_NOT_TAKEN : LASSO_NOWHERE;
    }
    uint8_t ready = passed->is_forgetful ? 0 : (uint8_t)passed->ready;
    if (!table_add(&livelock.places, passed->fingerprint.all[0], number) ||
        !vector_push(&livelock.nodes, made) || !vector_push(&livelock.ready, ready) ||
        !vector_push(&livelock.found, passed->fingerprint)) {
        livelock.refused = true;
        return LASSO_NOT_TAKEN;
    }
    return (int32_t)number;
}

static void take_step(uint32_t node, unsigned thread)
{
    find_way(node, thread);
    if (livelock.way_length + 1 >= ARRAY_LENGTH(livelock.passed) || !go_along())
        return;
    const struct passed *last = &livelock.passed[livelock.passed_count - 1];
    int32_t to = find_node((int32_t)node, thread);
    struct lasso_node *from = &livelock.nodes.items[node];
    from->to[thread] = to;
    if (last->fingerprint.memory != livelock.found.items[node].memory)
        from->changes |= (uint8_t)(1U << thread);
}

/* Breadth first, so that ways are shortest. */
static void go_through_states(struct limits *limits)
{
    unsigned runs = 1;
    livelock.way_length = 0;
    if (!go_along() || find_node(LASSO_NOWHERE, 0) < 0)
        return;
    for (uint32_t node = 0; node < livelock.nodes.length; node++)
        for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
            if (!(livelock.ready.items[node] >> thread & 1))
                continue;
            if (livelock.refused || runs++ == MOST_RUNS ||
                (runs % RUNS_A_LOOK == 0 && limits_reached(limits) != LIMIT_NONE))
                return;
            take_step(node, thread);
        }
}

static void open_search(struct exploration *exploration, struct budget *budget)
{
    retry_enable(false, false);
    sections_enable(false);
    livelock.exploration = exploration;
    livelock.is_led = livelock.keeps = livelock.refused = false;
    table_init(&livelock.places, budget);
    vectors_init(budget, &livelock.state, &livelock.nodes, &livelock.found, &livelock.ready,
                 &livelock.kept);
}

static void close_search(void)
{
    table_release(&livelock.places);
    vectors_release(&livelock.state, &livelock.nodes, &livelock.found, &livelock.ready,
                    &livelock.kept);
}

/* ---- circles ---- */

/* Whether the events of a run from one on read the newest and write the newest, and none of them
 * was a matter of choice. */
static bool is_newest(const struct execution_graph *graph, unsigned round)
{
    unsigned newest[EXECUTION_LOCATIONS] = {0};
    for (unsigned at = 0; at < graph->replay_count; at++) {
        const struct execution_event *event = &graph->events[graph->replay[at]];
        if (event->kind == EVENT_KIND_CHOICE && at >= round)
            return false;
        if (!event_is_access(event))
            continue;
        bool writes = event->kind == EVENT_KIND_WRITE;
        unsigned rank = writes ? event->rank : execution_source_rank(graph, event);
        if (at >= round && (event->fails || (writes ? rank <= newest[event->location]
                                                    : rank != newest[event->location])))
            return false;
        if (writes && rank > newest[event->location])
            newest[event->location] = rank;
    }
    return true;
}

/* The event of a thread that takes a lock next, behind a place of the circle, going round. */
static const struct execution_event *next_lock(const struct execution_graph *graph, unsigned round,
                                               unsigned at)
{
    const struct execution_event *from = &graph->events[graph->replay[at]];
    unsigned length = graph->replay_count - round;
    for (unsigned i = 1; i <= length; i++) {
        unsigned next = round + (at - round + i) % length;
        const struct execution_event *event = &graph->events[graph->replay[next]];
        if (event->thread == from->thread && event->kind == EVENT_KIND_READ &&
            (event->call == CALL_LOCK || event->call == CALL_TRY_LOCK))
            return event;
    }
    return from;
}

/* Whether threads that go round have tried locks in vain, and each waits next for the one that it
 * could not have, as std::lock does: C++ asks no more of it than that nobody waits for ever. */
static bool backs_off(const struct execution_graph *graph, unsigned round)
{
    bool tries = false;
    for (unsigned at = round; at < graph->replay_count; at++) {
        const struct execution_event *event = &graph->events[graph->replay[at]];
        if (event->kind != EVENT_KIND_READ || event->call != CALL_TRY_LOCK ||
            !execution_fails(event))
            continue;
        const struct execution_event *next = next_lock(graph, round, at);
        if (next->call != CALL_LOCK || next->location != event->location)
            return false;
        tries = true;
    }
    return tries;
}

/* Whether the last state of the run is an earlier one, from which each thread that can step has
 * stepped since, and changed memory; or, unless `each_changes`, somebody has. */
static bool comes_round(unsigned first, bool each_changes)
{
    unsigned able = 0, moved = 0, changed = 0;
    for (unsigned i = first; i + 1 < livelock.passed_count; i++) {
        const struct passed *passed = &livelock.passed[i];
        unsigned by = 1U << passed->by;
        if (passed->is_forgetful)
            return false;
        able |= passed->ready;
        moved |= by;
        if (passed->fingerprint.memory != passed[1].fingerprint.memory)
            changed |= by;
    }
    return able == moved && (each_changes ? changed == able : changed != 0);
}

static bool is_livelock(unsigned first, bool is_closed)
{
    const struct passed *passed = &livelock.passed[first];
    const struct execution_graph *graph = exploration_graph(livelock.exploration);
    return is_same_kept(passed, &livelock.passed[livelock.passed_count - 1]) &&
           comes_round(first, !is_closed) && is_newest(graph, passed->events) &&
           (is_closed || !backs_off(graph, passed->events));
}

bool livelock_find(struct exploration *exploration, struct limits *limits, uint32_t *from,
                   unsigned *round)
{
    static struct lasso lasso;
    bool found = false;
    open_search(exploration, limits->budget);
    go_through_states(limits);
    livelock.keeps = true;
    while (!found && !livelock.refused && livelock.nodes.length > 0 &&
           lasso_find(livelock.nodes.items, (uint32_t)livelock.nodes.length, from, limits->budget,
                      &lasso)) {
        memcpy(livelock.way, lasso.steps, lasso.length);
        livelock.way_length = lasso.length;
        found = go_along() && is_livelock(lasso.stem, lasso.is_closed);
        *round = livelock.passed[lasso.stem].events;
    }
    close_search();
    return found;
}

/* The first state of the run that its last one comes back to, or `passed_count`. */
static unsigned find_round(bool each_changes)
{
    unsigned last = livelock.passed_count;
    const struct execution_graph *graph = exploration_graph(livelock.exploration);
    for (unsigned i = 0; i + 1 < last; i++)
        if (is_same_kept(&livelock.passed[i], &livelock.passed[last - 1]) &&
            comes_round(i, each_changes) && is_newest(graph, livelock.passed[i].events))
            return i;
    return last;
}

/* Makes the run that is begun, as far as it is led. */
static bool go_led(void (*begin)(void))
{
    begin();
    livelock.is_led = livelock.keeps = true;
    make_run();
    livelock.is_led = livelock.keeps = false;
    return !execution.over && !livelock.refused && livelock.passed_count > 0;
}

/* Whether nothing leads out of where the run has come to. */
static bool ends_closed(struct limits *limits)
{
    const struct fingerprint state = livelock.passed[livelock.passed_count - 1].fingerprint;
    go_through_states(limits);
    for (uint32_t i = 0; i < livelock.nodes.length && !livelock.refused; i++)
        if (is_same(&livelock.found.items[i], &state))
            return lasso_is_closed(livelock.nodes.items, (uint32_t)livelock.nodes.length, i,
                                   limits->budget);
    return false;
}

bool livelock_is_led(struct exploration *exploration, void (*begin)(void), struct limits *limits,
                     unsigned *round)
{
    bool found = false;
    open_search(exploration, limits->budget);
    if (go_led(begin)) {
        unsigned first = find_round(true);
        found = first < livelock.passed_count &&
                !backs_off(exploration_graph(exploration), livelock.passed[first].events);
        if (!found && find_round(false) < livelock.passed_count && ends_closed(limits) &&
            go_led(begin)) {
            first = find_round(false);
            found = first < livelock.passed_count;
        }
        *round = found ? livelock.passed[first].events : 0;
    }
    close_search();
    return found;
}

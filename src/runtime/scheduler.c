/* Makes the events that threads ask for, in the order in which the exploration wants them, and
 * goes on with each until its next. */
#include "runtime/scheduler.h"

#include <string.h>

#include "runtime/conditions.h"
#include "runtime/exceptions.h"
#include "runtime/execution.h"
#include "runtime/globals.h"
#include "runtime/heap.h"
#include "runtime/locks.h"
#include "runtime/retry.h"
#include "runtime/sections.h"
#include "runtime/several.h"
#include "runtime/shadow.h"
#include "runtime/stacks.h"
#include "runtime/weak.h"

/* ---- fibers ---- */

static void back_to_scheduler(struct thread *thread)
{
    fiber_switch(&thread->fiber, &execution.scheduler);
}

static lp_int call_operation(const struct scenario_call *call)
{
    const lp_op *operation = &execution.test->ops[call->operation];
    if (operation->run3)
        return operation->run3(execution.object, call->argument, call->second, call->third);
    if (operation->run2)
        return operation->run2(execution.object, call->argument, call->second);
    return operation->run(execution.object, call->argument);
}

/* Where operations run whole: begins one. False: it is left out, as one that may fail can be. */
static bool take_turn(unsigned call)
{
    unsigned operation = execution.scenario->calls[call].operation;
    if (execution.test->ops[operation].flags & LP_MAY_FAIL && execution_choose(2, NULL))
        return false;
    lock_take(&execution.turn, sizeof execution.turn, true, NULL, NULL);
    execution.order[execution.order_length++] = (uint8_t)call;
    return true;
}

static void run_operations(unsigned number)
{
    const struct scenario *scenario = execution.scenario;
    unsigned first = 0;
    for (unsigned i = 0; i < number; i++)
        first += scenario->lengths[i];
    for (unsigned i = first; i < first + scenario->lengths[number]; i++) {
        const struct scenario_call *call = &scenario->calls[i];
        struct exchange_operation_run *run = &execution.operations[i];
        struct thread *thread = &execution.threads[number];
        if (execution.takes_turns && !take_turn(i))
            continue;
        spin_forget(&thread->spin);
        retry_forget(number);
        sections_forget(number);
        thread->operation = call->operation;
        thread->failed = false;
        *run = (struct exchange_operation_run){.thread = (uint8_t)number,
                                               .begin = thread->now.of[number],
                                               .called = true,
                                               .operation = call->operation,
                                               .argument = call->argument,
                                               .second = call->second,
                                               .third = call->third};
        lp_int result = call_operation(call);
        retry_break();
        run->result = result;
        execution_settle();
        weak_forget(thread);
        run->end = thread->now.of[number];
        run->finished = true;
        if (execution.takes_turns)
            lock_give_back(&execution.turn, sizeof execution.turn, NULL);
    }
}

static void enter(void)
{
    unsigned number = execution.current;
    struct thread *thread = &execution.threads[number];
    void *result = NULL;
    if (thread->created)
        result = execution_begin_created();
    else
        run_operations(number);
    execution_finish(result);
}

static void prepare(unsigned number)
{
    struct thread *thread = &execution.threads[number];
    thread->state = THREAD_FRESH;
    thread->now.word = 0;
    thread->trail = number;
    thread->created = thread->detached = thread->joined = thread->failed = false;
    thread->operation = SCENARIO_OPERATIONS;
    thread->held.count = thread->several.count = 0;
    thread->waiting.condition = NULL;
    thread->waiting.remembers = thread->waiting.has_own_lock = false;
    thread->changes = thread->plain_reads = 0;
    thread->error = 0;
    thread->throws_at = NULL;
    thread->slept = 0;
    thread->jumps = 0;
    thread->looks_at_clock = false;
    thread->random = number;
    thread->freed = 0;
    if (thread->has_specific)
        memset(thread->specific, 0, sizeof thread->specific);
    thread->has_specific = false;
    thread->keys_made = thread->at_end_count = 0;
    thread->pending = PENDING_NONE;
    thread->result = NULL;
    thread->is_idle = thread->lingers = thread->spins = false;
    thread->settled = 0;
    spin_forget(&thread->spin);
    sections_forget(number);
    retry_begin(number);
    fiber_prepare(&thread->fiber, number, enter);
}

/* ---- setup and teardown ---- */

static void enter_alone(void)
{
    struct thread *thread = &execution.threads[THREAD_ALONE];
    if (thread->start)
        thread->result = thread->start(NULL);
    else
        execution.test->teardown(execution.object);
    thread->state = THREAD_FINISHED;
    back_to_scheduler(thread);
}

static void *call_setup(void *unused)
{
    (void)unused;
    return execution.test->setup();
}

static enum exchange_end run_alone(void *(*start)(void *))
{
    struct thread *thread = &execution.threads[THREAD_ALONE];
    execution.over = false;
    execution.end = END_COMPLETE;
    execution.phase = PHASE_ALONE;
    thread->start = start;
    thread->state = THREAD_FRESH;
    thread->pending = PENDING_NONE;
    fiber_prepare(&thread->fiber, THREAD_ALONE, enter_alone);
    thread_resume(THREAD_ALONE);
    execution.phase = PHASE_OUTSIDE;
    return execution.end;
}

enum exchange_end scheduler_setup(void)
{
    enum exchange_end end = END_COMPLETE;
    if (execution.test->setup)
        end = run_alone(call_setup);
    execution.object = execution.threads[THREAD_ALONE].result;
    memcpy(execution.kept_key_destructors, execution.key_destructors,
           sizeof execution.key_destructors);
    globals_keep();
    shadow_keep();
    return heap_keep() ? end : END_MEMORY;
}

enum exchange_end scheduler_teardown(void)
{
    return execution.test->teardown ? run_alone(NULL) : END_COMPLETE;
}

/* ---- events ---- */

static bool take(enum exploration_step step, const void *at)
{
    static const enum exchange_end ends[] = {[STEP_TOO_LARGE] = END_TOO_LARGE,
                                             [STEP_DIFFERS] = END_DIFFERS,
                                             [STEP_MIXED] = END_MIXED,
                                             [STEP_LIMIT] = END_MEMORY};
    if (step != STEP_TAKEN)
        execution_end(ends[step], at);
    return step == STEP_TAKEN;
}

/* An atomic access has been made: it may race with plain ones, be of memory that was freed. */
static void look_at_atomic(unsigned number, const struct exploration_access *access, bool writes)
{
    struct thread *thread = &execution.threads[number];
    const struct shadow_access shadow = {.thread = number,
                                         .kind = writes ? ACCESS_ATOMIC_WRITE : ACCESS_ATOMIC_READ,
                                         .time = thread->now.of[number],
                                         .now = thread->now,
                                         .asks_initialised = !writes && !access->was_plain,
                                         .at = access->at};
    static const enum exchange_end ends[] = {
        [SHADOW_FAULT] = END_FINDING, [SHADOW_FULL] = END_NOT_MODELLED, [SHADOW_MIXED] = END_MIXED};
    enum shadow_answer answer =
        shadow_access(&shadow, access->address, access->size, &execution.finding);
    if (answer != SHADOW_SEEN)
        execution_end(ends[answer], access->at);
}

/* A write is made: memory has it, unless a newer one in mo was made earlier. */
static void write_memory(const struct execution_graph *graph, event_number number)
{
    const struct execution_event *event = &graph->events[number];
    if (event->rank < execution.newest[event->location])
        return;
    execution.newest[event->location] = event->rank;
    if (event->order != ORDER_PLAIN)
        memory_store((void *)graph->locations[event->location].address, event->size, event->value);
}

/* What a thread waits for behind a read that failed (runtime/locks.h). */
static enum wait_kind what_for(const struct exploration_access *access)
{
    if (access->operation == OPERATION_AWAIT)
        return WAIT_BARRIER;
    return access->operation == OPERATION_ADD_UNLESS && access->expected == 0 ? WAIT_SEMAPHORE
                                                                              : WAIT_LOCK;
}

/* What a read is to an iteration that only takes locks, reads and gives them back. */
static void see_section(unsigned number, const struct exploration_access *access, uint64_t value,
                        bool stores)
{
    bool takes = access->call == CALL_LOCK && access->is_lock;
    if (access->call == CALL_TRY_LOCK || access->call == CALL_TRY_READ_LOCK)
        sections_see_try(access->address);
    if (stores && takes) {
        sections_see_take(number, access);
    } else if (stores) {
        sections_forget(number);
        sections_see_write(number, access->address, access->size, true);
    } else {
        sections_see_read(number, access->address, access->size, value, true);
    }
}

/* A write was made: who awaits another value than the location had may go on. */
static void wake(const struct execution_event *write, const void *address)
{
    for (unsigned left = execution.awaiting; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct thread *thread = &execution.threads[i];
        if (thread->awaits == address &&
            (write->order == ORDER_PLAIN || !retry_would_repeat(i, write->value))) {
            execution.awaiting &= ~(1U << i);
            thread->is_idle = thread->spins = false;
        }
    }
}

static void make_read(unsigned number, struct request *request)
{
    struct thread *thread = &execution.threads[number];
    struct exploration *exploration = execution.exploration;
    const struct execution_graph *graph = exploration_graph(exploration);
    request->access.initial = memory_load(request->access.address, request->access.size);
    stacks_see(number, request->access.address);
    if (!exploration_repeats(exploration))
        retry_look_ahead(number);
    if (!take(exploration_read(exploration, &request->access, &request->event), request->access.at))
        return;
    const struct execution_event *read = &graph->events[request->event];
    event_number update = exploration_update(exploration, request->event);
    request->answer = read->value;
    request->failed = read->fails;
    if (request->site)
        weak_made(thread, update != EXECUTION_NONE, read->fails);
    thread->now = read->happens_before;
    if (update != EXECUTION_NONE) {
        thread->now = graph->events[update].happens_before;
        write_memory(graph, update);
        wake(&graph->events[update], request->access.address);
        bool changes = graph->events[update].value != read->value;
        if (changes) { /* else it is none for who waits */
            spin_forget(&thread->spin);
            weak_forget(thread);
            retry_publish(number);
        } else {
            retry_see_value(number, true);
        }
    } else if (request->access.is_lock && execution_fails(read)) {
        thread->state = THREAD_BLOCKED;
        thread->waits = (struct exchange_wait){.kind = (uint8_t)what_for(&request->access),
                                               .since = (uint8_t)(read->index - 1),
                                               .at = read->at};
    }
    if (thread->several.count && !several_goes_on(thread, read, request->access.address)) {
        thread->state = THREAD_BLOCKED;
        thread->waits = (struct exchange_wait){.kind = WAIT_NONE, .since = HANGING_NOTHING};
    }
    if (update == EXECUTION_NONE)
        retry_see_value(number, false);
    see_section(number, &request->access, read->value, update != EXECUTION_NONE);
    if (request->access.operation == OPERATION_AWAIT)
        return; /* it has come there before, and memory may be given up once it is woken */
    look_at_atomic(number, &request->access, update != EXECUTION_NONE);
}

static void make_write(unsigned number, struct request *request)
{
    struct thread *thread = &execution.threads[number];
    const void *address = request->access.address;
    struct exploration *exploration = execution.exploration;
    const struct execution_graph *graph = exploration_graph(exploration);
    request->access.is_on_stack = region_holds(address) && !region_is_heap(address);
    request->access.initial = memory_load(address, request->access.size);
    stacks_see(number, address);
    if (!take(exploration_write(exploration, &request->access, &request->event),
              request->access.at))
        return;
    thread->now = graph->events[request->event].happens_before;
    write_memory(graph, request->event);
    wake(&graph->events[request->event], address);
    spin_forget(&thread->spin);
    retry_see_write(number, &request->access);
    if (request->access.call == CALL_UNLOCK) {
        sections_see_give(number, request->access.address);
    } else {
        sections_forget(number);
        sections_see_write(number, request->access.address, request->access.size,
                           request->access.order != ORDER_PLAIN);
    }
    if (request->access.order != ORDER_PLAIN && request->access.initial != request->access.operand)
        weak_forget(thread);
    if (request->access.order != ORDER_PLAIN)
        look_at_atomic(number, &request->access, true);
}

/* The number for a thread that is created: where the run repeats a graph, the one that it has. */
static unsigned number_for(event_number creation)
{
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    unsigned used = 0, scheduled = exploration_created(execution.exploration);
    if (scheduled < EXECUTION_THREADS)
        return scheduled;
    for (unsigned i = 0; i < execution.thread_count; i++)
        used |= execution.threads[i].state != THREAD_UNUSED ? 1U << i : 0;
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->kind == EVENT_KIND_BEGIN && event->source == creation)
            return event->thread;
        used |= 1U << event->thread;
    }
    return (unsigned)__builtin_ctz(~used);
}

static void make_create(struct request *request, const struct thread *creator)
{
    unsigned number = number_for(request->event);
    if (number >= EXECUTION_THREADS) {
        execution_end(END_TOO_LARGE, request->access.at);
        return;
    }
    if (execution.threads[number].state != THREAD_UNUSED) { /* as a schedule may have it */
        execution_end(END_DIFFERS, request->access.at);
        return;
    }
    prepare(number);
    struct thread *made = &execution.threads[number];
    made->created = true;
    made->creation = request->event;
    made->start = creator->start;
    made->argument = creator->argument;
    request->other = number;
    if (execution.thread_count <= number)
        execution.thread_count = number + 1;
}

static void make_mark(unsigned number, struct request *request)
{
    static const enum event_kind kinds[] = {[ASKED_CREATE] = EVENT_KIND_CREATE,
                                            [ASKED_BEGIN] = EVENT_KIND_BEGIN,
                                            [ASKED_END] = EVENT_KIND_END,
                                            [ASKED_JOIN] = EVENT_KIND_JOIN};
    struct thread *thread = &execution.threads[number];
    event_number source = EXECUTION_NONE;
    enum exploration_step step;
    if (request->kind == ASKED_BEGIN)
        source = thread->creation;
    if (request->kind == ASKED_JOIN)
        source = execution.threads[request->other].end;
    if (request->kind == ASKED_CHOICE)
        step = exploration_choose(execution.exploration, number, request->other, request->access.at,
                                  &request->event);
    else if (request->kind == ASKED_FENCE)
        step = exploration_fence(execution.exploration, number, request->access.order,
                                 request->access.at, &request->event);
    else
        step = exploration_mark(execution.exploration, number, kinds[request->kind], source,
                                request->access.at, &request->event);
    if (!take(step, request->access.at))
        return;
    if (!request_is_weak_fence(request))
        retry_publish(number);
    sections_forget(number);
    thread->now = exploration_graph(execution.exploration)->events[request->event].happens_before;
    request->answer = exploration_graph(execution.exploration)->events[request->event].value;
    if (request->kind == ASKED_CREATE)
        make_create(request, thread);
    if (request->kind == ASKED_END)
        thread->end = request->event;
}

static void make_event(unsigned number)
{
    struct request *request = &execution.threads[number].request;
    execution.threads[number].lingers = false;
    if (request->access.order == ORDER_SEQ_CST || request->access.failure_order == ORDER_SEQ_CST)
        retry_see_strong();
    if (request->kind == ASKED_READ)
        make_read(number, request);
    else if (request->kind == ASKED_WRITE)
        make_write(number, request);
    else
        make_mark(number, request);
}

/* ---- a run ---- */

/* A thread has come to its next event. */
static void look_at_asking(unsigned number)
{
    struct thread *thread = &execution.threads[number];
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    event_number last = graph->last[number];
    bool is_repeated = last >= 0 && graph->events[last].index > thread->now.of[number];
    thread->is_idle = !is_repeated && retry_is_idle(number);
    if (thread->is_idle)
        weak_wait(thread);
    retry_keep(number);
    execution.awaiting &= ~(1U << number);
    thread->asks_anew = true;
}

static bool can_step(const struct thread *thread)
{
    if (thread->state == THREAD_ASKING && thread->request.kind == ASKED_JOIN)
        return execution.threads[thread->request.other].state == THREAD_FINISHED;
    if (thread->state == THREAD_DOZING)
        return exploration_is_led(execution.exploration) ||
               (thread->waits.kind == WAIT_NONE &&
                execution_wakes((unsigned)(thread - execution.threads)));
    if ((thread->is_idle || thread->lingers) && !exploration_is_led(execution.exploration))
        return false;
    return thread->state == THREAD_FRESH || thread->state == THREAD_ASKING;
}

static unsigned runnable(void)
{
    unsigned set = 0;
    for (unsigned i = 0; i < execution.thread_count; i++)
        if (can_step(&execution.threads[i]))
            set |= 1U << i;
    return set;
}

/* Whether a thread need not take its next step before there is another value. */
static bool awaits(unsigned number)
{
    struct thread *thread = &execution.threads[number];
    if (thread->state != THREAD_ASKING || !thread->asks_anew)
        return false;
    thread->asks_anew = false;
    if (!retry_awaits(number, exploration_graph(execution.exploration)))
        return false;
    thread->is_idle = true;
    thread->awaits = thread->request.access.address;
    execution.awaiting |= 1U << number;
    weak_wait(thread);
    return true;
}

/* Where nobody can step any more: a thread that has not made the read yet whose value it awaits
 * makes it, so that what it waits for is in the graph. */
static int last_turn(void)
{
    for (unsigned left = execution.awaiting; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct thread *thread = &execution.threads[i];
        if (!thread->spins)
            continue;
        execution.awaiting &= ~(1U << i);
        thread->is_idle = thread->spins = false;
        thread->request.access.is_last = true;
        return (int)i;
    }
    return -1;
}

/* The thread that steps next, -1: none. A graph that is repeated says which, and a schedule. */
static int next_turn(void)
{
    bool repeats = exploration_repeats(execution.exploration);
    int turn;
    do {
        unsigned ready = repeats && !execution.choose ? 0 : runnable();
        turn = execution.choose ? execution.choose(ready)
                                : exploration_turn(execution.exploration, ready);
        if (turn >= 0 && !can_step(&execution.threads[turn])) {
            execution_end(END_DIFFERS, NULL);
            return -1;
        }
    } while (turn >= 0 && !repeats && !execution.choose && awaits((unsigned)turn));
    return turn >= 0 || execution.choose ? turn : last_turn();
}

static void find_settled(void)
{
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->is_update && event->value != graph->events[event->before].value &&
            event->index > execution.threads[event->thread].settled)
            execution.threads[event->thread].settled = event->index;
    }
}

static void begin_run(void)
{
    execution.over = false;
    execution.end = END_COMPLETE;
    execution.finding = (struct finding){0};
    execution.operation_count = execution.scenario->call_count;
    execution.turn = 0;
    execution.order_length = 0;
    execution.awaiting = 0;
    memset(execution.operations, 0, sizeof execution.operations);
    memset(execution.newest, 0, sizeof execution.newest);
    memcpy(execution.key_destructors, execution.kept_key_destructors,
           sizeof execution.key_destructors);
    globals_restore();
    conditions_begin();
    heap_begin();
    shadow_begin();
    for (unsigned i = 0; i < EXECUTION_THREADS; i++)
        execution.threads[i].state = THREAD_UNUSED;
    execution.thread_count = execution.scenario->thread_count;
    for (unsigned i = 0; i < execution.thread_count; i++)
        prepare(i);
    find_settled();
}

enum exchange_end scheduler_run(void)
{
    int turn;
    begin_run();
    execution.phase = PHASE_THREADS;
    while (!execution.over && (turn = next_turn()) >= 0) {
        struct thread *thread = &execution.threads[turn];
        if (thread->state == THREAD_ASKING) {
            make_event((unsigned)turn);
            if (execution.over || thread->state != THREAD_ASKING)
                continue;
        }
        thread_resume((unsigned)turn);
        if (thread->state == THREAD_ASKING && !execution.over)
            look_at_asking((unsigned)turn);
    }
    execution.phase = PHASE_OUTSIDE;
    retry_look_at_graph(exploration_graph(execution.exploration));
    return execution.end;
}

bool scheduler_has_idle(void)
{
    for (unsigned i = 0; i < execution.thread_count; i++)
        if (execution.threads[i].is_idle)
            return true;
    return false;
}

bool scheduler_is_complete(void)
{
    for (unsigned i = 0; i < execution.thread_count; i++)
        if (execution.threads[i].state != THREAD_FINISHED)
            return false;
    return true;
}

/* Whether another thread that has not ended has read what the iteration that a thread would do
 * again stores: it may see that it does. But nobody sees it store what it has read. */
static bool is_seen(const struct execution_graph *graph, unsigned number, unsigned since)
{
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *write = &graph->events[i];
        if (write->thread != number || write->index <= since || write->kind != EVENT_KIND_WRITE ||
            (write->is_update && write->value == graph->events[write->before].value))
            continue;
        if (retry_is_unsound())
            return true;
        for (event_number k = 0; k < graph->event_count; k++) {
            const struct execution_event *read = &graph->events[k];
            if (read->kind == EVENT_KIND_READ && read->location == write->location &&
                read->thread != number && execution.threads[read->thread].state != THREAD_FINISHED)
                return true;
        }
    }
    return false;
}

/* Whether a thread waits for what nobody does any more, if nobody does anything any more. */
static bool waits_for_ever(unsigned number, struct exchange_wait *waits)
{
    const struct thread *thread = &execution.threads[number];
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    *waits = (struct exchange_wait){.kind = WAIT_NONE, .since = HANGING_NOTHING};
    if (thread->state == THREAD_FINISHED || thread->state == THREAD_UNUSED)
        return true;
    if (thread->state == THREAD_BLOCKED || thread->state == THREAD_DOZING || thread->lingers ||
        thread->is_idle)
        *waits = thread->waits;
    else if (thread->state == THREAD_ASKING && thread->request.kind == ASKED_JOIN)
        *waits = (struct exchange_wait){.kind = WAIT_JOIN,
                                        .since = HANGING_NOTHING,
                                        .other = (uint8_t)thread->request.other,
                                        .at = thread->request.access.at};
    if (waits->kind == WAIT_SIGNAL)
        return condition_is_lost(graph, number);
    if (thread->lingers && !sections_would_read_again(number))
        return false;
    if (thread->is_idle && is_seen(graph, number, waits->since))
        return false;
    return waits->kind != WAIT_NONE && hanging_would_repeat(graph, number, waits->since);
}

bool scheduler_hangs(struct exchange_wait waits[EXECUTION_THREADS])
{
    bool hangs = !exploration_graph(execution.exploration)->wakes_freely;
    for (unsigned i = 0; i < EXECUTION_THREADS; i++)
        hangs &= waits_for_ever(i, &waits[i]);
    return hangs && !scheduler_is_complete();
}

const struct finding *scheduler_finding(void)
{
    return &execution.finding;
}

const void *scheduler_end_place(void)
{
    return execution.place;
}

uint64_t scheduler_trail(void)
{
    uint64_t trail = 0;
    for (unsigned i = 0; i < execution.thread_count; i++)
        trail = (trail ^ execution.threads[i].trail) * UINT64_C(0x9e3779b97f4a7c15);
    return trail;
}

const struct exchange_operation_run *scheduler_operations(size_t *count)
{
    *count = execution.operation_count;
    return execution.operations;
}

void scheduler_explore(struct exploration *exploration)
{
    execution.exploration = exploration;
}

bool scheduler_open(const lp_test *test)
{
    static struct fiber fibers[REGION_THREADS];
    exceptions_open();
    execution.test = test;
    if (!fibers_open(fibers, REGION_THREADS))
        return false;
    for (unsigned i = 0; i < REGION_THREADS; i++)
        execution.threads[i].fiber = fibers[i];
    execution.scheduler = fibers[THREAD_ALONE];
    return true;
}

void scheduler_take(const struct scenario *scenario, struct exploration *exploration)
{
    execution.scenario = scenario;
    execution.exploration = exploration;
    execution.recalls = false;
    retry_open();
    sections_enable(false);
    weak_open();
    stacks_open();
    shadow_open_scenario();
}

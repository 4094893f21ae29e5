/* What callbacks ask for, on the fiber of the thread that calls. While setup or teardown is alone,
 * and before main, memory is used directly; but what is freed, or not allocated, is seen there too.
 */
#include "runtime/execution.h"

#include <stdio.h>
#include <string.h>

#include "runtime/clocks.h"
#include "runtime/heap.h"
#include "runtime/retry.h"
#include "runtime/sections.h"
#include "runtime/shadow.h"
#include "runtime/stacks.h"
#include "runtime/weak.h"

/* ---- ends ---- */

static void leave(void) __attribute__((noreturn));
static void leave(void)
{
    struct thread *thread = thread_current();
    fiber_switch(&thread->fiber, &execution.scheduler);
    __builtin_trap(); /* a run that is over is not resumed, nor a thread that waits */
}

void execution_find(const struct finding *finding)
{
    retry_break();
    execution.finding = *finding;
    execution_end(END_FINDING, finding->here.at);
    leave();
}

void execution_refuse(const char *what, const void *at)
{
    retry_break();
    execution.finding = (struct finding){0};
    strncpy(execution.finding.sentence, what, sizeof execution.finding.sentence - 1);
    execution_end(END_NOT_MODELLED, at);
    leave();
}

void execution_crash(int signal, const void *address, const void *at)
{
    execution.finding = (struct finding){
        .kind = FINDING_CRASH,
        .signal = signal,
        .address = address,
        .here = {.thread = (uint8_t)execution.current, .at = at},
    };
    if (region_is_guard(execution.current, address))
        snprintf(execution.finding.sentence, sizeof execution.finding.sentence,
                 "needs more than its stack of %d MB", REGION_STACK >> 20);
    execution_end(END_FINDING, at);
}

void execution_misuse(const char *what, const volatile void *of, const void *at)
{
    struct finding finding = {.kind = FINDING_MISUSE,
                              .address = (const void *)of,
                              .here = {.thread = (uint8_t)execution.current, .at = at}};
    strncpy(finding.sentence, what, sizeof finding.sentence - 1);
    if (execution.phase != PHASE_OUTSIDE)
        execution_find(&finding);
}

void execution_bad_unlock(const volatile void *lock, const void *at)
{
    if (execution.phase != PHASE_OUTSIDE)
        execution_find(&(struct finding){.kind = FINDING_BAD_UNLOCK,
                                         .address = (const void *)lock,
                                         .here = {.thread = (uint8_t)execution.current, .at = at}});
}

/* The thread would do its events behind that with index `since` again, for ever. */
/* It goes on if a schedule has it go on, and never else. */
static void block_in_loop(unsigned since, const void *at)
{
    struct thread *thread = thread_current();
    bool is_scheduled =
        exploration_is_led(execution.exploration) && !exploration_repeats(execution.exploration);
    thread->state = is_scheduled ? THREAD_DOZING : THREAD_BLOCKED;
    thread->waits = (struct exchange_wait){.kind = WAIT_LOOP, .since = (uint8_t)since, .at = at};
    weak_wait(thread);
    fiber_switch(&thread->fiber, &execution.scheduler);
}

/* ---- asking ---- */

static void ask(struct thread *thread, const char *frame)
{
    thread->frame = frame;
    thread->state = THREAD_ASKING;
    fiber_switch(&thread->fiber, &execution.scheduler);
}

/* Both words of a value. */
static uint64_t fold(memory_value value)
{
    return (uint64_t)value << 8 ^ (uint64_t)(value >> 64) * UINT64_C(0xff51afd7ed558ccd);
}

static void note(struct thread *thread, uint64_t what)
{
    thread->trail = (thread->trail ^ what) * UINT64_C(0x9e3779b97f4a7c15);
    thread->trail ^= thread->trail >> 32;
}

/* The values of plain stores that were announced; a volatile write becomes an event, now that its
 * value is known; a volatile read has been made, so that memory may be as it is for all. Where a
 * function has returned since, what it had on its stack is nobody's: such a write is none. */
void execution_settle(void)
{
    struct thread *thread = thread_current();
    enum pending pending = thread->pending;
    thread->pending = PENDING_NONE;
    if (pending == PENDING_STORES) {
        const struct execution_graph *graph = exploration_graph(execution.exploration);
        for (unsigned i = 0; i < thread->store_count; i++) {
            const struct execution_event *event = &graph->events[thread->stores[i]];
            const void *address = graph->locations[event->location].address;
            if (!stacks_have_lost(address))
                exploration_set_value(execution.exploration, thread->stores[i],
                                      memory_load(address, event->size));
        }
    } else if (pending == PENDING_NONE || stacks_have_lost(thread->access.address)) {
        return;
    } else if (pending == PENDING_VOLATILE_READ) {
        memory_store(thread->access.address, thread->access.size, thread->access.value);
    } else if (pending == PENDING_VOLATILE_WRITE) {
        memory_value value = memory_load(thread->access.address, thread->access.size);
        memory_store(thread->access.address, thread->access.size, thread->access.value);
        execution_write(&(struct exploration_access){.address = thread->access.address,
                                                     .size = thread->access.size,
                                                     .order = ORDER_RELAXED,
                                                     .operand = value,
                                                     .at = thread->access.at});
    }
}

static inline void settle(const struct thread *thread)
{
    if (thread->pending != PENDING_NONE)
        execution_settle();
}

/* The thread changes more than what it writes atomically. */
static void change(struct thread *thread)
{
    thread->changes++;
    spin_forget(&thread->spin);
    sections_forget(execution.current);
}

/* ---- alone ---- */

static void check_alone(const void *address, size_t size, enum access_kind kind, bool asks,
                        const void *at)
{
    struct finding found;
    const struct shadow_access access = {
        .thread = THREAD_ALONE, .kind = kind, .asks_initialised = asks, .at = at};
    if (shadow_access(&access, address, size, &found) != SHADOW_SEEN &&
        execution.phase == PHASE_ALONE)
        execution_find(&found);
}

static memory_value read_alone(const struct exploration_access *access)
{
    struct execution_event read = {.operation = (uint8_t)access->operation,
                                   .size = (uint8_t)access->size,
                                   .operand = execution_cut(access->operand, access->size),
                                   .expected = execution_cut(access->expected, access->size)};
    memory_value stored;
    read.value = memory_load(access->address, access->size);
    bool stores = execution_stores(&read, &stored);
    check_alone(access->address, access->size, stores ? ACCESS_ATOMIC_WRITE : ACCESS_ATOMIC_READ,
                !stores, access->at);
    if (access->is_lock && execution_fails(&read) && execution.phase == PHASE_ALONE)
        execution_misuse("waits, though nobody else is there", access->address, access->at);
    if (stores)
        memory_store((void *)access->address, access->size, stored);
    return read.value;
}

/* ---- atomic accesses ---- */

/* The last write of a thread to a location up to its event with an index; none: EXECUTION_NONE. */
static event_number last_write(const struct execution_graph *graph, unsigned thread,
                               unsigned location, unsigned index)
{
    event_number last = EXECUTION_NONE;
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->kind == EVENT_KIND_WRITE && event->thread == thread &&
            event->location == location && event->index <= index &&
            (last == EXECUTION_NONE || event->index > graph->events[last].index))
            last = i;
    }
    return last;
}

bool execution_restores(const struct execution_graph *graph, unsigned thread, unsigned since,
                        unsigned now)
{
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (event->kind != EVENT_KIND_WRITE || event->thread != thread || event->index <= since ||
            event->index > now)
            continue;
        event_number before = last_write(graph, thread, event->location, since);
        event_number last = last_write(graph, thread, event->location, now);
        if (before == EXECUTION_NONE || graph->events[before].value != graph->events[last].value)
            return false;
    }
    return true;
}

/* Whether a thread has done nothing behind a read, but for what that has stored: it may wait. */
static bool is_its_last(const struct execution_graph *graph, event_number number)
{
    event_number last = graph->last[graph->events[number].thread];
    return last == number ||
           (graph->events[last].is_update && graph->events[last].before == number);
}

/* Whether a read of what a thread has written may be a try that has failed: where it waits with a
 * lock that is not the library's, whatever reads what is there while it holds that. */
static bool may_be_a_try(const struct execution_graph *graph, event_number number, unsigned now,
                         bool has_own_lock)
{
    const struct execution_event *read = &graph->events[number];
    const struct execution_event *taken = &graph->events[read->source];
    if (execution_fails(read))
        return true;
    return has_own_lock && !is_its_last(graph, number) &&
           taken->value ==
               graph->events[last_write(graph, taken->thread, taken->location, now)].value;
}

/* Whether somebody has tried in vain to take a lock that the thread has given back and taken again
 * behind its event with index `since`: then it makes a difference that it did so. An iteration that
 * nobody has noticed can be left out, and a try notices two at most, that behind which the lock is
 * held and the one that gives it back: so no more are needed. `rounds` have been gone through. (A
 * lock that is not the library's may order what reads it: one more.) */
static bool is_noticed(const struct execution_graph *graph, unsigned thread, unsigned since,
                       bool has_own_lock)
{
    unsigned now = execution.threads[thread].now.of[thread], tries = 0;
    bool noticed = false;
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *read = &graph->events[i];
        if (read->kind != EVENT_KIND_READ || read->is_lock || read->thread == thread ||
            read->source < 0 || graph->events[read->source].thread != thread ||
            graph->events[read->source].index > now || !may_be_a_try(graph, i, now, has_own_lock))
            continue;
        event_number before = last_write(graph, thread, read->location, since);
        event_number last = last_write(graph, thread, read->location, now);
        tries++;
        noticed |= (before == EXECUTION_NONE || read->source == before ||
                    graph->events[read->source].index > graph->events[before].index) &&
                   graph->events[last].index > since;
    }
    return noticed && execution.threads[thread].spin.rounds < 2 * tries + has_own_lock;
}

bool execution_wakes(unsigned thread)
{
    return is_noticed(exploration_graph(execution.exploration), thread,
                      execution.threads[thread].waits.since,
                      execution.threads[thread].waiting.has_own_lock);
}

/* Goes on once somebody notices. */
static void doze(unsigned since, const void *at)
{
    struct thread *thread = thread_current();
    thread->state = THREAD_DOZING;
    thread->waits = (struct exchange_wait){.kind = WAIT_NONE, .since = (uint8_t)since, .at = at};
    weak_wait(thread);
    fiber_switch(&thread->fiber, &execution.scheduler);
}

/* `writes`: it has given back its lock in between, and taken it again, so that nothing is known of
 * whether it goes on so for ever. */
static void come_again(const struct spin_call *call, const char *frame, bool writes, const void *at)
{
    struct thread *thread = thread_current();
    const char *end = region_stack_end(execution.current);
    if (execution.choose)
        return;
    struct spin_time then = {thread->now.of[execution.current], thread->plain_reads};
    if (thread_is_settled(execution.current) ||
        !spin_repeats(&thread->spin, call, frame, end, &then))
        return;
    unsigned since = then.events;
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    unsigned now = thread->now.of[execution.current];
    unsigned rounds = thread->spin.rounds;
    bool goes_round = !writes && rounds == 0 && retry_goes_round();
    bool repeats = graph->last[execution.current] >= 0 &&
                   graph->events[graph->last[execution.current]].index > now;
    bool time_goes_on = clock_go_on();
    if (!time_goes_on && !repeats && !goes_round &&
        !is_noticed(graph, execution.current, since, writes && thread->waiting.has_own_lock)) {
        event_number last = graph->last[execution.current];
        if (!writes && last >= 0 && graph->events[last].kind == EVENT_KIND_READ)
            retry_see_loop(graph->events[last].at, now == since + 1);
        if (writes) {
            doze(since, at);
        } else {
            retry_see_round(execution.current, &then);
            block_in_loop(since, at);
        }
    }
    spin_forget(&thread->spin);
    if (writes && !time_goes_on) { /* the next iteration is looked at, too */
        then = (struct spin_time){now, thread->plain_reads};
        (void)spin_repeats(&thread->spin, call, frame, end, &then);
    }
    thread->spin.rounds = rounds + 1;
    retry_break();
}

memory_value execution_read(const struct exploration_access *access, const char *frame)
{
    if (execution.phase != PHASE_THREADS)
        return read_alone(access);
    struct thread *thread = thread_current();
    settle(thread);
    if (frame && !execution.tries && !thread_is_settled(execution.current)) {
        const struct spin_call call = spin_call_of(access);
        come_again(&call, frame, false, access->at);
    }
    thread->request.kind = ASKED_READ;
    thread->request.access = *access;
    thread->request.access.thread = execution.current;
    thread->request.site = 0;
    thread->request.failed = false;
    thread->request.access.may_fail = access->may_fail && !execution.takes_turns;
    if (thread->request.access.may_fail && !execution.tries &&
        !weak_come(thread, frame, region_stack_end(execution.current)))
        leave();
    ask(thread, frame);
    note(thread, (uintptr_t)access->address ^ (uintptr_t)access->at ^ fold(thread->request.answer));
    return thread->request.answer;
}

bool execution_failed(void)
{
    return execution.phase == PHASE_THREADS && thread_current()->request.failed;
}

void execution_store(const struct exploration_access *access, const char *frame)
{
    if (execution.phase != PHASE_THREADS) {
        check_alone(access->address, access->size, ACCESS_ATOMIC_WRITE, false, access->at);
        memory_store((void *)access->address, access->size, access->operand);
        return;
    }
    struct thread *thread = thread_current();
    settle(thread);
    thread->request.kind = ASKED_WRITE;
    thread->request.access = *access;
    thread->request.access.thread = execution.current;
    ask(thread, frame);
    note(thread, (uintptr_t)access->address ^ (uintptr_t)access->at ^ fold(access->operand));
}

void execution_write(const struct exploration_access *access)
{
    execution_store(access, NULL);
}

static void ask_in(const char *frame, enum asked kind, enum memory_order_c11 order, unsigned other,
                   const void *at)
{
    execution_settle();
    struct thread *thread = thread_current();
    thread->request.kind = kind;
    thread->request.access = (struct exploration_access){.order = order, .at = at};
    thread->request.other = other;
    ask(thread, frame);
    note(thread, (uintptr_t)at ^ (uint64_t)kind);
}

static void ask_for(enum asked kind, enum memory_order_c11 order, unsigned other, const void *at)
{
    ask_in(NULL, kind, order, other, at);
}

void execution_fence(enum memory_order_c11 order, const char *frame, const void *at)
{
    if (execution.phase == PHASE_THREADS)
        ask_in(frame, ASKED_FENCE, order, 0, at);
}

unsigned execution_choose(unsigned count, const void *at)
{
    if (execution.phase != PHASE_THREADS)
        return 0;
    ask_for(ASKED_CHOICE, ORDER_PLAIN, count, at);
    return (unsigned)thread_current()->request.answer;
}

void execution_come_again(const struct spin_call *call, const char *frame, const void *at)
{
    retry_break();
    execution_settle();
    come_again(call, frame, true, at);
}

void execution_change(void)
{
    retry_break();
    change(thread_current());
}

void execution_block_for_signal(const void *at)
{
    struct thread *thread = thread_current();
    thread->state = THREAD_BLOCKED;
    thread->waits = (struct exchange_wait){.kind = WAIT_SIGNAL, .since = HANGING_NOTHING, .at = at};
    leave();
}

bool execution_waits_for(const void *lock)
{
    for (unsigned i = 0; execution.phase == PHASE_THREADS && i < execution.thread_count; i++)
        if (execution.threads[i].state == THREAD_BLOCKED &&
            execution.threads[i].request.access.is_lock &&
            execution.threads[i].request.access.address == lock)
            return true;
    return false;
}

/* ---- plain accesses ---- */

static void check_plain(struct thread *thread, const void *address, size_t size,
                        enum access_kind kind, const void *at)
{
    unsigned number = execution.current;
    const struct shadow_access access = {.thread = number,
                                         .kind = kind,
                                         .time = thread->now.of[number] + 1U,
                                         .now = thread->now,
                                         .private_from = thread->private_from,
                                         .at = at};
    enum shadow_answer answer = shadow_access(&access, address, size, &execution.finding);
    if (answer == SHADOW_SEEN)
        return;
    execution_end(answer == SHADOW_FULL ? END_NOT_MODELLED : END_FINDING, at);
    leave();
}

/* A plain store to locations that are accessed atomically, too: a write of each. */
static void store_plainly(struct thread *thread, const char *address, size_t size, const void *at)
{
    const char *end = address + size, *location;
    unsigned bytes, count = 0;
    for (const char *from = address; (location = shadow_atomic(from, end, &bytes));
         from = location + bytes) {
        if (location < address || location + bytes > end || count == MOST_STORES) {
            execution_end(count == MOST_STORES ? END_TOO_LARGE : END_MIXED, at);
            leave();
        }
        thread->request.kind = ASKED_WRITE;
        thread->request.access = (struct exploration_access){.thread = execution.current,
                                                             .address = location,
                                                             .size = bytes,
                                                             .order = ORDER_PLAIN,
                                                             .at = at};
        ask(thread, NULL);
        thread->stores[count++] = thread->request.event;
    }
    thread->store_count = count;
    if (count)
        thread->pending = PENDING_STORES;
}

/* What a thread has on its own stack is part of its state. */
static void see_plain(const void *address, size_t size, bool writes)
{
    if (region_is_own_stack(execution.current, address)) {
        if (writes)
            sections_see_write(execution.current, address, size, false);
        else
            sections_see_own_read(execution.current, address, size);
        return;
    }
    stacks_see(execution.current, address);
    if (writes) {
        change(thread_current());
        sections_see_write(execution.current, address, size, false);
    } else {
        uint64_t value = size <= sizeof value ? memory_load(address, (unsigned)size) : 0;
        sections_see_read(execution.current, address, size, value, false);
    }
}

void execution_plain(const void *address, size_t size, bool writes, const void *at)
{
    enum access_kind kind = writes ? ACCESS_WRITE : ACCESS_READ;
    execution.plain_at = at;
    if (execution.phase != PHASE_THREADS) {
        check_alone(address, size, kind, false, at);
        return;
    }
    struct thread *thread = thread_current();
    settle(thread);
    retry_see_plain(execution.current, address, size, writes, at);
    if (execution.tries) {
        stacks_see(execution.current, address);
        return;
    }
    note(thread, (uintptr_t)address ^ (uintptr_t)at);
    see_plain(address, size, writes);
    check_plain(thread, address, size, kind, at);
    if (writes)
        store_plainly(thread, address, size, at);
}

/* ---- volatile accesses ---- */

static void read_in_place(void *address, size_t size, bool was_plain, const char *frame,
                          const void *at)
{
    retry_break();
    execution.plain_at = at;
    const struct exploration_access access = {.address = address,
                                              .size = (unsigned)size,
                                              .order = ORDER_RELAXED,
                                              .was_plain = was_plain,
                                              .in_place = true,
                                              .at = at};
    memory_value value = execution_read(&access, frame);
    if (execution.phase != PHASE_THREADS)
        return;
    struct thread *thread = thread_current();
    thread->access.address = address;
    thread->access.size = (unsigned)size;
    thread->access.value = memory_load(address, (unsigned)size);
    retry_forget(execution.current);
    if (thread->access.value == value)
        return; /* nothing to put back: a variable of a frame that may be gone by then */
    thread->pending = PENDING_VOLATILE_READ;
    memory_store(address, (unsigned)size, value);
}

void execution_volatile_read(void *address, size_t size, const char *frame, const void *at)
{
    if (stacks_have_volatile(execution.current, address))
        execution_plain(address, size, false, at);
    else
        read_in_place(address, size, false, frame, at);
}

void execution_relaxed_read(void *address, size_t size, const char *frame, const void *at)
{
    read_in_place(address, size, true, frame, at);
}

void execution_volatile_write(void *address, size_t size, const void *at)
{
    if (stacks_have_volatile(execution.current, address)) {
        execution_plain(address, size, true, at);
        return;
    }
    retry_break();
    if (execution.phase != PHASE_THREADS) {
        check_alone(address, size, ACCESS_ATOMIC_WRITE, false, at);
        return;
    }
    execution_settle();
    struct thread *thread = thread_current();
    thread->access.address = address;
    thread->access.size = (unsigned)size;
    thread->access.value = memory_load(address, (unsigned)size);
    thread->access.at = at;
    thread->pending = PENDING_VOLATILE_WRITE;
}

bool execution_memory_is(const void *address, size_t size, memory_value value)
{
    retry_break();
    execution_settle();
    return memory_load(address, (unsigned)size) == value;
}

/* ---- the heap ---- */

void *execution_allocate(size_t size, size_t align, enum heap_family family, bool is_initialised,
                         const void *at)
{
    retry_break();
    struct thread *thread = thread_current();
    if (execution.phase == PHASE_THREADS) {
        execution_settle();
        change(thread);
    }
    void *block = heap_allocate(execution.current, size, align, family, at);
    if (block)
        shadow_allocate(block, size, is_initialised);
    else if (execution.phase != PHASE_OUTSIDE)
        execution_refuse("a thread that allocates more than 4 MB", at);
    return block;
}

/* Who frees, and who asked for what is freed. */
static const char *const mismatches[HEAP_FAMILIES][HEAP_FAMILIES] = {
    {NULL, "frees by free what new has made", "frees by free what new[] has made"},
    {"frees by delete what malloc or its like has made", NULL,
     "frees by delete what new[] has made"},
    {"frees by delete[] what malloc or its like has made", "frees by delete[] what new has made",
     NULL},
};

void execution_free(void *block, enum heap_family family, const void *at)
{
    retry_break();
    struct thread *thread = thread_current();
    if (!block)
        return;
    if (execution.phase == PHASE_THREADS)
        execution_settle();
    if (!heap_is_block(block) && execution.phase != PHASE_OUTSIDE)
        execution_find(&(struct finding){
            .kind = FINDING_BAD_FREE,
            .address = block,
            .here = {.kind = ACCESS_FREE, .thread = (uint8_t)execution.current, .at = at}});
    if (!heap_is_block(block))
        return;
    const char *mismatch = mismatches[family][heap_block_family(block)];
    if (mismatch)
        execution_misuse(mismatch, block, at);
    size_t size = heap_block_size(block);
    if (execution.phase != PHASE_THREADS) {
        check_alone(block, size ? size : 1, ACCESS_FREE, false, at);
        return;
    }
    note(thread, (uintptr_t)block);
    thread->freed++;
    change(thread);
    sections_see_write(execution.current, block, size, false);
    check_plain(thread, block, size ? size : 1, ACCESS_FREE, at);
}

/* ---- threads of the program ---- */

unsigned execution_create(void *(*start)(void *), void *argument, const void *at)
{
    retry_break();
    struct thread *thread = thread_current();
    if (execution.phase != PHASE_THREADS)
        execution_refuse("threads made by setup or teardown", at);
    change(thread);
    /* The scheduler hands them on to the thread that is made. */
    void *(*own_start)(void *) = thread->start;
    void *own_argument = thread->argument;
    thread->start = start;
    thread->argument = argument;
    ask_for(ASKED_CREATE, ORDER_PLAIN, 0, at);
    thread->start = own_start;
    thread->argument = own_argument;
    return thread->request.other;
}

void *execution_join(unsigned number, const void *at)
{
    if (execution.phase != PHASE_THREADS)
        execution_refuse("threads joined by setup or teardown", at);
    if (number >= EXECUTION_THREADS || !execution.threads[number].created)
        execution_refuse("joining a thread that the program did not make", at);
    ask_for(ASKED_JOIN, ORDER_PLAIN, number, at);
    return execution.threads[number].result;
}

void *execution_begin_created(void)
{
    ask_for(ASKED_BEGIN, ORDER_PLAIN, 0, NULL);
    struct thread *thread = thread_current();
    return thread->start(thread->argument);
}

/* What runs when a thread ends: destructors of its variables, then of its keys, as often as these
 * leave values, four times at most. */
static void run_destructors(struct thread *thread)
{
    enum {
        ROUNDS = 4
    };
    bool left = thread->has_specific;
    while (thread->at_end_count > 0) {
        thread->at_end_count--;
        thread->at_end[thread->at_end_count].run(thread->at_end[thread->at_end_count].object);
    }
    for (unsigned round = 0; left && round < ROUNDS; round++) {
        left = false;
        for (unsigned key = 0; key < THREAD_KEYS; key++) {
            void *value = thread->specific[key];
            thread->specific[key] = NULL;
            if (value && execution.key_destructors[key]) {
                execution.key_destructors[key](value);
                left = true;
            }
        }
    }
}

void execution_finish(void *result)
{
    retry_break();
    struct thread *thread = thread_current();
    run_destructors(thread);
    execution_settle();
    if (thread->created)
        ask_for(ASKED_END, ORDER_PLAIN, 0, NULL);
    thread->result = result;
    thread->state = THREAD_FINISHED;
    leave();
}

void execution_exit(void *result, const void *at)
{
    if (execution.phase != PHASE_THREADS || !thread_current()->created)
        execution_refuse("pthread_exit by a thread that the program did not make", at);
    execution_finish(result);
}

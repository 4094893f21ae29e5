#include "runtime/conditions.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/clocks.h"
#include "runtime/globals.h"
#include "runtime/held.h"
#include "runtime/locks.h"
#include "runtime/retry.h"

static bool wakes_freely(void)
{
    return exploration_graph(execution.exploration)->wakes_freely;
}

/* ---- who waits ---- */

static unsigned rank_of(const struct execution_graph *graph, const struct thread *thread)
{
    return graph->events[thread->waiting.begun].rank;
}

static bool is_signal(const struct execution_event *event, unsigned location)
{
    return event->kind == EVENT_KIND_WRITE && event->location == location &&
           event->value > CONDITION_WAITS;
}

/* Whether a thread waits for a condition, and nobody has signalled it since. */
static bool waits_for(const struct thread *thread, const void *condition)
{
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    if (thread->state == THREAD_UNUSED || thread->state == THREAD_FINISHED ||
        thread->waiting.condition != condition)
        return false;
    unsigned location = graph->events[thread->waiting.begun].location;
    for (event_number i = 0; i < graph->event_count; i++)
        if (is_signal(&graph->events[i], location) &&
            graph->events[i].rank > rank_of(graph, thread))
            return false;
    return true;
}

/* Whether somebody was woken by a signal. */
static bool has_woken(const struct execution_graph *graph, event_number signal)
{
    for (event_number i = 0; i < graph->event_count; i++)
        if (graph->events[i].kind == EVENT_KIND_READ &&
            graph->events[i].operation == OPERATION_AWAIT && graph->events[i].source == signal)
            return true;
    return false;
}

/* Whether a signal was lost on who began to wait in mo behind `since`, and was woken at `until`. */
static bool has_lost(const struct execution_graph *graph, unsigned location, unsigned since,
                     unsigned until)
{
    for (event_number i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        if (is_signal(event, location) && event->rank > since && event->rank < until &&
            (event->value == CONDITION_BROADCAST || !has_woken(graph, i)))
            return true;
    }
    return false;
}

/* Whether the one that a read found was not the first that had to wake its thread. */
static bool is_woken_late(const struct execution_graph *graph, const struct execution_event *read)
{
    if (read->kind != EVENT_KIND_READ || read->call != CALL_SLEEP || read->source < 0 ||
        !is_signal(&graph->events[read->source], read->location))
        return false;
    event_number wait = read->before;
    while (graph->events[wait].kind != EVENT_KIND_WRITE ||
           graph->events[wait].location != read->location)
        wait = graph->events[wait].before;
    return has_lost(graph, read->location, graph->events[wait].rank,
                    graph->events[read->source].rank);
}

bool condition_is_lost(const struct execution_graph *graph, unsigned number)
{
    const struct thread *thread = &execution.threads[number];
    unsigned location = graph->events[thread->waiting.begun].location;
    if (has_lost(graph, location, rank_of(graph, thread), UINT_MAX))
        return false;
    for (event_number i = 0; i < graph->event_count; i++)
        if (is_woken_late(graph, &graph->events[i]))
            return false;
    return true;
}

/* ---- waiting ---- */

/* The write of the read-modify-write that the thread has made last. */
static event_number last_update(void)
{
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    event_number read = thread_current()->request.event, found = 0;
    while (!graph->events[found].is_update || graph->events[found].before != read)
        found++;
    return found;
}

static void begin_to_wait(const void *condition, const void *mutex, const void *at)
{
    struct thread *thread = thread_current();
    if (!execution.takes_turns && !execution.tries)
        exploration_wake_freely(execution.exploration);
    lock_update(condition, OPERATION_EXCHANGE, CONDITION_WAITS, ORDER_ACQ_REL, CALL_WAIT, at);
    thread->waiting.condition = condition;
    thread->waiting.mutex = mutex;
    thread->waiting.begun = last_update();
}

/* Whether the thread is signalled. Without a deadline it is, or never returns. */
static bool await_signal(const void *condition, bool is_timed, const void *at)
{
    unsigned found = lock_await(condition, CONDITION_SIGNAL, ORDER_ACQUIRE, false, CALL_SLEEP, at);
    if (found < CONDITION_SIGNAL && !is_timed)
        execution_block_for_signal(at);
    thread_current()->waiting.condition = NULL;
    return found >= CONDITION_SIGNAL;
}

/* What holds of conditions, too: the mutex is held, and it is that of the others. */
static void look_at_mutex(const void *condition, const void *mutex, const void *at)
{
    if (!held_find(mutex))
        execution_misuse("waits for a condition without holding the mutex", condition, at);
    for (unsigned i = 0; i < execution.thread_count; i++)
        if (waits_for(&execution.threads[i], condition) &&
            execution.threads[i].waiting.mutex != mutex)
            execution_misuse("waits for a condition with another mutex than others do", condition,
                             at);
}

/* What the loop around a wait has done so far is not forgotten because of the wait: where it ends
 * without a signal, others may have gone on, and nothing else. */
struct loop {
    unsigned count, rounds;
    size_t used;
};

static struct loop remember_loop(void)
{
    const struct spin *spin = &thread_current()->spin;
    execution.recalls = true;
    return (struct loop){spin->count, spin->rounds, spin->used};
}

static void recall_loop(struct loop loop)
{
    thread_current()->spin.count = loop.count;
    thread_current()->spin.rounds = loop.rounds;
    thread_current()->spin.used = loop.used;
}

static int wait_freely(void *condition, pthread_mutex_t *mutex, struct deadline deadline,
                       const char *frame, const void *at)
{
    const struct spin_call call = {
        .of = condition, .with = mutex, .first = (uintptr_t)deadline.end};
    execution_come_again(&call, frame, at);
    struct loop loop = remember_loop();
    mutex_unlock(mutex, at);
    bool expires = deadline.end && execution_choose(2, at) == 1;
    mutex_lock(mutex, at);
    recall_loop(loop);
    return expires ? clock_expire(deadline.clock, deadline.end) : 0;
}

static int wait_for_signal(void *condition, pthread_mutex_t *mutex, struct deadline deadline,
                           const char *frame, const void *at)
{
    const struct spin_call call = {
        .of = condition, .with = mutex, .first = (uintptr_t)deadline.end};
    if (deadline.end)
        execution_come_again(&call, frame, at);
    struct loop loop = remember_loop();
    begin_to_wait(condition, mutex, at);
    mutex_unlock(mutex, at);
    bool woken = await_signal(condition, deadline.end, at);
    mutex_lock(mutex, at);
    if (woken)
        return 0;
    recall_loop(loop);
    return clock_expire(deadline.clock, deadline.end);
}

/* ---- waiting with a lock of any kind ---- */

/* What the loop around it has done so far: taking the lock may do the like. */
static struct spin remembered[REGION_THREADS];

static void copy_loop(struct spin *to, const struct spin *from)
{
    to->count = from->count;
    to->rounds = from->rounds;
    to->used = from->used;
    memcpy(to->kept, from->kept, from->count * sizeof *from->kept);
    memcpy(to->bytes, from->bytes, from->used);
}

bool condition_begin(const void *condition, bool is_timed, const char *frame, const void *at)
{
    const struct spin_call call = {.of = condition, .first = is_timed};
    struct thread *thread = thread_current();
    if (execution_phase() != PHASE_THREADS) {
        if (!is_timed)
            execution_refuse("waiting for a condition in setup or teardown", at);
        return false;
    }
    if (thread->waiting.condition)
        execution_refuse("waiting for a condition while a lock is given back to wait", at);
    if (is_timed || wakes_freely())
        execution_come_again(&call, frame, at);
    bool remembers = !thread->waiting.remembers; /* else it takes the lock of such a wait */
    if (!wakes_freely())
        begin_to_wait(condition, NULL, at);
    if (!remembers)
        return false;
    execution.recalls = true;
    copy_loop(&remembered[execution.current], &thread->spin);
    thread->waiting.remembers = true;
    thread->waiting.since = thread->now.of[execution.current];
    thread->waiting.changes = thread->changes;
    return true;
}

bool condition_sleep(const void *condition, bool is_timed, const void *at)
{
    if (execution_phase() != PHASE_THREADS)
        return false;
    if (wakes_freely())
        return !is_timed || execution_choose(2, at) == 0;
    return await_signal(condition, is_timed, at);
}

/* The lock is as it was, and nothing else has happened, as far as anybody can see. */
static bool is_as_it_was(const struct thread *thread)
{
    return thread->changes == thread->waiting.changes &&
           execution_restores(exploration_graph(execution.exploration), execution.current,
                              thread->waiting.since, thread->now.of[execution.current]);
}

void condition_end(bool remembers, bool is_signalled, bool is_known, const struct timespec *end)
{
    struct thread *thread = thread_current();
    if (execution_phase() == PHASE_THREADS) {
        execution_settle();
        thread->waiting.condition = NULL;
        thread->waiting.has_own_lock |= !is_known;
        thread->waiting.remembers &= !remembers;
        if (remembers && (wakes_freely() || !is_signalled) && (is_known || is_as_it_was(thread)))
            copy_loop(&thread->spin, &remembered[execution.current]);
    }
    if (end && !is_signalled)
        clock_expire(CLOCK_MONOTONIC, end);
}

/* ---- with a mutex ---- */

int condition_wait(void *condition, pthread_mutex_t *mutex, struct deadline deadline,
                   const char *frame, const void *at)
{
    if (execution_phase() != PHASE_THREADS) {
        if (!deadline.end)
            execution_refuse("waiting for a condition in setup or teardown", at);
        return clock_expire(deadline.clock, deadline.end);
    }
    look_at_mutex(condition, mutex, at);
    return wakes_freely() ? wait_freely(condition, mutex, deadline, frame, at)
                          : wait_for_signal(condition, mutex, deadline, frame, at);
}

void condition_signal(const void *condition, bool broadcast, const void *at)
{
    if (execution_phase() == PHASE_THREADS && !wakes_freely())
        lock_update(condition, OPERATION_EXCHANGE,
                    broadcast ? CONDITION_BROADCAST : CONDITION_SIGNAL, ORDER_ACQ_REL,
                    broadcast ? CALL_BROADCAST : CALL_SIGNAL, at);
}

void condition_destroy(void *condition, const void *at)
{
    bool alone = execution_phase() != PHASE_THREADS;
    for (unsigned i = 0; !alone && i < execution.thread_count; i++)
        if (waits_for(&execution.threads[i], condition))
            execution_misuse("destroys a condition for which a thread waits", condition, at);
    execution_plain(condition, sizeof(int), false, at);
}

/* ---- words of memory ----
 *
 * Each has a location of its own beside it, in memory that lies as the region and the globals do.
 */

static struct {
    char *region, *globals;
    unsigned *used[EXECUTION_LOCATIONS]; /* in this execution */
    unsigned count;
} words;

bool conditions_begin(void)
{
    while (words.count > 0)
        *words.used[--words.count] = 0;
    return true;
}

void conditions_say_sleeping(struct exchange_sleeping sleeping[2])
{
    sleeping[0] = (struct exchange_sleeping){words.region, (const void *)REGION_BASE, REGION_SIZE};
    sleeping[1] = (struct exchange_sleeping){words.globals, globals_start(),
                                             (size_t)(globals_end() - globals_start())};
}

static char *map(size_t size)
{
    void *got = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? NULL : got;
}

static unsigned *location_of(const void *word, const void *at)
{
    char *found = NULL;
    if (region_holds(word)) {
        if (!words.region)
            words.region = map(REGION_SIZE);
        found = words.region ? words.region + ((uintptr_t)word - REGION_BASE) : NULL;
    } else if ((const char *)word >= globals_start() && (const char *)word < globals_end()) {
        if (!words.globals)
            words.globals = map((size_t)(globals_end() - globals_start()));
        found = words.globals ? words.globals + ((const char *)word - globals_start()) : NULL;
    }
    if (!found || words.count == EXECUTION_LOCATIONS)
        execution_refuse("sleeping on memory that is neither global nor of the heap", at);
    words.used[words.count++] = (unsigned *)(void *)found;
    return (unsigned *)(void *)found;
}

int futex_wait(const void *word, unsigned value, bool is_timed, const char *frame, const void *at)
{
    static const struct timespec soon = {0};
    if (execution_phase() != PHASE_THREADS)
        return EAGAIN;
    if (wakes_freely()) {
        execution_come_again(&(struct spin_call){.of = word, .first = value}, frame, at);
        return is_timed && execution_choose(2, at) ? clock_expire(CLOCK_MONOTONIC, &soon) : 0;
    }
    unsigned *location = location_of(word, at);
    begin_to_wait(location, NULL, at);
    if ((unsigned)lock_update(word, OPERATION_LOAD, 0, ORDER_RELAXED, CALL_NONE, at) != value) {
        thread_current()->waiting.condition = NULL;
        return EAGAIN;
    }
    return await_signal(location, is_timed, at) ? 0 : ETIMEDOUT;
}

void futex_wake(const void *word, bool all, const void *at)
{
    if (execution_phase() == PHASE_THREADS && !wakes_freely())
        lock_update(location_of(word, at), OPERATION_EXCHANGE,
                    all ? CONDITION_BROADCAST : CONDITION_SIGNAL, ORDER_ACQ_REL,
                    all ? CALL_BROADCAST : CALL_SIGNAL, at);
}

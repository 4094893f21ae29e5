#include "runtime/several.h"

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/held.h"
#include "runtime/locks.h"
#include "runtime/retry.h"
#include "runtime/sections.h"

/* As runtime/instrumented.h numbers them. */
enum lock_kind {
    KIND_MUTEX = 1,
    KIND_READ_WRITE, /* to be written under */
};

static bool is_enabled;

void several_enable(bool enabled)
{
    is_enabled = enabled;
}

static bool is_twice(void *const *locks, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            if (locks[i] == locks[k])
                return true;
    return false;
}

static bool is_recursive(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE;
}

/* Waits until a lock is free: the event by which it is. */
static event_number look_at(const void *lock, const void *at)
{
    const struct exploration_access access = {.address = lock,
                                              .size = sizeof(int),
                                              .operation = OPERATION_AWAIT_NONE,
                                              .order = ORDER_RELAXED,
                                              .failure_order = ORDER_RELAXED,
                                              .is_lock = true,
                                              .call = CALL_LOOK_AT_LOCK,
                                              .at = at};
    execution_read(&access, NULL);
    return thread_current()->request.event;
}

/* Begins to take several locks: whether it is done by taking one after the other. Else the library
 * is to do it in its own way. */
BOUND_FUNCTION(int, linchpin_locks_begin, unsigned count, void *const *locks,
               const unsigned char *kinds)
{
    struct several_locks several = {.count = count};
    if (execution_phase() != PHASE_THREADS || !is_enabled || count > MOST_SEVERAL ||
        is_twice(locks, count))
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (!locks[i])
            return 0;
    retry_break();
    for (unsigned i = 0; i < count; i++)
        sections_see_several(locks[i]);
    lock_come((const void *)locks, count, LOCAL_STATE, CALLER);
    for (unsigned i = 0; i < count; i++) {
        pthread_mutex_t *mutex = locks[i];
        several.items[i].lock = mutex;
        several.items[i].look = EXECUTION_NONE;
        if (kinds[i] == KIND_MUTEX) /* it must be there, whether or not it is its turn */
            execution_plain(&mutex->__data.__kind, sizeof mutex->__data.__kind, false, CALLER);
        bool is_ours = kinds[i] == KIND_MUTEX && is_recursive(mutex) && held_find(mutex);
        if (i > 0 && !is_ours)
            several.items[i].look = look_at(mutex, CALLER);
    }
    thread_current()->several = several;
    return 1;
}

BOUND_FUNCTION(void, linchpin_locks_end, void)
{
    thread_current()->several.count = 0;
}

bool several_goes_on(const struct thread *thread, const struct execution_event *read,
                     const void *lock)
{
    const struct execution_graph *graph = exploration_graph(execution.exploration);
    for (unsigned i = 0; i < thread->several.count; i++) {
        event_number look = thread->several.items[i].look;
        if (thread->several.items[i].lock == lock && look != EXECUTION_NONE)
            return graph->events[look].source == read->source;
    }
    return true;
}

/* pthread_create, _join, _exit, _self; mutexes; what yields; statics that are initialised once.
 *
 * A mutex is the first int of its pthread_mutex_t: 0, or the number of its owner from 1. To lock is
 * a compare-and-exchange, acquire, that waits if it fails; to unlock is a store, release. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"

/* ---- threads ---- */

BOUND_FUNCTION(int, pthread_create, pthread_t *made, const pthread_attr_t *attributes,
               void *(*start)(void *), void *argument)
{
    if (attributes)
        execution_refuse("pthread_create with attributes", CALLER);
    *made = execution_create(start, argument, CALLER);
    execution_plain(made, sizeof *made, true, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_join, pthread_t thread, void **result)
{
    void *answer = execution_join((unsigned)thread, CALLER);
    if (result)
        *result = answer;
    return 0;
}

BOUND_FUNCTION(void, pthread_exit, void *result)
{
    execution_exit(result, CALLER);
}

BOUND_FUNCTION(pthread_t, pthread_self, void)
{
    return execution_thread();
}

BOUND_FUNCTION(int, pthread_equal, pthread_t left, pthread_t right)
{
    return left == right;
}

/* ---- what gives way to others: no event ---- */

BOUND_FUNCTION(int, sched_yield, void)
{
    return 0;
}

BOUND_FUNCTION(int, usleep, unsigned microseconds)
{
    (void)microseconds;
    return 0;
}

BOUND_FUNCTION(int, nanosleep, const struct timespec *time, struct timespec *left)
{
    (void)time;
    if (left)
        memset(left, 0, sizeof *left);
    return 0;
}

/* ---- mutexes ---- */

/* `frame`: of who looks again if it fails (execution_read); null: who waits, or does not. */
static bool try_lock(volatile void *lock, bool waits, const char *frame, const void *at)
{
    unsigned owner = execution_thread() + 1;
    return execution_read(&(struct exploration_access){.address = (const void *)lock,
                                                       .size = sizeof(int),
                                                       .operation = OPERATION_COMPARE_EXCHANGE,
                                                       .order = ORDER_ACQUIRE,
                                                       .failure_order = ORDER_RELAXED,
                                                       .is_lock = waits,
                                                       .operand = owner,
                                                       .at = at},
                          frame) == 0;
}

static void unlock(volatile void *lock, const void *at)
{
    execution_write(&(struct exploration_access){
        .address = (const void *)lock, .size = sizeof(int), .order = ORDER_RELEASE, .at = at});
}

/* Only what waits for the owner to unlock, and nothing else, is modelled. */
static void look_at_kind(const pthread_mutex_t *mutex, const void *at)
{
    if (mutex->__data.__kind != PTHREAD_MUTEX_TIMED_NP)
        execution_refuse("a mutex of another kind than PTHREAD_MUTEX_DEFAULT", at);
}

BOUND_FUNCTION(int, pthread_mutex_init, pthread_mutex_t *mutex,
               const pthread_mutexattr_t *attributes)
{
    if (attributes)
        execution_refuse("pthread_mutex_init with attributes", CALLER);
    execution_plain(mutex, sizeof *mutex, true, CALLER);
    memset(mutex, 0, sizeof *mutex);
    return 0;
}

BOUND_FUNCTION(int, pthread_mutex_destroy, pthread_mutex_t *mutex)
{
    execution_plain(mutex, sizeof(int), false, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
    look_at_kind(mutex, CALLER);
    try_lock(mutex, execution_phase() == PHASE_THREADS, NULL, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
    look_at_kind(mutex, CALLER);
    return try_lock(mutex, false, LOCAL_STATE, CALLER) ? 0 : EBUSY;
}

BOUND_FUNCTION(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
{
    look_at_kind(mutex, CALLER);
    if (!execution_memory_is(mutex, sizeof(int), execution_thread() + 1))
        execution_find(
            &(struct finding){.kind = FINDING_BAD_UNLOCK,
                              .address = mutex,
                              .here = {.thread = (uint8_t)execution_thread(), .at = CALLER}});
    unlock(mutex, CALLER);
    return 0;
}

/* ---- variables of functions in C++: initialised by whoever comes first ---- */

/* The first byte is set once it is done; the second int is a lock. */
BOUND_FUNCTION(int, __cxa_guard_acquire, uint64_t *guard)
{
    const struct exploration_access done = {
        .address = guard, .size = 1, .order = ORDER_ACQUIRE, .at = CALLER};
    if (execution_read(&done, NULL))
        return 0;
    try_lock((int *)guard + 1, execution_phase() == PHASE_THREADS, NULL, CALLER);
    if (!execution_read(&done, NULL))
        return 1;
    unlock((int *)guard + 1, CALLER);
    return 0;
}

BOUND_FUNCTION(void, __cxa_guard_release, uint64_t *guard)
{
    execution_write(&(struct exploration_access){
        .address = guard, .size = 1, .order = ORDER_RELEASE, .operand = 1, .at = CALLER});
    unlock((int *)guard + 1, CALLER);
}

BOUND_FUNCTION(void, __cxa_guard_abort, uint64_t *guard)
{
    unlock((int *)guard + 1, CALLER);
}

/* shared_ptr asks whether there are threads: there are. */
extern char BOUND(__libc_single_threaded);
char BOUND(__libc_single_threaded) = 0;

/* Read-write locks, semaphores and barriers of POSIX.
 *
 * A read-write lock is the first unsigned of its pthread_rwlock_t: how many threads read, or
 * WRITTEN. Readers come in whether or not writers wait. A semaphore is the first unsigned of its
 * sem_t. A barrier has how many have come so far in the first unsigned of its pthread_barrier_t:
 * who comes as the last of a round lets the others go on, which wait until so many have come. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/clocks.h"
#include "runtime/held.h"
#include "runtime/locks.h"

/* ---- read-write locks ---- */

static const unsigned WRITTEN = 1U << 31;

BOUND_FUNCTION(int, pthread_rwlockattr_init, pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    return 0;
}

BOUND_FUNCTION(int, pthread_rwlockattr_destroy, pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    return 0;
}

BOUND_FUNCTION(int, pthread_rwlockattr_setpshared, pthread_rwlockattr_t *attributes, int shared)
{
    (void)attributes;
    (void)shared;
    return 0;
}

/* Whom it prefers: every order of those who wait is seen. */
BOUND_FUNCTION(int, pthread_rwlockattr_setkind_np, pthread_rwlockattr_t *attributes, int kind)
{
    (void)attributes;
    (void)kind;
    return 0;
}

BOUND_FUNCTION(int, pthread_rwlock_init, pthread_rwlock_t *lock,
               const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    execution_plain(lock, sizeof *lock, true, CALLER);
    memset(lock, 0, sizeof *lock);
    return 0;
}

BOUND_FUNCTION(int, pthread_rwlock_destroy, pthread_rwlock_t *lock)
{
    execution_plain(lock, sizeof(unsigned), false, CALLER);
    if (!execution_memory_is(lock, sizeof(unsigned), 0))
        execution_misuse("destroys a read-write lock that is held", lock, CALLER);
    return 0;
}

static int read_lock(pthread_rwlock_t *lock, bool waits, const void *at)
{
    if (lock_add_unless(lock, 1, WRITTEN, ORDER_ACQUIRE, waits,
                        waits ? CALL_READ_LOCK : CALL_TRY_READ_LOCK, at) == WRITTEN)
        return EBUSY;
    held_add(lock, true, at);
    return 0;
}

static int write_lock(pthread_rwlock_t *lock, bool waits, const void *at)
{
    const struct exploration_access access = {.address = lock,
                                              .size = sizeof(unsigned),
                                              .operation = OPERATION_COMPARE_EXCHANGE,
                                              .order = ORDER_ACQUIRE,
                                              .failure_order = ORDER_RELAXED,
                                              .is_lock = waits,
                                              .call = waits ? CALL_LOCK : CALL_TRY_LOCK,
                                              .operand = WRITTEN,
                                              .at = at};
    if (execution_read(&access, NULL) != 0)
        return EBUSY;
    held_add(lock, false, at);
    return 0;
}

BOUND_FUNCTION(int, pthread_rwlock_rdlock, pthread_rwlock_t *lock)
{
    return read_lock(lock, true, CALLER);
}

BOUND_FUNCTION(int, pthread_rwlock_wrlock, pthread_rwlock_t *lock)
{
    lock_come(lock, 1, LOCAL_STATE, CALLER);
    return write_lock(lock, true, CALLER);
}

BOUND_FUNCTION(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *lock)
{
    return read_lock(lock, false, CALLER);
}

BOUND_FUNCTION(int, pthread_rwlock_trywrlock, pthread_rwlock_t *lock)
{
    return write_lock(lock, false, CALLER);
}

BOUND_FUNCTION(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *lock, const struct timespec *end)
{
    return read_lock(lock, false, CALLER) ? clock_expire(CLOCK_REALTIME, end) : 0;
}

BOUND_FUNCTION(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *lock, const struct timespec *end)
{
    return write_lock(lock, false, CALLER) ? clock_expire(CLOCK_REALTIME, end) : 0;
}

BOUND_FUNCTION(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *lock, clockid_t clock,
               const struct timespec *end)
{
    return read_lock(lock, false, CALLER) ? clock_expire(clock, end) : 0;
}

BOUND_FUNCTION(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *lock, clockid_t clock,
               const struct timespec *end)
{
    return write_lock(lock, false, CALLER) ? clock_expire(clock, end) : 0;
}

BOUND_FUNCTION(int, pthread_rwlock_unlock, pthread_rwlock_t *lock)
{
    const struct held_lock *held = held_find(lock);
    if (!held) {
        execution_bad_unlock(lock, CALLER);
        return 0;
    }
    bool shared = held->shared;
    held_remove(lock);
    if (shared)
        lock_update(lock, OPERATION_SUB, 1, ORDER_RELEASE, CALL_READ_UNLOCK, CALLER);
    else
        lock_give_back(lock, sizeof(unsigned), CALLER);
    return 0;
}

/* ---- semaphores ---- */

static int fail(int error)
{
    thread_current()->error = error;
    return -1;
}

BOUND_FUNCTION(int, sem_init, sem_t *semaphore, int shared, unsigned value)
{
    (void)shared;
    if (value > SEM_VALUE_MAX)
        return fail(EINVAL);
    execution_plain(semaphore, sizeof *semaphore, true, CALLER);
    memset(semaphore, 0, sizeof *semaphore);
    memcpy(semaphore, &value, sizeof value);
    return 0;
}

BOUND_FUNCTION(int, sem_destroy, sem_t *semaphore)
{
    if (execution_waits_for(semaphore))
        execution_misuse("destroys a semaphore for which a thread waits", semaphore, CALLER);
    execution_plain(semaphore, sizeof(unsigned), false, CALLER);
    return 0;
}

BOUND_FUNCTION(int, sem_wait, sem_t *semaphore)
{
    lock_add_unless(semaphore, -1U, 0, ORDER_ACQUIRE, true, CALL_SEMAPHORE_WAIT, CALLER);
    return 0;
}

BOUND_FUNCTION(int, sem_trywait, sem_t *semaphore)
{
    return lock_add_unless(semaphore, -1U, 0, ORDER_ACQUIRE, false, CALL_SEMAPHORE_TRY_WAIT, CALLER)
               ? 0
               : fail(EAGAIN);
}

BOUND_FUNCTION(int, sem_timedwait, sem_t *semaphore, const struct timespec *end)
{
    return lock_add_unless(semaphore, -1U, 0, ORDER_ACQUIRE, false, CALL_SEMAPHORE_TRY_WAIT, CALLER)
               ? 0
               : fail(clock_expire(CLOCK_REALTIME, end));
}

BOUND_FUNCTION(int, sem_clockwait, sem_t *semaphore, clockid_t clock, const struct timespec *end)
{
    return lock_add_unless(semaphore, -1U, 0, ORDER_ACQUIRE, false, CALL_SEMAPHORE_TRY_WAIT, CALLER)
               ? 0
               : fail(clock_expire(clock, end));
}

BOUND_FUNCTION(int, sem_post, sem_t *semaphore)
{
    return lock_add_unless(semaphore, 1, SEM_VALUE_MAX, ORDER_RELEASE, false, CALL_SEMAPHORE_POST,
                           CALLER) == SEM_VALUE_MAX
               ? fail(EOVERFLOW)
               : 0;
}

BOUND_FUNCTION(int, sem_getvalue, sem_t *semaphore, int *value)
{
    int found = (int)lock_update(semaphore, OPERATION_LOAD, 0, ORDER_RELAXED, CALL_NONE, CALLER);
    execution_plain(value, sizeof *value, true, CALLER);
    *value = found;
    return 0;
}

/* ---- barriers ---- */

struct barrier {
    unsigned come, count;
};

BOUND_FUNCTION(int, pthread_barrierattr_init, pthread_barrierattr_t *attributes)
{
    (void)attributes;
    return 0;
}

BOUND_FUNCTION(int, pthread_barrierattr_destroy, pthread_barrierattr_t *attributes)
{
    (void)attributes;
    return 0;
}

BOUND_FUNCTION(int, pthread_barrier_init, struct barrier *barrier,
               const pthread_barrierattr_t *attributes, unsigned count)
{
    (void)attributes;
    if (count == 0 || count > INT_MAX)
        return EINVAL;
    execution_plain(barrier, sizeof *barrier, true, CALLER);
    *barrier = (struct barrier){.count = count};
    return 0;
}

BOUND_FUNCTION(int, pthread_barrier_destroy, struct barrier *barrier)
{
    execution_plain(barrier, sizeof *barrier, false, CALLER);
    if (barrier->count && barrier->come % barrier->count)
        execution_misuse("destroys a barrier at which a thread waits", barrier, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_barrier_wait, struct barrier *barrier)
{
    execution_plain(&barrier->count, sizeof barrier->count, false, CALLER);
    unsigned count = barrier->count;
    if (count == 0) {
        execution_misuse("waits at a barrier that is not initialised", barrier, CALLER);
        return 0;
    }
    unsigned come = (unsigned)lock_update(barrier, OPERATION_ADD, 1, ORDER_ACQ_REL,
                                          CALL_BARRIER_ARRIVE, CALLER);
    if (come % count == count - 1)
        return PTHREAD_BARRIER_SERIAL_THREAD;
    lock_await(barrier, (come / count + 1) * count, ORDER_ACQUIRE, true, CALL_BARRIER_WAIT, CALLER);
    return 0;
}

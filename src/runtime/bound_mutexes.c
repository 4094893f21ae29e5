/* Mutexes of pthreads and of threads.h, of every type, and spin locks.
 *
 * A mutex is the first int of its pthread_mutex_t (runtime/locks.h). How often a recursive one is
 * held only its owner knows. To wait until some time comes is to try: where it fails, somebody else
 * holds the mutex at some moment, and has held it for long enough. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/clocks.h"
#include "runtime/held.h"
#include "runtime/locks.h"

enum {
    TYPES = 3,     /* of the kind of a mutex: its type */
    DESTROYED = -1 /* the kind of one that is no more */
};

/* ---- attributes ---- */

static int *kind_of(pthread_mutexattr_t *attributes)
{
    return (int *)(void *)attributes;
}

BOUND_FUNCTION(int, pthread_mutexattr_init, pthread_mutexattr_t *attributes)
{
    execution_plain(attributes, sizeof(int), true, CALLER);
    *kind_of(attributes) = PTHREAD_MUTEX_DEFAULT;
    return 0;
}

BOUND_FUNCTION(int, pthread_mutexattr_destroy, pthread_mutexattr_t *attributes)
{
    (void)attributes;
    return 0;
}

BOUND_FUNCTION(int, pthread_mutexattr_settype, pthread_mutexattr_t *attributes, int type)
{
    if (type < 0 || type > TYPES)
        return EINVAL;
    execution_plain(attributes, sizeof(int), true, CALLER);
    *kind_of(attributes) = type;
    return 0;
}

BOUND_FUNCTION(int, pthread_mutexattr_gettype, pthread_mutexattr_t *attributes, int *type)
{
    execution_plain(attributes, sizeof(int), false, CALLER);
    execution_plain(type, sizeof *type, true, CALLER);
    *type = *kind_of(attributes);
    return 0;
}

/* Threads of one process see no difference. */
BOUND_FUNCTION(int, pthread_mutexattr_setpshared, pthread_mutexattr_t *attributes, int shared)
{
    (void)attributes;
    (void)shared;
    return 0;
}

/* ---- mutexes ---- */

static int type_of(pthread_mutex_t *mutex, const void *at)
{
    execution_plain(&mutex->__data.__kind, sizeof mutex->__data.__kind, false, at);
    if (mutex->__data.__kind == DESTROYED)
        execution_misuse("uses a mutex that is destroyed", mutex, at);
    return mutex->__data.__kind & TYPES;
}

/* What it comes to when the thread holds it already; -1: it is to wait for itself. */
static int lock_again(pthread_mutex_t *mutex, int type, const void *at)
{
    if (type == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    if (type != PTHREAD_MUTEX_RECURSIVE)
        return -1;
    held_add(mutex, false, at);
    return 0;
}

int mutex_lock(pthread_mutex_t *mutex, const void *at)
{
    int type = type_of(mutex, at), again = held_find(mutex) ? lock_again(mutex, type, at) : -1;
    if (again >= 0)
        return again;
    lock_take(mutex, sizeof(int), true, NULL, at);
    held_add(mutex, false, at);
    return 0;
}

static int try_mutex(pthread_mutex_t *mutex, const char *frame, const void *at)
{
    if (type_of(mutex, at) == PTHREAD_MUTEX_RECURSIVE && held_find(mutex)) {
        held_add(mutex, false, at);
        return 0;
    }
    if (!lock_take(mutex, sizeof(int), false, frame, at))
        return EBUSY;
    held_add(mutex, false, at);
    return 0;
}

static int lock_until(pthread_mutex_t *mutex, int clock, const struct timespec *end, const void *at)
{
    int type = type_of(mutex, at), again = held_find(mutex) ? lock_again(mutex, type, at) : -1;
    if (again >= 0)
        return again;
    if (try_mutex(mutex, NULL, at) == 0)
        return 0;
    return clock_expire(clock, end);
}

int mutex_unlock(pthread_mutex_t *mutex, const void *at)
{
    int type = type_of(mutex, at);
    if (!held_find(mutex)) {
        if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)
            return EPERM;
        execution_bad_unlock(mutex, at);
        return 0;
    }
    if (held_remove(mutex))
        lock_give_back(mutex, sizeof(int), at);
    return 0;
}

static int begin(pthread_mutex_t *mutex, int type, const void *at)
{
    execution_plain(mutex, sizeof *mutex, true, at);
    memset(mutex, 0, sizeof *mutex);
    mutex->__data.__kind = type;
    return 0;
}

static void end(pthread_mutex_t *mutex, const void *at)
{
    type_of(mutex, at);
    execution_plain(mutex, sizeof(int), false, at);
    if (!execution_memory_is(mutex, sizeof(int), 0))
        execution_misuse("destroys a mutex that is held", mutex, at);
    execution_plain(&mutex->__data.__kind, sizeof mutex->__data.__kind, true, at);
    mutex->__data.__kind = DESTROYED;
}

BOUND_FUNCTION(int, pthread_mutex_init, pthread_mutex_t *mutex, pthread_mutexattr_t *attributes)
{
    if (attributes)
        execution_plain(attributes, sizeof(int), false, CALLER);
    return begin(mutex, attributes ? *kind_of(attributes) : PTHREAD_MUTEX_DEFAULT, CALLER);
}

BOUND_FUNCTION(int, pthread_mutex_destroy, pthread_mutex_t *mutex)
{
    end(mutex, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
    lock_come(mutex, 1, LOCAL_STATE, CALLER);
    return mutex_lock(mutex, CALLER);
}

BOUND_FUNCTION(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
    return try_mutex(mutex, LOCAL_STATE, CALLER);
}

BOUND_FUNCTION(int, pthread_mutex_timedlock, pthread_mutex_t *mutex, const struct timespec *end)
{
    return lock_until(mutex, CLOCK_REALTIME, end, CALLER);
}

BOUND_FUNCTION(int, pthread_mutex_clocklock, pthread_mutex_t *mutex, clockid_t clock,
               const struct timespec *end)
{
    return lock_until(mutex, clock, end, CALLER);
}

BOUND_FUNCTION(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
{
    return mutex_unlock(mutex, CALLER);
}

/* ---- threads.h: the same under other names ---- */

static int answer_of(int error)
{
    return error == 0           ? thrd_success
           : error == EBUSY     ? thrd_busy
           : error == ETIMEDOUT ? thrd_timedout
                                : thrd_error;
}

BOUND_FUNCTION(int, mtx_init, pthread_mutex_t *mutex, int type)
{
    return begin(mutex, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_DEFAULT,
                 CALLER);
}

BOUND_FUNCTION(void, mtx_destroy, pthread_mutex_t *mutex)
{
    end(mutex, CALLER);
}

BOUND_FUNCTION(int, mtx_lock, pthread_mutex_t *mutex)
{
    lock_come(mutex, 1, LOCAL_STATE, CALLER);
    return answer_of(mutex_lock(mutex, CALLER));
}

BOUND_FUNCTION(int, mtx_trylock, pthread_mutex_t *mutex)
{
    return answer_of(try_mutex(mutex, LOCAL_STATE, CALLER));
}

BOUND_FUNCTION(int, mtx_timedlock, pthread_mutex_t *mutex, const struct timespec *end)
{
    return answer_of(lock_until(mutex, CLOCK_REALTIME, end, CALLER));
}

BOUND_FUNCTION(int, mtx_unlock, pthread_mutex_t *mutex)
{
    return answer_of(mutex_unlock(mutex, CALLER));
}

/* ---- spin locks ---- */

BOUND_FUNCTION(int, pthread_spin_init, pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    execution_plain((void *)lock, sizeof *lock, true, CALLER);
    *lock = 0;
    return 0;
}

BOUND_FUNCTION(int, pthread_spin_destroy, pthread_spinlock_t *lock)
{
    execution_plain((void *)lock, sizeof *lock, false, CALLER);
    if (!execution_memory_is((void *)lock, sizeof *lock, 0))
        execution_misuse("destroys a spin lock that is held", (void *)lock, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_spin_lock, pthread_spinlock_t *lock)
{
    lock_come((const void *)lock, 1, LOCAL_STATE, CALLER);
    lock_take(lock, sizeof *lock, true, NULL, CALLER);
    held_add((void *)lock, false, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_spin_trylock, pthread_spinlock_t *lock)
{
    if (!lock_take(lock, sizeof *lock, false, LOCAL_STATE, CALLER))
        return EBUSY;
    held_add((void *)lock, false, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_spin_unlock, pthread_spinlock_t *lock)
{
    if (!held_find((void *)lock)) {
        execution_bad_unlock((void *)lock, CALLER);
        return 0;
    }
    held_remove((void *)lock);
    lock_give_back(lock, sizeof *lock, CALLER);
    return 0;
}

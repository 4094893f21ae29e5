/* In the hostile build the linker puts these in the place of what they are named after, so that
 * other threads run where it matters: in front of a lock, behind one, and where a thread has seen
 * that it must wait. A wait may end for no reason, as POSIX allows. With one thread nothing
 * changes.
 *
 * On a busy machine a thread that yields waits long for its turn. So all threads together take no
 * longer for that than passes in between, and a test takes about twice its time at most. */
#ifdef LINCHPIN_HOSTILE

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/single_threaded.h>
#include <time.h>

#define SLEEP_EVERY 64    /* yields: others run even on an idle machine */
#define SLEEP       50000 /* nanoseconds */
#define WAKE_EVERY  4     /* waits */

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until);

/* Null in what is not linked so. */
__attribute__((weak)) int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
__attribute__((weak)) int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
__attribute__((weak)) int __real_pthread_cond_wait(pthread_cond_t *condition,
                                                   pthread_mutex_t *mutex);
__attribute__((weak)) int __real_pthread_cond_timedwait(pthread_cond_t *condition,
                                                        pthread_mutex_t *mutex,
                                                        const struct timespec *until);

static _Thread_local uint32_t yields, waits;
static atomic_uint_least64_t none_until; /* no thread yields earlier: nanoseconds */

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void yield(void)
{
    if (__libc_single_threaded)
        return;
    const uint64_t begin = nanoseconds();
    if (begin < atomic_load(&none_until))
        return;
    const int reason = errno; /* of whoever takes or leaves the lock */
    if (++yields % SLEEP_EVERY == 0)
        nanosleep(&(struct timespec){.tv_nsec = SLEEP}, NULL);
    else
        sched_yield();
    errno = reason;
    const uint64_t end = nanoseconds();
    atomic_store(&none_until, end + (end - begin));
}

/* Whether a wait ends at once, for no reason. */
static bool wakes(pthread_mutex_t *mutex)
{
    if (++waits % WAKE_EVERY != 0)
        return false;
    __real_pthread_mutex_unlock(mutex);
    yield();
    __real_pthread_mutex_lock(mutex);
    return true;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    yield();
    return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int result = __real_pthread_mutex_unlock(mutex);
    yield();
    return result;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wakes(mutex) ? 0 : __real_pthread_cond_wait(condition, mutex);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    return wakes(mutex) ? 0 : __real_pthread_cond_timedwait(condition, mutex, until);
}

#endif

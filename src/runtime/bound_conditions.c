/* Conditions of pthreads, of threads.h and of C++; what sleeps on words of memory. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/conditions.h"
#include "runtime/execution.h"

/* The first unsigned is the location of a condition (runtime/conditions.h), the second its clock.
 */
enum {
    CLOCK = 1
};

BOUND_FUNCTION(int, pthread_condattr_init, int *attributes)
{
    execution_plain(attributes, sizeof *attributes, true, CALLER);
    *attributes = CLOCK_REALTIME;
    return 0;
}

BOUND_FUNCTION(int, pthread_condattr_destroy, int *attributes)
{
    (void)attributes;
    return 0;
}

BOUND_FUNCTION(int, pthread_condattr_setclock, int *attributes, clockid_t clock)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    execution_plain(attributes, sizeof *attributes, true, CALLER);
    *attributes = clock;
    return 0;
}

BOUND_FUNCTION(int, pthread_condattr_setpshared, int *attributes, int shared)
{
    (void)attributes;
    (void)shared;
    return 0;
}

static void begin(int *condition, const int *attributes, const void *at)
{
    if (attributes)
        execution_plain(attributes, sizeof *attributes, false, at);
    execution_plain(condition, sizeof(pthread_cond_t), true, at);
    memset(condition, 0, sizeof(pthread_cond_t));
    condition[CLOCK] = attributes ? *attributes : CLOCK_REALTIME;
}

static struct deadline until(const int *condition, const struct timespec *end)
{
    return (struct deadline){.end = end, .clock = condition[CLOCK]};
}

static const struct deadline never;

BOUND_FUNCTION(int, pthread_cond_init, int *condition, const int *attributes)
{
    begin(condition, attributes, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_cond_destroy, int *condition)
{
    condition_destroy(condition, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_cond_wait, int *condition, pthread_mutex_t *mutex)
{
    return condition_wait(condition, mutex, never, LOCAL_STATE, CALLER);
}

BOUND_FUNCTION(int, pthread_cond_timedwait, int *condition, pthread_mutex_t *mutex,
               const struct timespec *end)
{
    return condition_wait(condition, mutex, until(condition, end), LOCAL_STATE, CALLER);
}

BOUND_FUNCTION(int, pthread_cond_clockwait, int *condition, pthread_mutex_t *mutex, clockid_t clock,
               const struct timespec *end)
{
    return condition_wait(condition, mutex, (struct deadline){.end = end, .clock = clock},
                          LOCAL_STATE, CALLER);
}

BOUND_FUNCTION(int, pthread_cond_signal, int *condition)
{
    condition_signal(condition, false, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_cond_broadcast, int *condition)
{
    condition_signal(condition, true, CALLER);
    return 0;
}

/* ---- threads.h ---- */

static int answer_of(int error)
{
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

BOUND_FUNCTION(int, cnd_init, int *condition)
{
    begin(condition, NULL, CALLER);
    return thrd_success;
}

BOUND_FUNCTION(void, cnd_destroy, int *condition)
{
    condition_destroy(condition, CALLER);
}

BOUND_FUNCTION(int, cnd_wait, int *condition, pthread_mutex_t *mutex)
{
    return answer_of(condition_wait(condition, mutex, never, LOCAL_STATE, CALLER));
}

BOUND_FUNCTION(int, cnd_timedwait, int *condition, pthread_mutex_t *mutex,
               const struct timespec *end)
{
    return answer_of(condition_wait(condition, mutex, until(condition, end), LOCAL_STATE, CALLER));
}

BOUND_FUNCTION(int, cnd_signal, int *condition)
{
    condition_signal(condition, false, CALLER);
    return thrd_success;
}

BOUND_FUNCTION(int, cnd_broadcast, int *condition)
{
    condition_signal(condition, true, CALLER);
    return thrd_success;
}

/* ---- C++: what of std::condition_variable is in its library ---- */

BOUND_FUNCTION(void, _ZNSt18condition_variableC1Ev, int *condition)
{
    begin(condition, NULL, CALLER);
}

BOUND_FUNCTION(void, _ZNSt18condition_variableD1Ev, int *condition)
{
    condition_destroy(condition, CALLER);
}

/* Of a class that inherits it. */
BOUND_FUNCTION(void, _ZNSt18condition_variableC2Ev, int *condition)
{
    begin(condition, NULL, CALLER);
}

BOUND_FUNCTION(void, _ZNSt18condition_variableD2Ev, int *condition)
{
    condition_destroy(condition, CALLER);
}

struct unique_lock {
    pthread_mutex_t *mutex;
    bool owns;
};

BOUND_FUNCTION(void, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, int *condition,
               struct unique_lock *lock)
{
    condition_wait(condition, lock->mutex, never, LOCAL_STATE, CALLER);
}

BOUND_FUNCTION(void, _ZNSt18condition_variable10notify_oneEv, int *condition)
{
    condition_signal(condition, false, CALLER);
}

BOUND_FUNCTION(void, _ZNSt18condition_variable10notify_allEv, int *condition)
{
    condition_signal(condition, true, CALLER);
}

/* ---- C++: std::condition_variable_any, in runtime/include/condition_variable ---- */

BOUND_FUNCTION(int, linchpin_condition_begin, const void *condition, const struct timespec *end)
{
    return condition_begin(condition, end, LOCAL_STATE, CALLER);
}

BOUND_FUNCTION(int, linchpin_condition_sleep, const void *condition, const struct timespec *end)
{
    return condition_sleep(condition, end, CALLER);
}

BOUND_FUNCTION(void, linchpin_condition_end, int begun, int is_signalled, int is_known,
               const struct timespec *end)
{
    condition_end(begun, is_signalled, is_known, end);
}

BOUND_FUNCTION(void, linchpin_condition_notify, const void *condition, int all)
{
    condition_signal(condition, all, CALLER);
}

/* ---- sleeping on a word of memory, as the system has it ---- */

BOUND_FUNCTION(long, syscall, long number, ...)
{
    va_list list;
    va_start(list, number);
    if (number != SYS_futex)
        execution_refuse("a system call other than futex", CALLER);
    const void *word = va_arg(list, const void *);
    int operation = va_arg(list, int) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    unsigned value = va_arg(list, unsigned);
    const void *time = va_arg(list, const void *);
    va_end(list);
    if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) {
        futex_wake(word, value > 1, CALLER);
        return 0;
    }
    if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET)
        execution_refuse("a futex operation other than to wait and to wake", CALLER);
    int error = futex_wait(word, value, time, LOCAL_STATE, CALLER);
    if (error)
        thread_current()->error = error;
    return error ? -1 : 0;
}

/* Of std::future: whether it was woken before the time was up. */
BOUND_FUNCTION(
    bool,
    _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE,
    void *base, const unsigned *word, unsigned value, bool is_timed, int64_t seconds,
    int64_t nanoseconds)
{
    (void)base;
    (void)seconds;
    (void)nanoseconds;
    return futex_wait(word, value, is_timed, LOCAL_STATE, CALLER) != ETIMEDOUT;
}

BOUND_FUNCTION(void, _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj, unsigned *word)
{
    futex_wake(word, true, CALLER);
}

/* Threads of pthreads, of threads.h and of C++; what they keep for themselves; what yields, sleeps
 * and tells the time. The handle of a thread is its number, from 1. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/clocks.h"
#include "runtime/execution.h"
#include "runtime/retry.h"

/* ---- threads ---- */

static pthread_t create(pthread_t *made, void *(*start)(void *), void *argument, bool detached,
                        const void *at)
{
    pthread_t thread = execution_create(start, argument, at) + 1;
    execution.threads[thread - 1].detached = detached;
    execution_plain(made, sizeof *made, true, at);
    *made = thread;
    return thread;
}

static void *join(pthread_t thread, const void *at)
{
    retry_break();
    if (thread == 0 || thread > EXECUTION_THREADS)
        execution_refuse("joining what is no thread", at);
    struct thread *joined = &execution.threads[thread - 1];
    if (joined->detached)
        execution_misuse("joins a thread that is detached", NULL, at);
    if (joined->joined)
        execution_misuse("joins a thread that is joined already", NULL, at);
    joined->joined = true;
    return execution_join((unsigned)thread - 1, at);
}

static void detach(pthread_t thread, const void *at)
{
    retry_break();
    if (thread == 0 || thread > EXECUTION_THREADS)
        execution_refuse("detaching what is no thread", at);
    struct thread *detached = &execution.threads[thread - 1];
    if (detached->detached || detached->joined)
        execution_misuse("detaches a thread that is joined or detached already", NULL, at);
    detached->detached = true;
}

/* Of the attributes of a thread only whether it is detached matters here. */
BOUND_FUNCTION(int, pthread_attr_init, int *attributes)
{
    execution_plain(attributes, sizeof *attributes, true, CALLER);
    *attributes = PTHREAD_CREATE_JOINABLE;
    return 0;
}

BOUND_FUNCTION(int, pthread_attr_destroy, int *attributes)
{
    (void)attributes;
    return 0;
}

BOUND_FUNCTION(int, pthread_attr_setdetachstate, int *attributes, int state)
{
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
        return EINVAL;
    execution_plain(attributes, sizeof *attributes, true, CALLER);
    *attributes = state;
    return 0;
}

BOUND_FUNCTION(int, pthread_attr_setstacksize, int *attributes, size_t size)
{
    (void)attributes;
    (void)size;
    return 0;
}

BOUND_FUNCTION(int, pthread_create, pthread_t *made, const int *attributes, void *(*start)(void *),
               void *argument)
{
    if (attributes)
        execution_plain(attributes, sizeof *attributes, false, CALLER);
    create(made, start, argument, attributes && *attributes == PTHREAD_CREATE_DETACHED, CALLER);
    return 0;
}

BOUND_FUNCTION(int, pthread_join, pthread_t thread, void **result)
{
    void *answer = join(thread, CALLER);
    if (result) {
        execution_plain(result, sizeof *result, true, CALLER);
        *result = answer;
    }
    return 0;
}

BOUND_FUNCTION(int, pthread_detach, pthread_t thread)
{
    detach(thread, CALLER);
    return 0;
}

BOUND_FUNCTION(void, pthread_exit, void *result)
{
    execution_exit(result, CALLER);
}

BOUND_FUNCTION(pthread_t, pthread_self, void)
{
    return execution_thread() + 1;
}

BOUND_FUNCTION(int, pthread_equal, pthread_t left, pthread_t right)
{
    return left == right;
}

/* What they are called is only for those who look at them from outside. */
BOUND_FUNCTION(int, pthread_setname_np, pthread_t thread, const char *name)
{
    (void)thread;
    (void)name;
    return 0;
}

/* ---- threads.h ---- */

BOUND_FUNCTION(int, thrd_create, pthread_t *made, void *(*start)(void *), void *argument)
{
    create(made, start, argument, false, CALLER);
    return thrd_success;
}

BOUND_FUNCTION(int, thrd_join, pthread_t thread, int *result)
{
    int answer = (int)(intptr_t)join(thread, CALLER);
    if (result) {
        execution_plain(result, sizeof *result, true, CALLER);
        *result = answer;
    }
    return thrd_success;
}

BOUND_FUNCTION(int, thrd_detach, pthread_t thread)
{
    detach(thread, CALLER);
    return thrd_success;
}

BOUND_FUNCTION(pthread_t, thrd_current, void)
{
    return execution_thread() + 1;
}

BOUND_FUNCTION(int, thrd_equal, pthread_t left, pthread_t right)
{
    return left == right;
}

BOUND_FUNCTION(void, thrd_exit, int result)
{
    execution_exit((void *)(intptr_t)result, CALLER);
}

/* ---- std::thread: what of it is in its library ---- */

/* What a thread does: an object with destructor, destructor that frees, and what is to be run. */
static void *run_state(void *state)
{
    void (**methods)(void *) = *(void (***)(void *))state;
    enum {
        DELETE = 1,
        RUN = 2
    };
    methods[RUN](state);
    methods[DELETE](state);
    return NULL;
}

BOUND_FUNCTION(
    void, _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
    pthread_t *made, void **state, void (*depends)(void))
{
    void *given = *state;
    (void)depends;
    *state = NULL;
    create(made, run_state, given, false, CALLER);
}

void _ZSt20__throw_system_errori(int error) __attribute__((weak, noreturn));

BOUND_FUNCTION(void, _ZNSt6thread4joinEv, pthread_t *thread)
{
    if (*thread == 0)
        _ZSt20__throw_system_errori(EINVAL);
    join(*thread, CALLER);
    *thread = 0;
}

BOUND_FUNCTION(void, _ZNSt6thread6detachEv, pthread_t *thread)
{
    if (*thread == 0)
        _ZSt20__throw_system_errori(EINVAL);
    detach(*thread, CALLER);
    *thread = 0;
}

BOUND_FUNCTION(void, _ZNSt6thread6_StateD2Ev, void *state)
{
    (void)state;
}

BOUND_FUNCTION(unsigned, _ZNSt6thread20hardware_concurrencyEv, void)
{
    return 2;
}

/* ---- what a thread keeps for itself ---- */

/* A key is the number of who makes it, and how many it has made before: what others do makes no
 * difference to it. */
static int make_key(unsigned *key, void (*destructor)(void *), const void *at)
{
    execution_change();
    struct thread *thread = thread_current();
    if (thread->keys_made == THREAD_OWN_KEYS)
        return EAGAIN;
    unsigned number = execution_thread() * THREAD_OWN_KEYS + thread->keys_made++;
    execution.key_destructors[number] = destructor;
    execution_plain(key, sizeof *key, true, at);
    *key = number;
    return 0;
}

static void **specific_of(unsigned key, const void *at)
{
    retry_break();
    if (key >= THREAD_KEYS)
        execution_refuse("a key that nobody has made", at);
    thread_current()->has_specific = true;
    return &thread_current()->specific[key];
}

BOUND_FUNCTION(int, pthread_key_create, unsigned *key, void (*destructor)(void *))
{
    return make_key(key, destructor, CALLER);
}

BOUND_FUNCTION(int, pthread_key_delete, unsigned key)
{
    specific_of(key, CALLER);
    execution.key_destructors[key] = NULL;
    return 0;
}

BOUND_FUNCTION(void *, pthread_getspecific, unsigned key)
{
    return *specific_of(key, CALLER);
}

BOUND_FUNCTION(int, pthread_setspecific, unsigned key, const void *value)
{
    execution_change();
    *specific_of(key, CALLER) = (void *)value;
    return 0;
}

BOUND_FUNCTION(int, tss_create, unsigned *key, void (*destructor)(void *))
{
    return make_key(key, destructor, CALLER) ? thrd_error : thrd_success;
}

BOUND_FUNCTION(void, tss_delete, unsigned key)
{
    specific_of(key, CALLER);
    execution.key_destructors[key] = NULL;
}

BOUND_FUNCTION(void *, tss_get, unsigned key)
{
    return *specific_of(key, CALLER);
}

BOUND_FUNCTION(int, tss_set, unsigned key, void *value)
{
    execution_change();
    *specific_of(key, CALLER) = value;
    return thrd_success;
}

/* Of variables of C++ with destructors. Those of setup and teardown stay until the program ends. */
BOUND_FUNCTION(int, __cxa_thread_atexit, void (*run)(void *), void *object, void *library)
{
    struct thread *thread = thread_current();
    (void)library;
    if (execution_phase() != PHASE_THREADS)
        return 0;
    execution_change();
    if (thread->at_end_count == MOST_AT_END)
        execution_refuse("a thread with more than 16 variables that have destructors", CALLER);
    thread->at_end[thread->at_end_count].run = run;
    thread->at_end[thread->at_end_count++].object = object;
    return 0;
}

BOUND_FUNCTION(int *, __errno_location, void)
{
    return &thread_current()->error;
}

/* ---- what gives way to others: no event ---- */

enum {
    MICROSECOND = 1000
};
static const int64_t second = 1000000000;

static void sleep_for(const struct timespec *time, struct timespec *left)
{
    clock_sleep(time->tv_sec * second + time->tv_nsec);
    if (left)
        memset(left, 0, sizeof *left);
}

BOUND_FUNCTION(int, sched_yield, void)
{
    return 0;
}

BOUND_FUNCTION(void, thrd_yield, void) {}

BOUND_FUNCTION(int, usleep, unsigned microseconds)
{
    clock_sleep((int64_t)microseconds * MICROSECOND);
    return 0;
}

BOUND_FUNCTION(unsigned, sleep, unsigned seconds)
{
    clock_sleep(seconds * second);
    return 0;
}

BOUND_FUNCTION(int, nanosleep, const struct timespec *time, struct timespec *left)
{
    sleep_for(time, left);
    return 0;
}

BOUND_FUNCTION(int, thrd_sleep, const struct timespec *time, struct timespec *left)
{
    sleep_for(time, left);
    return 0;
}

BOUND_FUNCTION(int, clock_nanosleep, clockid_t clock, int flags, const struct timespec *time,
               struct timespec *left)
{
    if (flags & TIMER_ABSTIME)
        clock_expire(clock, time);
    else
        sleep_for(time, left);
    return 0;
}

/* ---- the time ---- */

static void tell_time(int clock, struct timespec *time, const void *at)
{
    int64_t now = clock_read(clock);
    execution_plain(time, sizeof *time, true, at);
    *time = (struct timespec){.tv_sec = now / second, .tv_nsec = now % second};
}

BOUND_FUNCTION(int, clock_gettime, clockid_t clock, struct timespec *time)
{
    tell_time(clock, time, CALLER);
    return 0;
}

BOUND_FUNCTION(int, timespec_get, struct timespec *time, int base)
{
    tell_time(CLOCK_REALTIME, time, CALLER);
    return base;
}

BOUND_FUNCTION(time_t, time, time_t *result)
{
    time_t now = clock_read(CLOCK_REALTIME) / second;
    if (result) {
        execution_plain(result, sizeof *result, true, CALLER);
        *result = now;
    }
    return now;
}

BOUND_FUNCTION(int, gettimeofday, struct timeval *time, void *zone)
{
    int64_t now = clock_read(CLOCK_REALTIME);
    (void)zone;
    execution_plain(time, sizeof *time, true, CALLER);
    *time = (struct timeval){.tv_sec = now / second, .tv_usec = now % second / MICROSECOND};
    return 0;
}

BOUND_FUNCTION(int64_t, _ZNSt6chrono3_V212system_clock3nowEv, void)
{
    return clock_read(CLOCK_REALTIME);
}

BOUND_FUNCTION(int64_t, _ZNSt6chrono3_V212steady_clock3nowEv, void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* shared_ptr asks whether there are threads: there are. */
extern char BOUND(__libc_single_threaded);
char BOUND(__libc_single_threaded) = 0;

/* What locks are made of in C, one or two tests for each rule. tests/unit/test_code_threads.c says
 * what is to come out. */
#include <linchpin/test.h>

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define OP(NAME) static lp_int NAME(void *o, lp_int v)
#define DONE                                                                                       \
    (void)o;                                                                                       \
    (void)v;                                                                                       \
    return LP_DONE
#define TWO(ID, A, B)      LP_TEST(ID, .setup = up, .ops = {{"a", A}, {"b", B}})
#define THREE(ID, A, B, C) LP_TEST(ID, .setup = up, .ops = {{"a", A}, {"b", B}, {"c", C}})

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, checked;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t one, none;
static pthread_key_t key;
static int ready, d, e;
static atomic_int f, freed;

static void count_freed(void *value)
{
    freed += *(int *)value;
    free(value);
}

static void *up(void)
{
    pthread_mutexattr_t type;
    pthread_mutexattr_init(&type);
    pthread_mutexattr_settype(&type, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &type);
    pthread_mutexattr_settype(&type, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &type);
    pthread_mutexattr_destroy(&type);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&one, 0, 1);
    sem_init(&none, 0, 0);
    pthread_key_create(&key, count_freed);
    return NULL;
}

static struct timespec soon(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_sec++;
    return time;
}

/* ---- conditions ---- */

OP(wait_while)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    d++;
    pthread_mutex_unlock(&m);
    DONE;
}

OP(wait_if)
{
    pthread_mutex_lock(&m);
    if (!ready)
        pthread_cond_wait(&c, &m);
    assert(ready);
    pthread_mutex_unlock(&m);
    DONE;
}

OP(set_and_signal)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    DONE;
}

OP(set_then_broadcast)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_broadcast(&c);
    DONE;
}

OP(set_only)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    DONE;
}

OP(signal_then_set)
{
    pthread_cond_signal(&c);
    return set_only(o, v);
}

/* The number is not that of the mutex: the waiter may look before it is set, and begin to wait
 * after the signal. */
OP(wait_for_atomic)
{
    pthread_mutex_lock(&m);
    while (!f)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    DONE;
}

OP(set_atomic_without_mutex)
{
    f = 1;
    pthread_cond_signal(&c);
    DONE;
}

OP(set_atomic_with_mutex)
{
    pthread_mutex_lock(&m);
    f = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
    DONE;
}

OP(wait_without_mutex)
{
    pthread_cond_wait(&c, &m);
    DONE;
}

OP(wait_with_other_mutex)
{
    pthread_mutex_lock(&n);
    while (!f)
        pthread_cond_wait(&c, &n);
    pthread_mutex_unlock(&n);
    DONE;
}

OP(wait_for_a_time)
{
    struct timespec end = soon(CLOCK_REALTIME);
    int error = 0;
    pthread_mutex_lock(&m);
    while (!ready && !error)
        error = pthread_cond_timedwait(&c, &m, &end);
    assert(ready || error == ETIMEDOUT);
    lp_int found = ready;
    pthread_mutex_unlock(&m);
    if (error) { /* the time has come */
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        assert(now.tv_sec >= end.tv_sec);
    }
    (void)o;
    return found + v;
}

OP(never_times_out)
{
    return assert(wait_for_a_time(o, v)), LP_DONE;
}

OP(wait_in_turns)
{
    pthread_mutex_lock(&m);
    while (!ready) {
        struct timespec end = soon(CLOCK_REALTIME);
        pthread_cond_timedwait(&c, &m, &end);
    }
    pthread_mutex_unlock(&m);
    DONE;
}

OP(destroy_condition)
{
    pthread_cond_destroy(&c);
    DONE;
}

/* Says under the mutex that it waits; so who sees that comes behind. */
OP(say_and_wait)
{
    pthread_mutex_lock(&m);
    e = 1;
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    DONE;
}

OP(destroy_if_said)
{
    pthread_mutex_lock(&m);
    int said = e;
    pthread_mutex_unlock(&m);
    if (said)
        pthread_cond_destroy(&c);
    DONE;
}

static void wait_as(int turn)
{
    pthread_mutex_lock(&m);
    f = turn;
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
}

static void signal_to(int turn)
{
    while (f != turn)
        ;
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}

/* The first signal is for the only one who waits, slow to wake as it may be, the second one for the
 * other. */
OP(wait_first)
{
    wait_as(1);
    DONE;
}

OP(signal_first_and_wait)
{
    signal_to(1);
    wait_as(2);
    DONE;
}

OP(signal_second)
{
    signal_to(2);
    DONE;
}

TWO(wait_right, wait_while, set_and_signal);
TWO(wait_if_wrong, wait_if, set_and_signal);
TWO(wait_unsignalled, wait_while, set_only);
TWO(wait_broadcast, wait_while, set_then_broadcast);
TWO(wait_signalled_early, wait_while, signal_then_set);
TWO(wait_atomic_lost, wait_for_atomic, set_atomic_without_mutex);
TWO(wait_atomic_right, wait_for_atomic, set_atomic_with_mutex);
TWO(wait_no_mutex, wait_without_mutex, set_and_signal);
THREE(wait_two_mutexes, wait_for_atomic, wait_with_other_mutex, set_atomic_with_mutex);
TWO(wait_timed, wait_for_a_time, set_and_signal);
TWO(wait_timed_wrong, never_times_out, set_and_signal);
TWO(wait_turns, wait_in_turns, set_only);
TWO(wait_destroyed, say_and_wait, destroy_if_said);
THREE(wait_one_by_one, wait_first, signal_first_and_wait, signal_second);

/* ---- threads.h: conditions, once, keys ---- */

static mtx_t cm;
static cnd_t cc;
static once_flag flag = ONCE_FLAG_INIT;

static void *up_c11(void)
{
    mtx_init(&cm, mtx_timed);
    cnd_init(&cc);
    return NULL;
}

OP(c11_wait)
{
    mtx_lock(&cm);
    while (!ready)
        cnd_wait(&cc, &cm);
    d++;
    mtx_unlock(&cm);
    DONE;
}

OP(c11_set)
{
    mtx_lock(&cm);
    ready = 1;
    mtx_unlock(&cm);
    cnd_broadcast(&cc);
    DONE;
}

OP(c11_try)
{
    struct timespec end;
    timespec_get(&end, TIME_UTC);
    int got = mtx_timedlock(&cm, &end);
    assert(got == thrd_success || got == thrd_timedout);
    if (got == thrd_success) {
        d++;
        mtx_unlock(&cm);
    }
    DONE;
}

static void set_d(void)
{
    d = 7;
}

OP(c11_once)
{
    call_once(&flag, set_d);
    assert(d == 7);
    DONE;
}

static int c11_body(void *argument)
{
    mtx_lock(&cm);
    d += *(int *)argument;
    mtx_unlock(&cm);
    return 3;
}

OP(c11_threads)
{
    thrd_t made;
    int argument = 2, result;
    assert(thrd_create(&made, c11_body, &argument) == thrd_success);
    assert(!thrd_equal(made, thrd_current()));
    assert(thrd_join(made, &result) == thrd_success);
    assert(result == 3);
    DONE;
}

LP_TEST(c11_conditions, .setup = up_c11, .ops = {{"a", c11_wait}, {"b", c11_set}});
LP_TEST(c11_timed, .setup = up_c11, .ops = {{"a", c11_try}});
LP_TEST(c11_call_once, .setup = up_c11, .ops = {{"a", c11_once}});
LP_TEST(c11_thread, .setup = up_c11, .ops = {{"a", c11_threads}});

/* ---- mutexes of every type, spin locks ---- */

/* While another thread waits, and wakes up for no reason, a mutex can be held at every try. */
static pthread_mutex_t tried = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tried_set = PTHREAD_COND_INITIALIZER;
static int tried_flag;

OP(try_wait)
{
    pthread_mutex_lock(&tried);
    while (!tried_flag)
        pthread_cond_wait(&tried_set, &tried);
    pthread_mutex_unlock(&tried);
    DONE;
}

OP(try_often)
{
    int failed = 0;
    for (int i = 0; i < 5; i++)
        if (pthread_mutex_trylock(&tried) == 0)
            pthread_mutex_unlock(&tried);
        else
            failed++;
    assert(failed < 5);
    pthread_mutex_lock(&tried);
    tried_flag = 1;
    pthread_cond_signal(&tried_set);
    pthread_mutex_unlock(&tried);
    DONE;
}

/* Another one waits again and again for no reason, and each time is seen to have the mutex. */
OP(try_between)
{
    unsigned seen = 0;
    for (int i = 0; i < 5; i++) {
        unsigned taken = pthread_mutex_trylock(&tried) == 0;
        seen = seen << 1 | taken;
        if (taken)
            pthread_mutex_unlock(&tried);
    }
    assert(seen != 0x0a); /* held, free, held, free, held */
    pthread_mutex_lock(&tried);
    tried_flag = 1;
    pthread_cond_signal(&tried_set);
    pthread_mutex_unlock(&tried);
    DONE;
}

LP_TEST(mutex_tried_between, .ops = {{"a", try_wait, .flags = LP_MAY_WAIT}, {"b", try_between}});
LP_TEST(mutex_tried, .ops = {{"a", try_wait, .flags = LP_MAY_WAIT}, {"b", try_often}});

OP(lock_twice)
{
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    assert(pthread_mutex_trylock(&recursive) == 0);
    d++;
    for (int i = 0; i < 3; i++)
        assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    DONE;
}

OP(lock_checked)
{
    assert(pthread_mutex_lock(&checked) == 0);
    assert(pthread_mutex_lock(&checked) == EDEADLK);
    d++;
    assert(pthread_mutex_unlock(&checked) == 0);
    assert(pthread_mutex_unlock(&checked) == EPERM);
    DONE;
}

OP(lock_itself)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    DONE;
}

OP(lock_for_a_time)
{
    struct timespec end = soon(CLOCK_REALTIME);
    int error = pthread_mutex_timedlock(&m, &end);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0) {
        d++;
        pthread_mutex_unlock(&m);
    }
    DONE;
}

OP(lock_and_keep)
{
    pthread_mutex_lock(&m);
    DONE;
}

OP(destroy_mutex)
{
    pthread_mutex_lock(&m);
    pthread_mutex_destroy(&m);
    DONE;
}

OP(use_destroyed)
{
    pthread_mutex_destroy(&n);
    pthread_mutex_lock(&n);
    DONE;
}

OP(unlock_of_other)
{
    if (f)
        pthread_mutex_unlock(&m);
    DONE;
}

OP(lock_and_say)
{
    pthread_mutex_lock(&m);
    f = 1;
    DONE;
}

OP(spin_count)
{
    pthread_spin_lock(&spin);
    d++;
    pthread_spin_unlock(&spin);
    DONE;
}

OP(spin_unlock_only)
{
    pthread_spin_unlock(&spin);
    DONE;
}

OP(spin_try)
{
    if (pthread_spin_trylock(&spin) == 0) {
        d++;
        pthread_spin_unlock(&spin);
    }
    DONE;
}

TWO(mutex_recursive, lock_twice, lock_twice);
TWO(mutex_checked, lock_checked, lock_checked);
TWO(mutex_itself, lock_itself, lock_itself);
TWO(mutex_timed, lock_for_a_time, lock_for_a_time);
TWO(mutex_timed_kept, lock_for_a_time, lock_and_keep);
TWO(mutex_destroyed_held, destroy_mutex, lock_for_a_time);
TWO(mutex_destroyed, use_destroyed, use_destroyed);
TWO(mutex_unlocked_by_other, unlock_of_other, lock_and_say);
TWO(spin_lock, spin_count, spin_try);
TWO(spin_unlocked, spin_unlock_only, spin_count);

/* ---- read-write locks ---- */

OP(read_d)
{
    pthread_rwlock_rdlock(&rw);
    lp_int found = d;
    pthread_rwlock_unlock(&rw);
    (void)o;
    return found + v;
}

OP(write_d)
{
    pthread_rwlock_wrlock(&rw);
    d++;
    pthread_rwlock_unlock(&rw);
    DONE;
}

OP(write_under_read_lock)
{
    pthread_rwlock_rdlock(&rw);
    d++;
    pthread_rwlock_unlock(&rw);
    DONE;
}

OP(try_write_d)
{
    struct timespec end = soon(CLOCK_MONOTONIC);
    if (pthread_rwlock_trywrlock(&rw) == 0 ||
        pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &end) == 0) {
        d++;
        pthread_rwlock_unlock(&rw);
    }
    DONE;
}

OP(upgrade)
{
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_wrlock(&rw);
    d++;
    pthread_rwlock_unlock(&rw);
    DONE;
}

OP(two_readers)
{
    pthread_rwlock_rdlock(&rw);
    f++;
    while (f < 2)
        ;
    pthread_rwlock_unlock(&rw);
    DONE;
}

OP(unlock_rw)
{
    pthread_rwlock_unlock(&rw);
    DONE;
}

OP(destroy_rw)
{
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_destroy(&rw);
    DONE;
}

LP_TEST(rwlock_right, .spec = "counter", .ops = {{"read", read_d}, {"inc", write_d}});
TWO(rwlock_race, read_d, write_under_read_lock);
TWO(rwlock_try, read_d, try_write_d);
TWO(rwlock_upgrade, upgrade, read_d);
TWO(rwlock_readers, two_readers, two_readers);
TWO(rwlock_not_held, unlock_rw, read_d);
TWO(rwlock_destroyed, destroy_rw, read_d);

/* ---- semaphores ---- */

OP(count_with_semaphore)
{
    sem_wait(&one);
    d++;
    sem_post(&one);
    DONE;
}

OP(take_only)
{
    sem_wait(&one);
    d++;
    DONE;
}

OP(hand_over)
{
    d = 1;
    sem_post(&none);
    DONE;
}

OP(take_over)
{
    sem_wait(&none);
    assert(d == 1);
    DONE;
}

OP(try_take_over)
{
    int value;
    struct timespec end = soon(CLOCK_REALTIME);
    sem_getvalue(&none, &value);
    assert(value == 0 || value == 1);
    if (sem_trywait(&none) == 0)
        assert(d == 1);
    else
        assert(errno == EAGAIN && (sem_timedwait(&none, &end) == 0 || errno == ETIMEDOUT));
    DONE;
}

OP(destroy_semaphore)
{
    sem_destroy(&none);
    DONE;
}

TWO(semaphore_right, count_with_semaphore, count_with_semaphore);
TWO(semaphore_kept, take_only, count_with_semaphore);
TWO(semaphore_order, hand_over, take_over);
TWO(semaphore_try, hand_over, try_take_over);
TWO(semaphore_destroyed, take_over, destroy_semaphore);

/* ---- barriers ---- */

static int left[2], serial;

OP(meet_a)
{
    left[0]++;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    assert(left[1] == 1);
    pthread_barrier_wait(&barrier);
    assert(serial == 1);
    left[0]++;
    DONE;
}

OP(meet_b)
{
    left[1]++;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    assert(left[0] == 1);
    pthread_barrier_wait(&barrier);
    left[1]++;
    DONE;
}

OP(meet_once)
{
    left[1]++;
    pthread_barrier_wait(&barrier);
    DONE;
}

OP(look_at_other)
{
    left[1]++;
    pthread_barrier_wait(&barrier);
    left[1] += left[0];
    DONE;
}

OP(meet_and_free)
{
    pthread_barrier_t *own = o;
    if (pthread_barrier_wait(own) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(own);
        free(own);
    }
    DONE;
}

static void *up_barrier(void)
{
    pthread_barrier_t *made = malloc(sizeof *made);
    pthread_barrier_init(made, NULL, 2);
    return made;
}

TWO(barrier_right, meet_a, meet_b);
TWO(barrier_missed, meet_a, meet_once);
TWO(barrier_race, meet_a, look_at_other);
LP_TEST(barrier_freed, .setup = up_barrier, .ops = {{"a", meet_and_free}});

/* ---- threads, keys, once ---- */

static void initialise(void)
{
    d++;
}

OP(do_once)
{
    pthread_once(&once, initialise);
    assert(d == 1);
    DONE;
}

static void *body(void *argument)
{
    int *own = malloc(sizeof *own);
    *own = 5;
    pthread_setspecific(key, own);
    assert(pthread_getspecific(key) == own);
    if (argument)
        pthread_exit(argument);
    return NULL;
}

OP(run_thread)
{
    pthread_t made;
    void *result;
    int here;
    pthread_create(&made, NULL, body, &here);
    assert(pthread_self() && !pthread_equal(made, pthread_self()));
    assert(!pthread_getspecific(key));
    pthread_join(made, &result);
    assert(result == &here && freed == 5);
    DONE;
}

static void *post(void *unused)
{
    d = 1;
    sem_post(&none);
    return unused;
}

OP(run_detached)
{
    pthread_t made;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&made, &attributes, post, NULL);
    pthread_attr_destroy(&attributes);
    sem_wait(&none);
    assert(d == 1);
    DONE;
}

OP(join_detached)
{
    pthread_t made;
    pthread_create(&made, NULL, post, NULL);
    pthread_detach(made);
    pthread_join(made, NULL);
    DONE;
}

OP(set_own)
{
    int *own = malloc(sizeof *own);
    *own = 1;
    pthread_setspecific(key, own);
    DONE;
}

static void is_freed(void *unused)
{
    (void)unused;
    assert(freed == 2);
}

TWO(once_right, do_once, do_once);
TWO(thread_key, run_thread, run_thread);
TWO(thread_detached, run_detached, run_detached);
TWO(thread_joined_detached, join_detached, join_detached);
LP_TEST(thread_ends, .setup = up, .teardown = is_freed, .ops = {{"a", set_own}});

/* ---- what is harmless, or made so ---- */

static jmp_buf back;

static void jump(void)
{
    longjmp(back, 3);
}

OP(harmless)
{
    char text[32], other[32];
    int wanted = rand(), old = errno;
    struct timespec one_time, two_times;
    assert(wanted >= 0 && wanted <= RAND_MAX && old == 0);
    assert(snprintf(text, sizeof text, "%d %s", 12, "ab") == 5 && strcmp(text, "12 ab") == 0);
    assert(strncpy(other, text, sizeof other) == other && strncmp(other, "12", 2) == 0);
    assert(strchr(other, 'b') == other + 4 && memchr(other, 'a', 9) == other + 3);
    assert(atoi("42") == 42 && strtol("17", NULL, 10) == 17);
    printf("%s\n", text);
    clock_gettime(CLOCK_MONOTONIC, &one_time);
    usleep(5);
    clock_gettime(CLOCK_MONOTONIC, &two_times);
    assert(one_time.tv_nsec < two_times.tv_nsec);
    DONE;
}

OP(jumps)
{
    int value = setjmp(back);
    if (value == 0)
        jump();
    assert(value == 3);
    DONE;
}

static jmp_buf of_another;

OP(sets_jump)
{
    if (setjmp(of_another) == 0)
        f = 1;
    DONE;
}

OP(jumps_elsewhere)
{
    if (f == 1)
        longjmp(of_another, 1);
    DONE;
}

static int sorted[7];

static int compare(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

OP(sorts)
{
    static const int unsorted[] = {5, 1, 4, 1, 3, 9, 2};
    int wanted = 9;
    for (int i = 0; i < 7; i++)
        sorted[i] = unsorted[i];
    qsort(sorted, 7, sizeof *sorted, compare);
    for (int i = 1; i < 7; i++)
        assert(sorted[i - 1] <= sorted[i]);
    assert(bsearch(&wanted, sorted, 7, sizeof *sorted, compare) == sorted + 6);
    wanted = 6;
    assert(!bsearch(&wanted, sorted, 7, sizeof *sorted, compare));
    DONE;
}

OP(looks_for)
{
    int wanted = 3;
    assert(bsearch(&wanted, sorted, 7, sizeof *sorted, compare) != sorted);
    DONE;
}

static char digits[] = "12 and 0x1f";

OP(reads_numbers)
{
    char *end;
    assert(strtoul(digits, &end, 10) % 10 == 2 && *end == ' ');
    assert(strstr(digits, "and") == digits + 3 && strcspn(digits, "x") == 8);
    assert(strtoll("-7", NULL, 0) == -7 && atol("9") == 9 && strtod("0.5", NULL) == 0.5);
    DONE;
}

OP(writes_digit)
{
    digits[0] = '3';
    DONE;
}

OP(prints_shared)
{
    static char shared[8];
    snprintf(shared, sizeof shared, "%d", (int)v);
    DONE;
}

/* Time goes on for who does nothing but wait for it. */
OP(wait_until_later)
{
    struct timespec now, end = soon(CLOCK_MONOTONIC);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (f == 0 && now.tv_sec < end.tv_sec);
    DONE;
}

LP_TEST(harmless_calls, .ops = {{"a", harmless}});
LP_TEST(long_jump, .ops = {{"a", jumps}});
LP_TEST(long_jump_other, .ops = {{"a", sets_jump}, {"b", jumps_elsewhere}});
LP_TEST(sorts, .ops = {{"a", sorts}, {"b", looks_for}});
LP_TEST(numbers, .ops = {{"a", reads_numbers}, {"b", writes_digit}});
LP_TEST(prints_race, .ops = {{"a", prints_shared}});
LP_TEST(time_goes_on, .ops = {{"a", wait_until_later}});

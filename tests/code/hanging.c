/* Small programs that wait, rightly and wrongly: for tests/unit/test_code_hanging.c. */
#define _GNU_SOURCE /* a mutex that is recursive from the beginning */
#include <linchpin/test.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define OP(NAME)    static lp_int NAME(void *o, lp_int v)
#define DONE        ((void)o, (void)v, LP_DONE)
#define WAITS(OF)   .flags = LP_MAY_WAIT, .name = #OF, .run = OF
#define RETURNS(OF) .name = #OF, .run = OF
#define LOAD(X)     atomic_load_explicit(&(X), memory_order_acquire)
#define STORE(X, V) atomic_store_explicit(&(X), V, memory_order_release)

static atomic_int x, y;
atomic_int z; /* not static: what nobody reads is not left out */
static volatile int plainly;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;

/* ---- one variable ---- */

OP(await_x)
{
    while (LOAD(x) != 1)
        sched_yield();
    return DONE;
}
OP(set_x)
{
    STORE(x, 1);
    return DONE;
}
OP(set_and_reset_x)
{
    STORE(x, 1);
    STORE(x, 0);
    return DONE;
}
OP(set_x_to_two)
{
    STORE(x, 2);
    return DONE;
}
LP_TEST(one, .ops = {{RETURNS(await_x)},
                     {RETURNS(set_x)},
                     {RETURNS(set_and_reset_x)},
                     {RETURNS(set_x_to_two)}});
LP_TEST(one_waits, .ops = {{WAITS(await_x)}, {RETURNS(set_x)}, {RETURNS(set_and_reset_x)}});

OP(await_volatile)
{
    while (!plainly)
        ;
    return DONE;
}
OP(set_volatile)
{
    plainly = 1;
    return DONE;
}
LP_TEST(with_volatile, .ops = {{RETURNS(await_volatile)}, {RETURNS(set_volatile)}});

/* Each goes round, storing what is there, which another one that goes round reads. */
static atomic_int stored, chosen;
OP(await_storing)
{
    do
        atomic_fetch_or(&stored, 0);
    while (LOAD(x) != 1);
    return DONE;
}
OP(choose_to_set)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&chosen, &none, 1))
        STORE(x, 1);
    return DONE;
}
OP(choose_not_to_set)
{
    int none = 0;
    atomic_compare_exchange_strong(&chosen, &none, 2);
    return DONE;
}
LP_TEST(storing_again,
        .ops = {{RETURNS(await_storing)}, {RETURNS(choose_to_set)}, {RETURNS(choose_not_to_set)}});
LP_TEST(storing_again_waits,
        .ops = {{WAITS(await_storing)}, {RETURNS(choose_to_set)}, {RETURNS(choose_not_to_set)}});

/* ---- several variables ---- */

OP(await_both)
{
    while (!(LOAD(x) == 1 && LOAD(y) == 1))
        ;
    return DONE;
}
OP(await_either)
{
    while (LOAD(x) != 1 && LOAD(y) != 1)
        ;
    return DONE;
}
OP(await_sum) /* never true of one state of memory: x + y is 1 at most, then 0 */
{
    while (LOAD(x) + LOAD(y) != 2)
        ;
    return DONE;
}
OP(set_y)
{
    STORE(y, 1);
    return DONE;
}
OP(move) /* x before y, y before x: who reads y first sees both */
{
    STORE(x, 1);
    STORE(y, 1);
    STORE(x, 0);
    return DONE;
}
OP(await_nested) /* waits for y inside, until x */
{
    while (LOAD(x) != 1)
        while (LOAD(y) != 1 && LOAD(x) != 1)
            ;
    return DONE;
}
LP_TEST(several, .ops = {{RETURNS(await_both)},
                         {RETURNS(await_either)},
                         {RETURNS(await_sum)},
                         {RETURNS(set_x)},
                         {RETURNS(set_y)},
                         {RETURNS(move)},
                         {RETURNS(await_nested)},
                         {RETURNS(set_and_reset_x)}});

/* ---- each waits for the other ---- */

OP(give_then_take)
{
    STORE(y, 1);
    while (LOAD(x) != 1)
        ;
    return DONE;
}
OP(take_then_give)
{
    while (LOAD(y) != 1)
        ;
    STORE(x, 1);
    return DONE;
}
OP(other_take_then_give)
{
    while (LOAD(x) != 1)
        ;
    STORE(y, 1);
    return DONE;
}
/* Its iterations differ in what is left of the one before. */
OP(search)
{
    int last = 7;
    if (LOAD(x) == 0)
        return DONE;
    for (;;) {
        int seen = LOAD(x);
        if (seen & 2)
            break;
        int other = LOAD(y);
        if (other)
            break;
        last = seen + other;
    }
    return last + DONE;
}
LP_TEST(searching,
        .ops = {{RETURNS(search)}, {RETURNS(set_x)}, {RETURNS(set_y)}, {RETURNS(set_x_to_two)}});

LP_TEST(each_other, .ops = {{RETURNS(give_then_take)},
                            {RETURNS(take_then_give)},
                            {RETURNS(other_take_then_give)}});

/* ---- locks ---- */

OP(spin_and_keep)
{
    while (atomic_exchange_explicit(&x, 1, memory_order_acquire))
        ;
    return DONE;
}
OP(spin)
{
    while (atomic_exchange_explicit(&x, 1, memory_order_acquire))
        while (LOAD(x))
            ;
    STORE(x, 0);
    return DONE;
}
OP(compare_and_keep)
{
    for (int none = 0; !atomic_compare_exchange_strong(&x, &none, 1); none = 0)
        ;
    return DONE;
}
OP(try_and_keep)
{
    while (pthread_mutex_trylock(&m))
        sched_yield();
    return DONE;
}
OP(keep)
{
    pthread_mutex_lock(&m);
    return DONE;
}
OP(lock)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return DONE;
}
OP(lock_both)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return DONE;
}
OP(lock_both_the_other_way)
{
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return DONE;
}
LP_TEST(spinning, .ops = {{RETURNS(spin_and_keep)}, {RETURNS(spin)}, {RETURNS(compare_and_keep)}});
LP_TEST(mutexes, .ops = {{RETURNS(keep)},
                         {RETURNS(lock)},
                         {RETURNS(lock_both)},
                         {RETURNS(lock_both_the_other_way)},
                         {RETURNS(try_and_keep)}});

/* One waits for a lock in vain, the other in a loop of its own for the first. */
OP(wait_locked)
{
    pthread_mutex_lock(&m);
    while (LOAD(x) != 1)
        ;
    pthread_mutex_unlock(&m);
    return DONE;
}
OP(set_locked)
{
    pthread_mutex_lock(&m);
    STORE(x, 1);
    pthread_mutex_unlock(&m);
    return DONE;
}
LP_TEST(mixed, .ops = {{RETURNS(wait_locked)}, {RETURNS(set_locked)}, {RETURNS(set_x)}});

/* ---- threads of the program's own ---- */

static void *helper(void *argument)
{
    while (LOAD(x) != 1)
        ;
    return argument;
}
OP(create_and_join)
{
    pthread_t made;
    pthread_create(&made, NULL, helper, NULL);
    pthread_join(made, NULL);
    return DONE;
}
OP(create_and_leave)
{
    pthread_t made;
    pthread_create(&made, NULL, helper, NULL);
    return DONE;
}
LP_TEST(threads,
        .ops = {{RETURNS(create_and_join)}, {RETURNS(create_and_leave)}, {RETURNS(set_x)}});

/* ---- looking under locks ---- */

static int full, count;
static pthread_spinlock_t quick;
static atomic_int stop, gone;

OP(poll)
{
    for (int done = 0; !done;) {
        pthread_mutex_lock(&m);
        done = full;
        pthread_mutex_unlock(&m);
    }
    return DONE;
}
OP(poll_holding) /* another mutex, all the time */
{
    pthread_mutex_lock(&n);
    poll(o, v);
    pthread_mutex_unlock(&n);
    return DONE;
}
OP(poll_both)
{
    for (int done = 0; !done;) {
        pthread_mutex_lock(&m);
        pthread_spin_lock(&quick);
        done = full && count > 1;
        pthread_spin_unlock(&quick);
        pthread_mutex_unlock(&m);
    }
    return DONE;
}
OP(fill)
{
    pthread_mutex_lock(&m);
    full = 1;
    pthread_mutex_unlock(&m);
    return DONE;
}
OP(add_one)
{
    pthread_spin_lock(&quick);
    count++;
    pthread_spin_unlock(&quick);
    return DONE;
}
OP(fill_holding)
{
    pthread_mutex_lock(&n);
    fill(o, v);
    pthread_mutex_unlock(&n);
    return DONE;
}
LP_TEST(looking, .ops = {{RETURNS(poll)},
                         {RETURNS(poll_holding)},
                         {RETURNS(poll_both)},
                         {RETURNS(fill)},
                         {RETURNS(add_one)},
                         {RETURNS(fill_holding)}});

/* What an iteration reads without need, others may write once they know that it is over. */
OP(look_and_leave)
{
    for (int done = 0; !done;) {
        pthread_mutex_lock(&m);
        done = atomic_load_explicit(&stop, memory_order_relaxed);
        int found = done ? 0 : count;
        pthread_mutex_unlock(&m);
        if (found == 1)
            break;
    }
    atomic_store_explicit(&gone, 1, memory_order_relaxed);
    return DONE;
}
OP(ask_to_stop)
{
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    return DONE;
}
OP(count_once_gone)
{
    if (atomic_load_explicit(&gone, memory_order_relaxed))
        count = 1;
    return DONE;
}

/* Whoever tries the lock notices that it was taken to look, and says so. */
OP(poll_until_told)
{
    for (int done = 0; !done;) {
        pthread_mutex_lock(&m);
        done = full;
        pthread_mutex_unlock(&m);
    }
    if (count)
        abort();
    return DONE;
}
OP(fill_if_held)
{
    int held = pthread_mutex_trylock(&m);
    if (held)
        pthread_mutex_lock(&m);
    count = held;
    full = 1;
    pthread_mutex_unlock(&m);
    return DONE;
}
LP_TEST(noticed, .ops = {{RETURNS(look_and_leave)},
                         {RETURNS(ask_to_stop)},
                         {RETURNS(count_once_gone)},
                         {RETURNS(poll_until_told)},
                         {RETURNS(fill_if_held)}});

/* What another thread was given lies on the stack of the one that looks. */
struct letter {
    int is_read;
};
static void *read_letter(void *given)
{
    struct letter *letter = given;
    pthread_mutex_lock(&m);
    letter->is_read = 1;
    pthread_mutex_unlock(&m);
    return NULL;
}
static void *lose_letter(void *given)
{
    (void)given;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return NULL;
}
static lp_int send_letter(void *(*start)(void *))
{
    struct letter letter = {0};
    pthread_t thread;
    pthread_create(&thread, NULL, start, &letter);
    for (int done = 0; !done;) {
        pthread_mutex_lock(&m);
        done = letter.is_read;
        pthread_mutex_unlock(&m);
    }
    pthread_join(thread, NULL);
    return LP_DONE;
}
OP(send)
{
    send_letter(read_letter);
    return DONE;
}
OP(send_in_vain)
{
    send_letter(lose_letter);
    return DONE;
}
LP_TEST(letters, .ops = {{RETURNS(send)}, {RETURNS(send_in_vain)}});

/* ---- iterations that write ---- */

OP(polite) /* each gives way to the other, again and again */
{
    STORE(x, 1);
    while (LOAD(y)) {
        STORE(x, 0);
        STORE(x, 1);
    }
    STORE(x, 0);
    return DONE;
}
OP(as_polite)
{
    STORE(y, 1);
    while (LOAD(x)) {
        STORE(y, 0);
        STORE(y, 1);
    }
    STORE(y, 0);
    return DONE;
}
OP(await_counting)
{
    for (int i = 0; LOAD(x) != 1; i++)
        STORE(z, i);
    return DONE;
}
OP(toggle_for_ever)
{
    for (;;) {
        STORE(x, 1);
        STORE(x, 0);
    }
    return DONE;
}
OP(toggle_until_y)
{
    while (!LOAD(y)) {
        STORE(z, 1);
        STORE(z, 0);
    }
    return DONE;
}
OP(set_and_reset_y)
{
    STORE(y, 1);
    STORE(y, 0);
    return DONE;
}
OP(toggle_until_timeout)
{
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        STORE(x, 1);
        STORE(x, 0);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < begun.tv_sec + 5);
    return DONE;
}
OP(draw_until_even) /* and never is, as it happens, of the numbers that fit an execution */
{
    while (rand() != 1 << 29) {
        STORE(x, 1);
        STORE(x, 0);
    }
    return DONE;
}
LP_TEST(writing, .ops = {{RETURNS(polite)},
                         {RETURNS(as_polite)},
                         {RETURNS(await_counting)},
                         {RETURNS(toggle_for_ever)},
                         {RETURNS(toggle_until_y)},
                         {RETURNS(set_and_reset_y)},
                         {RETURNS(toggle_until_timeout)},
                         {RETURNS(draw_until_even)}});

static void lock_one_and_try(pthread_mutex_t *one, pthread_mutex_t *other)
{
    pthread_mutex_lock(one);
    while (pthread_mutex_trylock(other)) {
        pthread_mutex_unlock(one);
        pthread_mutex_lock(one);
    }
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}
static void lock_one_and_wait(pthread_mutex_t *one, pthread_mutex_t *other)
{
    pthread_mutex_lock(one);
    while (pthread_mutex_trylock(other)) {
        pthread_mutex_t *failed = other;
        pthread_mutex_unlock(one);
        other = one;
        one = failed;
        pthread_mutex_lock(one);
    }
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}
OP(try_one_way)
{
    lock_one_and_try(&m, &n);
    return DONE;
}
OP(try_other_way)
{
    lock_one_and_try(&n, &m);
    return DONE;
}
OP(wait_one_way)
{
    lock_one_and_wait(&m, &n);
    return DONE;
}
OP(wait_other_way)
{
    lock_one_and_wait(&n, &m);
    return DONE;
}
OP(keep_own)
{
    pthread_mutex_lock(&n);
    return DONE;
}
LP_TEST(backing_off, .ops = {{RETURNS(try_one_way)},
                             {RETURNS(try_other_way)},
                             {RETURNS(wait_one_way)},
                             {RETURNS(wait_other_way)},
                             {RETURNS(keep_own)}});

/* Unfair, so that who polls under it may for ever keep out who would fill: it waits. */
OP(poll_spinning)
{
    for (int found = 0; !found;) {
        while (atomic_exchange(&x, 1))
            ;
        found = LOAD(y);
        STORE(x, 0);
    }
    return DONE;
}
OP(fill_spinning)
{
    while (atomic_exchange(&x, 1))
        ;
    STORE(y, 1);
    STORE(x, 0);
    return DONE;
}
LP_TEST(toggling, .ops = {{WAITS(toggle_until_y)}, {WAITS(poll_spinning)}, {RETURNS(polite)}});
LP_TEST(spinning_under, .ops = {{RETURNS(poll_spinning)}, {RETURNS(fill_spinning)}});

/* ---- what is kept elsewhere than in memory ---- */

OP(draw_under_lock)
{
    for (int drawn = 0; !drawn;) {
        pthread_mutex_lock(&m);
        drawn = rand() % 16 == 5;
        pthread_mutex_unlock(&m);
    }
    return DONE;
}
OP(count_in_key)
{
    static pthread_key_t key;
    intptr_t count = 0;
    if (pthread_key_create(&key, NULL))
        abort();
    while (count < 3) {
        pthread_mutex_lock(&m);
        count = (intptr_t)pthread_getspecific(key);
        pthread_setspecific(key, (void *)(count + 1));
        pthread_mutex_unlock(&m);
    }
    return DONE;
}
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
OP(look_twice_holding)
{
    int looked = 0;
    for (int i = 0; i < 3; i++)
        pthread_mutex_lock(&again);
    while (looked < 2 && !LOAD(x))
        looked++;
    int failed = pthread_mutex_unlock(&again);
    STORE(y, 1 + looked);
    failed |= pthread_mutex_unlock(&again);
    failed |= pthread_mutex_unlock(&again);
    if (failed)
        abort();
    return DONE;
}
LP_TEST(elsewhere, .ops = {{RETURNS(draw_under_lock)},
                           {RETURNS(count_in_key)},
                           {RETURNS(look_twice_holding)},
                           {RETURNS(set_x)}});

/* ---- what a specification says of waiting ---- */

OP(acquire)
{
    while (atomic_exchange(&x, 1))
        ;
    return DONE;
}
OP(release)
{
    atomic_store(&x, 0);
    return DONE;
}
OP(release_not)
{
    return DONE;
}
LP_TEST(lock_waits, .spec = "mutex", .ops = {{WAITS(acquire)}, {RETURNS(release)}});
LP_TEST(lock_returns, .spec = "mutex", .ops = {{RETURNS(acquire)}, {RETURNS(release)}});
LP_TEST(lock_lost, .spec = "mutex",
        .ops = {{WAITS(acquire)}, {.name = "release", .run = release_not}});

OP(enqueue)
{
    while (LOAD(x))
        ;
    atomic_store_explicit(&y, (int)v, memory_order_relaxed);
    STORE(x, 1);
    return DONE;
}
OP(enqueue_silently) /* the full mark is lost */
{
    atomic_store_explicit(&y, (int)v, memory_order_relaxed);
    STORE(x, 1);
    STORE(x, 0);
    return DONE;
}
OP(dequeue)
{
    (void)o;
    (void)v;
    while (!LOAD(x))
        ;
    int found = atomic_load_explicit(&y, memory_order_relaxed);
    STORE(x, 0);
    return found;
}
LP_TEST(box, .spec = "queue", .ops = {{WAITS(dequeue)}, {"enqueue", enqueue, LP_FRESH}});
LP_TEST(box_bounded, .spec = "queue(1)",
        .ops = {{WAITS(dequeue)}, {"enqueue", enqueue, LP_FRESH, 0, LP_MAY_WAIT}});
LP_TEST(box_lost, .spec = "queue",
        .ops = {{WAITS(dequeue)}, {"enqueue", enqueue_silently, LP_FRESH}});

/* ---- arguments ---- */

/* What changes from one iteration to the next is only what an access is given. */
struct link {
    _Atomic(struct link *) next;
};
static struct link links[4];
static void *link_all(void)
{
    for (int i = 0; i < 3; i++)
        atomic_init(&links[i].next, &links[i + 1]);
    return NULL;
}
OP(walk)
{
    for (struct link *at = links; (at = LOAD(at->next));)
        ;
    return DONE;
}
OP(exchange_until_two)
{
    int seen = 0;
    do
        seen = atomic_exchange(&x, seen + 1);
    while (seen != 2);
    return DONE;
}
OP(exchange_weakly)
{
    int value = 0, expected;
    do
        expected = value++ % 4;
    while (!atomic_compare_exchange_weak(&y, &expected, value));
    return DONE;
}
LP_TEST(arguments,
        .ops = {{RETURNS(walk)}, {RETURNS(exchange_until_two)}, {RETURNS(exchange_weakly)}},
        .setup = link_all);

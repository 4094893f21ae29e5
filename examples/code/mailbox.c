// A mailbox for one message, between one thread that puts and one that takes. Both wait: put for
// room, take for a message; take goes to sleep, and put wakes it if it does. Who goes to sleep says
// so first and looks then; who wakes leaves the message first. Wrong are one that looks first, and
// so may miss its wake-up; one with orders so weak that each may miss what the other has said
// (x86 included); and one that sleeps with the lock which put needs.
//
// expect: mailbox holds
// expect: mailbox_looks_first waits for ever
// expect: mailbox_release_acquire waits for ever
// expect: mailbox_locked waits for ever
#include <linchpin/test.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
    int message;
    atomic_int full, sleeps, wake;
    pthread_mutex_t lock; // of mailbox_locked
} mailbox;

static void *setup(void)
{
    return calloc(1, sizeof(mailbox));
}

static void await_wake(mailbox *m)
{
    while (!atomic_exchange(&m->wake, 0))
        ;
}

static lp_int get_message(mailbox *m)
{
    int message = m->message;
    atomic_store(&m->full, 0);
    return message;
}

// ---- right ----

static lp_int put(void *object, lp_int value)
{
    mailbox *m = object;
    while (atomic_load(&m->full))
        ;
    m->message = (int)value;
    atomic_store(&m->full, 1);
    if (atomic_load(&m->sleeps))
        atomic_store(&m->wake, 1);
    return LP_DONE;
}

static lp_int take(void *object, lp_int unused)
{
    mailbox *m = object;
    (void)unused;
    atomic_store(&m->sleeps, 1);
    while (!atomic_load(&m->full))
        await_wake(m);
    atomic_store(&m->sleeps, 0);
    return get_message(m);
}

// ---- looks first: the message may come in between ----

static lp_int look_first_take(void *object, lp_int unused)
{
    mailbox *m = object;
    (void)unused;
    while (!atomic_load(&m->full)) {
        atomic_store(&m->sleeps, 1);
        await_wake(m);
        atomic_store(&m->sleeps, 0);
    }
    return get_message(m);
}

// ---- too weak: a store, and then a load of something else ----

static lp_int release_put(void *object, lp_int value)
{
    mailbox *m = object;
    while (atomic_load_explicit(&m->full, memory_order_acquire))
        ;
    m->message = (int)value;
    atomic_store_explicit(&m->full, 1, memory_order_release);
    if (atomic_load_explicit(&m->sleeps, memory_order_acquire))
        atomic_store(&m->wake, 1);
    return LP_DONE;
}

static lp_int acquire_take(void *object, lp_int unused)
{
    mailbox *m = object;
    (void)unused;
    atomic_store_explicit(&m->sleeps, 1, memory_order_release);
    while (!atomic_load_explicit(&m->full, memory_order_acquire))
        await_wake(m);
    atomic_store_explicit(&m->sleeps, 0, memory_order_release);
    return get_message(m);
}

// ---- sleeps with the lock ----

static lp_int locked_put(void *object, lp_int value)
{
    mailbox *m = object;
    pthread_mutex_lock(&m->lock);
    lp_int done = put(m, value);
    pthread_mutex_unlock(&m->lock);
    return done;
}

static lp_int locked_take(void *object, lp_int unused)
{
    mailbox *m = object;
    pthread_mutex_lock(&m->lock);
    lp_int message = take(m, unused);
    pthread_mutex_unlock(&m->lock);
    return message;
}

LP_TEST(mailbox, .spec = "queue(1)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", put, LP_FRESH, 1, LP_MAY_WAIT},
                {"dequeue", take, 0, 0, 2, LP_MAY_WAIT}});
LP_TEST(mailbox_looks_first, .spec = "queue(1)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", put, LP_FRESH, 1, LP_MAY_WAIT},
                {"dequeue", look_first_take, 0, 0, 2, LP_MAY_WAIT}});
LP_TEST(mailbox_release_acquire, .spec = "queue(1)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", release_put, LP_FRESH, 1, LP_MAY_WAIT},
                {"dequeue", acquire_take, 0, 0, 2, LP_MAY_WAIT}});
LP_TEST(mailbox_locked, .spec = "queue(1)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", locked_put, LP_FRESH, 1, LP_MAY_WAIT},
                {"dequeue", locked_take, 0, 0, 2, LP_MAY_WAIT}});

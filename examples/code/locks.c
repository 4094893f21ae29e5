// Locks, each around a counter that is no atomic: test-and-set, ticket, and the queue lock of
// Mellor-Crummey and Scott (1991); and two that are wrong: one that is released too weakly, and
// one that looks first and takes it then.
//
// expect: spin_lock holds
// expect: ticket_lock holds
// expect: mcs_lock holds
// expect: spin_lock_relaxed data race
// expect: look_then_take data race
// expect: try_lock holds
// expect: try_look_then_take not linearizable
#include <linchpin/test.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct mcs_node {
    _Atomic(struct mcs_node *) next;
    atomic_int waits;
} mcs_node;

typedef struct {
    atomic_int held;
    atomic_uint next_ticket, now_served;
    _Atomic(mcs_node *) last;
    int count;
} shared;

static void *setup(void)
{
    return calloc(1, sizeof(shared));
}

// ---- test and set ----

static void spin_lock(shared *s)
{
    while (atomic_exchange_explicit(&s->held, 1, memory_order_acquire))
        while (atomic_load_explicit(&s->held, memory_order_relaxed))
            ;
}

static lp_int spin_inc(void *object, lp_int unused)
{
    shared *s = object;
    (void)unused;
    spin_lock(s);
    s->count++;
    atomic_store_explicit(&s->held, 0, memory_order_release);
    return LP_DONE;
}

static lp_int spin_read(void *object, lp_int unused)
{
    shared *s = object;
    (void)unused;
    spin_lock(s);
    int count = s->count;
    atomic_store_explicit(&s->held, 0, memory_order_release);
    return count;
}

static lp_int relaxed_inc(void *object, lp_int unused)
{
    shared *s = object;
    (void)unused;
    spin_lock(s);
    s->count++;
    atomic_store_explicit(&s->held, 0, memory_order_relaxed);
    return LP_DONE;
}

static lp_int look_then_take_inc(void *object, lp_int unused)
{
    shared *s = object;
    (void)unused;
    while (atomic_load(&s->held))
        ;
    atomic_store(&s->held, 1);
    s->count++;
    atomic_store(&s->held, 0);
    return LP_DONE;
}

// ---- tickets ----

static void ticket_lock(shared *s)
{
    unsigned mine = atomic_fetch_add_explicit(&s->next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&s->now_served, memory_order_acquire) != mine)
        ;
}

static void ticket_unlock(shared *s)
{
    unsigned now = atomic_load_explicit(&s->now_served, memory_order_relaxed);
    atomic_store_explicit(&s->now_served, now + 1, memory_order_release);
}

static lp_int ticket_inc(void *object, lp_int unused)
{
    shared *s = object;
    (void)unused;
    ticket_lock(s);
    s->count++;
    ticket_unlock(s);
    return LP_DONE;
}

static lp_int ticket_read(void *object, lp_int unused)
{
    shared *s = object;
    (void)unused;
    ticket_lock(s);
    int count = s->count;
    ticket_unlock(s);
    return count;
}

// ---- a queue of those who wait ----

static void mcs_lock(shared *s, mcs_node *mine)
{
    atomic_init(&mine->next, NULL);
    atomic_init(&mine->waits, 1);
    mcs_node *before = atomic_exchange_explicit(&s->last, mine, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, mine, memory_order_release);
    while (atomic_load_explicit(&mine->waits, memory_order_acquire))
        ;
}

static void mcs_unlock(shared *s, mcs_node *mine)
{
    mcs_node *next = atomic_load_explicit(&mine->next, memory_order_acquire), *expected = mine;
    if (!next && atomic_compare_exchange_strong_explicit(
                     &s->last, &expected, NULL, memory_order_release, memory_order_relaxed))
        return;
    while (!next)
        next = atomic_load_explicit(&mine->next, memory_order_acquire);
    atomic_store_explicit(&next->waits, 0, memory_order_release);
}

static lp_int mcs_inc(void *object, lp_int unused)
{
    shared *s = object;
    mcs_node *mine = malloc(sizeof *mine);
    (void)unused;
    mcs_lock(s, mine);
    s->count++;
    mcs_unlock(s, mine);
    return LP_DONE;
}

static lp_int mcs_read(void *object, lp_int unused)
{
    shared *s = object;
    mcs_node *mine = malloc(sizeof *mine);
    (void)unused;
    mcs_lock(s, mine);
    int count = s->count;
    mcs_unlock(s, mine);
    return count;
}

// ---- to try ----

static lp_int try_acquire(void *object, lp_int unused)
{
    shared *s = object;
    (void)unused;
    return atomic_exchange(&s->held, 1) ? LP_NO : LP_YES;
}

static lp_int try_look_then_take(void *object, lp_int unused)
{
    shared *s = object;
    (void)unused;
    if (atomic_load(&s->held))
        return LP_NO;
    atomic_store(&s->held, 1);
    return LP_YES;
}

LP_TEST(spin_lock, .spec = "counter", .setup = setup, .teardown = free,
        .ops = {{"inc", spin_inc}, {"read", spin_read}});
LP_TEST(ticket_lock, .spec = "counter", .setup = setup, .teardown = free,
        .ops = {{"inc", ticket_inc}, {"read", ticket_read}});
LP_TEST(mcs_lock, .spec = "counter", .setup = setup, .teardown = free,
        .ops = {{"inc", mcs_inc}, {"read", mcs_read}});
LP_TEST(spin_lock_relaxed, .spec = "counter", .setup = setup, .teardown = free,
        .ops = {{"inc", relaxed_inc}, {"read", spin_read}});
LP_TEST(look_then_take, .spec = "counter", .setup = setup, .teardown = free,
        .ops = {{"inc", look_then_take_inc}});
LP_TEST(try_lock, .spec = "mutex", .setup = setup, .teardown = free,
        .ops = {{"try_acquire", try_acquire}});
LP_TEST(try_look_then_take, .spec = "mutex", .setup = setup, .teardown = free,
        .ops = {{"try_acquire", try_look_then_take}});

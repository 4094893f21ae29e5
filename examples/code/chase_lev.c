// The work-stealing deque of Chase and Lev, with the fences of Le, Pop, Cohen and Zappa Nardelli
// (PPoPP 2013): one thread pushes and takes at the back, others steal at the front. A steal that
// loses against another thread says empty: it may fail. And without the fence in `take`, where two
// may get the same value.
//
// expect: chase_lev holds
// expect: chase_lev_without_fence not linearizable
#include <linchpin/test.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    ROOM = 8
};

typedef struct {
    atomic_long top, bottom;
    atomic_int values[ROOM];
} deque;

static void *setup(void)
{
    return calloc(1, sizeof(deque));
}

static lp_int push(void *object, lp_int value)
{
    deque *d = object;
    long bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed);
    atomic_store_explicit(&d->values[bottom % ROOM], (int)value, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
    return LP_DONE;
}

static lp_int take(deque *d, int fences)
{
    long bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&d->bottom, bottom, memory_order_relaxed);
    if (fences)
        atomic_thread_fence(memory_order_seq_cst);
    long top = atomic_load_explicit(&d->top, memory_order_relaxed);
    lp_int value = LP_EMPTY;
    if (top <= bottom) {
        value = atomic_load_explicit(&d->values[bottom % ROOM], memory_order_relaxed);
        if (top < bottom)
            return value;
        if (!atomic_compare_exchange_strong_explicit(&d->top, &top, top + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            value = LP_EMPTY;
    }
    atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
    return value;
}

static lp_int do_take(void *d, lp_int unused)
{
    (void)unused;
    return take(d, 1);
}

static lp_int do_take_without_fence(void *d, lp_int unused)
{
    (void)unused;
    return take(d, 0);
}

static lp_int steal(void *object, lp_int unused)
{
    deque *d = object;
    (void)unused;
    long top = atomic_load_explicit(&d->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    long bottom = atomic_load_explicit(&d->bottom, memory_order_acquire);
    if (top >= bottom)
        return LP_EMPTY;
    int value = atomic_load_explicit(&d->values[top % ROOM], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&d->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return LP_EMPTY;
    return value;
}

LP_TEST(chase_lev, .spec = "deque", .setup = setup, .teardown = free,
        .ops = {{"push_back", push, LP_FRESH, 1},
                {"pop_back", do_take, 0, 0, 1, LP_MAY_FAIL},
                {"pop_front", steal, 0, 0, 0, LP_MAY_FAIL}});
LP_TEST(chase_lev_without_fence, .spec = "deque", .setup = setup, .teardown = free,
        .ops = {{"push_back", push, LP_FRESH, 1},
                {"pop_back", do_take_without_fence, 0, 0, 1, LP_MAY_FAIL},
                {"pop_front", steal, 0, 0, 0, LP_MAY_FAIL}});

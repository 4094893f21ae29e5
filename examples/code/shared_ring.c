// Vyukov's bounded queue for several producers and consumers: each cell says by a number whose
// turn it is. A dequeue says empty while an older enqueue is half way through, though a newer one
// is done: it may fail. The third one passes its cell on too weakly.
//
// expect: shared_ring holds
// expect: shared_ring_strict not linearizable
// expect: shared_ring_relaxed data race
#include <linchpin/test.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    CELLS = 2
};

typedef struct {
    _Atomic unsigned turn;
    int value;
} cell;

typedef struct {
    cell cells[CELLS];
    _Atomic unsigned head, tail;
} ring;

static void *setup(void)
{
    ring *r = calloc(1, sizeof *r);
    for (unsigned i = 0; i < CELLS; i++)
        atomic_init(&r->cells[i].turn, i);
    return r;
}

static int enqueue(ring *r, int value, memory_order publish)
{
    unsigned at = atomic_load_explicit(&r->tail, memory_order_relaxed);
    for (;;) {
        cell *c = &r->cells[at % CELLS];
        unsigned turn = atomic_load_explicit(&c->turn, memory_order_acquire);
        int ahead = (int)(turn - at);
        if (ahead < 0)
            return 0;
        if (ahead > 0) {
            at = atomic_load_explicit(&r->tail, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(
                       &r->tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
            c->value = value;
            atomic_store_explicit(&c->turn, at + 1, publish);
            return 1;
        }
    }
}

static int dequeue(ring *r, int *value)
{
    unsigned at = atomic_load_explicit(&r->head, memory_order_relaxed);
    for (;;) {
        cell *c = &r->cells[at % CELLS];
        unsigned turn = atomic_load_explicit(&c->turn, memory_order_acquire);
        int ahead = (int)(turn - (at + 1));
        if (ahead < 0)
            return 0;
        if (ahead > 0) {
            at = atomic_load_explicit(&r->head, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(
                       &r->head, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
            *value = c->value;
            atomic_store_explicit(&c->turn, at + CELLS, memory_order_release);
            return 1;
        }
    }
}

static lp_int do_enqueue(void *r, lp_int value)
{
    return enqueue(r, (int)value, memory_order_release) ? LP_YES : LP_NO;
}

static lp_int do_enqueue_relaxed(void *r, lp_int value)
{
    return enqueue(r, (int)value, memory_order_relaxed) ? LP_YES : LP_NO;
}

static lp_int do_dequeue(void *r, lp_int unused)
{
    int value;
    (void)unused;
    return dequeue(r, &value) ? value : LP_EMPTY;
}

LP_TEST(shared_ring, .spec = "queue(2)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", do_enqueue, LP_FRESH, 0, LP_MAY_FAIL},
                {"dequeue", do_dequeue, 0, 0, 0, LP_MAY_FAIL}});
LP_TEST(shared_ring_strict, .spec = "queue(2)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", do_enqueue, LP_FRESH}, {"dequeue", do_dequeue}});
LP_TEST(shared_ring_relaxed, .spec = "queue(2)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", do_enqueue_relaxed, LP_FRESH, 0, LP_MAY_FAIL},
                {"dequeue", do_dequeue, 0, 0, 0, LP_MAY_FAIL}});

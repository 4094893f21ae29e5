// Herlihy and Wing's queue (Linearizability, TOPLAS 1990, figure 8) for C11: an enqueue takes the
// next slot and fills it; a dequeue looks for the first slot that is full, until there is one. What
// empties a slot must release, or one dequeue may pass by a slot that another one emptied without
// knowing what that one knew.
//
// expect: herlihy_wing holds
// expect: herlihy_wing_relaxed not linearizable
#include <linchpin/test.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    SLOTS = 16
};

typedef struct {
    atomic_int back;
    atomic_int items[SLOTS]; // 0: empty
} queue;

static void *setup(void)
{
    return calloc(1, sizeof(queue));
}

static lp_int enqueue(void *object, lp_int value)
{
    queue *q = object;
    int slot = atomic_fetch_add_explicit(&q->back, 1, memory_order_release);
    atomic_store_explicit(&q->items[slot], (int)value, memory_order_release);
    return LP_DONE;
}

static lp_int take(queue *q, memory_order order)
{
    for (;;) {
        int back = atomic_load_explicit(&q->back, memory_order_acquire);
        for (int i = 0; i < back; i++) {
            if (atomic_load_explicit(&q->items[i], memory_order_acquire) == 0)
                continue;
            int value = atomic_exchange_explicit(&q->items[i], 0, order);
            if (value)
                return value;
        }
    }
}

static lp_int dequeue(void *object, lp_int unused)
{
    (void)unused;
    return take(object, memory_order_acq_rel);
}

static lp_int dequeue_relaxed(void *object, lp_int unused)
{
    (void)unused;
    return take(object, memory_order_acquire);
}

LP_TEST(herlihy_wing, .spec = "queue", .setup = setup, .teardown = free,
        .ops = {{"enqueue", enqueue, LP_FRESH}, {"dequeue", dequeue, .flags = LP_MAY_WAIT}});
LP_TEST(herlihy_wing_relaxed, .spec = "queue", .setup = setup, .teardown = free,
        .ops = {{"enqueue", enqueue, LP_FRESH},
                {"dequeue", dequeue_relaxed, .flags = LP_MAY_WAIT}});

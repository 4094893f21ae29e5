// The queue of Michael and Scott (PODC 1996) without reclamation; and with the new node linked in
// by a relaxed exchange, so that who finds it may not yet see what is in it.
//
// expect: michael_scott holds
// expect: michael_scott_relaxed data race
#include <linchpin/test.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
    int value;
    _Atomic(struct node *) next;
} node;

typedef struct {
    _Atomic(node *) head, tail;
} queue;

static void *setup(void)
{
    queue *q = calloc(1, sizeof *q);
    node *first = calloc(1, sizeof *first);
    atomic_init(&q->head, first);
    atomic_init(&q->tail, first);
    return q;
}

static void enqueue(queue *q, int value, memory_order publish)
{
    node *n = malloc(sizeof *n);
    n->value = value;
    atomic_init(&n->next, NULL);
    for (;;) {
        node *last = atomic_load_explicit(&q->tail, memory_order_acquire);
        node *next = atomic_load_explicit(&last->next, memory_order_acquire);
        if (next) { // somebody is half way through: help
            atomic_compare_exchange_strong_explicit(&q->tail, &last, next, publish,
                                                    memory_order_relaxed);
        } else if (atomic_compare_exchange_strong_explicit(&last->next, &next, n, publish,
                                                           memory_order_relaxed)) {
            atomic_compare_exchange_strong_explicit(&q->tail, &last, n, publish,
                                                    memory_order_relaxed);
            return;
        }
    }
}

static lp_int dequeue(queue *q)
{
    for (;;) {
        node *first = atomic_load_explicit(&q->head, memory_order_acquire);
        node *last = atomic_load_explicit(&q->tail, memory_order_acquire);
        node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (!next)
            return LP_EMPTY;
        if (first == last) {
            atomic_compare_exchange_strong_explicit(&q->tail, &last, next, memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong_explicit(&q->head, &first, next, memory_order_release,
                                                    memory_order_relaxed))
            return value;
    }
}

static lp_int do_enqueue(void *q, lp_int value)
{
    enqueue(q, (int)value, memory_order_release);
    return LP_DONE;
}

static lp_int do_enqueue_relaxed(void *q, lp_int value)
{
    enqueue(q, (int)value, memory_order_relaxed);
    return LP_DONE;
}

static lp_int do_dequeue(void *q, lp_int unused)
{
    (void)unused;
    return dequeue(q);
}

LP_TEST(michael_scott, .spec = "queue", .setup = setup,
        .ops = {{"enqueue", do_enqueue, LP_FRESH}, {"dequeue", do_dequeue}});
LP_TEST(michael_scott_relaxed, .spec = "queue", .setup = setup,
        .ops = {{"enqueue", do_enqueue_relaxed, LP_FRESH}, {"dequeue", do_dequeue}});

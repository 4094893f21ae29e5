// Treiber's stack, four times: nothing is ever freed; freed as soon as it is popped; published
// too weakly; and over a fixed pool, with a counter beside the index so that a node which comes
// back is noticed.
//
// expect: treiber holds
// expect: treiber_freed_early use after free
// expect: treiber_relaxed data race
// expect: treiber_counted holds
#include <linchpin/test.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct node {
    int value;
    struct node *next;
} node;

typedef struct {
    _Atomic(node *) top;
} stack;

static void push(stack *s, int value, memory_order publish)
{
    node *n = malloc(sizeof *n);
    n->value = value;
    n->next = atomic_load_explicit(&s->top, memory_order_relaxed);
    while (
        !atomic_compare_exchange_weak_explicit(&s->top, &n->next, n, publish, memory_order_relaxed))
        ;
}

static node *pop(stack *s)
{
    node *n = atomic_load_explicit(&s->top, memory_order_acquire);
    while (n && !atomic_compare_exchange_weak_explicit(&s->top, &n, n->next, memory_order_acquire,
                                                       memory_order_acquire))
        ;
    return n;
}

// ---- with a counter ----

enum {
    NODES = 64, // more than any scenario, or round, pushes
    NONE = 0
};

typedef struct {
    _Atomic uint64_t top;  // counter << 32 | index of a node, NONE: empty
    _Atomic uint32_t used; // nodes that were taken from the pool
    _Atomic uint32_t next[NODES];
    int value[NODES];
} counted;

static uint64_t pair(uint64_t counter, uint32_t index)
{
    return counter << 32 | index;
}

static void counted_push(counted *s, int value)
{
    uint32_t mine = atomic_fetch_add_explicit(&s->used, 1, memory_order_relaxed) + 1;
    s->value[mine] = value;
    uint64_t top = atomic_load_explicit(&s->top, memory_order_relaxed);
    do
        atomic_store_explicit(&s->next[mine], (uint32_t)top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&s->top, &top, pair((top >> 32) + 1, mine),
                                                  memory_order_release, memory_order_relaxed));
}

static lp_int counted_pop(counted *s)
{
    uint64_t top = atomic_load_explicit(&s->top, memory_order_acquire);
    for (;;) {
        uint32_t index = (uint32_t)top;
        if (index == NONE)
            return LP_EMPTY;
        uint32_t next = atomic_load_explicit(&s->next[index], memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&s->top, &top, pair((top >> 32) + 1, next),
                                                  memory_order_acquire, memory_order_acquire))
            return s->value[index];
    }
}

// ---- the tests ----

static void *setup(void)
{
    return calloc(1, sizeof(stack));
}

static lp_int do_push(void *s, lp_int value)
{
    push(s, (int)value, memory_order_release);
    return LP_DONE;
}

static lp_int do_push_relaxed(void *s, lp_int value)
{
    push(s, (int)value, memory_order_relaxed);
    return LP_DONE;
}

static lp_int do_pop(void *s, lp_int unused)
{
    node *n = pop(s);
    (void)unused;
    return n ? n->value : LP_EMPTY;
}

static lp_int do_pop_and_free(void *s, lp_int unused)
{
    node *n = pop(s);
    (void)unused;
    lp_int value = n ? n->value : LP_EMPTY;
    free(n);
    return value;
}

static void *counted_setup(void)
{
    return calloc(1, sizeof(counted));
}

static lp_int do_counted_push(void *s, lp_int value)
{
    counted_push(s, (int)value);
    return LP_DONE;
}

static lp_int do_counted_pop(void *s, lp_int unused)
{
    (void)unused;
    return counted_pop(s);
}

LP_TEST(treiber, .spec = "stack", .setup = setup, .teardown = free,
        .ops = {{"push", do_push, LP_FRESH}, {"pop", do_pop}});
LP_TEST(treiber_freed_early, .spec = "stack", .setup = setup, .teardown = free,
        .ops = {{"push", do_push, LP_FRESH}, {"pop", do_pop_and_free}});
LP_TEST(treiber_relaxed, .spec = "stack", .setup = setup, .teardown = free,
        .ops = {{"push", do_push_relaxed, LP_FRESH}, {"pop", do_pop}});
LP_TEST(treiber_counted, .spec = "stack", .setup = counted_setup, .teardown = free,
        .ops = {{"push", do_counted_push, LP_FRESH}, {"pop", do_counted_pop}});

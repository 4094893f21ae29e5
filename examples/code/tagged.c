// Treiber's stack with a counter beside the top, changed together by a compare-and-exchange of 16
// bytes. A thread keeps the first node that it has taken off, and uses it again.
//
// The counter says that the top has changed, though it is the same node again. It is enough to
// count insertions: a node that is the top again was inserted again. Where nothing counts, a
// removal that was held up takes off a node that is not there any more (ABA).
//
// expect: tagged holds
// expect: tagged_by_push holds
// expect: untagged not linearizable
#include <linchpin/test.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next; /* read by who may be late, too */
    lp_int value;
};

struct top {
    struct node *node;
    uintptr_t count;
};

struct stack {
    _Alignas(16) _Atomic(struct top) top;
    unsigned push_counts, pop_counts; /* 1 or 0 */
};

static _Thread_local struct node *kept;

static lp_int do_push(void *object, lp_int value)
{
    struct stack *stack = object;
    struct node *node = kept ? kept : malloc(sizeof *node);
    kept = NULL;
    node->value = value;
    struct top old = atomic_load_explicit(&stack->top, memory_order_relaxed), new;
    do {
        atomic_store_explicit(&node->next, old.node, memory_order_relaxed);
        new = (struct top){node, old.count + stack->push_counts};
    } while (!atomic_compare_exchange_weak_explicit(&stack->top, &old, new, memory_order_release,
                                                    memory_order_relaxed));
    return LP_DONE;
}

static lp_int do_pop(void *object, lp_int argument)
{
    struct stack *stack = object;
    struct top old = atomic_load_explicit(&stack->top, memory_order_acquire), new;
    (void)argument;
    do {
        if (!old.node)
            return LP_EMPTY;
        new = (struct top){atomic_load_explicit(&old.node->next, memory_order_relaxed),
                           old.count + stack->pop_counts};
    } while (!atomic_compare_exchange_weak_explicit(&stack->top, &old, new, memory_order_acq_rel,
                                                    memory_order_acquire));
    lp_int value = old.node->value;
    if (!kept)
        kept = old.node; /* another one is given up */
    return value;
}

static void *setup(unsigned push_counts, unsigned pop_counts)
{
    struct stack *stack = aligned_alloc(16, sizeof *stack);
    struct top empty = {NULL, 0};
    atomic_init(&stack->top, empty);
    stack->push_counts = push_counts;
    stack->pop_counts = pop_counts;
    return stack;
}

static void *setup_tagged(void)
{
    return setup(1, 1);
}

static void *setup_tagged_by_push(void)
{
    return setup(1, 0);
}

static void *setup_untagged(void)
{
    return setup(0, 0);
}

LP_TEST(tagged, .spec = "stack", .setup = setup_tagged, .teardown = free,
        .ops = {{"push", do_push, LP_FRESH}, {"pop", do_pop}});
LP_TEST(tagged_by_push, .spec = "stack", .setup = setup_tagged_by_push, .teardown = free,
        .ops = {{"push", do_push, LP_FRESH}, {"pop", do_pop}});
LP_TEST(untagged, .spec = "stack", .setup = setup_untagged, .teardown = free,
        .ops = {{"push", do_push, LP_FRESH}, {"pop", do_pop}});

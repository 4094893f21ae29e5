/* Stacks: Treiber's (1986), and the slip that he warned of.
 *
 * `top` is a node's number, 0 for none, and above it a tag. A popped node is used again by the
 * thread that popped it. Between reading the top and replacing it another thread may pop that node,
 * pop the one below, and push the first again: the top is the same node, but the one below it is
 * not the one that was read (the ABA problem). The tag grows with every change, so that the two
 * tops differ; without it a pop brings back nodes that were taken long ago. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "workload.h"

struct node {
    _Atomic uint32_t below;
    _Atomic int64_t value;
};

#define TAG ((uint64_t)1 << 32) /* one step of the tag */

struct stack {
    _Alignas(64) _Atomic uint64_t top;
    _Alignas(64) _Atomic uint64_t unused; /* a stack too, always tagged */
    _Atomic uint32_t fresh;               /* nodes from here on were never used */
    struct node nodes[];
};

static void *create(size_t operations)
{
    size_t size = sizeof(struct stack) + (operations + 1) * sizeof(struct node);
    struct stack *stack = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!stack)
        return NULL;
    atomic_init(&stack->top, 0);
    atomic_init(&stack->unused, 0);
    atomic_init(&stack->fresh, 1);
    for (size_t i = 0; i <= operations; i++) {
        atomic_init(&stack->nodes[i].below, 0);
        atomic_init(&stack->nodes[i].value, 0);
    }
    return stack;
}

/* What replaces the top `old` when `node` becomes the top one. */
static uint64_t next_top(uint64_t old, uint32_t node, bool tagged)
{
    return ((old & ~(TAG - 1)) | node) + (tagged ? TAG : 0);
}

static void push_node(struct stack *stack, _Atomic uint64_t *top, uint32_t node, bool tagged)
{
    uint64_t old = atomic_load(top);
    do
        atomic_store(&stack->nodes[node].below, (uint32_t)old);
    while (!atomic_compare_exchange_strong(top, &old, next_top(old, node, tagged)));
}

static uint32_t pop_node(struct stack *stack, _Atomic uint64_t *top, bool tagged,
                         struct thread *thread)
{
    uint64_t old = atomic_load(top);
    while ((uint32_t)old) {
        uint32_t below = atomic_load(&stack->nodes[(uint32_t)old].below);
        thread_waver(thread);
        if (atomic_compare_exchange_strong(top, &old, next_top(old, below, tagged)))
            break;
    }
    return (uint32_t)old;
}

static size_t use(struct stack *stack, bool tagged, struct thread *thread)
{
    if (thread_random(thread, 2)) {
        int64_t value = thread_fresh_value(thread);
        record_call(thread, "push", value);
        uint32_t node = pop_node(stack, &stack->unused, true, thread);
        if (!node)
            node = atomic_fetch_add(&stack->fresh, 1);
        atomic_store(&stack->nodes[node].value, value);
        push_node(stack, &stack->top, node, tagged);
        record_return(thread, NOTHING);
    } else {
        record_call(thread, "pop", NOTHING);
        uint32_t node = pop_node(stack, &stack->top, tagged, thread);
        int64_t value = node ? atomic_load(&stack->nodes[node].value) : NOTHING;
        if (node)
            push_node(stack, &stack->unused, node, true);
        record_return(thread, value);
    }
    return 1;
}

static size_t use_correct(void *object, struct thread *thread)
{
    return use(object, true, thread);
}

static size_t use_aba(void *object, struct thread *thread)
{
    return use(object, false, thread);
}

const struct implementation stack_correct = {
    "stack-correct", "Treiber's stack, the top with a tag", "stack", create, free, use_correct};
const struct implementation stack_aba = {
    "stack-aba", "the same without the tag", "stack", create, free, use_aba};

/* Userspace RCU (Debian: liburcu-dev, 0.13): its queue with enqueuers that never wait, and its
 * lock-free stack, as their headers are. Its own primitives for x86 are inline assembly, which
 * cannot be tested; those of its other machines, of the compiler, are taken in their place. */
#define _URCU_ARCH_UATOMIC_X86_H
#define UATOMIC_HAS_ATOMIC_BYTE
#define UATOMIC_HAS_ATOMIC_SHORT
#include <urcu/arch.h>
#undef cmm_mb
#define cmm_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
/* behind it: */
#include <urcu/compiler.h>
#include <urcu/system.h>
#include <urcu/uatomic/generic.h>

#define _LGPL_SOURCE /* what the library does is in the headers */
#include <urcu/lfstack.h>
#include <urcu/wfcqueue.h>

#include <stdlib.h>

#include <linchpin/test.h>

/* ---- wfcqueue: dequeuers must exclude one another: there is one ---- */

struct queue {
    struct cds_wfcq_head head;
    struct cds_wfcq_tail tail;
};

struct item {
    struct cds_wfcq_node node;
    lp_int value;
};

static void *new_queue(void)
{
    struct queue *queue = malloc(sizeof *queue);
    cds_wfcq_init(&queue->head, &queue->tail);
    return queue;
}

static lp_int enqueue(void *object, lp_int value)
{
    struct queue *queue = object;
    struct item *item = malloc(sizeof *item);
    cds_wfcq_node_init(&item->node);
    item->value = value;
    cds_wfcq_enqueue(&queue->head, &queue->tail, &item->node);
    return LP_DONE;
}

static lp_int dequeue(void *object, lp_int unused)
{
    struct queue *queue = object;
    (void)unused;
    struct cds_wfcq_node *node = __cds_wfcq_dequeue_nonblocking(&queue->head, &queue->tail);
    if (node == CDS_WFCQ_WOULDBLOCK)
        return LP_EMPTY;
    return node ? ((struct item *)node)->value : LP_EMPTY;
}

// needs: liburcu-dev
// expect: test wfcqueue data race
// expect: test --memory-model=tso --scenario 'dequeue; dequeue | enqueue; enqueue' wfcqueue holds
LP_TEST(wfcqueue, .spec = "queue", .setup = new_queue, .teardown = free,
        .ops = {{"enqueue", enqueue, LP_FRESH}, {"dequeue", dequeue, 0, 0, 1, LP_MAY_FAIL}});

/* ---- lfstack: poppers must exclude one another, or keep nodes for a while: none is freed ---- */

struct entry {
    struct cds_lfs_node node;
    lp_int value;
};

static void *new_stack(void)
{
    struct __cds_lfs_stack *stack = malloc(sizeof *stack);
    __cds_lfs_init(stack);
    return stack;
}

static lp_int push(void *stack, lp_int value)
{
    struct entry *entry = malloc(sizeof *entry);
    cds_lfs_node_init(&entry->node);
    entry->value = value;
    cds_lfs_push((struct __cds_lfs_stack *)stack, &entry->node);
    return LP_DONE;
}

static lp_int pop(void *stack, lp_int unused)
{
    (void)unused;
    struct cds_lfs_node *node = __cds_lfs_pop((struct __cds_lfs_stack *)stack);
    return node ? ((struct entry *)node)->value : LP_EMPTY;
}

// expect: test lfstack data race
// expect: test --memory-model=tso --scenario 'push; pop | push; pop' lfstack holds
LP_TEST(lfstack, .spec = "stack", .setup = new_stack, .teardown = free,
        .ops = {{"push", push, LP_FRESH}, {"pop", pop}});

/* Queues: the lock-free queue of Michael and Scott (PODC 1996), and two slips.
 *
 * The queue is a linked list that begins with a node already taken. `head` is that node, `tail` the
 * last one or the one before it. Nodes come from an array and are never used again, so an address
 * stands for one node for ever and a compare-and-swap cannot be fooled. */
#include <stdatomic.h>
#include <stdlib.h>

#include "workload.h"

struct node {
    _Atomic(struct node *) next;
    int64_t value;
};

struct queue {
    _Alignas(64) _Atomic(struct node *) head;
    _Alignas(64) _Atomic(struct node *) tail;
};

struct queues {
    struct queue lanes[2]; /* the correct queue uses the first */
    atomic_size_t used;
    struct node nodes[];
};

static struct node *take_node(struct queues *queues, int64_t value)
{
    struct node *node = &queues->nodes[atomic_fetch_add(&queues->used, 1)];
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}

static void *create(size_t operations)
{
    struct queues *queues =
        aligned_alloc(64, (sizeof *queues + (operations + 2) * sizeof(struct node) + 63) / 64 * 64);
    if (!queues)
        return NULL;
    atomic_init(&queues->used, 0);
    for (size_t i = 0; i < 2; i++) {
        struct node *taken = take_node(queues, NOTHING);
        atomic_init(&queues->lanes[i].head, taken);
        atomic_init(&queues->lanes[i].tail, taken);
    }
    return queues;
}

static void enqueue(struct queue *queue, struct node *node, struct thread *thread)
{
    for (;;) {
        struct node *tail = atomic_load(&queue->tail);
        struct node *next = atomic_load(&tail->next);
        thread_waver(thread);
        if (next) {
            atomic_compare_exchange_strong(&queue->tail, &tail, next); /* help */
        } else if (atomic_compare_exchange_strong(&tail->next, &next, node)) {
            atomic_compare_exchange_strong(&queue->tail, &tail, node);
            return;
        }
    }
}

static int64_t dequeue(struct queue *queue, struct thread *thread)
{
    for (;;) {
        struct node *head = atomic_load(&queue->head);
        struct node *tail = atomic_load(&queue->tail);
        struct node *next = atomic_load(&head->next);
        thread_waver(thread);
        if (head != atomic_load(&queue->head))
            continue;
        if (!next)
            return NOTHING;
        if (head == tail) {
            atomic_compare_exchange_strong(&queue->tail, &tail, next); /* help */
            continue;
        }
        int64_t value = next->value;
        if (atomic_compare_exchange_strong(&queue->head, &head, next))
            return value;
    }
}

/* The slip: what was read from `head` is written back without asking whether it is still there, so
 * two threads can take the same value. */
static int64_t dequeue_plainly(struct queue *queue, struct thread *thread)
{
    struct node *head = atomic_load(&queue->head);
    struct node *next = atomic_load(&head->next);
    thread_waver(thread);
    if (!next)
        return NOTHING;
    atomic_store(&queue->head, next);
    return next->value;
}

static size_t use(struct queues *queues, size_t lanes, struct thread *thread,
                  int64_t (*take)(struct queue *queue, struct thread *thread))
{
    if (thread_random(thread, 2)) {
        int64_t value = thread_fresh_value(thread);
        record_call(thread, "enqueue", value);
        enqueue(&queues->lanes[thread_random(thread, (uint32_t)lanes)], take_node(queues, value),
                thread);
        record_return(thread, NOTHING);
    } else {
        record_call(thread, "dequeue", NOTHING);
        size_t first = thread_random(thread, (uint32_t)lanes);
        int64_t value = take(&queues->lanes[first], thread);
        for (size_t i = 1; i < lanes && value == NOTHING; i++)
            value = take(&queues->lanes[(first + i) % lanes], thread);
        record_return(thread, value);
    }
    return 1;
}

static size_t use_correct(void *object, struct thread *thread)
{
    return use(object, 1, thread, dequeue);
}

static size_t use_plain_head(void *object, struct thread *thread)
{
    return use(object, 1, thread, dequeue_plainly);
}

/* Not a slip but a choice, and no queue either: threads put values into any of two lanes and take
 * them from any. Less contention, and the order between the lanes is lost. */
static size_t use_two_lanes(void *object, struct thread *thread)
{
    return use(object, 2, thread, dequeue);
}

const struct implementation queue_correct = {
    "queue-correct", "the queue of Michael and Scott", "queue", create, free, use_correct};
const struct implementation queue_plain_head = {
    "queue-plain-head",
    "the same, but head is stored without compare-and-swap",
    "queue",
    create,
    free,
    use_plain_head};
const struct implementation queue_two_lanes = {
    "queue-two-lanes", "values go into any of two queues", "queue", create, free, use_two_lanes};

/* A priority queue of numbers by key (a binary heap), the least key first; equal keys in no
 * particular, but always the same, order. */
#ifndef PETRI_QUEUE_H
#define PETRI_QUEUE_H

#include "base/vector.h"

struct queued {
    uint64_t key;
    uint32_t number;
};

struct queue {
    VECTOR(struct queued) heap;
};

static inline void queue_init(struct queue *queue, struct budget *budget)
{
    vector_init(&queue->heap, budget);
}

static inline void queue_release(struct queue *queue)
{
    vector_release(&queue->heap);
}

bool queue_push(struct queue *queue, uint64_t key, uint32_t number) MUST_CHECK;

/* Takes the first out; the queue is not empty. */
uint32_t queue_pop(struct queue *queue);

#endif

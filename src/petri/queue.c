#include "petri/queue.h"

#include <assert.h>

bool queue_push(struct queue *queue, uint64_t key, uint32_t number)
{
    struct queued item = {key, number};
    if (!vector_push(&queue->heap, item))
        return false;
    struct queued *items = queue->heap.items;
    size_t at = queue->heap.length - 1;
    while (at && items[(at - 1) / 2].key > key) {
        items[at] = items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    items[at] = item;
    assert(at == 0 || items[(at - 1) / 2].key <= key);
    return true;
}

uint32_t queue_pop(struct queue *queue)
{
    struct queued *items = queue->heap.items;
    assert(queue->heap.length > 0);
    uint32_t first = items[0].number;
    struct queued last = items[--queue->heap.length];
    size_t count = queue->heap.length, at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < count && items[child + 1].key < items[child].key)
            child++;
        if (child >= count || items[child].key >= last.key)
            break;
        items[at] = items[child];
        at = child;
    }
    if (count)
        items[at] = last;
    return first;
}

#include "stream/recorders.h"

void recorders_init(struct recorders *recorders, struct budget *budget)
{
    *recorders = (struct recorders){.budget = budget};
    vector_init(&recorders->waiting, budget);
    pthread_mutex_init(&recorders->lock, NULL);
}

void recorders_release(struct recorders *recorders)
{
    while (recorders->first) {
        struct recorder *recorder = recorders->first;
        recorders->first = recorder->next;
        vectors_release(&recorder->queue, &recorder->taken);
        pthread_mutex_destroy(&recorder->lock);
        memory_release(recorders->budget, recorder, sizeof *recorder);
    }
    vector_release(&recorders->waiting);
    pthread_mutex_destroy(&recorders->lock);
}

struct recorder *recorder_add(struct recorders *recorders, value process)
{
    struct recorder *recorder = memory_zeroed(recorders->budget, sizeof *recorder);
    if (!recorder)
        return NULL;
    recorder->all = recorders;
    recorder->process = process;
    vectors_init(recorders->budget, &recorder->queue, &recorder->taken);
    pthread_mutex_init(&recorder->lock, NULL);
    pthread_mutex_lock(&recorders->lock);
    recorder->next = recorders->first;
    recorders->first = recorder;
    pthread_mutex_unlock(&recorders->lock);
    return recorder;
}

bool recorder_put(struct recorder *recorder, const struct event *event)
{
    struct recorded_event recorded = {.event = *event};
    pthread_mutex_lock(&recorder->lock);
    recorded.stamp = atomic_fetch_add(&recorder->all->stamps, 1);
    bool done = vector_push(&recorder->queue, recorded);
    pthread_mutex_unlock(&recorder->lock);
    return done;
}

/* ---- collecting ---- */

static uint64_t next_stamp(const struct recorder *recorder)
{
    return recorder->taken.items[recorder->done].stamp;
}

/* Takes the queue once all that was taken is handed on. False: there is nothing. */
static bool has_taken(struct recorder *recorder)
{
    if (recorder->done < recorder->taken.length)
        return true;
    if (recorder->taken.capacity > VECTOR_LONG)
        vector_release(&recorder->taken); /* it had fallen behind */
    struct recorded_event *const emptied = recorder->taken.items;
    const size_t capacity = recorder->taken.capacity;
    pthread_mutex_lock(&recorder->lock);
    recorder->taken = recorder->queue;
    recorder->queue.items = emptied;
    recorder->queue.length = 0;
    recorder->queue.capacity = capacity;
    pthread_mutex_unlock(&recorder->lock);
    recorder->done = 0;
    return recorder->taken.length > 0;
}

/* Moves a recorder down from the top of the heap, whose place is free. */
static void sift_down(struct recorders *recorders, struct recorder *moved)
{
    struct recorder **heap = recorders->waiting.items;
    size_t length = recorders->waiting.length, at = 0;
    for (size_t child; (child = 2 * at + 1) < length; at = child) {
        child += child + 1 < length && next_stamp(heap[child + 1]) < next_stamp(heap[child]);
        if (next_stamp(moved) <= next_stamp(heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static bool add_waiting(struct recorders *recorders, struct recorder *recorder)
{
    if (!vector_push(&recorders->waiting, recorder))
        return false;
    struct recorder **heap = recorders->waiting.items;
    size_t at = recorders->waiting.length - 1;
    for (; at > 0 && next_stamp(recorder) < next_stamp(heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = recorder;
    return true;
}

static struct event take_first(struct recorders *recorders)
{
    struct recorder *recorder = recorders->waiting.items[0];
    struct event event = recorder->taken.items[recorder->done++].event;
    event.line = (uint32_t)++recorders->handed_on;
    if (!has_taken(recorder))
        recorder = recorders->waiting.items[--recorders->waiting.length];
    if (recorders->waiting.length > 0)
        sift_down(recorders, recorder);
    return event;
}

enum status recorders_collect(struct recorders *recorders, const struct event_sink *sink,
                              struct error *error)
{
    /* What has a stamp in front of this was put, or is being put under the lock of its queue. */
    const uint64_t end = atomic_load(&recorders->stamps);
    pthread_mutex_lock(&recorders->lock);
    struct recorder *recorder = recorders->first; /* others are put in front of it */
    pthread_mutex_unlock(&recorders->lock);
    recorders->waiting.length = 0;
    for (; recorder; recorder = recorder->next)
        if (has_taken(recorder) && !add_waiting(recorders, recorder))
            return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    while (recorders->handed_on < end && recorders->waiting.length &&
           next_stamp(recorders->waiting.items[0]) == recorders->handed_on) {
        const struct event first = take_first(recorders);
        TRY(sink_take(sink, &first, error));
    }
    return STATUS_OK;
}

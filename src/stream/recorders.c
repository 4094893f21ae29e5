#include "stream/recorders.h"

void recorders_init(struct recorders *recorders, struct budget *budget)
{
    *recorders = (struct recorders){.budget = budget};
    vector_init(&recorders->taken, budget);
    pthread_mutex_init(&recorders->lock, NULL);
}

void recorders_release(struct recorders *recorders)
{
    while (recorders->first) {
        struct recorder *recorder = recorders->first;
        recorders->first = recorder->next;
        vector_release(&recorder->queue);
        pthread_mutex_destroy(&recorder->lock);
        memory_release(recorders->budget, recorder, sizeof *recorder);
    }
    vector_release(&recorders->taken);
    pthread_mutex_destroy(&recorders->lock);
}

struct recorder *recorder_add(struct recorders *recorders, value process)
{
    struct recorder *recorder = memory_zeroed(recorders->budget, sizeof *recorder);
    if (!recorder)
        return NULL;
    recorder->all = recorders;
    recorder->process = process;
    vector_init(&recorder->queue, recorders->budget);
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

static bool add_taken(struct recorders *recorders, const struct recorded_event *event)
{
    if (!vector_push(&recorders->taken, *event))
        return false;
    struct recorded_event *heap = recorders->taken.items;
    size_t at = recorders->taken.length - 1;
    for (; at > 0 && event->stamp < heap[(at - 1) / 2].stamp; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = *event;
    return true;
}

static struct recorded_event remove_first(struct recorders *recorders)
{
    struct recorded_event *heap = recorders->taken.items, first = heap[0];
    size_t length = --recorders->taken.length, at = 0;
    const struct recorded_event moved = heap[length];
    for (size_t child; (child = 2 * at + 1) < length; at = child) {
        child += child + 1 < length && heap[child + 1].stamp < heap[child].stamp;
        if (moved.stamp <= heap[child].stamp)
            break;
        heap[at] = heap[child];
    }
    if (length > 0)
        heap[at] = moved;
    return first;
}

static bool take_queue(struct recorders *recorders, struct recorder *recorder)
{
    bool done = true;
    pthread_mutex_lock(&recorder->lock);
    for (size_t i = 0; i < recorder->queue.length && done; i++)
        done = add_taken(recorders, &recorder->queue.items[i]);
    recorder->queue.length = 0;
    pthread_mutex_unlock(&recorder->lock);
    return done;
}

enum status recorders_collect(struct recorders *recorders, const struct event_sink *sink,
                              struct error *error)
{
    pthread_mutex_lock(&recorders->lock);
    struct recorder *recorder = recorders->first; /* others are put in front of it */
    pthread_mutex_unlock(&recorders->lock);
    for (; recorder; recorder = recorder->next)
        if (!take_queue(recorders, recorder))
            return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    while (recorders->taken.length && recorders->taken.items[0].stamp == recorders->handed_on) {
        struct recorded_event first = remove_first(recorders);
        recorders->handed_on++;
        first.event.line = (uint32_t)recorders->handed_on;
        TRY(sink_take(sink, &first.event, error));
    }
    return STATUS_OK;
}

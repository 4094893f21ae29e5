/* Where dequeues of a followed queue may have found nothing.
 *
 * For dequeues that find nothing there are points: moments just behind the invocation of a dequeue
 * at which the queue may have been empty. So many values that are inside now were added for certain
 * before; so many dequeues that have not answered had been invoked by then and may have taken them.
 * A point at which there are more such values than dequeues is none, for ever; nor is one at which
 * a value that was removed was certainly inside. One with no such values is one for ever. Of two
 * with the same values the later is as good, as more dequeues can have taken them. */
#include "stream/online_queue.h"

#define NEVER UINT64_MAX

uint64_t queue_needed_since(struct queue *queue)
{
    uint64_t since = running_since(&queue->dequeues);
    for (size_t i = 0; i < queue->doubtful.length; i++)
        if (queue->doubtful.items[i].begun < since)
            since = queue->doubtful.items[i].begun;
    return since;
}

uint64_t queue_takers(const struct queue *queue)
{
    return queue->dequeues.count + queue->old.count;
}

bool queue_add_point(struct queue *queue, uint64_t now)
{
    struct point point = {now, queue->inside, queue_takers(queue)};
    size_t count = queue->points.length, doubtful = queue->doubtful.length;
    if (point.values > point.takers)
        return true;
    if (point.values == 0) {
        queue->last_certain = now;
        return true;
    }
    if (count && queue->online.drops != DROPS_NOTHING) {
        struct point *last = &queue->points.items[count - 1];
        bool between = queue->items.items[queue->last].ended >= last->at ||
                       (doubtful && queue->doubtful.items[doubtful - 1].ended >= last->at);
        if (!between && last->values == point.values) {
            *last = point;
            return true;
        }
    }
    return vector_push(&queue->points, point);
}

void queue_value_gone(struct queue *queue, uint64_t ended, uint64_t begun)
{
    size_t kept = queue->points.length;
    while (kept && queue->points.items[kept - 1].at > ended)
        kept--;
    for (size_t i = kept; i < queue->points.length; i++) {
        struct point point = queue->points.items[i];
        if (point.at < begun)
            continue;
        point.values--;
        queue->points.items[kept++] = point;
    }
    queue->points.length = kept;
}

void queue_taker_gone(struct queue *queue, uint64_t invoked)
{
    for (size_t i = queue->points.length; i-- && queue->points.items[i].at >= invoked;)
        queue->points.items[i].takers--;
}

/* The first dequeue in doubt that answered behind `at`; they stand in the order of their answers.
 */
static size_t doubtful_behind(const struct queue *queue, uint64_t at)
{
    size_t i = 0;
    while (i < queue->doubtful.length && queue->doubtful.items[i].ended <= at)
        i++;
    return i;
}

/* How many values there are, at least and at most, at the points within; *least > *most: there is
 * no point. */
static void values_within(const struct queue *queue, uint64_t begun, uint64_t ended,
                          uint64_t *least, uint64_t *most)
{
    *least = NEVER;
    *most = 0;
    for (size_t i = 0; i < queue->points.length; i++) {
        const struct point *point = &queue->points.items[i];
        if (point->at < begun || point->at >= ended)
            continue;
        if (*least == NEVER)
            *least = point->values;
        *most = point->values;
    }
}

/* Whether one of the first `count` in doubt has its points among the same values, or some of them:
 * where it is right, so is this. */
static bool is_implied(const struct queue *queue, uint64_t begun, uint64_t ended, size_t count)
{
    uint64_t least, most;
    values_within(queue, begun, ended, &least, &most);
    for (size_t i = 0; i < count; i++) {
        uint64_t other_least, other_most;
        values_within(queue, queue->doubtful.items[i].begun, queue->doubtful.items[i].ended,
                      &other_least, &other_most);
        if (least <= other_least && other_most <= most && other_least <= other_most)
            return true;
    }
    return false;
}

enum online_answer queue_found_nothing(struct queue *queue, const struct online_event *event,
                                       uint64_t begun)
{
    struct doubtful doubtful = {begun, event->now, event->serial};
    if (queue->last_certain >= begun)
        return ONLINE_POSSIBLE;
    uint64_t least, most;
    values_within(queue, begun, event->now, &least, &most);
    if (least > most)
        return ONLINE_IMPOSSIBLE;
    if (queue->online.drops != DROPS_NOTHING &&
        is_implied(queue, begun, event->now, queue->doubtful.length))
        return ONLINE_POSSIBLE;
    return vector_push(&queue->doubtful, doubtful) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

enum online_answer queue_sweep(struct queue *queue)
{
    size_t kept = 0, left = 0;
    bool drops = queue->online.drops != DROPS_NOTHING;
    if (!queue->points.length && !queue->doubtful.length)
        return ONLINE_POSSIBLE;
    queue->certain.length = 0;
    uint64_t since = queue_needed_since(queue);
    for (size_t i = 0; i < queue->points.length; i++) {
        struct point point = queue->points.items[i];
        if (point.values > point.takers)
            continue;
        if (point.values == 0) {
            if (queue->last_certain < point.at)
                queue->last_certain = point.at;
            if (!vector_push(&queue->certain, point.at))
                return ONLINE_REFUSED;
            continue;
        }
        if (drops && point.at < since)
            continue;
        if (drops && kept && queue->points.items[kept - 1].values == point.values) {
            size_t behind = doubtful_behind(queue, queue->points.items[kept - 1].at);
            if (behind == queue->doubtful.length || queue->doubtful.items[behind].ended > point.at)
                kept--;
        }
        queue->points.items[kept++] = point;
    }
    queue->points.length = kept;
    for (size_t i = 0; i < queue->doubtful.length; i++) {
        struct doubtful doubtful = queue->doubtful.items[i];
        bool certain = false;
        for (size_t j = 0; j < queue->certain.length; j++)
            certain |= queue->certain.items[j] >= doubtful.begun &&
                       queue->certain.items[j] < doubtful.ended;
        if (certain)
            continue;
        uint64_t least, most;
        values_within(queue, doubtful.begun, doubtful.ended, &least, &most);
        if (least > most)
            return ONLINE_IMPOSSIBLE;
        queue->doubtful.items[left++] = doubtful;
    }
    queue->doubtful.length = left;
    if (drops && left >= queue->next_doubtful) {
        kept = 0;
        for (size_t i = 0; i < left; i++) {
            struct doubtful doubtful = queue->doubtful.items[i];
            if (!is_implied(queue, doubtful.begun, doubtful.ended, kept))
                queue->doubtful.items[kept++] = doubtful;
        }
        queue->doubtful.length = kept;
        queue->next_doubtful = online_next(&queue->online, kept);
    }
    return ONLINE_POSSIBLE;
}

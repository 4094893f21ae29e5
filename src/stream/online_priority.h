/* What the parts of the priority queue's monitor share: online_priority.c, which decides, and
 * online_priority_drop.c, which says what need not be kept. */
#ifndef STREAM_ONLINE_PRIORITY_H
#define STREAM_ONLINE_PRIORITY_H

#include "base/bisect.h"
#include "base/segment_tree.h"
#include "stream/online_container.h"

struct priority {
    struct container_online container;
    VECTOR(uint32_t) heap; /* values inside, the least first */
    /* while it looks */
    VECTOR(uint64_t) times;   /* of what is looked at, ascending */
    VECTOR(uint32_t) order;   /* stays that are removed, and those inside that are smaller, the
                                 least first */
    VECTOR(uint32_t) smaller; /* these */
    VECTOR(uint64_t) answers; /* of removals that are not certain, by when they were invoked */
    struct segment_tree cover;
};

static inline struct stay_of *priority_stay(const struct priority *priority, uint32_t number)
{
    return &priority->container.stays.items[number];
}

/* The place of the first of `times` that is no earlier. */
static inline uint32_t priority_rank(const struct priority *priority, uint64_t time)
{
    size_t low = 0, high = priority->times.length;
    BISECT(low, high, middle, priority->times.items[middle] < time);
    return (uint32_t)low;
}

/* Drops what nothing to come can need, once all that is certain is known. False when refused. */
bool priority_drop(struct priority *priority) MUST_CHECK;

#endif

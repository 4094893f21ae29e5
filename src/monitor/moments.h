/* Moments: the points of time at which it is enough to let operations take effect. A point between
 * two consecutive events is one if the event before it is an invocation and the event after it a
 * response. (As sets of running operations they are the maximal cliques of the interval graph.)
 *
 *     a: |------------------------|
 *     b:     |-----|
 *     c:                |----|
 *              *          *          one moment within a and b, one within a and c
 *
 * From any other point inside an operation one can go to a moment, left over responses or right
 * over invocations, without leaving any operation. So nothing is lost by letting operations happen
 * at moments alone: every operation contains one, two that overlap share one, and a precedes b
 * exactly when a's last moment is before b's first. There are at most as many moments as
 * operations, often far fewer.
 *
 * Before them stands a moment for the add of each value of the initial contents, and behind them
 * one more, the end, at which pending operations and only those may still happen. */
#ifndef MONITOR_MOMENTS_H
#define MONITOR_MOMENTS_H

#include <assert.h>

#include "monitor/values.h"

#define MOMENT_NONE UINT32_MAX

/* The moments within an element's operations (tightened). Never removed: the removal is at the
 * end. From add_last + 1 to remove_first - 1 the element is certainly inside: its critical
 * moments. With remove_first <= add_last the two operations overlap. */
struct stay {
    uint32_t add_first, add_last;
    uint32_t remove_first, remove_last;
};

struct moments {
    struct budget *budget;
    uint32_t base;      /* = values->base: moment i < base is the add of the i-th initial value */
    uint32_t count;     /* the last one is the end */
    uint32_t *before;   /* by position (values' own): moments before it */
    uint32_t *invoked;  /* by moment: intervals of the part invoked before it */
    uint32_t positions; /* length of `before` */
};

/* False when refused. */
bool moments_init(struct moments *moments, const struct values *values) MUST_CHECK;
void moments_release(struct moments *moments);

/* The first moment of an operation invoked at `position`. */
static inline uint32_t moments_first(const struct moments *moments, uint32_t position)
{
    return position == POSITION_NEVER ? moments->count - 1 : moments->before[position];
}

/* The last moment of an operation that responded at `position`. */
static inline uint32_t moments_last(const struct moments *moments, uint32_t position)
{
    if (position == POSITION_NEVER)
        return moments->count - 1;
    return position < moments->base ? position : moments->before[position] - 1;
}

/* The first and the last moment of a removal that found nothing, by its number in values->empties.
 */
static inline void moments_of_empty(const struct moments *moments, const struct values *values,
                                    uint32_t empty, uint32_t *first, uint32_t *last)
{
    const struct interval *interval = &values->part->intervals[values->empties[empty]];
    *first = moments_first(moments, values->base + interval->invoke);
    *last = moments_last(moments, values->base + interval->response);
    assert(*first <= *last && "every operation contains a moment");
}

struct stay moments_stay(const struct moments *moments, const struct element *element);

static inline bool stay_is_critical(const struct stay *stay)
{
    return stay->add_last < stay->remove_first;
}

#endif

/* The orders in which one thread calls: one of them after the other, as it likes, and between them
 * what stands in none. A thread may end anywhere. */
#ifndef SCENARIO_ORDERS_H
#define SCENARIO_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SCENARIO_OPERATIONS = 16,
    ORDERED_CALLS = 63 /* of all orders */
};

struct scenario_orders {
    const uint16_t *calls;               /* of all orders, back to back: roles; not owned */
    uint32_t count;                      /* at most ORDERED_CALLS; 0: threads call as they like */
    const uint32_t *ends;                /* where each ends, not owned; null: there is one */
    uint16_t roles[SCENARIO_OPERATIONS]; /* of the operations: what stands in `calls` for each */
};

/* Where a thread may stand in its orders, a bit each: behind so many of their calls. */
typedef uint64_t orders_standing;

#define ORDERS_BETWEEN ((orders_standing)1) /* in none of them, as at the beginning */

static inline bool orders_end_at(const struct scenario_orders *orders, uint32_t at)
{
    if (at == orders->count)
        return true;
    for (const uint32_t *end = orders->ends; end && *end <= at; end++)
        if (*end == at)
            return true;
    return false;
}

/* Where it may stand behind one more call; 0: it may not call that. */
static inline orders_standing orders_behind(const struct scenario_orders *orders,
                                            orders_standing now, uint16_t operation)
{
    uint16_t role = orders->roles[operation];
    orders_standing next = 0;
    bool is_ordered = false;
    for (uint32_t i = 0; i < orders->count; i++) {
        bool begins = i == 0 || orders_end_at(orders, i);
        orders_standing here = begins ? ORDERS_BETWEEN : (orders_standing)1 << i;
        if (orders->calls[i] != role)
            continue;
        is_ordered = true;
        if (now & here)
            next |= orders_end_at(orders, i + 1) ? ORDERS_BETWEEN : (orders_standing)1 << (i + 1);
    }
    return is_ordered ? next : now & ORDERS_BETWEEN;
}

#endif

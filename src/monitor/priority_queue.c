/* Decides a priority queue's history, the least number first, in which each number that is deleted
 * is inserted once: O(n log n).
 *
 * priority_order.h has the argument, and where each operation happens in a linearization; here it
 * is written down. A pending removal first counts as one that did nothing; priority_pending.c hands
 * it out where that is not enough. */
#include "base/groups.h"
#include "monitor/monitors.h"
#include "monitor/priority_order.h"

static const struct container priority_container = {.add = "insert",
                                                    .remove = "delete-min",
                                                    .added = "inserted",
                                                    .removed = "deleted",
                                                    .object = "priority queue"};

/* Whether a value is added only at the moment at which it is removed. */
static bool is_pair(const struct priority_order *ranking, uint32_t element)
{
    return ranking->values.elements.items[element].remove != INTERVAL_NONE &&
           ranking->remove_at[element] <= ranking->stays[element].add_last;
}

static void put(struct groups *by_moment, uint32_t moment, uint32_t interval)
{
    if (interval != INTERVAL_NONE)
        groups_put(by_moment, moment, interval);
}

/* Three passes: what happens first at its moment, and so on. */
static void put_all(const struct priority_order *ranking, struct groups *by_moment)
{
    const struct values *values = &ranking->values;
    const struct element *elements = values->elements.items;
    size_t count = values->elements.length;
    for (size_t i = 0; i < count; i++) {
        uint32_t element = ranking->order[i];
        if (!is_pair(ranking, element))
            put(by_moment, ranking->remove_at[element], elements[element].remove);
    }
    for (uint32_t i = 0; i < values->empty_count; i++)
        put(by_moment, ranking->empty_at[i], values->empties[i]);
    for (uint32_t element = 0; element < count; element++) {
        if (!is_pair(ranking, element))
            continue;
        put(by_moment, ranking->remove_at[element], elements[element].add);
        put(by_moment, ranking->remove_at[element], elements[element].remove);
    }
    for (uint32_t element = 0; element < count; element++)
        if (!is_pair(ranking, element))
            put(by_moment, ranking->stays[element].add_last, elements[element].add);
}

static enum step linearize(struct priority_order *ranking)
{
    struct arena *arena = &ranking->values.arena;
    struct groups by_moment;
    if (!groups_begin(&by_moment, ranking->moments.count, arena))
        return STEP_REFUSED;
    while (groups_pass(&by_moment, arena))
        put_all(ranking, &by_moment);
    return groups_made(&by_moment) && decision_linearize(ranking->decision, by_moment.items,
                                                         by_moment.first[by_moment.count])
               ? STEP_READY
               : STEP_REFUSED;
}

static enum step decide_values(struct priority_order *ranking)
{
    TRY_STEP(values_place_empties(&ranking->values, ranking->decision));
    if (!priority_order_init(ranking))
        return STEP_REFUSED;
    enum step step = priority_order_place(ranking);
    if (step == STEP_VIOLATION)
        step = ranking->values.pending_remove_count > 0 ? priority_order_place_pending(ranking)
                                                        : priority_order_explain(ranking);
    TRY_STEP(step);
    return linearize(ranking);
}

static enum step priority_queue_decide(const struct part *part, struct limits *limits,
                                       struct arena *arena, struct decision *decision)
{
    (void)arena;
    struct priority_order ranking = {.limits = limits, .decision = decision};
    enum step step =
        values_collect(&ranking.values, part, &priority_container, limits, decision, NULL);
    if (step == STEP_READY)
        step = decide_values(&ranking);
    decision->explored += ranking.values.positions;
    priority_order_release(&ranking);
    return step;
}

const struct monitor priority_queue_monitor = {NULL, &priority_container, priority_queue_decide,
                                               GIVES_UP_PENDING};

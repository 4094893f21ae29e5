/* Least number first, each number that is deleted inserted once: O(n log n).
 *
 * priority_order.h has the argument, and where each operation happens in a linearization; here it
 * is written down. A pending removal first counts as one that did nothing; priority_pending.c hands
 * it out where that is not enough. */
#include "monitor/monitors.h"
#include "monitor/priority_order.h"

#include <string.h>

static const struct container container = {.add = "insert",
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

/* Sorting by moments: `ends` first counts the operations of each, then holds where the next one of
 * each goes. */
struct writing {
    const struct priority_order *ranking;
    uint32_t *ends;
    uint32_t *out; /* null while counting */
};

static void put(struct writing *writing, uint32_t moment, uint32_t interval)
{
    if (interval == INTERVAL_NONE)
        return;
    if (writing->out)
        writing->out[writing->ends[moment]++] = interval;
    else
        writing->ends[moment + 1]++;
}

/* Three passes: what happens first at its moment, and so on. */
static void put_all(struct writing *writing)
{
    const struct priority_order *ranking = writing->ranking;
    const struct values *values = &ranking->values;
    const struct element *elements = values->elements.items;
    size_t count = values->elements.length;
    for (size_t i = 0; i < count; i++) {
        uint32_t element = ranking->order[i];
        if (!is_pair(ranking, element))
            put(writing, ranking->remove_at[element], elements[element].remove);
    }
    for (uint32_t i = 0; i < values->empty_count; i++)
        put(writing, ranking->empty_at[i], values->empties[i]);
    for (uint32_t element = 0; element < count; element++) {
        if (!is_pair(ranking, element))
            continue;
        put(writing, ranking->remove_at[element], elements[element].add);
        put(writing, ranking->remove_at[element], elements[element].remove);
    }
    for (uint32_t element = 0; element < count; element++)
        if (!is_pair(ranking, element))
            put(writing, ranking->stays[element].add_last, elements[element].add);
}

static enum step linearize(struct priority_order *ranking)
{
    struct decision *decision = ranking->decision;
    struct budget *budget = ranking->limits->budget;
    uint32_t moments = ranking->moments.count;
    size_t size = ((size_t)moments + 1) * sizeof(uint32_t);
    struct writing writing = {.ranking = ranking, .ends = memory_zeroed(budget, size)};
    bool reserved = vector_reserve(&decision->linearization, (size_t)ranking->values.part->count);
    if (writing.ends && reserved) {
        put_all(&writing);
        for (uint32_t moment = 0; moment < moments; moment++)
            writing.ends[moment + 1] += writing.ends[moment];
        decision->linearization.length = writing.ends[moments];
        writing.out = decision->linearization.items;
        put_all(&writing);
    }
    memory_release(budget, writing.ends, size);
    return writing.ends && reserved ? STEP_READY : STEP_REFUSED;
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

static bool priority_queue_applies(const struct part *part, struct limits *limits,
                                   struct inapplicable *why)
{
    struct values values;
    enum step step = values_collect(&values, part, &container, limits, NULL, why);
    values_release(&values);
    return step != STEP_INAPPLICABLE;
}

static enum status priority_queue_run(const struct part *part, struct limits *limits,
                                      struct decision *decision, struct error *error)
{
    (void)error;
    decision_clear(decision);
    struct priority_order ranking = {.limits = limits, .decision = decision};
    enum step step = values_collect(&ranking.values, part, &container, limits, decision, NULL);
    if (step == STEP_READY)
        step = decide_values(&ranking);
    decision->explored += ranking.values.positions;
    priority_order_release(&ranking);
    return step_finish(step, part, limits, decision);
}

const struct monitor priority_queue_monitor = {"priority-queue", priority_queue_applies,
                                               priority_queue_run, GIVES_UP_PENDING};

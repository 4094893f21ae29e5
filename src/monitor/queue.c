/* Decides a queue's history, first in, first out, in which each value that is dequeued is enqueued
 * once (Gibbons, Bruno and Phillips, SPAA 2002; the characterisation by Henzinger, Sezgin and
 * Vafeiadis, CONCUR 2013). Time and space are linear.
 *
 * Values must leave in the order in which they came. Write a < b when a's enqueue precedes b's, or
 * a's dequeue precedes b's, or a is dequeued and b never. Beside what values_collect and
 * values_place_empties reject, the history is a violation exactly when < has a cycle; the union of
 * two interval orders that has a cycle has one of two values:
 *
 *     enqueue(a) precedes enqueue(b), but dequeue(b) precedes dequeue(a), or a is never dequeued.
 *
 * Pending dequeues, of which nobody knows what they took, are given to values that are never
 * dequeued otherwise: the i-th of those, by the end of their enqueues, gets the i-th dequeue, by
 * invocation. Given away are only as many as must be: those enqueued before a value that is
 * dequeued, or before a point at which the queue is empty.
 *
 * The linearization: sort the values topologically by <, those that are dequeued before a point of
 * emptiness before those that are not; let each enqueue, and each dequeue, happen as soon as it is
 * invoked and the ones before it in that order have happened; merge the two. */
#include "monitor/monitors.h"
#include "monitor/values.h"

#include <assert.h>
#include <inttypes.h>

static const struct container queue_container = {.add = "enqueue",
                                                 .remove = "dequeue",
                                                 .added = "enqueued",
                                                 .removed = "dequeued",
                                                 .object = "queue"};

struct queue {
    struct values values;
    struct decision *decision;
    uint32_t *unremoved; /* elements that are never dequeued, by the end of their enqueues */
    uint32_t unremoved_count;
    uint32_t given; /* of which the first ones get pending dequeues */

    uint32_t *order;     /* elements, as they leave; those from `emitted` on are ready to be next */
    uint32_t *cut_order; /* for each cut: how many elements leave before it */
};

static bool collect_unremoved(struct queue *queue)
{
    struct values *values = &queue->values;
    size_t most = 0;
    for (uint32_t i = 0; i < values->elements.length; i++)
        most += values->elements.items[i].remove_invoke == POSITION_NEVER;
    queue->unremoved = arena_allocate(&values->arena, most * sizeof *queue->unremoved);
    if (!queue->unremoved)
        return false;
    for (uint32_t position = 0; position < values->positions && queue->unremoved_count < most;
         position++) {
        uint32_t owner = values->at[position];
        if (owner == ELEMENT_NONE)
            continue;
        const struct element *element = &values->elements.items[owner];
        if (element->remove_invoke == POSITION_NEVER && element->add_response == position)
            queue->unremoved[queue->unremoved_count++] = owner;
    }
    return true;
}

/* Turns the i-th value that is never dequeued into one that the i-th pending dequeue takes. */
static void give(struct queue *queue, uint32_t i)
{
    struct values *values = &queue->values;
    struct element *element = &values->elements.items[queue->unremoved[i]];
    assert(i < values->pending_remove_count && element->remove == INTERVAL_NONE);
    element->remove = values->pending_removes[i];
    uint32_t invoke = values->base + values->part->intervals[element->remove].invoke;
    values->at[invoke] = queue->unremoved[i];
    element->remove_invoke = invoke > element->add_invoke ? invoke : element->add_invoke;
}

/* The first `count` values that are never dequeued, by the ends of their enqueues. */
static void name_unremoved(const struct queue *queue, uint32_t count)
{
    static const uint32_t most_named = 4;
    struct text *reason = &queue->decision->reason;
    uint32_t named = count <= most_named ? count : most_named - 1;
    for (uint32_t i = 0; i < named; i++) {
        text_append(reason, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        values_print(&queue->values, &queue->values.elements.items[queue->unremoved[i]], reason);
    }
    if (named < count)
        text_format(reason, " and %" PRIu32 " more", count - named);
}

/* `last` was dequeued, and had to leave after the first `count` values that otherwise never were:
 * more than there are pending dequeues that could have taken them. */
static enum step too_few_takers(struct queue *queue, uint32_t count, uint32_t last)
{
    const struct values *values = &queue->values;
    const struct element *elements = values->elements.items;
    struct decision *decision = queue->decision;
    text_append(&decision->reason, "value ");
    values_print(values, &elements[last], &decision->reason);
    text_append(&decision->reason,
                count == 1 ? " was dequeued though value " : " was dequeued though values ");
    name_unremoved(queue, count);
    text_append(&decision->reason, ", enqueued before it, had not been");
    if (count > 1)
        text_append(&decision->reason, ": more than the pending dequeues can have taken");
    if (!values_show(&elements[last], decision))
        return STEP_REFUSED;
    for (uint32_t i = 0; i < count; i++)
        if (!values_show(&elements[queue->unremoved[i]], decision))
            return STEP_REFUSED;
    return values_show_removals(values, elements[last].remove_response, decision) ? STEP_VIOLATION
                                                                                  : STEP_REFUSED;
}

/* Without pending dequeues there is nothing to give, and the order of the values tells. */
static enum step give_to_pending(struct queue *queue)
{
    struct values *values = &queue->values;
    const struct element *elements = values->elements.items;
    if (values->pending_remove_count == 0)
        return STEP_READY;
    uint32_t left = queue->unremoved_count, last = ELEMENT_NONE, needed = 0;
    for (uint32_t position = values->positions; position-- > 0 && left > 0;) {
        /* `last`: of the values whose enqueue begins behind this point, the first to have left. */
        uint32_t owner = values->at[position];
        if (owner == ELEMENT_NONE)
            continue;
        if (owner == queue->unremoved[left - 1] && elements[owner].add_response == position) {
            left--;
            if (last != ELEMENT_NONE) {
                uint32_t due = elements[last].remove_response - values->base;
                if (left >= values->pending_remove_count ||
                    values->part->intervals[values->pending_removes[left]].invoke > due)
                    return too_few_takers(queue, left + 1, last);
                needed = needed ? needed : left + 1;
            }
        }
        if (elements[owner].add_invoke == position &&
            elements[owner].remove_response != POSITION_NEVER &&
            (last == ELEMENT_NONE ||
             elements[owner].remove_response < elements[last].remove_response))
            last = owner;
    }
    while (needed < queue->unremoved_count && values->cut_count > 0 &&
           elements[queue->unremoved[needed]].add_response < values->cuts[values->cut_count - 1])
        needed++;
    queue->given = needed;
    for (uint32_t i = 0; i < needed; i++)
        give(queue, i);
    return STEP_READY;
}

enum {
    ADD_FREE = 1,    /* every enqueue that precedes its own belongs to a value in the order */
    REMOVE_FREE = 2, /* likewise its dequeue */
    ORDERED = ADD_FREE | REMOVE_FREE,
};

/* Sorting topologically: two walks over the positions, one for enqueues and one for dequeues. A
 * walk frees the values whose invocations it passes, and waits at a response until its value is in
 * the order. A value is put into the order when it has been freed by both. */
struct sorting {
    struct queue *queue;
    uint8_t *free;        /* by element */
    uint32_t adds;        /* position of the walk over the enqueues */
    uint32_t removes;     /* and over the dequeues */
    uint32_t cut;         /* next cut of the latter */
    uint32_t ordered;     /* length of queue->order */
    uint32_t remove_free; /* elements that the walk over the dequeues has freed */
};

static void sorting_free(struct sorting *sorting, uint32_t element, uint8_t by)
{
    uint8_t before = sorting->free[element];
    sorting->free[element] |= by;
    if (before == sorting->free[element])
        return;
    sorting->remove_free += by == REMOVE_FREE;
    if (sorting->free[element] == ORDERED)
        sorting->queue->order[sorting->ordered++] = element;
}

static void sorting_walk_adds(struct sorting *sorting)
{
    const struct values *values = &sorting->queue->values;
    for (; sorting->adds < values->positions; sorting->adds++) {
        uint32_t owner = values->at[sorting->adds];
        if (owner == ELEMENT_NONE)
            continue;
        const struct element *element = &values->elements.items[owner];
        if (element->add_invoke == sorting->adds)
            sorting_free(sorting, owner, ADD_FREE);
        if (element->add_response == sorting->adds && sorting->free[owner] != ORDERED)
            return;
    }
}

static void sorting_walk_removes(struct sorting *sorting)
{
    struct queue *queue = sorting->queue;
    const struct values *values = &queue->values;
    for (; sorting->removes < values->positions; sorting->removes++) {
        uint32_t position = sorting->removes, owner = values->at[position];
        if (owner != ELEMENT_NONE) {
            const struct element *element = &values->elements.items[owner];
            if (element->remove_invoke == position)
                sorting_free(sorting, owner, REMOVE_FREE);
            if (element->remove_response == position && sorting->free[owner] != ORDERED)
                return;
        }
        if (sorting->cut < values->cut_count && values->cuts[sorting->cut] == position) {
            if (sorting->ordered < sorting->remove_free)
                return;
            queue->cut_order[sorting->cut++] = sorting->ordered;
        }
    }
    if (sorting->ordered == sorting->remove_free)
        for (uint32_t i = queue->given; i < queue->unremoved_count; i++)
            sorting_free(sorting, queue->unremoved[i], REMOVE_FREE);
}

/* Fills queue->order; false when the order has a cycle. */
static bool sorting_run(struct sorting *sorting)
{
    size_t count = sorting->queue->values.elements.length;
    uint64_t before = UINT64_MAX, now = 0;
    while (sorting->ordered < count && now != before) {
        before = now;
        sorting_walk_removes(sorting);
        sorting_walk_adds(sorting);
        now = (uint64_t)sorting->adds + sorting->removes + sorting->ordered;
    }
    /* What is left of the cuts stands behind the last event of every value. */
    while (sorting->ordered == count && sorting->cut < sorting->queue->values.cut_count)
        sorting->queue->cut_order[sorting->cut++] = sorting->ordered;
    return sorting->ordered == count;
}

/* The cycle of two values that is there when there is any. */
static enum step out_of_order(struct queue *queue)
{
    const struct values *values = &queue->values;
    const struct element *elements = values->elements.items, *first = NULL, *second = NULL;
    for (uint32_t position = 0; position < values->positions; position++) {
        uint32_t owner = values->at[position];
        if (owner == ELEMENT_NONE)
            continue;
        second = &elements[owner];
        if (first && second->add_invoke == position &&
            second->remove_response < first->remove_invoke)
            break;
        if (second->add_response == position &&
            (!first || second->remove_invoke > first->remove_invoke))
            first = second;
        second = NULL;
    }
    assert(first && second);
    struct text *reason = &queue->decision->reason;
    bool removed = first->remove != INTERVAL_NONE;
    text_append(reason, "value ");
    values_print(values, second, reason);
    text_append(reason, removed ? " was dequeued before value " : " was dequeued though value ");
    values_print(values, first, reason);
    if (removed) {
        text_append(reason, ", though ");
        values_print(values, first, reason);
        text_append(reason, " was enqueued before ");
        values_print(values, second, reason);
    } else {
        text_append(reason, ", enqueued before it, never was");
    }
    if (!values_show(first, queue->decision) || !values_show(second, queue->decision) ||
        (!removed && !values_show_removals(values, second->remove_response, queue->decision)))
        return STEP_REFUSED;
    return STEP_VIOLATION;
}

static enum step sort_values(struct queue *queue)
{
    struct values *values = &queue->values;
    size_t count = values->elements.length;
    struct sorting sorting = {.queue = queue, .free = arena_zeroed(&values->arena, count)};
    queue->order = arena_allocate(&values->arena, count * sizeof *queue->order);
    queue->cut_order = arena_allocate(&values->arena, values->cut_count * sizeof(uint32_t));
    if (!sorting.free || !queue->order || !queue->cut_order)
        return STEP_REFUSED;
    return sorting_run(&sorting) ? STEP_READY : out_of_order(queue);
}

/* Appends the enqueues and dequeues of order[from .. to). */
static void linearize(struct queue *queue, uint32_t from, uint32_t to)
{
    const struct element *elements = queue->values.elements.items;
    uint32_t *out = queue->decision->linearization.items;
    size_t length = queue->decision->linearization.length;
    uint32_t added = 0, removed = 0; /* the points of the last enqueue and dequeue */
    uint32_t add = from, remove = from;
    while (add < to || (remove < to && elements[queue->order[remove]].remove != INTERVAL_NONE)) {
        const struct element *next = &elements[queue->order[remove]];
        if (removed < next->remove_invoke)
            removed = next->remove_invoke;
        if (add < to && added < elements[queue->order[add]].add_invoke)
            added = elements[queue->order[add]].add_invoke;
        if (add < to && added <= removed) {
            uint32_t interval = elements[queue->order[add++]].add;
            if (interval != INTERVAL_NONE)
                out[length++] = interval;
        } else {
            assert(remove < add);
            out[length++] = next->remove;
            remove++;
        }
    }
    queue->decision->linearization.length = length;
}

static enum step linearize_all(struct queue *queue)
{
    const struct values *values = &queue->values;
    struct decision *decision = queue->decision;
    if (!vector_reserve(&decision->linearization, (size_t)values->part->count))
        return STEP_REFUSED;
    uint32_t from = 0, empty = 0;
    for (uint32_t cut = 0; cut < values->cut_count; cut++) {
        linearize(queue, from, queue->cut_order[cut]);
        for (; empty < values->empty_count && values->empty_cut[empty] == cut; empty++)
            decision->linearization.items[decision->linearization.length++] =
                values->empties[empty];
        from = queue->cut_order[cut];
    }
    linearize(queue, from, (uint32_t)values->elements.length);
    return STEP_READY;
}

static enum step queue_decide(const struct part *part, struct limits *limits, struct arena *arena,
                              struct decision *decision)
{
    (void)arena;
    struct queue queue = {.decision = decision};
    enum step (*const steps[])(struct queue *) = {give_to_pending, sort_values, linearize_all};
    enum step step = values_collect(&queue.values, part, &queue_container, limits, decision, NULL);
    if (step == STEP_READY)
        step = values_place_empties(&queue.values, decision);
    if (step == STEP_READY && !collect_unremoved(&queue))
        step = STEP_REFUSED;
    for (size_t i = 0; i < ARRAY_LENGTH(steps) && step == STEP_READY; i++)
        step = limits_reached(limits) == LIMIT_NONE ? steps[i](&queue) : STEP_REFUSED;
    decision->explored = queue.values.positions;
    values_release(&queue.values);
    return step;
}

const struct monitor queue_monitor = {NULL, &queue_container, queue_decide, GIVES_UP_PENDING};

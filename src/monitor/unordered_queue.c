/* Decides a queue whose values come out in any order, each value that comes out once. Time and
 * space are linear; the argument is ours.
 *
 * Values matter to one another only where a dequeue found nothing, and where a drain took several
 * at one moment. So each is kept inside as shortly as can be: a walk over the events lets
 *
 *     a dequeue or drain take place when it has been invoked and the enqueues of all its values
 * have, with those of the enqueues that had not yet taken place just before it; any other enqueue
 * take place when it returns; a dequeue that found nothing take place at the first moment at which
 * nothing is inside.
 *
 * It is a violation when a removal returns that has not taken place. No linearization keeps a value
 * inside for less: its enqueue cannot be later, nor its removal earlier, which is the latest
 * invocation of what has to come before it.
 *
 * Values that never come out are in the way of a dequeue that finds nothing, unless pending
 * dequeues took them, one each. They are handed out when such a dequeue waits and enough have been
 * invoked: which takes which does not matter, and for every later one the same values must be gone
 * too. Of a pending drain nobody knows how many it took; it is dropped, and where some dequeue
 * found nothing the search decides. */
#include "monitor/monitors.h"
#include "monitor/numbering.h"
#include "monitor/step.h"

#include <assert.h>
#include <inttypes.h>

#include "spec/unordered_queue.h"
#include "value/print.h"

#define NONE      UINT32_MAX
#define INITIALLY (UINT32_MAX - 1) /* instead of an enqueue */

/* A value that comes out. */
struct element {
    value value;
    uint32_t add;    /* its enqueue, NONE if there is none */
    uint32_t remove; /* the dequeue or drain */
    uint32_t from;   /* since when it has certainly been inside, NONE: not yet */
    uint32_t until;  /* when it was taken, NONE: not yet */
};

struct unordered_queue {
    const struct part *part;
    struct limits *limits;
    struct decision *decision; /* null while it is asked whether the monitor applies */
    struct inapplicable *why;
    struct arena *arena;
    struct numbering numbering; /* of the values that come out */
    struct element *elements;
    uint32_t twice[2]; /* two removals of one value, NONE: there are none */
    uint32_t twice_of; /* the element */
    uint32_t empties;  /* dequeues that found nothing */
    bool pending_drain;

    uint32_t *at;      /* by position: the operation */
    uint32_t *lacking; /* by removal: values whose enqueues have not been invoked; NONE: taken */
    uint32_t *waiting; /* dequeues that found nothing and have not taken place */
    uint32_t waiting_count;
    uint32_t *takers; /* pending dequeues that have been invoked */
    uint32_t taker_count, pending_removals_used;
    uint32_t inside;  /* elements that are certainly inside */
    uint32_t kept;    /* values inside that never come out, and were not handed out */
    uint32_t free_at; /* the last position at which no element was inside, NONE: there was none */
};

static bool is_pending(const struct interval *interval)
{
    return interval->response == POSITION_NEVER;
}

static bool is_enqueue(const struct interval *interval)
{
    return interval->call.operation == UNORDERED_QUEUE_ENQUEUE;
}

static bool found_nothing(const struct interval *interval)
{
    return interval->call.operation == UNORDERED_QUEUE_DEQUEUE && !is_pending(interval) &&
           interval->call.result == VALUE_NIL;
}

/* The values that a completed removal answered. */
static const value *taken_by(const struct interval *interval, size_t *count)
{
    *count = 0;
    if (is_enqueue(interval) || is_pending(interval) || found_nothing(interval))
        return NULL;
    if (interval->call.operation == UNORDERED_QUEUE_DRAIN)
        return value_get_items(interval->call.result, count);
    *count = 1;
    return &interval->call.result;
}

/* ---- reading the part ---- */

static enum step look_at_removals(struct unordered_queue *queue, struct span *span)
{
    const struct part *part = queue->part;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        size_t count;
        if (is_enqueue(interval))
            continue;
        if (is_pending(interval) && interval->call.result_known)
            return step_inapplicable(queue->why, i, "a pending operation has a result",
                                     VALUE_REFUSED, "");
        if (!is_pending(interval) && !interval->call.result_known)
            return step_inapplicable(queue->why, i, "the result of a ", VALUE_REFUSED,
                                     "removal is not known");
        queue->empties += found_nothing(interval);
        queue->pending_drain |=
            is_pending(interval) && interval->call.operation == UNORDERED_QUEUE_DRAIN;
        if (queue->pending_drain && queue->empties)
            return step_inapplicable(queue->why, i,
                                     "a drain is pending, and a dequeue found nothing",
                                     VALUE_REFUSED, "");
        const value *taken = taken_by(interval, &count);
        for (size_t j = 0; j < count; j++)
            span_include(span, taken[j]);
    }
    return STEP_READY;
}

static void collect_removals(struct unordered_queue *queue)
{
    const struct part *part = queue->part;
    for (uint32_t i = 0; i < part->count; i++) {
        size_t count;
        const value *taken = taken_by(&part->intervals[i], &count);
        for (size_t j = 0; j < count; j++) {
            uint32_t before = queue->numbering.count;
            uint32_t number = numbering_add(&queue->numbering, taken[j]);
            if (number == before) {
                queue->elements[number] = (struct element){taken[j], NONE, i, NONE, NONE};
            } else if (queue->twice[0] == NONE) {
                queue->twice[0] = queue->elements[number].remove;
                queue->twice[1] = i;
                queue->twice_of = number;
            }
        }
    }
}

static enum step collect_enqueues(struct unordered_queue *queue)
{
    const struct part *part = queue->part;
    size_t length;
    const value *initial = value_get_items(part->spec->initial, &length);
    for (size_t i = 0; i < length; i++) {
        uint32_t number = numbering_find(&queue->numbering, initial[i]);
        if (number == NUMBER_NONE)
            continue;
        if (queue->elements[number].add != NONE)
            return step_inapplicable(queue->why, part->count, "value ", initial[i],
                                     " stands twice in the initial contents");
        queue->elements[number].add = INITIALLY;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        if (!is_enqueue(interval))
            continue;
        uint32_t number = numbering_find(&queue->numbering, interval->call.argument);
        if (number == NUMBER_NONE)
            continue;
        if (queue->elements[number].add != NONE)
            return step_inapplicable(queue->why, i, "value ", interval->call.argument,
                                     " is added twice, and removed");
        queue->elements[number].add = i;
    }
    return STEP_READY;
}

static enum step collect(struct unordered_queue *queue)
{
    struct span span = SPAN_EMPTY;
    TRY_STEP(look_at_removals(queue, &span));
    queue->twice[0] = NONE;
    queue->elements =
        arena_allocate(queue->arena, ((size_t)span.count + 1) * sizeof *queue->elements);
    if (!queue->elements || !numbering_init(&queue->numbering, &span, queue->arena))
        return STEP_REFUSED;
    collect_removals(queue);
    return collect_enqueues(queue);
}

/* ---- what is wrong ---- */

static const char *participle(const struct interval *removal)
{
    return removal->call.operation == UNORDERED_QUEUE_DRAIN ? "drained" : "dequeued";
}

static enum step came_out_twice(struct unordered_queue *queue)
{
    struct decision *decision = queue->decision;
    text_append(&decision->reason, "value ");
    value_print_edn(queue->elements[queue->twice_of].value, &decision->reason);
    text_append(&decision->reason, " came out twice");
    return step_violation(vector_push(&decision->evidence, queue->twice[0]) &&
                          vector_push(&decision->evidence, queue->twice[1]));
}

/* The removal returns, and one of its values has not been enqueued. */
static enum step came_out_early(struct unordered_queue *queue, uint32_t removal)
{
    const struct interval *intervals = queue->part->intervals;
    struct text *reason = &queue->decision->reason;
    size_t count;
    const value *taken = taken_by(&intervals[removal], &count);
    for (size_t i = 0; i < count; i++) {
        const struct element *element =
            &queue->elements[numbering_find(&queue->numbering, taken[i])];
        bool never = element->add == NONE;
        if (element->add == INITIALLY ||
            (!never && intervals[element->add].invoke < intervals[removal].response))
            continue;
        text_append(reason, "value ");
        value_print_edn(element->value, reason);
        text_format(reason, " was %s %s", participle(&intervals[removal]),
                    never ? "but never enqueued" : "before it was enqueued");
        return step_violation(vector_push(&queue->decision->evidence, removal));
    }
    assert(false);
    return STEP_REFUSED;
}

/* Names what is shown, the first of them. */
struct naming {
    struct unordered_queue *queue;
    uint32_t count;
};

static void name_value(struct naming *naming, value v)
{
    struct text *reason = &naming->queue->decision->reason;
    if (naming->count < 4) {
        text_append(reason, naming->count ? ", " : "value ");
        value_print_edn(v, reason);
    }
    naming->count++;
}

static bool show_inside(struct naming *naming, uint32_t empty)
{
    struct unordered_queue *queue = naming->queue;
    const struct interval *interval = &queue->part->intervals[empty];
    struct decision *decision = queue->decision;
    for (uint32_t i = 0; i < queue->numbering.count; i++) {
        const struct element *element = &queue->elements[i];
        if (element->from == NONE || element->from > interval->response ||
            element->until < interval->invoke)
            continue;
        name_value(naming, element->value);
        if ((element->add != INITIALLY && !vector_push(&decision->evidence, element->add)) ||
            !vector_push(&decision->evidence, element->remove))
            return false;
    }
    return true;
}

/* Values that never come out, all that were added before the dequeue returned; and every removal
 * invoked by then, for any that is turned pending might have taken one. */
static bool show_kept(struct naming *naming, uint32_t empty)
{
    struct unordered_queue *queue = naming->queue;
    const struct part *part = queue->part;
    uint32_t end = part->intervals[empty].response;
    size_t length;
    const value *initial = value_get_items(part->spec->initial, &length);
    for (size_t i = 0; i < length; i++)
        if (numbering_find(&queue->numbering, initial[i]) == NUMBER_NONE)
            name_value(naming, initial[i]);
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        if (!is_enqueue(interval) || interval->response > end ||
            numbering_find(&queue->numbering, interval->call.argument) != NUMBER_NONE)
            continue;
        name_value(naming, interval->call.argument);
        if (!vector_push(&queue->decision->evidence, i))
            return false;
    }
    decision_spoken(queue->decision);
    for (uint32_t i = 0; i < part->count && part->intervals[i].invoke < end; i++)
        if (!is_enqueue(&part->intervals[i]) && !is_pending(&part->intervals[i]) &&
            !vector_push(&queue->decision->evidence, i))
            return false;
    return true;
}

static enum step not_empty(struct unordered_queue *queue, uint32_t empty)
{
    struct decision *decision = queue->decision;
    struct naming naming = {.queue = queue};
    bool needs_kept =
        queue->free_at != NONE && queue->free_at >= queue->part->intervals[empty].invoke;
    text_append(&decision->reason, "dequeue found the queue empty though ");
    if (!vector_push(&decision->evidence, empty) || !show_inside(&naming, empty) ||
        (needs_kept && !show_kept(&naming, empty)))
        return STEP_REFUSED;
    if (naming.count > 4)
        text_format(&decision->reason, " and %" PRIu32 " more", naming.count - 4);
    text_append(&decision->reason, naming.count == 1 ? " was in it throughout" : " were in it");
    return STEP_VIOLATION;
}

/* ---- the walk ---- */

static bool prepare(struct unordered_queue *queue)
{
    const struct part *part = queue->part;
    struct arena *arena = queue->arena;
    size_t size = part->count * sizeof(uint32_t), length;
    queue->at = operations_by_position(part, arena);
    queue->lacking = arena_allocate(arena, size);
    queue->waiting = arena_allocate(arena, size);
    queue->takers = arena_allocate(arena, size);
    if (!queue->at || !queue->lacking || !queue->waiting || !queue->takers ||
        !vector_reserve(&queue->decision->linearization, part->count))
        return false;
    for (uint32_t i = 0; i < part->count; i++) {
        size_t count;
        (void)taken_by(&part->intervals[i], &count);
        queue->lacking[i] = (uint32_t)count;
    }
    (void)value_get_items(part->spec->initial, &length);
    queue->kept = (uint32_t)length;
    queue->free_at = NONE;
    for (uint32_t i = 0; i < queue->numbering.count; i++) {
        struct element *element = &queue->elements[i];
        if (element->add != INITIALLY)
            continue;
        element->from = 0;
        queue->lacking[element->remove]--;
        queue->kept--;
        queue->inside++;
    }
    return true;
}

static void put(struct unordered_queue *queue, uint32_t operation)
{
    struct decision *decision = queue->decision;
    decision->linearization.items[decision->linearization.length++] = operation;
}

static void take(struct unordered_queue *queue, uint32_t removal, uint32_t position)
{
    size_t count;
    const value *taken = taken_by(&queue->part->intervals[removal], &count);
    assert(queue->lacking[removal] == 0);
    for (size_t i = 0; i < count; i++) {
        struct element *element = &queue->elements[numbering_find(&queue->numbering, taken[i])];
        if (element->from == NONE)
            put(queue, element->add);
        else
            queue->inside--;
        element->until = position;
    }
    queue->lacking[removal] = NONE;
    put(queue, removal);
}

static void enqueue_invoked(struct unordered_queue *queue, uint32_t enqueue, uint32_t position)
{
    const struct interval *intervals = queue->part->intervals;
    uint32_t number = numbering_find(&queue->numbering, intervals[enqueue].call.argument);
    if (number == NUMBER_NONE)
        return;
    uint32_t removal = queue->elements[number].remove;
    if (--queue->lacking[removal] == 0 && intervals[removal].invoke < position)
        take(queue, removal, position);
}

static void enqueue_returned(struct unordered_queue *queue, uint32_t enqueue, uint32_t position)
{
    uint32_t number =
        numbering_find(&queue->numbering, queue->part->intervals[enqueue].call.argument);
    if (number == NUMBER_NONE) {
        queue->kept++;
        put(queue, enqueue);
    } else if (queue->elements[number].until == NONE) {
        queue->elements[number].from = position;
        queue->inside++;
        put(queue, enqueue);
    }
}

static void invoked(struct unordered_queue *queue, uint32_t operation, uint32_t position)
{
    const struct interval *interval = &queue->part->intervals[operation];
    if (is_enqueue(interval))
        enqueue_invoked(queue, operation, position);
    else if (found_nothing(interval))
        queue->waiting[queue->waiting_count++] = operation;
    else if (!is_pending(interval) && queue->lacking[operation] == 0)
        take(queue, operation, position);
    else if (is_pending(interval) && interval->call.operation == UNORDERED_QUEUE_DEQUEUE)
        queue->takers[queue->taker_count++] = operation;
}

static enum step returned(struct unordered_queue *queue, uint32_t operation, uint32_t position)
{
    const struct interval *interval = &queue->part->intervals[operation];
    if (is_enqueue(interval))
        enqueue_returned(queue, operation, position);
    else if (queue->lacking[operation] != NONE)
        return found_nothing(interval) ? not_empty(queue, operation)
                                       : came_out_early(queue, operation);
    return STEP_READY;
}

/* Lets the dequeues that found nothing take place if nothing is inside now. */
static void settle(struct unordered_queue *queue, uint32_t position)
{
    if (queue->inside > 0)
        return;
    assert(queue->pending_removals_used <= queue->taker_count);
    queue->free_at = position;
    if (queue->waiting_count == 0 ||
        queue->kept > queue->taker_count - queue->pending_removals_used)
        return;
    for (; queue->kept > 0; queue->kept--)
        put(queue, queue->takers[queue->pending_removals_used++]);
    for (uint32_t i = 0; i < queue->waiting_count; i++) {
        queue->lacking[queue->waiting[i]] = NONE;
        put(queue, queue->waiting[i]);
    }
    queue->waiting_count = 0;
}

static enum step walk(struct unordered_queue *queue)
{
    const struct part *part = queue->part;
    for (uint32_t looked = LOOK_FIRST, position = 0; position < part->positions; position++) {
        if (limits_look(queue->limits, &looked))
            return STEP_REFUSED;
        uint32_t operation = queue->at[position];
        if (part->intervals[operation].invoke == position)
            invoked(queue, operation, position);
        else
            TRY_STEP(returned(queue, operation, position));
        settle(queue, position);
    }
    return STEP_READY;
}

static enum step unordered_queue_applies(const struct part *part, struct limits *limits,
                                         struct arena *arena, struct inapplicable *why)
{
    struct unordered_queue queue = {.part = part, .limits = limits, .why = why, .arena = arena};
    return collect(&queue);
}

static enum step unordered_queue_decide(const struct part *part, struct limits *limits,
                                        struct arena *arena, struct decision *decision)
{
    struct unordered_queue queue = {
        .part = part, .limits = limits, .decision = decision, .arena = arena};
    decision->explored = part->positions;
    TRY_STEP(collect(&queue));
    if (queue.twice[0] != NONE)
        return came_out_twice(&queue);
    return prepare(&queue) ? walk(&queue) : STEP_REFUSED;
}

const struct monitor unordered_queue_monitor = {unordered_queue_applies, NULL,
                                                unordered_queue_decide, GIVES_UP_PENDING};

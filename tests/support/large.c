#include "support/large.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decide/definition.h"
#include "decide/witness.h"
#include "monitor/monitors.h"

struct thread {
    uint32_t operation; /* UINT32_MAX: idle */
    bool applied;
    bool never; /* it will not respond */
};

/* The simulated object: an array, used as a stack, a ring or a heap. */
struct object {
    enum large_order order;
    int64_t *items;
    uint32_t first, count;
};

static void object_add(struct object *object, int64_t v)
{
    uint32_t at = object->first + object->count++;
    if (object->order == LARGE_PRIORITY_QUEUE)
        for (; at > 0 && object->items[(at - 1) / 2] > v; at = (at - 1) / 2)
            object->items[at] = object->items[(at - 1) / 2];
    object->items[at] = v;
}

static int64_t heap_remove(struct object *object)
{
    int64_t *items = object->items, least = items[0], last = items[--object->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < object->count; child = 2 * at + 1) {
        if (child + 1 < object->count && items[child + 1] < items[child])
            child++;
        if (last <= items[child])
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = last;
    return least;
}

/* 0 when it is empty. */
static int64_t object_remove(struct object *object)
{
    if (object->count == 0)
        return 0;
    switch (object->order) {
    case LARGE_STACK:
        return object->items[--object->count];
    case LARGE_QUEUE:
        object->count--;
        return object->items[object->first++];
    case LARGE_PRIORITY_QUEUE:
        break;
    }
    return heap_remove(object);
}

struct simulation {
    const struct large *large;
    const struct subject *subject;
    struct random random;
    struct object object;
    struct part *part;
    struct interval *intervals;
    struct call add, remove;
};

static void invoke(struct simulation *simulation, struct thread *thread, uint32_t process)
{
    const struct large *large = simulation->large;
    uint32_t index = simulation->part->count++, percent = large->add_percent;
    if (large->deep && index > large->operations / 2)
        percent = 100 - percent;
    bool adds = random_chance(&simulation->random, percent, 100);
    /* A bijection below 2^31, so that priorities come in no order. */
    int64_t v = ((uint64_t)(index + 1) * 2654435761u & 0x7fffffff);
    struct interval *interval = &simulation->intervals[index];
    *interval = (struct interval){.call = adds ? simulation->add : simulation->remove,
                                  .invoke = simulation->part->positions++,
                                  .response = POSITION_NEVER,
                                  .index = index};
    interval->call.process = process;
    if (adds)
        interval->call.argument = value_small(v);
    thread->operation = index;
    thread->applied = false;
    thread->never = random_chance(&simulation->random, large->pending_per_mille, 1000);
}

static void apply(struct simulation *simulation, struct thread *thread)
{
    struct interval *interval = &simulation->intervals[thread->operation];
    thread->applied = true;
    if (interval->call.operation == simulation->add.operation) {
        object_add(&simulation->object, value_small_get(interval->call.argument));
        return;
    }
    if (thread->never && random_chance(&simulation->random, 1, 2))
        return; /* it did not happen */
    int64_t v = object_remove(&simulation->object);
    value result = v ? value_small(v) : VALUE_NIL;
    if (!thread->never) {
        interval->response = 0; /* it completes, and so can have a result */
        if (!interval_answer(simulation->subject->spec, interval, &result))
            abort();
    }
}

static void respond(struct simulation *simulation, struct thread *thread)
{
    struct interval *interval = &simulation->intervals[thread->operation];
    if (thread->never)
        simulation->part->pending++;
    else
        interval->response = simulation->part->positions++;
    thread->operation = UINT32_MAX;
}

void large_part(struct sample *sample, const struct subject *subject, const struct large *large)
{
    sample_start(sample, subject, large->operations);
    const struct call_template *calls = subject->workload->calls;
    const struct recorded adding = {.argument = value_small(1)}, removing = {0};
    struct simulation simulation = {
        .large = large,
        .subject = subject,
        .object = {.order = large->order,
                   .items = malloc((large->operations + 1) * sizeof(int64_t))},
        .part = &sample->part,
        .intervals = sample->intervals,
        .add = subject_call(subject, calls[0].operation, &adding),
        .remove = subject_call(subject, calls[1].operation, &removing)};
    random_seed(&simulation.random, large->seed);
    struct thread *threads = malloc(large->threads * sizeof *threads);
    for (uint32_t i = 0; i < large->threads; i++)
        threads[i].operation = UINT32_MAX;
    for (uint32_t running = 0; running > 0 || sample->part.count < large->operations;) {
        uint32_t i = random_below(&simulation.random, large->threads);
        struct thread *thread = &threads[i];
        if (thread->operation == UINT32_MAX) {
            if (sample->part.count == large->operations)
                continue;
            invoke(&simulation, thread, i);
            running++;
        } else if (!thread->applied) {
            apply(&simulation, thread);
        } else if (random_below(&simulation.random, large->pause + 1) == 0) {
            respond(&simulation, thread);
            running--;
        }
    }
    free(threads);
    free(simulation.object.items);
}

/* The adds of all values, by value: index + 1, in a table with open addressing. */
static uint32_t *place_of(uint32_t *table, uint32_t mask, const struct interval *intervals, value v)
{
    uint32_t at = (uint32_t)(v * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (table[at] && intervals[table[at] - 1].call.argument != v)
        at = (at + 1) & mask;
    return &table[at];
}

/* The adds by their values. */
struct adds {
    uint32_t *table, mask;
    const struct interval *intervals;
};

static const struct interval *add_of(const struct adds *adds, const struct interval *removal)
{
    if (!removal->call.result_known || removal->call.result == VALUE_NIL)
        return NULL;
    uint32_t add = *place_of(adds->table, adds->mask, adds->intervals, removal->call.result);
    return add ? &adds->intervals[add - 1] : NULL;
}

/* Whether the first removal precedes the second, and the adds of both, one after the other, precede
 * them. */
static bool swappable(const struct adds *adds, const struct interval *first,
                      const struct interval *second)
{
    const struct interval *a = add_of(adds, first), *b = add_of(adds, second);
    if (!a || !b || first->response > second->invoke)
        return false;
    const struct interval *later = a->invoke < b->invoke ? b : a, *earlier = later == a ? b : a;
    return earlier->response < later->invoke && later->response < first->invoke;
}

bool large_spoil(struct sample *sample, uint32_t from)
{
    struct interval *intervals = sample->intervals;
    uint32_t count = sample->part.count;
    struct adds adds = {.mask = 1, .intervals = intervals};
    while (adds.mask < 2 * count)
        adds.mask = adds.mask * 2 + 1;
    adds.table = calloc((size_t)adds.mask + 1, sizeof *adds.table);
    for (uint32_t i = 0; i < count; i++)
        if (intervals[i].call.argument != VALUE_NIL && intervals[i].response != POSITION_NEVER)
            *place_of(adds.table, adds.mask, intervals, intervals[i].call.argument) = i + 1;
    bool spoilt = false;
    for (uint32_t i = from; i < count && !spoilt; i++)
        for (uint32_t j = i + 1; j < count && j < i + 1000 && !spoilt; j++) {
            value one = intervals[i].call.result, other = intervals[j].call.result;
            spoilt = swappable(&adds, &intervals[i], &intervals[j]) &&
                     interval_answer(sample->part.spec, &intervals[i], &other) &&
                     interval_answer(sample->part.spec, &intervals[j], &one);
        }
    free(adds.table);
    return spoilt;
}

static enum verdict decide_with(decide *run, const struct part *part, struct decision *decision,
                                struct limits *limits)
{
    struct error error;
    assert_int_equal(run(part, limits, decision, &error), STATUS_OK);
    return decision->verdict;
}

/* The operations of the evidence without all others are a violation in the eyes of the search: it
 * is a violation of a container's order, and taking away whole values does not mend it. */
static void check_evidence(const struct part *part, const struct decision *decision,
                           struct limits *limits)
{
    struct sample sample = {0};
    struct decision again;
    assert_in_range(decision->evidence.length, 1, 100);
    sample_copy_part(&sample, part);
    sample.part.count = 0;
    for (size_t i = 0; i < decision->evidence.length; i++)
        sample.intervals[sample.part.count++] = part->intervals[decision->evidence.items[i]];
    sample_renumber(&sample);
    decision_init(&again, limits->budget);
    assert_int_equal(decide_with(definition_decide, &sample.part, &again, limits),
                     VERDICT_VIOLATION);
    decision_release(&again);
    sample_release(&sample);
}

void large_decide(const struct subject *subject, const struct large *large, bool spoil)
{
    struct sample sample = {0};
    large_part(&sample, subject, large);
    if (spoil)
        assert_true(large_spoil(&sample, sample.part.count / 2));
    struct budget budget;
    struct limits limits;
    struct decision decision;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    decision_init(&decision, &budget);
    assert_true(monitor_applies(&sample.part, &limits, NULL));
    enum verdict verdict = decide_with(monitor_decide, &sample.part, &decision, &limits);
    print_message("%" PRIu32 " operations, %" PRIu32 " pending: %s, %zu bytes an operation\n",
                  sample.part.count, sample.part.pending,
                  spoil ? text_string(&decision.reason) : "linearizable",
                  budget.peak / sample.part.count);
    assert_int_equal(verdict, spoil ? VERDICT_VIOLATION : VERDICT_LINEARIZABLE);
    if (spoil)
        check_evidence(&sample.part, &decision, &limits);
    else
        assert_true(witness_is_valid(&sample.part, decision.linearization.items,
                                     decision.linearization.length, &limits, NULL));
    decision_release(&decision);
    sample_release(&sample);
    assert_int_equal(budget.used, 0);
}

/* Decides a counter to which the same number is added each time (1, mostly). Time is O(n log k),
 * where k is the number of additions that run at once; the argument is ours.
 *
 * Let c be how many additions have taken place; a read of the number r needs c = k(r), which is
 * (r - initial) / number. A walk over the events fires additions as late as it can:
 *
 *     an addition returns that has not been fired: fire it
 *     a read returns that needs more: fire as many as it needs, those that return first
 *     a read takes place when c is what it needs: at once when it begins, or when c gets there
 *
 * It is a violation when a read begins that needs less than c, or returns when too few additions
 * have been invoked. Why this finds a linearization if there is one: take any way to go on from
 * here. Its operations can all be put off to the next return. No running read needs the present c,
 * so at that return it goes on with an addition; exchanging that one with the one that returns
 * first keeps it legal, and in time. A pending addition returns never, so it is fired last or not
 * at all. */
#include "monitor/counter.h"
#include "monitor/deadlines.h"
#include "monitor/monitors.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "spec/counter.h"
#include "value/print.h"

#define NONE UINT32_MAX

__extension__ typedef __int128 wide;

enum {
    TAKEN = 1,
    FORCED = 2, /* a read that returned before it had taken place, and had additions fired */
};

struct counter {
    const struct part *part;
    struct limits *limits;
    struct decision *decision;
    struct arena *arena;
    int64_t initial, number;    /* what each addition adds, not 0 */
    uint32_t additions;         /* that add something */
    uint32_t *at;               /* by position: the operation */
    uint8_t *taken;             /* by operation: whether it has taken place, how */
    struct deadlines deadlines; /* of additions; its links also chain the waiting reads */
    uint32_t running;           /* heap of the additions that have been invoked, not fired */
    uint32_t *waiting;          /* by k: the running reads that need it */
    uint32_t count;             /* c */
    uint32_t invoked, returned; /* additions */
    uint32_t farthest;          /* read with the greatest k that has returned, NONE */
};

int64_t counter_amount(const struct part *part, uint32_t operation)
{
    const struct call *call = &part->intervals[operation].call;
    int64_t integer = call->operation == COUNTER_INC ? 1 : 0;
    if (call->operation == COUNTER_ADD)
        value_get_integer(call->argument, &integer);
    return integer;
}

bool counter_read(const struct part *part, uint32_t operation, int64_t *result)
{
    const struct interval *interval = &part->intervals[operation];
    *result = 0;
    return interval->call.operation == COUNTER_READ && interval->call.result_known &&
           interval->response != POSITION_NEVER && value_get_integer(interval->call.result, result);
}

int64_t counter_initial(const struct part *part)
{
    int64_t initial = 0;
    if (part->spec->has_initial)
        value_get_integer(part->spec->initial, &initial);
    return initial;
}

uint64_t counter_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The number that each addition adds, 1 if there is none; `*other` is the first that adds another,
 * NONE if all add the same. */
static int64_t common_amount(const struct part *part, uint32_t *additions, uint32_t *other)
{
    int64_t common = 0;
    *other = NONE;
    *additions = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        int64_t added = counter_amount(part, i);
        *additions += added != 0;
        if (added != 0 && common == 0)
            common = added;
        else if (added != 0 && added != common && *other == NONE)
            *other = i;
    }
    return common ? common : 1;
}

static enum step counter_applies(const struct part *part, struct limits *limits,
                                 struct arena *arena, struct inapplicable *why)
{
    (void)limits, (void)arena;
    uint32_t additions, other;
    common_amount(part, &additions, &other);
    return other == NONE ? STEP_READY
                         : step_inapplicable(why, other, "not every addition adds the same number",
                                             VALUE_REFUSED, "");
}

static bool is_read(const struct counter *counter, uint32_t operation)
{
    int64_t result;
    return counter_read(counter->part, operation, &result);
}

/* The k that a read needs; NONE if there are not so many additions, or none has this result. */
static uint32_t needed(const struct counter *counter, uint32_t read)
{
    int64_t result;
    counter_read(counter->part, read, &result);
    wide difference = (wide)result - counter->initial;
    wide k = difference / counter->number;
    bool possible = k * counter->number == difference && k >= 0 && k <= counter->additions;
    return possible ? (uint32_t)k : NONE;
}

static bool counter_create(struct counter *counter)
{
    const struct part *part = counter->part;
    struct arena *arena = counter->arena;
    uint32_t other;
    counter->initial = counter_initial(part);
    counter->number = common_amount(part, &counter->additions, &other);
    assert(other == NONE);
    counter->at = operations_by_position(part, arena);
    counter->taken = arena_zeroed(arena, part->count * sizeof *counter->taken);
    counter->deadlines.intervals = part->intervals;
    counter->deadlines.links =
        arena_allocate(arena, part->count * sizeof *counter->deadlines.links);
    size_t waiting = ((size_t)counter->additions + 1) * sizeof *counter->waiting;
    counter->waiting = arena_allocate(arena, waiting);
    if (!counter->at || !counter->taken || !counter->deadlines.links || !counter->waiting ||
        !vector_reserve(&counter->decision->linearization, part->count))
        return false;
    memset(counter->waiting, 0xff, waiting);
    return true;
}

static void take(struct counter *counter, uint32_t operation)
{
    struct decision *decision = counter->decision;
    decision->linearization.items[decision->linearization.length++] = operation;
    counter->taken[operation] |= TAKEN;
}

/* Fires the addition that returns first, and the reads that waited for it. */
static void fire(struct counter *counter)
{
    uint32_t fired = counter->running;
    assert(counter->count < counter->invoked);
    counter->running = deadlines_take(&counter->deadlines, fired);
    take(counter, fired);
    for (uint32_t read = counter->waiting[++counter->count]; read != NONE;
         read = counter->deadlines.links[read].sibling)
        take(counter, read);
}

static struct text *say(const struct counter *counter, uint32_t read)
{
    struct text *reason = &counter->decision->reason;
    text_append(reason, "read returned ");
    value_print_edn(counter->part->intervals[read].call.result, reason);
    return reason;
}

/* "3 additions", or "3 additions to 5" where it was 5 at first. */
static void say_additions(const struct counter *counter, uint32_t count)
{
    struct text *reason = &counter->decision->reason;
    text_format(reason, "%" PRIu32 " addition%s", count, count == 1 ? "" : "s");
    if (counter->initial != 0)
        text_format(reason, " to %" PRId64, counter->initial);
}

/* Additions that had returned before `begin`; at most `most` of them. */
static bool show_additions(struct counter *counter, uint32_t begin, uint32_t most)
{
    const struct part *part = counter->part;
    for (uint32_t i = 0; i < part->count && most > 0; i++)
        if (counter_amount(part, i) != 0 && part->intervals[i].response < begin) {
            most--;
            if (!vector_push(&counter->decision->evidence, i))
                return false;
        }
    return true;
}

static bool show_forced(struct counter *counter, uint32_t begin)
{
    for (uint32_t i = 0; i < counter->part->count; i++)
        if (counter->taken[i] & FORCED && counter->part->intervals[i].response < begin &&
            !vector_push(&counter->decision->evidence, i))
            return false;
    return true;
}

/* The count had passed what the read needs when that began: because of a read that had returned, of
 * the additions that had, or because of both, as what a read needed was other additions. */
static enum step read_too_little(struct counter *counter, uint32_t read)
{
    uint32_t least = needed(counter, read), begin = counter->part->intervals[read].invoke;
    uint32_t farthest = counter->farthest;
    struct text *reason = say(counter, read);
    if (!vector_push(&counter->decision->evidence, read))
        return STEP_REFUSED;
    if (farthest != NONE && needed(counter, farthest) > least) {
        text_append(reason, " after another read had returned ");
        value_print_edn(counter->part->intervals[farthest].call.result, reason);
        return step_violation(vector_push(&counter->decision->evidence, farthest));
    }
    text_append(reason, " after ");
    say_additions(counter, counter->count);
    text_append(reason, " had taken place");
    if (counter->returned > least)
        return step_violation(show_additions(counter, begin, least + 1));
    return step_violation(show_additions(counter, begin, UINT32_MAX) &&
                          show_forced(counter, begin));
}

/* The read returns, and too few additions have been invoked to get there. */
static enum step read_too_much(struct counter *counter, uint32_t read)
{
    text_append(say(counter, read), " when only ");
    say_additions(counter, counter->invoked);
    text_append(&counter->decision->reason, " had been invoked");
    return step_violation(vector_push(&counter->decision->evidence, read));
}

static enum step invoked(struct counter *counter, uint32_t operation)
{
    if (!is_read(counter, operation)) {
        if (counter_amount(counter->part, operation) != 0) {
            counter->invoked++;
            counter->running = deadlines_add(&counter->deadlines, counter->running, operation);
        } else if (counter->part->intervals[operation].response != POSITION_NEVER) {
            take(counter, operation); /* changes nothing, answers anything */
        }
        return STEP_READY;
    }
    uint32_t k = needed(counter, operation);
    if (k == NONE)
        return STEP_READY; /* found out when it returns */
    if (k < counter->count)
        return read_too_little(counter, operation);
    if (k == counter->count) {
        take(counter, operation);
    } else {
        counter->deadlines.links[operation].sibling = counter->waiting[k];
        counter->waiting[k] = operation;
    }
    return STEP_READY;
}

static enum step returned(struct counter *counter, uint32_t operation)
{
    if (!is_read(counter, operation)) {
        counter->returned += counter_amount(counter->part, operation) != 0;
        if (!counter->taken[operation])
            fire(counter);
        return STEP_READY;
    }
    uint32_t k = needed(counter, operation);
    if (k == NONE || k > counter->invoked)
        return read_too_much(counter, operation);
    if (counter->count < k)
        counter->taken[operation] = FORCED;
    while (counter->count < k)
        fire(counter);
    if (counter->farthest == NONE || needed(counter, counter->farthest) < k)
        counter->farthest = operation;
    return STEP_READY;
}

static enum step counter_walk(struct counter *counter)
{
    const struct part *part = counter->part;
    if (!counter_create(counter))
        return STEP_REFUSED;
    for (uint32_t looked = LOOK_FIRST, position = 0; position < part->positions; position++) {
        if (limits_look(counter->limits, &looked))
            return STEP_REFUSED;
        uint32_t operation = counter->at[position];
        if (part->intervals[operation].invoke == position)
            TRY_STEP(invoked(counter, operation));
        else
            TRY_STEP(returned(counter, operation));
    }
    return STEP_READY;
}

static enum step counter_decide(const struct part *part, struct limits *limits, struct arena *arena,
                                struct decision *decision)
{
    struct counter counter = {.part = part,
                              .limits = limits,
                              .decision = decision,
                              .arena = arena,
                              .running = DEADLINES_NONE,
                              .farthest = NONE};
    decision->explored = part->positions;
    return counter_walk(&counter);
}

const struct monitor counter_monitor = {counter_applies, NULL, counter_decide, GIVES_UP_PENDING};

/* Operations that were recorded with the times of call and return, put in order.
 *
 * Intervals are closed: of equal times calls come before returns, so that operations which touch
 * are concurrent. (The other order would invent a precedence that the clock did not show, and so
 * report violations that are none.) Among calls of one time, and among returns, the order of the
 * records decides; it has no meaning, but makes the result the same in every run.
 *
 * Two operations of one process that touch are refused like any two that overlap: read as
 * concurrent they would lose the order in which the process ran them, and read in that order they
 * can make the order of all events circular. */
#include "history/builder.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* Times as numbers without a sign, in the same order. */
static uint64_t time_key(int64_t time)
{
    return (uint64_t)time ^ UINT64_C(1) << 63;
}

/* A call or a return. */
struct moment {
    int64_t time;
    uint32_t operation; /* among builder->waiting */
    bool is_return;
};

enum status history_builder_timed(struct history_builder *builder,
                                  const struct timed_operation *timed, struct error *error)
{
    struct history *history = builder->history;
    const struct event *event = &timed->event;
    assert(history->positions == 0);
    if (builder->waiting.length == HISTORY_MAX_OPERATIONS)
        return error_set(error, STATUS_INPUT, history->name, event->line,
                         "expected at most %u operations, found more", HISTORY_MAX_OPERATIONS);
    struct waiting waiting = {.call_time = event->time, .return_time = timed->return_time};
    struct operation *operation = &waiting.operation;
    TRY(builder_invocation(builder, event, operation, error));
    operation->record = (uint32_t)builder->waiting.length;
    operation->result = timed->result;
    operation->outcome = timed->outcome;
    operation->result_recorded = timed->result_recorded;
    operation->response_line = timed->return_line;
    if (timed->outcome != OUTCOME_UNKNOWN) {
        operation->response_time = timed->return_time;
        if (timed->return_time < event->time)
            return error_set(error, STATUS_INPUT, history->name, event->line,
                             "expected a return at or after the call at %" PRId64
                             ", found one at %" PRId64,
                             event->time, timed->return_time);
    }
    return vector_push(&builder->waiting, waiting) ? STATUS_OK : builder_refused(builder, error);
}

/* All calls and behind them all returns, each in the order of the records: sorted by time in a way
 * that leaves alone what is of one time, they are in the order that is meant. */
static size_t collect_moments(const struct history_builder *builder, struct moment *moments)
{
    size_t count = 0;
    for (uint32_t i = 0; i < builder->waiting.length; i++)
        moments[count++] = (struct moment){builder->waiting.items[i].call_time, i, false};
    for (uint32_t i = 0; i < builder->waiting.length; i++)
        if (builder->waiting.items[i].operation.outcome != OUTCOME_UNKNOWN)
            moments[count++] = (struct moment){builder->waiting.items[i].return_time, i, true};
    return count;
}

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

/* Radix sort, least digit first; digits in which all times agree are passed over, so nanoseconds of
 * a minute take four passes. `other` has as much room; the one of the two in which the sorted
 * moments are is returned. */
static struct moment *sort_moments(struct moment *moments, struct moment *other, size_t count)
{
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++)
        differing |= (uint64_t)moments[i].time ^ (uint64_t)moments[0].time;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!(differing >> shift & (DIGITS - 1)))
            continue;
        uint32_t place[DIGITS] = {0}, next = 0;
        for (size_t i = 0; i < count; i++)
            place[time_key(moments[i].time) >> shift & (DIGITS - 1)]++;
        for (size_t digit = 0; digit < DIGITS; digit++) {
            uint32_t here = place[digit];
            place[digit] = next;
            next += here;
        }
        for (size_t i = 0; i < count; i++)
            other[place[time_key(moments[i].time) >> shift & (DIGITS - 1)]++] = moments[i];
        struct moment *sorted = other;
        other = moments;
        moments = sorted;
    }
    return moments;
}

/* The call of the operation in `waiting`: it becomes the history's next. */
static enum status place_call(struct history_builder *builder, struct waiting *waiting,
                              struct error *error)
{
    struct history *history = builder->history;
    uint32_t *running = &builder->running.items[waiting->operation.process];
    if (*running != NOT_RUNNING) {
        struct operation *before = &history->operations.items[*running];
        if (before->outcome != OUTCOME_UNKNOWN)
            return error_set(error, STATUS_INPUT, history->name, waiting->operation.invoke_line,
                             "expected one operation of a process at a time, found a call at "
                             "%" PRId64 " while that of line %u runs, from %" PRId64 " to %" PRId64
                             " (both included)",
                             waiting->call_time, before->invoke_line, before->invoke_time,
                             before->response_time);
        before->response = history->positions++;
    }
    *running = (uint32_t)history->operations.length;
    waiting->operation.invoke = history->positions++;
    history->operations.items[history->operations.length++] = waiting->operation;
    return STATUS_OK;
}

static int compare_annotations(const void *a, const void *b)
{
    const struct annotation *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return (left->line > right->line) - (left->line < right->line);
}

/* Annotations up to a time stand in front of the event that comes next. */
static void place_annotations(struct history *history, size_t *placed, int64_t time)
{
    struct annotation *annotations = history->annotations.items;
    while (*placed < history->annotations.length && annotations[*placed].time <= time)
        annotations[(*placed)++].position = history->positions;
}

enum status builder_order_timed(struct history_builder *builder, struct error *error)
{
    struct history *history = builder->history;
    size_t count = builder->waiting.length, size = 4 * count * sizeof(struct moment);
    struct moment *room = memory_allocate(history->budget, size), *moments = room;
    enum status status = STATUS_OK;
    if (!moments || !vector_reserve(&history->operations, count)) {
        status = builder_refused(builder, error);
        goto done;
    }
    size_t events = collect_moments(builder, moments), placed = 0;
    moments = sort_moments(moments, moments + 2 * count, events);
    if (history->annotations.length)
        qsort(history->annotations.items, history->annotations.length, sizeof(struct annotation),
              compare_annotations);
    history->order = ORDER_TIME;
    for (size_t i = 0; i < events && status == STATUS_OK; i++) {
        place_annotations(history, &placed, moments[i].time);
        struct waiting *waiting = &builder->waiting.items[moments[i].operation];
        uint32_t *running = &builder->running.items[waiting->operation.process];
        if (moments[i].is_return) {
            history->operations.items[*running].response = history->positions++;
            *running = NOT_RUNNING;
        } else {
            status = place_call(builder, waiting, error);
        }
    }
    place_annotations(history, &placed, INT64_MAX);
done:
    memory_release(history->budget, room, size);
    return status;
}

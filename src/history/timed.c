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

static int compare_moments(const void *a, const void *b)
{
    const struct moment *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    if (left->is_return != right->is_return)
        return left->is_return ? 1 : -1;
    return left->operation < right->operation ? -1 : 1;
}

static size_t collect_moments(const struct history_builder *builder, struct moment *moments)
{
    size_t count = 0;
    for (uint32_t i = 0; i < builder->waiting.length; i++) {
        const struct waiting *waiting = &builder->waiting.items[i];
        moments[count++] = (struct moment){waiting->call_time, i, false};
        if (waiting->operation.outcome != OUTCOME_UNKNOWN)
            moments[count++] = (struct moment){waiting->return_time, i, true};
    }
    qsort(moments, count, sizeof *moments, compare_moments);
    return count;
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
    size_t count = builder->waiting.length, size = 2 * count * sizeof(struct moment);
    struct moment *moments = memory_allocate(history->budget, size);
    enum status status = STATUS_OK;
    if (!moments || !vector_reserve(&history->operations, count)) {
        status = builder_refused(builder, error);
        goto done;
    }
    size_t events = collect_moments(builder, moments), placed = 0;
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
    memory_release(history->budget, moments, size);
    return status;
}

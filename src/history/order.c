/* Events are sorted by time, those of one time as they stand in the file, and then each run of
 * events of one time is put in order by itself:
 *
 *     calls before returns       a return precedes a call only if the clock says so
 *     one process after itself   as it ran: its return, and then its next call
 *
 * Both hold unless two processes return and call again at that time: the return of the one must
 * then precede its own call, that call the return of the other, and so round in a circle. With one
 * such process its events stand between the other calls and the other returns. Only the return of
 * an operation that happened counts: one that failed, or may still happen, precedes nothing. */
#include "history/order.h"

#include <inttypes.h>
#include <stdlib.h>

#include "history/writing.h"
#include "value/print.h"

struct moment {
    int64_t time;
    uint32_t event; /* its position in the file */
};

struct ordering {
    const struct history *history;
    struct written_event *events; /* by their positions in the file */
    struct moment *moments;
    uint32_t *positions; /* by time, of each event */
    uint32_t *returned;  /* per process: the run of its last return, from 1 */
    uint32_t placed;     /* positions given so far */
    struct error *error;
};

static const struct operation *operation_of(const struct ordering *ordering, uint32_t event)
{
    return &ordering->history->operations.items[ordering->events[event].operation];
}

static int64_t time_of(const struct ordering *ordering, uint32_t event)
{
    const struct operation *operation = operation_of(ordering, event);
    return ordering->events[event].response ? operation->response_time : operation->invoke_time;
}

static uint32_t line_of(const struct ordering *ordering, uint32_t event)
{
    const struct operation *operation = operation_of(ordering, event);
    return ordering->events[event].response ? operation->response_line : operation->invoke_line;
}

/* The return of an operation that happened. */
static bool is_return(const struct ordering *ordering, uint32_t event)
{
    return ordering->events[event].response && operation_of(ordering, event)->outcome == OUTCOME_OK;
}

static void print_process(const struct ordering *ordering, uint32_t process, struct text *text)
{
    text_append(text, "process ");
    value_print_edn(ordering->history->processes.items[process], text);
}

static enum status refuse(const struct ordering *ordering, uint32_t event, struct text *message)
{
    enum status status = error_set(ordering->error, STATUS_INPUT, ordering->history->name,
                                   line_of(ordering, event), "%s", text_string(message));
    text_release(message);
    return status;
}

static enum status out_of_memory(const struct ordering *ordering)
{
    return error_set(ordering->error, STATUS_LIMIT, ordering->history->name, 0,
                     "the memory limit is reached");
}

static enum status has_no_time(const struct ordering *ordering, uint32_t event)
{
    struct text message = TEXT_EMPTY;
    const struct unread_time *unread = &ordering->history->unread;
    text_append(&message,
                "expected an integer of at most 64 bits as `time` of every event, to order "
                "them by, found ");
    if (unread->found && unread->line && unread->line == line_of(ordering, event)) {
        value_print_edn(unread->value, &message);
        return refuse(ordering, event, &message);
    }
    text_format(&message, "%s of `%s` without",
                ordering->events[event].response ? "the completion" : "an invocation",
                history_function_name(ordering->history, operation_of(ordering, event)->function));
    return refuse(ordering, event, &message);
}

static enum status runs_backwards(const struct ordering *ordering, uint32_t event, uint32_t before)
{
    struct text message = TEXT_EMPTY;
    text_append(&message, "expected the events of ");
    print_process(ordering, operation_of(ordering, event)->process, &message);
    text_format(&message, " in the order of their times, found %" PRId64 " after %" PRId64,
                time_of(ordering, event), time_of(ordering, before));
    if (line_of(ordering, before))
        text_format(&message, " in line %" PRIu32, line_of(ordering, before));
    return refuse(ordering, event, &message);
}

/* Two processes that return and call again at one time; `event` is the second call. */
static enum status goes_round(const struct ordering *ordering, uint32_t event, uint32_t other)
{
    struct text message = TEXT_EMPTY;
    text_append(&message, "expected an order of the events at one time in which calls precede "
                          "returns and each process stays in its own order, found none at ");
    text_format(&message, "%" PRId64 ", where ", time_of(ordering, event));
    print_process(ordering, other, &message);
    text_append(&message, " and ");
    print_process(ordering, operation_of(ordering, event)->process, &message);
    text_append(&message, " both return and call again");
    return refuse(ordering, event, &message);
}

/* Every event has a time, and those of each process are in its order. */
static enum status check_times(struct ordering *ordering)
{
    const struct history *history = ordering->history;
    size_t size = history->processes.length * sizeof(uint32_t);
    uint32_t *before = memory_allocate(history->budget, size);
    if (!before)
        return out_of_memory(ordering);
    for (size_t i = 0; i < history->processes.length; i++)
        before[i] = POSITION_NEVER;
    enum status status = STATUS_OK;
    for (uint32_t event = 0; event < history->positions && status == STATUS_OK; event++) {
        uint32_t *last = &before[operation_of(ordering, event)->process];
        int64_t time = time_of(ordering, event);
        if (time == TIME_NONE)
            status = has_no_time(ordering, event);
        else if (*last != POSITION_NEVER && time < time_of(ordering, *last))
            status = runs_backwards(ordering, event, *last);
        *last = event;
        ordering->moments[event] = (struct moment){time, event};
    }
    memory_release(history->budget, before, size);
    return status;
}

static int compare_moments(const void *a, const void *b)
{
    const struct moment *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return left->event < right->event ? -1 : 1;
}

enum turn {
    TURN_CALLS,
    TURN_OF_ITSELF,
    TURN_RETURNS,
    TURNS
};

/* Puts the events of one time in order, moments[start] to moments[end - 1]. */
static enum status place_run(struct ordering *ordering, uint32_t start, uint32_t end)
{
    uint32_t again = POSITION_NEVER; /* the process that returns and calls again */
    for (uint32_t i = start; i < end; i++) {
        uint32_t event = ordering->moments[i].event;
        uint32_t process = operation_of(ordering, event)->process;
        bool call = !ordering->events[event].response;
        if (is_return(ordering, event))
            ordering->returned[process] = start + 1;
        else if (call && ordering->returned[process] == start + 1 && process != again) {
            if (again != POSITION_NEVER)
                return goes_round(ordering, event, again);
            again = process;
        }
    }
    for (unsigned turn = TURN_CALLS; turn < TURNS; turn++)
        for (uint32_t i = start; i < end; i++) {
            uint32_t event = ordering->moments[i].event;
            bool itself = operation_of(ordering, event)->process == again;
            unsigned its = itself                       ? TURN_OF_ITSELF
                           : is_return(ordering, event) ? TURN_RETURNS
                                                        : TURN_CALLS;
            if (its == turn)
                ordering->positions[event] = ordering->placed++;
        }
    return STATUS_OK;
}

static enum status place_all(struct ordering *ordering)
{
    uint32_t count = ordering->history->positions;
    TRY(check_times(ordering));
    if (count > 0)
        qsort(ordering->moments, count, sizeof *ordering->moments, compare_moments);
    for (uint32_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count; end++)
            if (ordering->moments[end].time != ordering->moments[start].time)
                break;
        TRY(place_run(ordering, start, end));
    }
    return STATUS_OK;
}

static void ordering_close(struct ordering *ordering)
{
    const struct history *history = ordering->history;
    if (ordering->events)
        writing_order_release(history, ordering->events);
    memory_release(history->budget, ordering->moments,
                   history->positions * sizeof *ordering->moments);
    memory_release(history->budget, ordering->positions,
                   history->positions * sizeof *ordering->positions);
    memory_release(history->budget, ordering->returned,
                   history->processes.length * sizeof *ordering->returned);
}

/* Finds the positions by time. On a failure there is nothing to close. */
static enum status ordering_open(struct ordering *ordering, const struct history *history,
                                 struct error *error)
{
    struct budget *budget = history->budget;
    size_t events = history->positions;
    *ordering = (struct ordering){.history = history, .error = error};
    TRY(writing_order(history, &ordering->events, error));
    ordering->moments = memory_allocate(budget, events * sizeof *ordering->moments);
    ordering->positions = memory_allocate(budget, events * sizeof *ordering->positions);
    ordering->returned =
        memory_zeroed(budget, history->processes.length * sizeof *ordering->returned);
    enum status status = ordering->moments && ordering->positions && ordering->returned
                             ? place_all(ordering)
                             : out_of_memory(ordering);
    if (status != STATUS_OK)
        ordering_close(ordering);
    return status;
}

static int compare_invocations(const void *a, const void *b)
{
    const struct operation *left = a, *right = b;
    return left->invoke < right->invoke ? -1 : left->invoke > right->invoke;
}

/* Gives operations, which have the positions of the file, those by time. */
static void move_operations(const struct ordering *ordering, struct operation *operations)
{
    size_t count = ordering->history->operations.length;
    for (size_t i = 0; i < count; i++) {
        struct operation *operation = &operations[i];
        operation->invoke = ordering->positions[operation->invoke];
        if (operation->response != POSITION_NEVER)
            operation->response = ordering->positions[operation->response];
    }
    if (count > 0)
        qsort(operations, count, sizeof *operations, compare_invocations);
}

static size_t operations_size(const struct history *history)
{
    return history->operations.length * sizeof(struct operation);
}

enum status order_by_time(const struct history *history, struct operation **operations,
                          struct error *error)
{
    struct ordering ordering;
    TRY(ordering_open(&ordering, history, error));
    enum status status = STATUS_OK;
    *operations = memory_allocate(history->budget, operations_size(history));
    if (*operations) {
        for (size_t i = 0; i < history->operations.length; i++)
            (*operations)[i] = history->operations.items[i];
        move_operations(&ordering, *operations);
    } else {
        status = out_of_memory(&ordering);
    }
    ordering_close(&ordering);
    return status;
}

void order_release(const struct history *history, struct operation *operations)
{
    memory_release(history->budget, operations, operations_size(history));
}

/* ---- annotations ---- */

struct note {
    struct annotation annotation;
    size_t place; /* in the file */
};

static int compare_notes(const void *a, const void *b)
{
    const struct note *left = a, *right = b;
    if (left->annotation.position != right->annotation.position)
        return left->annotation.position < right->annotation.position ? -1 : 1;
    return left->place < right->place ? -1 : 1;
}

/* The first event in the order by time that is not before `time`. */
static uint32_t position_at(const struct ordering *ordering, int64_t time)
{
    uint32_t low = 0, high = ordering->history->positions;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ordering->moments[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* An annotation without a time stays in front of the event that follows it in the file. */
static enum status move_annotations(const struct ordering *ordering, struct history *history)
{
    size_t count = history->annotations.length;
    struct note *notes = memory_allocate(history->budget, count * sizeof *notes);
    if (!notes)
        return out_of_memory(ordering);
    for (size_t i = 0; i < count; i++) {
        notes[i] = (struct note){history->annotations.items[i], i};
        uint32_t *position = &notes[i].annotation.position;
        if (notes[i].annotation.time != TIME_NONE)
            *position = position_at(ordering, notes[i].annotation.time);
        else if (*position < history->positions)
            *position = ordering->positions[*position];
    }
    if (count > 0)
        qsort(notes, count, sizeof *notes, compare_notes);
    for (size_t i = 0; i < count; i++)
        history->annotations.items[i] = notes[i].annotation;
    memory_release(history->budget, notes, count * sizeof *notes);
    return STATUS_OK;
}

static enum status apply_times(struct history *history, struct error *error)
{
    struct ordering ordering;
    TRY(ordering_open(&ordering, history, error));
    enum status status = move_annotations(&ordering, history);
    if (status == STATUS_OK) {
        move_operations(&ordering, history->operations.items);
        history->order = ORDER_TIME;
        history->reversal.found = false;
    }
    ordering_close(&ordering);
    return status;
}

enum status order_apply(struct history *history, enum history_order order, struct error *error)
{
    bool by_time = history->order == ORDER_TIME;
    if (order == ORDER_FILE && by_time)
        return error_set(error, STATUS_INPUT, history->name, 0,
                         "expected events in an order of their own, found the format %s, whose "
                         "operations are ordered by their times",
                         history->format);
    if (order == ORDER_TIME && !by_time)
        return apply_times(history, error);
    if (order == ORDER_FILE)
        history->order = ORDER_FILE;
    return STATUS_OK;
}

static void print_place(uint32_t line, uint32_t operation, struct text *text)
{
    if (line)
        text_format(text, " in line %" PRIu32, line);
    else
        text_format(text, " of operation %" PRIu32, operation);
}

void order_print_unread(const struct history *history, struct text *text)
{
    text_append(text, "`time` is no integer of at most 64 bits: ");
    value_print_edn(history->unread.value, text);
    if (history->unread.line)
        text_format(text, " in line %" PRIu32, history->unread.line);
}

void order_print_reversal(const struct history *history, struct text *text)
{
    const struct time_reversal *reversal = &history->reversal;
    bool lines = reversal->line != reversal->latest_line;
    text_format(text, "%" PRId64, reversal->time);
    print_place(lines ? reversal->line : 0, reversal->operation, text);
    text_format(text, ", after %" PRId64, reversal->latest_time);
    print_place(lines ? reversal->latest_line : 0, reversal->latest_operation, text);
}

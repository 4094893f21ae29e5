#include "stream/merged.h"

#include <inttypes.h>

#include "stream/forget.h"
#include "value/print.h"

static const char *name_of(const struct merged *merged, uint32_t log)
{
    return merged->logs[log].feed.name;
}

static enum status refused(const struct merged *merged, struct error *error)
{
    return error_set(error, STATUS_LIMIT, name_of(merged, 0), 0, "the memory limit is reached");
}

/* ---- the heap ---- */

static bool is_before(const struct merged_event *a, const struct merged_event *b)
{
    if (a->event.time != b->event.time)
        return a->event.time < b->event.time;
    return a->log != b->log ? a->log < b->log : a->number < b->number;
}

static bool add_waiting(struct merged *merged, const struct merged_event *event)
{
    if (!vector_push(&merged->waiting, *event))
        return false;
    struct merged_event *heap = merged->waiting.items;
    size_t at = merged->waiting.length - 1;
    while (at > 0 && is_before(event, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = *event;
    return true;
}

static struct merged_event take_waiting(struct merged *merged)
{
    struct merged_event *heap = merged->waiting.items, first = heap[0];
    size_t length = --merged->waiting.length, at = 0;
    const struct merged_event moved = heap[length];
    for (size_t child; (child = 2 * at + 1) < length; at = child) {
        child += child + 1 < length && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    if (length > 0)
        heap[at] = moved;
    return first;
}

/* ---- events in order ---- */

static void print_process(value process, struct text *text)
{
    text_append(text, "process ");
    value_print_edn(process, text);
}

static struct merged_process *process_of(const struct merged *merged, value label)
{
    return &merged->processes.items[labels_find(&merged->numbers, label)];
}

static enum status hand_on(const struct merged *merged, const struct merged_event *waiting,
                           struct error *error)
{
    enum status status = sink_take(&merged->next, &waiting->event, error);
    if (status == STATUS_INPUT && error)
        snprintf(error->file, sizeof error->file, "%s", name_of(merged, waiting->log));
    return status;
}

/* Two processes that return and call again at one time; `event` is the second call. */
static enum status goes_round(const struct merged *merged, const struct merged_event *event,
                              value other, struct error *error)
{
    struct text message = TEXT_EMPTY;
    text_format(&message,
                "expected an order of the events at one time in which calls precede returns and "
                "each process stays in its own order, found none at %" PRId64 ", where ",
                event->event.time);
    print_process(other, &message);
    text_append(&message, " and ");
    print_process(event->event.process, &message);
    text_append(&message, " both return and call again");
    enum status status = error_set(error, STATUS_INPUT, name_of(merged, event->log),
                                   event->event.line, "%s", text_string(&message));
    text_release(&message);
    return status;
}

/* Hands on the events of one time: calls, those of the process that returns and calls again, and
 * returns. */
static enum status hand_on_run(struct merged *merged, struct error *error)
{
    value again = VALUE_REFUSED;
    uint64_t run = ++merged->runs;
    for (size_t i = 0; i < merged->run.length; i++) {
        const struct merged_event *waiting = &merged->run.items[i];
        value process = waiting->event.process;
        struct merged_process *known = process_of(merged, process);
        if (waiting->event.type == EVENT_OK)
            known->returned = run;
        else if (waiting->event.type == EVENT_INVOKE && known->returned == run &&
                 process != again) {
            if (again != VALUE_REFUSED)
                return goes_round(merged, waiting, again, error);
            again = process;
        }
    }
    for (unsigned turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < merged->run.length; i++) {
            const struct merged_event *waiting = &merged->run.items[i];
            unsigned its = waiting->event.process == again   ? 1
                           : waiting->event.type == EVENT_OK ? 2
                                                             : 0;
            if (its == turn)
                TRY(hand_on(merged, waiting, error));
        }
    return STATUS_OK;
}

static enum status hand_on_runs(struct merged *merged, bool all, struct error *error)
{
    while (merged->waiting.length &&
           (all || merged->waiting.items[0].event.time < merged->watermark)) {
        int64_t time = merged->waiting.items[0].event.time;
        merged->run.length = 0;
        while (merged->waiting.length && merged->waiting.items[0].event.time == time)
            if (!vector_push(&merged->run, take_waiting(merged)))
                return refused(merged, error);
        if (merged->watermark <= time)
            merged->watermark = time;
        TRY(hand_on_run(merged, error));
    }
    return STATUS_OK;
}

/* What it makes values for is the stream. */
static enum status hand_on_earlier(struct merged *merged, bool all, struct error *error)
{
    struct value_pool *before = stream_begin_values(merged->logs[0].feed.stream);
    enum status status = hand_on_runs(merged, all, error);
    value_pool_short_lived(before);
    return status;
}

/* The time less the window. */
static int64_t less_window(const struct merged *merged, int64_t time)
{
    int64_t least = INT64_MIN + 1; /* not TIME_NONE */
    return time < least + merged->window ? least : time - merged->window;
}

/* What is earlier than this can come no more. */
static enum status move_watermark(struct merged *merged, struct error *error)
{
    int64_t newest = TIME_NONE, oldest = INT64_MAX;
    for (uint32_t i = 0; i < merged->count; i++) {
        const struct merged_log *log = &merged->logs[i];
        if (!log->ended && log->newest == TIME_NONE)
            return STATUS_OK; /* it may begin with any event */
        if (log->newest > newest)
            newest = log->newest;
        if (!log->dry && !log->ended && log->newest < oldest)
            oldest = log->newest;
    }
    if (oldest > newest)
        oldest = newest;
    if (oldest == TIME_NONE || less_window(merged, oldest) <= merged->watermark)
        return STATUS_OK;
    merged->watermark = less_window(merged, oldest);
    return hand_on_earlier(merged, false, error);
}

/* ---- events as they come ---- */

static enum status comes_late(const struct merged *merged, const struct merged_event *event,
                              int64_t least, struct error *error)
{
    return error_set(error, STATUS_INPUT, name_of(merged, event->log), event->event.line,
                     "expected a time of %" PRId64 " or more, the newest one less the window, "
                     "found %" PRId64 "; --window says by how much events may stand out of order",
                     least, event->event.time);
}

static enum status other_log(const struct merged *merged, const struct merged_event *event,
                             const struct merged_process *process, struct error *error)
{
    struct text message = TEXT_EMPTY;
    text_append(&message, "expected each process in one log, found ");
    print_process(event->event.process, &message);
    text_format(&message, ", which is in line %" PRIu32 " of %s", process->line,
                name_of(merged, process->log));
    enum status status = error_set(error, STATUS_INPUT, name_of(merged, event->log),
                                   event->event.line, "%s", text_string(&message));
    text_release(&message);
    return status;
}

static enum status runs_backwards(const struct merged *merged, const struct merged_event *event,
                                  const struct merged_process *process, struct error *error)
{
    struct text message = TEXT_EMPTY;
    text_append(&message, "expected the events of ");
    print_process(event->event.process, &message);
    text_format(&message,
                " in the order of their times, found %" PRId64 " after %" PRId64
                " in line %" PRIu32,
                event->event.time, process->time, process->line);
    enum status status = error_set(error, STATUS_INPUT, name_of(merged, event->log),
                                   event->event.line, "%s", text_string(&message));
    text_release(&message);
    return status;
}

/* Nobody's in particular: a nemesis may be in the log of every client. */
static bool is_note(const struct event *event)
{
    return event->type == EVENT_NOTE || (event->named && event->type == EVENT_INFO);
}

/* Looks at the process of an event: it is of one log, in the order of its times. */
static enum status check_process(struct merged *merged, const struct merged_event *event,
                                 struct error *error)
{
    value label = event->event.process;
    uint32_t number = labels_find(&merged->numbers, label);
    struct merged_process now = {
        .log = event->log, .time = event->event.time, .line = event->event.line};
    if (number == LABEL_NONE) {
        number = (uint32_t)merged->processes.length;
        return vector_push(&merged->processes, now) && labels_add(&merged->numbers, label, number)
                   ? STATUS_OK
                   : refused(merged, error);
    }
    struct merged_process *known = &merged->processes.items[number];
    bool note = is_note(&event->event);
    if (known->log != event->log && !note)
        return other_log(merged, event, known, error);
    if (known->time > event->event.time && !note)
        return runs_backwards(merged, event, known, error);
    if (!note) {
        known->time = now.time;
        known->line = now.line;
    }
    return STATUS_OK;
}

static enum status take_event(void *user, const struct event *event, struct error *error)
{
    struct merged_log *log = user;
    struct merged *merged = log->merged;
    struct merged_event waiting = {
        .event = *event, .log = (uint32_t)(log - merged->logs), .number = log->events++};
    bool timeless = event->time == TIME_NONE || event->time_unread;
    if (timeless && is_note(event) && log->newest != TIME_NONE) {
        waiting.event.time = log->newest; /* it stays behind what it stood behind */
        waiting.event.time_unread = timeless = false;
    }
    if (timeless)
        return error_set(error, STATUS_INPUT, log->feed.name, event->line,
                         "expected an integer of at most 64 bits as `time` of every event, to "
                         "order them by, found none");
    int64_t time = waiting.event.time;
    int64_t least = log->newest == TIME_NONE ? TIME_NONE : less_window(merged, log->newest);
    if (least < merged->watermark)
        least = merged->watermark;
    if (time < least)
        return comes_late(merged, &waiting, least, error);
    if (time > log->newest)
        log->newest = time;
    TRY(check_process(merged, &waiting, error));
    return add_waiting(merged, &waiting) ? STATUS_OK : refused(merged, error);
}

enum status merged_bytes(struct merged *merged, uint32_t log, const void *bytes, size_t length,
                         struct error *error)
{
    merged->logs[log].dry = false;
    TRY(feed_bytes(&merged->logs[log].feed, bytes, length, error));
    return move_watermark(merged, error);
}

enum status merged_set_dry(struct merged *merged, uint32_t log, bool dry, struct error *error)
{
    merged->logs[log].dry = dry;
    return dry ? move_watermark(merged, error) : STATUS_OK;
}

enum status merged_end(struct merged *merged, uint32_t log, struct error *error)
{
    TRY(feed_end(&merged->logs[log].feed, error));
    merged->logs[log].ended = true;
    for (uint32_t i = 0; i < merged->count; i++)
        if (!merged->logs[i].ended)
            return move_watermark(merged, error);
    return merged_settle(merged, error);
}

enum status merged_settle(struct merged *merged, struct error *error)
{
    merged->settled = true;
    return hand_on_earlier(merged, true, error);
}

uint32_t merged_next(const struct merged *merged)
{
    uint32_t next = merged->count;
    for (uint32_t i = 0; i < merged->count; i++) {
        const struct merged_log *log = &merged->logs[i];
        bool more = !log->dry && !log->ended;
        if (more && (next == merged->count || log->newest < merged->logs[next].newest))
            next = i;
    }
    return next;
}

uint32_t merged_silent(const struct merged *merged, int64_t time, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t i = merged->settled ? 0 : merged->count; i-- > 0;)
        if (!merged->logs[i].ended && merged->logs[i].newest < time) {
            *first = i;
            count++;
        }
    return count;
}

uint32_t merged_log_of(const struct merged *merged, value process)
{
    uint32_t number = labels_find(&merged->numbers, process);
    return number == LABEL_NONE ? 0 : merged->processes.items[number].log;
}

/* ---- beginning and end ---- */

enum status merged_open(struct merged *merged, struct stream *stream, const char *const *names,
                        size_t count, const char *format, int64_t window, struct event_sink next,
                        struct limits *limits, struct error *error)
{
    *merged = (struct merged){.next = next,
                              .window = window,
                              .watermark = TIME_NONE,
                              .budget = limits->budget,
                              .room = count * sizeof *merged->logs};
    vectors_init(limits->budget, &merged->waiting, &merged->run, &merged->processes);
    labels_init(&merged->numbers, limits->budget);
    merged->logs = memory_zeroed(limits->budget, merged->room);
    if (!merged->logs)
        return error_set(error, STATUS_LIMIT, names[0], 0, "the memory limit is reached");
    for (size_t i = 0; i < count; i++) {
        struct merged_log *log = &merged->logs[i];
        *log = (struct merged_log){.merged = merged, .newest = TIME_NONE};
        merged->count++;
        TRY(feed_open(&log->feed, stream, names[i], format, (struct event_sink){take_event, log},
                      stream->history->pool, limits, error));
    }
    return STATUS_OK;
}

void merged_close(struct merged *merged)
{
    for (uint32_t i = 0; i < merged->count; i++)
        feed_close(&merged->logs[i].feed);
    if (merged->logs)
        memory_release(merged->budget, merged->logs, merged->room);
    vectors_release(&merged->waiting, &merged->run, &merged->processes);
    labels_release(&merged->numbers);
}

/* ---- values ---- */

static bool add_event(struct value_roots *roots, const struct event *event)
{
    return value_roots_add(roots, event->process) && value_roots_add(roots, event->function) &&
           value_roots_add(roots, event->value) && value_roots_add(roots, event->key) &&
           value_roots_add(roots, event->object) && value_roots_add(roots, (value)event->time);
}

/* The parsers of all logs forget theirs, if they can. */
bool merged_add_values(void *user, struct value_roots *roots)
{
    struct merged *merged = user;
    bool done = stream_add_labels(roots, &merged->numbers);
    for (uint32_t i = 0; i < merged->count && done; i++) {
        struct ahead *ahead = &merged->logs[i].feed.ahead;
        done = !ahead->format || ahead->format->lines->forget;
        if (ahead->format && done)
            ahead_forget(ahead);
    }
    for (size_t i = 0; i < merged->waiting.length && done; i++)
        done = add_event(roots, &merged->waiting.items[i].event);
    return done;
}

/* ---- checkpoints ---- */

static void archive_event(struct archive *archive, struct event *event)
{
    archive_value(archive, &event->process);
    archive_value(archive, &event->function);
    archive_value(archive, &event->value);
    archive_value(archive, &event->key);
    archive_value(archive, &event->object);
    ARCHIVE(archive, event->time);
    ARCHIVE(archive, event->line);
    ARCHIVE(archive, event->type);
    ARCHIVE(archive, event->noted);
    ARCHIVE(archive, event->has_value);
    ARCHIVE(archive, event->has_key);
    ARCHIVE(archive, event->has_object);
    ARCHIVE(archive, event->time_unread);
    ARCHIVE(archive, event->named);
}

/* The labels, by their numbers; null when refused. */
static value *labels_in_order(const struct merged *merged)
{
    const size_t count = merged->processes.length;
    value *values = memory_zeroed(merged->budget, (count + 1) * sizeof *values);
    for (size_t i = 0; values && merged->numbers.bits && i < (size_t)1 << merged->numbers.bits; i++)
        if (merged->numbers.places[i].number != LABEL_NONE)
            values[merged->numbers.places[i].number] = merged->numbers.places[i].value;
    return values;
}

static void archive_processes(struct merged *merged, struct archive *archive)
{
    ARCHIVE_LENGTH(archive, &merged->processes);
    const size_t length = merged->processes.length;
    value *labels = labels_in_order(merged);
    if (!labels)
        archive_fail(archive, STATUS_LIMIT);
    for (uint32_t i = 0; i < length && labels; i++) {
        struct merged_process *process = &merged->processes.items[i];
        archive_value(archive, &labels[i]);
        ARCHIVE_BELOW(archive, process->log, merged->count);
        ARCHIVE(archive, process->time);
        ARCHIVE(archive, process->line);
        ARCHIVE(archive, process->returned);
        archive_label(archive, &merged->numbers, labels[i], i);
    }
    memory_release(merged->budget, labels, (length + 1) * sizeof *labels);
}

void merged_archive(struct merged *merged, struct archive *archive)
{
    for (uint32_t i = 0; i < merged->count; i++) {
        struct merged_log *log = &merged->logs[i];
        feed_archive(&log->feed, archive);
        ARCHIVE(archive, log->newest);
        ARCHIVE(archive, log->events);
        ARCHIVE(archive, log->dry);
        ARCHIVE(archive, log->ended);
    }
    ARCHIVE_LENGTH(archive, &merged->waiting);
    for (size_t i = 0; i < merged->waiting.length; i++) {
        struct merged_event *waiting = &merged->waiting.items[i];
        archive_event(archive, &waiting->event);
        ARCHIVE_BELOW(archive, waiting->log, merged->count);
        ARCHIVE(archive, waiting->number);
    }
    archive_processes(merged, archive);
    ARCHIVE(archive, merged->watermark);
    ARCHIVE(archive, merged->runs);
}

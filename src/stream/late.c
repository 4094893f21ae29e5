#include "stream/late.h"

#include "base/linked.h"
#include "value/print.h"

#define NONE LINKED_NONE

void late_init(struct late *late, const char *name, int64_t most, struct event_sink next,
               struct budget *budget)
{
    *late = (struct late){
        .next = next, .name = name, .most = most, .newest = TIME_NONE, .first = NONE, .last = NONE};
    labels_init(&late->numbers, budget);
    vector_init(&late->processes, budget);
}

void late_release(struct late *late)
{
    labels_release(&late->numbers);
    vector_release(&late->processes);
}

static enum status refused(const struct late *late, struct error *error)
{
    return error_set(error, STATUS_LIMIT, late->name, 0, "the memory limit is reached");
}

/* ---- those that run ---- */

static void add_running(struct late *late, uint32_t number)
{
    late->processes.items[number].runs = true;
    LINKED_APPEND(late, late->processes.items, number);
}

static void remove_running(struct late *late, uint32_t number)
{
    late->processes.items[number].runs = false;
    LINKED_REMOVE(late, late->processes.items, number);
}

/* Whether one that began then has run for too long. */
static bool is_late(const struct late *late, int64_t since)
{
    return (uint64_t)late->newest - (uint64_t)since > (uint64_t)late->most && late->newest > since;
}

/* Those that began first come first. */
static enum status take_late_ones(struct late *late, struct error *error)
{
    while (late->first != NONE && is_late(late, late->processes.items[late->first].since)) {
        uint32_t number = late->first;
        struct late_process *process = &late->processes.items[number];
        const struct event ends = {.process = process->label,
                                   .function = VALUE_NIL,
                                   .value = VALUE_NIL,
                                   .key = VALUE_NIL,
                                   .object = VALUE_NIL,
                                   .time = late->newest,
                                   .line = process->line,
                                   .type = EVENT_INFO};
        remove_running(late, number);
        process->late = true;
        late->taken++;
        TRY(sink_take(&late->next, &ends, error));
    }
    return STATUS_OK;
}

/* ---- events ---- */

static uint32_t number_of(struct late *late, value label)
{
    uint32_t number = labels_find(&late->numbers, label);
    struct late_process process = {.label = label, .before = NONE, .after = NONE};
    if (number != LABEL_NONE)
        return number;
    number = (uint32_t)late->processes.length;
    return vector_push(&late->processes, process) && labels_add(&late->numbers, label, number)
               ? number
               : NONE;
}

static enum status still_runs(const struct late *late, const struct event *event, uint32_t number,
                              struct error *error)
{
    struct text shown = TEXT_EMPTY;
    value_print_edn(event->process, &shown);
    enum status status =
        error_set(error, STATUS_INPUT, late->name, event->line,
                  "expected process %s to complete its operation of line %u first, found another "
                  "invocation",
                  text_string(&shown), late->processes.items[number].line);
    text_release(&shown);
    return status;
}

enum status late_take(struct late *late, const struct event *event, struct error *error)
{
    if (event->type == EVENT_NOTE)
        return sink_take(&late->next, event, error);
    if (event->time == TIME_NONE || event->time_unread)
        return error_set(error, STATUS_INPUT, late->name, event->line,
                         "expected an integer of at most 64 bits as `time` of every event, to "
                         "find those that are late, found none");
    if (event->time > late->newest)
        late->newest = event->time;
    TRY(take_late_ones(late, error));
    uint32_t number = number_of(late, event->process);
    if (number == NONE)
        return refused(late, error);
    struct late_process *process = &late->processes.items[number];
    if (process->late) {
        if (event->type == EVENT_INVOKE)
            return still_runs(late, event, number, error);
        process->late = false;
        late->ignored++;
        return STATUS_OK;
    }
    if (event->type == EVENT_INVOKE && !process->runs) {
        process->since = event->time;
        process->line = event->line;
        add_running(late, number);
    } else if (event->type != EVENT_INVOKE && process->runs)
        remove_running(late, number);
    return sink_take(&late->next, event, error);
}

/* ---- checkpoints ---- */

void late_archive(struct late *late, struct archive *archive)
{
    ARCHIVE(archive, late->newest);
    ARCHIVE_LENGTH(archive, &late->processes);
    const size_t length = late->processes.length;
    for (uint32_t i = 0; i < length; i++) {
        struct late_process *process = &late->processes.items[i];
        archive_value(archive, &process->label);
        ARCHIVE(archive, process->since);
        process->before = archive_place(archive, process->before, length);
        process->after = archive_place(archive, process->after, length);
        ARCHIVE(archive, process->line);
        ARCHIVE(archive, process->runs);
        ARCHIVE(archive, process->late);
        archive_label(archive, &late->numbers, process->label, i);
    }
    late->first = archive_place(archive, late->first, length);
    late->last = archive_place(archive, late->last, length);
    ARCHIVE(archive, late->taken);
    ARCHIVE(archive, late->ignored);
}

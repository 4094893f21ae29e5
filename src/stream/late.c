#include "stream/late.h"

#include <assert.h>

#include "base/hash.h"
#include "base/linked.h"
#include "value/print.h"

#define NONE LINKED_NONE

void late_init(struct late *late, const char *name, int64_t most, struct event_sink next,
               struct budget *budget)
{
    *late = (struct late){
        .next = next, .name = name, .most = most, .newest = TIME_NONE, .first = NONE, .last = NONE};
    vectors_init(budget, &late->running, &late->silent);
    table_init(&late->by_running, budget);
    table_init(&late->by_silent, budget);
}

void late_release(struct late *late)
{
    vectors_release(&late->running, &late->silent);
    table_release(&late->by_running);
    table_release(&late->by_silent);
}

static enum status refused(const struct late *late, struct error *error)
{
    return error_set(error, STATUS_LIMIT, late->name, 0, "the memory limit is reached");
}

/* ---- processes ---- */

/* The number of a process; NONE. */
static uint32_t find_running(const struct late *late, value label)
{
    struct table_search search = table_search(&late->by_running, hash_word(label));
    while (table_next(&search))
        if (late->running.items[search.number].label == label)
            return search.number;
    return NONE;
}

static uint32_t find_silent(const struct late *late, value label)
{
    struct table_search search = table_search(&late->by_silent, hash_word(label));
    while (table_next(&search))
        if (late->silent.items[search.number].label == label)
            return search.number;
    return NONE;
}

static bool add_running(struct late *late, const struct late_running *process)
{
    const uint32_t number = (uint32_t)late->running.length;
    if (!vector_push(&late->running, *process) ||
        !table_add(&late->by_running, hash_word(process->label), number)) {
        late->running.length = number;
        return false;
    }
    LINKED_APPEND(late, late->running.items, number);
    return true;
}

static bool add_silent(struct late *late, const struct late_silent *process)
{
    const uint32_t number = (uint32_t)late->silent.length;
    const bool added = vector_push(&late->silent, *process) &&
                       table_add(&late->by_silent, hash_word(process->label), number);
    if (!added)
        late->silent.length = number;
    return added;
}

/* The one that was added last takes the place of one that is taken out: its number in the table
 * changes. There is room for that, since something was taken out before. */
static void renumber(struct table *table, value label, uint32_t from, uint32_t to)
{
    table_remove(table, hash_word(label), from);
    const bool added = table_add(table, hash_word(label), to);
    assert(added);
    (void)added;
}

static void remove_running(struct late *late, uint32_t number)
{
    struct late_running *items = late->running.items;
    const uint32_t last = (uint32_t)--late->running.length;
    table_remove(&late->by_running, hash_word(items[number].label), number);
    LINKED_REMOVE(late, items, number);
    if (number == last)
        return;
    const uint32_t before = items[last].before;
    renumber(&late->by_running, items[last].label, last, number);
    LINKED_REMOVE(late, items, last);
    items[number] = items[last];
    LINKED_INSERT(late, items, number, before);
}

static void remove_silent(struct late *late, uint32_t number)
{
    struct late_silent *items = late->silent.items;
    const uint32_t last = (uint32_t)--late->silent.length;
    table_remove(&late->by_silent, hash_word(items[number].label), number);
    if (number == last)
        return;
    renumber(&late->by_silent, items[last].label, last, number);
    items[number] = items[last];
}

/* Whether one that began then has run for too long. */
static bool is_late(const struct late *late, int64_t since)
{
    return (uint64_t)late->newest - (uint64_t)since > (uint64_t)late->most && late->newest > since;
}

/* Those that began first come first. */
static enum status take_late_ones(struct late *late, struct error *error)
{
    while (late->first != NONE && is_late(late, late->running.items[late->first].since)) {
        const struct late_running process = late->running.items[late->first];
        const struct late_silent silent = {process.label, process.line};
        const struct event ends = {.process = process.label,
                                   .function = VALUE_NIL,
                                   .value = VALUE_NIL,
                                   .key = VALUE_NIL,
                                   .object = VALUE_NIL,
                                   .time = late->newest,
                                   .line = process.line,
                                   .type = EVENT_INFO};
        if (!add_silent(late, &silent))
            return refused(late, error);
        remove_running(late, late->first);
        late->taken++;
        TRY(sink_take(&late->next, &ends, error));
    }
    return STATUS_OK;
}

/* ---- events ---- */

static enum status still_runs(const struct late *late, const struct event *event, uint32_t line,
                              struct error *error)
{
    struct text shown = TEXT_EMPTY;
    value_print_edn(event->process, &shown);
    enum status status =
        error_set(error, STATUS_INPUT, late->name, event->line,
                  "expected process %s to complete its operation of line %u first, found another "
                  "invocation",
                  text_string(&shown), line);
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
    const uint32_t silent = find_silent(late, event->process);
    if (silent != NONE && event->type == EVENT_INVOKE)
        return still_runs(late, event, late->silent.items[silent].line, error);
    if (silent != NONE) {
        remove_silent(late, silent);
        late->ignored++;
        return STATUS_OK;
    }
    const uint32_t number = find_running(late, event->process);
    const struct late_running process = {
        .label = event->process, .since = event->time, .line = event->line};
    if (event->type == EVENT_INVOKE && number == NONE && !add_running(late, &process))
        return refused(late, error);
    if (event->type != EVENT_INVOKE && number != NONE)
        remove_running(late, number);
    return sink_take(&late->next, event, error);
}

bool late_add_values(void *user, struct value_roots *roots)
{
    const struct late *late = user;
    bool done = true;
    for (size_t i = 0; i < late->running.length && done; i++)
        done = value_roots_add(roots, late->running.items[i].label);
    for (size_t i = 0; i < late->silent.length && done; i++)
        done = value_roots_add(roots, late->silent.items[i].label);
    return done;
}

/* ---- checkpoints ---- */

void late_archive(struct late *late, struct archive *archive)
{
    ARCHIVE(archive, late->newest);
    ARCHIVE_LENGTH(archive, &late->running);
    const size_t length = late->running.length;
    for (uint32_t i = 0; i < length; i++) {
        struct late_running *process = &late->running.items[i];
        archive_value(archive, &process->label);
        ARCHIVE(archive, process->since);
        process->before = archive_place(archive, process->before, length);
        process->after = archive_place(archive, process->after, length);
        ARCHIVE(archive, process->line);
        if (archive_reads(archive) && !table_add(&late->by_running, hash_word(process->label), i))
            archive_fail(archive, STATUS_LIMIT);
    }
    ARCHIVE_LENGTH(archive, &late->silent);
    for (uint32_t i = 0; i < late->silent.length; i++) {
        struct late_silent *process = &late->silent.items[i];
        value label = process->label;
        archive_value(archive, &label);
        process->label = label;
        ARCHIVE(archive, process->line);
        if (archive_reads(archive) && !table_add(&late->by_silent, hash_word(label), i))
            archive_fail(archive, STATUS_LIMIT);
    }
    late->first = archive_place(archive, late->first, length);
    late->last = archive_place(archive, late->last, length);
    ARCHIVE(archive, late->taken);
    ARCHIVE(archive, late->ignored);
}

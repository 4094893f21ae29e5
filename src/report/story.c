/* From a violation's operations to the timeline that draws them: rows for processes, notes for what
 * happened to the system meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/label.h"
#include "report/text.h"
#include "report/timeline.h"

#define NOTE_COLUMNS 56 /* what is longer is cut; of two notes each to half of that */
#define GAP_NOTES    2  /* of several notes between two events, the last ones */

struct story {
    const lp_history *history;
    const struct report_violation *violation;
    const struct terminal *terminal;
    struct timeline_item *items;
    char **labels;
    lp_value *processes; /* of each row */
    char **rows;
    size_t row_count;
    struct timeline_note *notes;
    char **note_labels;
    size_t note_count;
};

static int by_process(const void *left, const void *right)
{
    const lp_value *a = left, *b = right;
    int64_t first, second;
    bool one = lp_value_get_integer(*a, &first), two = lp_value_get_integer(*b, &second);
    if (one && two)
        return (first > second) - (first < second);
    if (one != two)
        return one ? -1 : 1;
    const char *text, *other;
    size_t length, other_length;
    if (!lp_value_get_text(*a, &text, &length) || !lp_value_get_text(*b, &other, &other_length))
        return (*a > *b) - (*a < *b);
    int order = memcmp(text, other, length < other_length ? length : other_length);
    return order ? order : (length > other_length) - (length < other_length);
}

static void collect_rows(struct story *story)
{
    size_t count = story->violation->operation_count;
    for (size_t i = 0; i < count; i++)
        story->processes[i] = story->violation->operations[i].recorded.process;
    qsort(story->processes, count, sizeof *story->processes, by_process);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || story->processes[i] != story->processes[story->row_count - 1])
            story->processes[story->row_count++] = story->processes[i];
    for (size_t i = 0; i < story->row_count; i++) {
        struct text name = TEXT_EMPTY;
        label_process(story->processes[i], story->terminal, &name);
        story->rows[i] = text_take(&name);
    }
}

static void collect_items(struct story *story)
{
    const lp_violation *found = story->violation->found;
    for (size_t i = 0; i < story->violation->operation_count; i++) {
        const struct report_operation *operation = &story->violation->operations[i];
        const lp_operation *recorded = &operation->recorded;
        struct text label = TEXT_EMPTY;
        uint32_t row = 0;
        while (story->processes[row] != recorded->process)
            row++;
        label_operation(operation, found->has_key ? &found->key : NULL, story->terminal, &label);
        story->labels[i] = text_take(&label);
        bool open = recorded->outcome == LP_OUTCOME_UNKNOWN || recorded->response == LP_NEVER;
        story->items[i] = (struct timeline_item){.label = story->labels[i],
                                                 .row = row,
                                                 .start = recorded->invoke,
                                                 .end = open ? TIMELINE_OPEN : recorded->response,
                                                 .core = operation->core};
    }
}

static char *note_label(const lp_annotation *annotation, const struct terminal *terminal)
{
    struct text label = TEXT_EMPTY;
    const char *function = annotation->function ? annotation->function : "";
    utf8_append_shown(&label, function, strlen(function), terminal->unicode);
    if (annotation->value != LP_VALUE_NIL) {
        text_append(&label, label.length ? " " : "");
        label_value(annotation->value, terminal, &label);
    }
    return text_take(&label);
}

static void append_cut(const char *label, size_t columns, const struct terminal *terminal,
                       struct text *text)
{
    size_t length = strlen(label), fits = utf8_fit(label, length, columns);
    text_append_bytes(text, label, fits);
    if (fits < length)
        text_append(text, terminal->unicode ? "…" : "...");
}

/* Jepsen notes each act twice, before and after, alike or with a value only the second time. */
static bool says_no_more(const lp_annotation *note, const lp_annotation *next)
{
    return note->process == next->process &&
           (note->value == next->value || note->value == LP_VALUE_NIL) && note->function &&
           next->function && strcmp(note->function, next->function) == 0;
}

static int by_position(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Joins the last notes of one gap. */
static void add_note(struct story *story, uint32_t position, size_t first, size_t end)
{
    char *labels[GAP_NOTES] = {NULL};
    size_t count = 0, at = end;
    bool more = false;
    lp_annotation next = {0};
    while (at > first && !more) {
        lp_annotation annotation = lp_history_annotation(story->history, --at);
        if (count && says_no_more(&annotation, &next))
            continue;
        next = annotation;
        if (count == GAP_NOTES)
            more = true;
        else
            labels[count++] = note_label(&annotation, story->terminal);
    }
    struct text joined = TEXT_EMPTY;
    if (more)
        text_append(&joined, story->terminal->unicode ? "…, " : "..., ");
    for (size_t columns = NOTE_COLUMNS / count; count-- > 0;) {
        append_cut(labels[count], columns, story->terminal, &joined);
        text_append(&joined, count ? ", " : "");
        free(labels[count]);
    }
    story->note_labels[story->note_count] = text_take(&joined);
    story->notes[story->note_count] =
        (struct timeline_note){story->note_labels[story->note_count], position};
    story->note_count++;
}

static void collect_notes(struct story *story)
{
    size_t count = story->violation->operation_count, events = 0, at = 0;
    uint32_t *positions = memory_small(2 * count * sizeof *positions);
    for (size_t i = 0; i < count; i++) {
        positions[events++] = story->items[i].start;
        if (story->items[i].end != TIMELINE_OPEN)
            positions[events++] = story->items[i].end;
    }
    qsort(positions, events, sizeof *positions, by_position);
    size_t all = lp_history_annotations(story->history);
    for (size_t i = 0; i < events; i++) {
        size_t first = at;
        while (at < all && lp_history_annotation(story->history, at).position <= positions[i])
            at++;
        if (at > first) /* before the first event, what happened last is what still holds */
            add_note(story, positions[i], i ? first : at - 1, at);
    }
    free(positions);
}

static char *note_row(const struct story *story)
{
    struct text name = TEXT_EMPTY;
    const char *text;
    size_t length;
    if (story->note_count) {
        lp_annotation first = lp_history_annotation(story->history, 0);
        if (lp_value_get_text(first.process, &text, &length))
            utf8_append_shown(&name, text, length, story->terminal->unicode);
    }
    return text_take(&name);
}

void report_text_timeline(const lp_history *history, const struct report_violation *violation,
                          const struct terminal *terminal, struct text *text)
{
    size_t count = violation->operation_count;
    struct story story = {.history = history, .violation = violation, .terminal = terminal};
    story.items = memory_small(count * sizeof *story.items);
    story.labels = memory_small(count * sizeof *story.labels);
    story.processes = memory_small(count * sizeof *story.processes);
    story.rows = memory_small(count * sizeof *story.rows);
    story.notes = memory_small(2 * count * sizeof *story.notes);
    story.note_labels = memory_small(2 * count * sizeof *story.note_labels);
    collect_rows(&story);
    collect_items(&story);
    collect_notes(&story);
    char *name = note_row(&story);
    struct timeline timeline = {.rows = (const char *const *)story.rows,
                                .row_count = story.row_count,
                                .items = story.items,
                                .item_count = count,
                                .note_row = name,
                                .notes = story.notes,
                                .note_count = story.note_count};
    timeline_draw(&timeline, terminal, 4, text);
    for (size_t i = 0; i < count; i++)
        free(story.labels[i]);
    for (size_t i = 0; i < story.row_count; i++)
        free(story.rows[i]);
    for (size_t i = 0; i < story.note_count; i++)
        free(story.note_labels[i]);
    free(name);
    free(story.items);
    free(story.labels);
    free(story.processes);
    free(story.rows);
    free(story.notes);
    free(story.note_labels);
}

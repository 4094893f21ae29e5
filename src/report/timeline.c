/* Layout, left to right, event by event: each event stands one column right of the one before it,
 * two if it begins an operation after another's end (so that precedence shows as a gap), and an end
 * far enough from its beginning for the label. That is the longest path through these constraints,
 * so every drawing is as narrow as it can be. A block takes events until the next would make it
 * wider than the terminal. Operations of one process that overlap (one never completed, and the
 * process went on) get lanes of their own. */
#include "report/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/memory.h"

#define OUTSIDE    UINT32_MAX /* of an item: does not begin, or end, in this block */
#define NOTE_LEAST 24         /* columns: a note that is cut to fewer begins a block instead */

enum mark_kind {
    MARK_NOTE, /* notes come before the event that follows them */
    MARK_END,
    MARK_START,
};

struct mark {
    uint32_t position;
    uint32_t which; /* item or note */
    enum mark_kind kind;
};

/* The pieces an interval is drawn with. */
struct pieces {
    const char *left, *right, *line, *open, *arrow, *cut;
};

static const struct pieces piece_sets[2][2] = {
    /* [unicode][core] */
    {{"|", "|", "-", ".", ">", "~"}, {"|", "|", "=", ".", ">", "~"}},
    {{"├", "┤", "─", "╌", ">", "…"}, {"┣", "┫", "━", "╍", ">", "…"}},
};

struct placed {
    size_t length;        /* bytes of the label, cut to what a block can hold */
    uint32_t columns;     /* of it */
    uint32_t lane;        /* counted over all rows */
    uint32_t start, end;  /* columns in this block, or OUTSIDE */
    bool begun, finished; /* before or in this block */
    bool shown;           /* has something in this block */
};

struct layout {
    const struct timeline *timeline;
    const struct terminal *terminal;
    struct text *text;
    unsigned indent, margin; /* margin: columns of indent and row names */
    uint32_t available;      /* columns right of the margin */
    struct mark *marks;
    size_t mark_count;
    struct placed *items;
    uint32_t *note_columns; /* of each note in this block, or OUTSIDE */
    uint32_t *lane_rows;    /* row of each lane */
    size_t lane_count;
    uint32_t width; /* of this block */
};

static int mark_compare(const void *left, const void *right)
{
    const struct mark *a = left, *b = right;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    return (a->which > b->which) - (a->which < b->which);
}

static void collect_marks(struct layout *layout)
{
    const struct timeline *timeline = layout->timeline;
    size_t count = 0;
    layout->marks =
        memory_small((2 * timeline->item_count + timeline->note_count) * sizeof *layout->marks);
    for (uint32_t i = 0; i < timeline->note_count; i++)
        layout->marks[count++] = (struct mark){timeline->notes[i].position, i, MARK_NOTE};
    for (uint32_t i = 0; i < timeline->item_count; i++) {
        const struct timeline_item *item = &timeline->items[i];
        layout->marks[count++] = (struct mark){item->start, i, MARK_START};
        if (item->end != TIMELINE_OPEN)
            layout->marks[count++] = (struct mark){item->end, i, MARK_END};
    }
    qsort(layout->marks, count, sizeof *layout->marks, mark_compare);
    layout->mark_count = count;
}

/* First fit: an item goes to the first lane of its row that is free again. Rows in order, so that
 * the lanes of a row are neighbours. */
static void assign_lanes(struct layout *layout)
{
    const struct timeline *timeline = layout->timeline;
    uint32_t *free_at = memory_small(timeline->item_count * sizeof *free_at);
    layout->lane_rows = memory_small(timeline->item_count * sizeof *layout->lane_rows);
    layout->lane_count = 0;
    for (uint32_t row = 0; row < timeline->row_count; row++) {
        size_t first = layout->lane_count;
        for (size_t i = 0; i < timeline->item_count; i++) {
            const struct timeline_item *item = &timeline->items[i];
            if (item->row != row)
                continue;
            size_t lane = first;
            while (lane < layout->lane_count && free_at[lane] >= item->start)
                lane++;
            if (lane == layout->lane_count)
                layout->lane_rows[layout->lane_count++] = row;
            free_at[lane] = item->end;
            layout->items[i].lane = (uint32_t)lane;
        }
    }
    free(free_at);
}

/* Columns that the ends and the label of an item take at least: `┣━ label ━┫`, `┣━ label ╍╍>`. */
static uint32_t least_columns(const struct layout *layout, size_t item)
{
    bool open = layout->timeline->items[item].end == TIMELINE_OPEN;
    return layout->items[item].columns + (open ? 7 : 6);
}

static const char *note_arrow(const struct layout *layout)
{
    return layout->terminal->unicode ? "▼ " : "v ";
}

/* Columns that a note at column `x` takes: it is cut at the edge, if that leaves enough to read. */
static uint32_t note_columns(const struct layout *layout, size_t note, uint32_t x)
{
    const char *label = layout->timeline->notes[note].label;
    uint32_t columns = 2 + (uint32_t)utf8_columns(label, strlen(label));
    uint32_t least = layout->available < NOTE_LEAST ? layout->available : NOTE_LEAST;
    uint32_t most = x + least < layout->available ? layout->available - x : least;
    return columns < most ? columns : most;
}

static void measure(struct layout *layout)
{
    const struct timeline *timeline = layout->timeline;
    size_t name =
        timeline->note_count ? utf8_columns(timeline->note_row, strlen(timeline->note_row)) : 0;
    for (size_t i = 0; i < timeline->row_count; i++) {
        size_t columns = utf8_columns(timeline->rows[i], strlen(timeline->rows[i]));
        name = columns > name ? columns : name;
    }
    size_t most = layout->terminal->columns / 3;
    layout->margin = layout->indent + (unsigned)(name < most ? name : most) + 2;
    layout->available = layout->terminal->columns - layout->margin;
    for (size_t i = 0; i < timeline->item_count; i++) {
        const char *label = timeline->items[i].label;
        struct placed *placed = &layout->items[i];
        *placed = (struct placed){.start = OUTSIDE, .end = OUTSIDE};
        placed->length = utf8_fit(label, strlen(label), layout->available - 7);
        placed->columns = (uint32_t)utf8_columns(label, placed->length);
    }
}

/* The next block, from mark `first`: sets columns and width, returns the first mark after it. */
static size_t lay_out_block(struct layout *layout, size_t first)
{
    uint32_t x = 0, note_free = 0;
    layout->width = 0;
    for (size_t i = 0; i < layout->timeline->item_count; i++) {
        struct placed *item = &layout->items[i];
        item->start = item->end = OUTSIDE;
        item->shown = item->begun && !item->finished;
        if (item->shown && least_columns(layout, i) > layout->width)
            layout->width = least_columns(layout, i);
    }
    for (size_t i = 0; i < layout->timeline->note_count; i++)
        layout->note_columns[i] = OUTSIDE;

    size_t at = first;
    for (; at < layout->mark_count; at++) {
        const struct mark *mark = &layout->marks[at];
        uint32_t next = x, reach;
        if (at > first) {
            bool gap = mark->kind == MARK_START && layout->marks[at - 1].kind == MARK_END;
            next += gap ? 2 : 1;
        }
        if (mark->kind == MARK_NOTE) {
            next = next < note_free ? note_free : next;
            reach = next + note_columns(layout, mark->which, next);
        } else if (mark->kind == MARK_START) {
            reach = next + least_columns(layout, mark->which);
        } else {
            struct placed *item = &layout->items[mark->which];
            uint32_t least =
                (item->start == OUTSIDE ? 0 : item->start) + least_columns(layout, mark->which) - 1;
            next = next < least ? least : next;
            reach = next + 1;
        }
        if (reach > layout->available && at > first)
            break;
        x = next;
        if (reach > layout->width)
            layout->width = reach;
        if (mark->kind == MARK_NOTE) {
            layout->note_columns[mark->which] = x;
            note_free = reach + 1;
        } else if (mark->kind == MARK_START) {
            layout->items[mark->which].start = x;
            layout->items[mark->which].begun = layout->items[mark->which].shown = true;
        } else {
            layout->items[mark->which].end = x;
            layout->items[mark->which].finished = true;
        }
    }
    /* What never ended reaches beyond the last event. */
    for (size_t i = 0; at == layout->mark_count && i < layout->timeline->item_count; i++)
        if (layout->timeline->items[i].end == TIMELINE_OPEN && layout->width < layout->available) {
            layout->width++;
            break;
        }
    return at;
}

static void repeat(struct text *text, const char *piece, uint32_t times)
{
    while (times-- > 0)
        text_append(text, piece);
}

/* `last`: this is the last block, so what is open now stays open. */
static uint32_t draw_item(const struct layout *layout, size_t index, uint32_t column, bool last)
{
    const struct timeline_item *item = &layout->timeline->items[index];
    const struct placed *placed = &layout->items[index];
    const struct pieces *pieces = &piece_sets[layout->terminal->unicode][item->core];
    struct text *text = layout->text;
    bool open = item->end == TIMELINE_OPEN;
    uint32_t from = placed->start == OUTSIDE ? 0 : placed->start;
    uint32_t to = placed->end == OUTSIDE ? layout->width - 1 : placed->end;
    uint32_t lines = to - from + 1 - 2 - (placed->columns + 2);
    uint32_t before = open ? 1 : lines / 2;

    repeat(text, " ", from - column);
    terminal_style(layout->terminal, item->core ? STYLE_BAD : STYLE_DIM, text);
    text_append(text, placed->start == OUTSIDE ? pieces->cut : pieces->left);
    repeat(text, pieces->line, before);
    text_append(text, " ");
    text_append_bytes(text, item->label, placed->length);
    text_append(text, " ");
    repeat(text, open ? pieces->open : pieces->line, lines - before);
    text_append(text, placed->end != OUTSIDE ? pieces->right
                      : open && last         ? pieces->arrow
                                             : pieces->cut);
    terminal_style(layout->terminal, STYLE_PLAIN, text);
    return to + 1;
}

static void draw_name(const struct layout *layout, const char *name)
{
    size_t room = layout->margin - layout->indent - 2;
    size_t length = utf8_fit(name, strlen(name), room);
    repeat(layout->text, " ", layout->indent);
    text_append_bytes(layout->text, name, length);
    repeat(layout->text, " ", (uint32_t)(room - utf8_columns(name, length) + 2));
}

static void draw_notes(const struct layout *layout)
{
    const struct timeline *timeline = layout->timeline;
    uint32_t column = 0;
    for (size_t i = 0; i < timeline->note_count; i++) {
        if (layout->note_columns[i] == OUTSIDE)
            continue;
        if (!column)
            draw_name(layout, timeline->note_row);
        const char *label = timeline->notes[i].label;
        const char *cut = layout->terminal->unicode ? "…" : "...";
        uint32_t columns = note_columns(layout, i, layout->note_columns[i]);
        size_t length = strlen(label), fits = utf8_fit(label, length, columns - 2);
        repeat(layout->text, " ", layout->note_columns[i] - column);
        terminal_style(layout->terminal, STYLE_NOTE, layout->text);
        text_append(layout->text, note_arrow(layout));
        if (fits < length)
            fits = utf8_fit(label, length, columns - 2 - (uint32_t)utf8_columns(cut, strlen(cut)));
        text_append_bytes(layout->text, label, fits);
        text_append(layout->text, fits < length ? cut : "");
        terminal_style(layout->terminal, STYLE_PLAIN, layout->text);
        column = layout->note_columns[i] + columns;
    }
    if (column)
        text_append(layout->text, "\n");
}

static void draw_block(const struct layout *layout, bool last)
{
    uint32_t named = UINT32_MAX; /* the row whose name stands already */
    draw_notes(layout);
    for (size_t lane = 0; lane < layout->lane_count; lane++) {
        uint32_t column = 0, row = layout->lane_rows[lane];
        bool begun = false;
        for (size_t i = 0; i < layout->timeline->item_count; i++) {
            if (layout->items[i].lane != lane || !layout->items[i].shown)
                continue;
            if (!begun)
                draw_name(layout, row == named ? "" : layout->timeline->rows[row]);
            begun = true;
            named = row;
            column = draw_item(layout, i, column, last);
        }
        if (begun)
            text_append(layout->text, "\n");
    }
}

/* Between two blocks. Without it the first column of the second would seem to be as early as that
 * of the first. */
static void draw_continuation(const struct layout *layout)
{
    text_append(layout->text, "\n");
    repeat(layout->text, " ", layout->indent);
    terminal_append(layout->terminal, STYLE_DIM,
                    layout->terminal->unicode ? "… and later:" : "... and later:", layout->text);
    text_append(layout->text, "\n");
}

void timeline_draw(const struct timeline *timeline, const struct terminal *terminal,
                   unsigned indent, struct text *text)
{
    struct layout layout = {
        .timeline = timeline, .terminal = terminal, .text = text, .indent = indent};
    layout.items = memory_small(timeline->item_count * sizeof *layout.items);
    layout.note_columns = memory_small(timeline->note_count * sizeof *layout.note_columns);
    measure(&layout);
    collect_marks(&layout);
    assign_lanes(&layout);
    size_t at = 0;
    while (at < layout.mark_count) {
        if (at)
            draw_continuation(&layout);
        at = lay_out_block(&layout, at);
        draw_block(&layout, at == layout.mark_count);
    }
    free(layout.items);
    free(layout.note_columns);
    free(layout.marks);
    free(layout.lane_rows);
}

/* Three columns: the end of the order (its beginning is the same for all, and long), the state it
 * leads to, and what had to come next and could not, one below the other:
 *
 *     an order of 12 ends with           state   and cannot go on with
 *     … write 3, cas [3 4], read → 4     4       read → 3 (line 17)
 *                                                cas [3 5] (line 19)
 */
#include "report/partial.h"

#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/utf8.h"
#include "report/label.h"

#define MOST_PARTIALS 4 /* rows: more say the same */
#define MOST_STUCK    4 /* operations in the last column */
#define MOST_LAST     8 /* operations looked at for the first column */

struct cell {
    struct text text;
    size_t columns;
};

struct row {
    struct cell order, state, stuck[MOST_STUCK + 1];
    size_t stuck_count;
};

static void cut(struct cell *cell, size_t most, const struct terminal *terminal)
{
    const char *more = terminal->unicode ? "…" : "...";
    size_t columns = utf8_columns(text_string(&cell->text), cell->text.length);
    if (columns > most) {
        size_t room = most - utf8_columns(more, strlen(more));
        cell->text.length = utf8_fit(text_string(&cell->text), cell->text.length, room);
        text_append(&cell->text, more);
        columns = utf8_columns(text_string(&cell->text), cell->text.length);
    }
    cell->columns = columns;
}

/* Where the end says as much as the beginning. */
static void cut_middle(struct cell *cell, size_t most, const struct terminal *terminal)
{
    struct text whole = cell->text;
    cell->text = TEXT_EMPTY;
    utf8_append_ends(&cell->text, text_string(&whole), whole.length, most, terminal->unicode);
    cell->columns = utf8_columns(text_string(&cell->text), cell->text.length);
    text_release(&whole);
}

static void append_operation(const lp_history *history, const lp_violation *found, uint32_t index,
                             const struct terminal *terminal, struct text *text)
{
    struct report_operation operation = report_operation_find(history, found, index);
    label_operation(&operation, found->has_key ? &found->key : NULL, terminal, text);
}

/* As many of the last operations as fit into `most` columns, at least one. */
static void fill_order(struct cell *cell, const lp_history *history, const lp_violation *found,
                       const lp_partial *partial, size_t most, const struct terminal *terminal)
{
    struct text last[MOST_LAST];
    size_t count = 0, columns = 2;
    while (count < MOST_LAST && count < partial->order_length) {
        last[count] = TEXT_EMPTY;
        uint32_t index = partial->order[partial->order_length - 1 - count];
        append_operation(history, found, index, terminal, &last[count]);
        columns += utf8_columns(text_string(&last[count]), last[count].length) + 2;
        count++;
        if (columns > most)
            break;
    }
    size_t fitting = columns > most && count > 1 ? count - 1 : count;
    if (fitting < partial->order_length)
        text_append(&cell->text, terminal->unicode ? "… " : "... ");
    if (!partial->order_length)
        text_append(&cell->text, "(nothing)");
    for (size_t i = fitting; i-- > 0;)
        text_format(&cell->text, "%s%s", text_string(&last[i]), i ? ", " : "");
    for (size_t i = 0; i < count; i++)
        text_release(&last[i]);
    cut(cell, most, terminal);
}

static void fill_stuck(struct row *row, const lp_history *history, const lp_violation *found,
                       const lp_partial *partial, size_t most, const struct terminal *terminal)
{
    size_t shown = partial->stuck_length < MOST_STUCK ? partial->stuck_length : MOST_STUCK;
    for (size_t i = 0; i < shown; i++) {
        struct text place = TEXT_EMPTY;
        struct cell *cell = &row->stuck[row->stuck_count++];
        append_operation(history, found, partial->stuck[i], terminal, &cell->text);
        label_place(history, partial->stuck[i], false, &place);
        if (place.length)
            text_format(&cell->text, " (%s)", text_string(&place));
        text_release(&place);
        cut_middle(cell, most, terminal);
    }
    if (partial->stuck_length > shown) {
        struct cell *cell = &row->stuck[row->stuck_count++];
        text_format(&cell->text, "and %zu more", partial->stuck_length - shown);
        cut(cell, most, terminal);
    }
}

static void append_cell(const struct cell *cell, size_t columns, enum style style,
                        const struct terminal *terminal, struct text *text)
{
    terminal_append(terminal, style, text_string(&cell->text), text);
    text_format(text, "%*s", (int)(columns - cell->columns + 3), "");
}

static void append_row(const struct row *row, size_t order, size_t state,
                       const struct terminal *terminal, enum style style, struct text *text)
{
    text_append(text, "    ");
    append_cell(&row->order, order, style, terminal, text);
    append_cell(&row->state, state, style, terminal, text);
    for (size_t i = 0; i < row->stuck_count; i++) {
        if (i)
            text_format(text, "\n%*s", (int)(4 + order + 3 + state + 3), "");
        terminal_append(terminal, style == STYLE_PLAIN ? STYLE_BAD : style,
                        text_string(&row->stuck[i].text), text);
    }
    text_append(text, "\n");
}

static void row_set(struct cell *cell, const char *string, const struct terminal *terminal)
{
    text_append(&cell->text, string);
    cut(cell, 60, terminal);
}

static void widen(size_t *columns, const struct cell *cell)
{
    *columns = cell->columns > *columns ? cell->columns : *columns;
}

void partial_table(const lp_history *history, const struct report_violation *violation,
                   const struct terminal *terminal, struct text *text)
{
    const lp_violation *found = violation->found;
    struct row rows[1 + MOST_PARTIALS] = {0};
    size_t room = terminal->columns - 4 - 6, count = 1, order = 0, state = 0, stuck = 0;
    row_set(&rows[0].order, "the longest orders end with", terminal);
    row_set(&rows[0].state, "state", terminal);
    row_set(&rows[0].stuck[0], "cannot go on with", terminal);
    rows[0].stuck_count = 1;
    for (size_t i = 0; i < found->partial_count && count <= MOST_PARTIALS; i++) {
        const lp_partial *partial = &found->partials[i];
        struct row *row = &rows[count++];
        if (partial->state)
            utf8_append_shown(&row->state.text, partial->state, strlen(partial->state),
                              terminal->unicode);
        cut_middle(&row->state, room * 2 / 5, terminal);
        fill_stuck(row, history, found, partial, room * 2 / 5, terminal);
    }
    for (size_t i = 0; i < count; i++) {
        widen(&state, &rows[i].state);
        for (size_t j = 0; j < rows[i].stuck_count; j++)
            widen(&stuck, &rows[i].stuck[j]);
    }
    /* What the other columns leave, a fifth at least. */
    size_t left = room - state - stuck;
    for (size_t i = 1; i < count; i++)
        fill_order(&rows[i].order, history, found, &found->partials[i - 1], left, terminal);
    cut(&rows[0].order, left, terminal);
    for (size_t i = 0; i < count; i++)
        widen(&order, &rows[i].order);
    for (size_t i = 0; i < count; i++) {
        append_row(&rows[i], order, state, terminal, i ? STYLE_PLAIN : STYLE_STRONG, text);
        text_release(&rows[i].order.text);
        text_release(&rows[i].state.text);
        for (size_t j = 0; j < rows[i].stuck_count; j++)
            text_release(&rows[i].stuck[j].text);
    }
}

/* A result as text for people: the verdict's line, the reason, and what shows why. */
#include <string.h>

#include "base/quantity.h"
#include "base/utf8.h"
#include "report/execution.h"
#include "report/partial.h"
#include "report/result.h"
#include "report/rule_history.h"

/* ---- tables ---- */

static void print_cell(const struct node *cell, struct text *text)
{
    if (cell->shown)
        text_append(text, cell->shown);
    else if (cell->kind == NODE_NUMBER)
        text_append_count(text, cell->number);
    else if (cell->kind == NODE_SECONDS)
        text_format(text, "%.3f", cell->seconds);
    else if (cell->text)
        text_append(text, cell->text);
}

/* Negative: to the left. */
static int width_of(const struct node *table, const struct column *column)
{
    size_t width = strlen(column->title);
    if (column->width)
        return column->width;
    for (const struct node *row = table->first; row; row = row->next) {
        const struct node *cell = node_find_cell(row, column->key);
        size_t length = cell && cell->text ? strlen(cell->text) : 0;
        width = length > width ? length : width;
    }
    return -(int)width;
}

/* A row; null: the head. */
static void append_row(const struct node *table, const struct node *row, struct text *text)
{
    struct text cell = TEXT_EMPTY;
    for (const struct column *column = table->columns; column->title; column++) {
        const struct node *found = row ? node_find_cell(row, column->key) : NULL;
        text_clear(&cell);
        if (found)
            print_cell(found, &cell);
        text_format(text, "%s%*s", column > table->columns ? "  " : "", width_of(table, column),
                    row ? text_string(&cell) : column->title);
    }
    text_release(&cell);
}

/* "    operations    histories  linearizable", and so on. */
static void append_table(const struct node *table, const struct terminal *terminal,
                         struct text *text)
{
    struct text head = TEXT_EMPTY;
    if (!table->columns)
        return;
    append_row(table, NULL, &head);
    text_append(text, "\n    ");
    terminal_append(terminal, table->dim ? STYLE_DIM : STYLE_PLAIN, text_string(&head), text);
    text_append(text, "\n");
    for (const struct node *row = table->first; row; row = row->next) {
        text_append(text, "    ");
        append_row(table, row, text);
        text_append(text, "\n");
    }
    text_release(&head);
}

/* ---- lines ---- */

static void append_line(const struct node *line, const struct terminal *terminal, struct text *text)
{
    struct text shown = TEXT_EMPTY;
    utf8_append_shown(&shown, text_string(&line->words), line->words.length, terminal->unicode);
    text_format(text, "%*s", (int)line->indent, "");
    terminal_append(terminal, line->style, text_string(&shown), text);
    if (line->tail.length)
        terminal_append(terminal, line->tail_style, text_string(&line->tail), text);
    text_append(text, "\n");
    text_release(&shown);
}

static void append_paragraph(const struct node *paragraph, const struct terminal *terminal,
                             struct text *text)
{
    struct text shown = TEXT_EMPTY;
    const char *lead = paragraph->lead ? paragraph->lead : "";
    utf8_append_shown(&shown, text_string(&paragraph->words), paragraph->words.length,
                      terminal->unicode);
    text_append(text, lead);
    terminal_wrap(terminal, text_string(&shown), paragraph->indent, (unsigned)strlen(lead), text);
    text_release(&shown);
}

static void append_node(const struct node *node, const struct terminal *terminal, struct text *text)
{
    switch (node->kind) {
    case NODE_GAP:
        text_append(text, "\n");
        return;
    case NODE_LINE:
        append_line(node, terminal, text);
        return;
    case NODE_PARAGRAPH:
        append_paragraph(node, terminal, text);
        return;
    case NODE_TABLE:
        append_table(node, terminal, text);
        return;
    case NODE_TIMELINE:
        report_text_timeline(node->history, node->found, terminal, text);
        return;
    case NODE_OPERATIONS:
        report_text_operations(node->history, node->found, terminal, text);
        return;
    case NODE_ORDERS:
        partial_table(node->history, node->found, terminal, text);
        return;
    case NODE_EXECUTION:
        execution_table(node->found, node->boolean, terminal, text);
        return;
    case NODE_VISIBLE:
        execution_visible(node->found, terminal, text);
        return;
    case NODE_RULE_HISTORY:
        rule_history_draw(node->found, terminal, text);
        return;
    default:
        return; /* of JSON alone */
    }
}

/* ---- the whole ---- */

/* "queue.csp:31: violated: P() refines Q() (refinement, 1,000 states, 0.010 s)" */
static void append_verdict(const struct result *result, const struct terminal *terminal,
                           struct text *text)
{
    static const enum style styles[] = {
        [LP_HOLDS] = STYLE_GOOD, [LP_VIOLATED] = STYLE_BAD, [LP_UNDECIDED] = STYLE_UNKNOWN};
    utf8_append_shown(text, text_string(&result->subject), result->subject.length,
                      terminal->unicode);
    text_append(text, ": ");
    terminal_append(terminal, styles[result->verdict], result->words[result->verdict], text);
    if (result->about) {
        text_append(text, ": ");
        utf8_append_shown(text, result->about, strlen(result->about), terminal->unicode);
    }
    if (result->facts.length) {
        text_append(text, " (");
        utf8_append_shown(text, text_string(&result->facts), result->facts.length,
                          terminal->unicode);
        if (result->decided) {
            text_append(text, ", ");
            report_text_seconds(result->seconds, text);
        }
        text_append(text, ")");
    }
    text_append(text, "\n");
}

void result_text(const struct result *result, const struct report_style *style, struct text *text)
{
    const struct terminal *terminal = &style->terminal;
    append_verdict(result, terminal, text);
    if (result->reason.length && !result->told && (!style->quiet || result->insistent))
        report_text_reason(text_string(&result->reason), terminal, text);
    if (style->quiet)
        return;
    for (const struct node *node = result->root.first; node; node = node->next)
        append_node(node, terminal, text);
    if (result->has_replay && result->replay.length)
        report_text_commands(text_string(&result->replay), terminal, text);
}

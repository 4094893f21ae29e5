#include "report/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "report/json.h"

#define MOST_STEPS    400 /* longer executions are shown without their middle */
#define SHOWN_END     200 /* then so many steps at either end */
#define LEAST_CHANGES 24  /* columns for what changed */
#define INDENT        4
#define MARGIN        13 /* of the first column of events: indent, step, mark */
#define GAP           3

struct table {
    const lp_execution *execution;
    const struct terminal *terminal;
    struct text *text;
    uint32_t columns; /* of events: one a process, or 1 */
    bool joined;      /* all processes in one column, with a number each */
    unsigned *widths; /* of the columns of events, without the gap; what is longer runs on */
    unsigned changes; /* where the last column begins */
};

void execution_variables(const lp_variable *variables, size_t count,
                         const struct terminal *terminal, struct text *text)
{
    for (size_t i = 0; i < count; i++) {
        text_append(text, i ? ", " : "");
        utf8_append_shown(text, variables[i].name, strlen(variables[i].name), terminal->unicode);
        text_append(text, " = ");
        utf8_append_shown(text, variables[i].value, strlen(variables[i].value), terminal->unicode);
    }
}

/* "τ" is "tau" where there is no Unicode: it is a word of CSP#, not of somebody's text. */
static void append_event(const struct table *table, const lp_step *step, struct text *text)
{
    if (!table->terminal->unicode && strcmp(step->event, "τ") == 0)
        text_append(text, "tau");
    else
        utf8_append_shown(text, step->event, strlen(step->event), table->terminal->unicode);
    if (table->joined)
        text_format(text, " (process %u)", step->process);
}

static void append_spaces(struct text *text, unsigned count)
{
    text_format(text, "%*s", (int)count, "");
}

static uint32_t count_processes(const lp_execution *execution)
{
    uint32_t most = 0;
    for (size_t i = 0; i < execution->length; i++)
        if (execution->steps[i].process > most)
            most = execution->steps[i].process;
    return most + 1;
}

static void measure(struct table *table)
{
    struct text event = TEXT_EMPTY;
    table->changes = MARGIN;
    for (uint32_t i = 0; i < table->columns; i++)
        table->widths[i] = table->columns > 1 ? (unsigned)strlen("process ") + (i < 10 ? 1 : 2)
                                              : (unsigned)strlen("event");
    for (size_t i = 0; i < table->execution->length; i++) {
        const lp_step *step = &table->execution->steps[i];
        unsigned *width = &table->widths[table->joined ? 0 : step->process];
        text_clear(&event);
        append_event(table, step, &event);
        unsigned columns = (unsigned)utf8_columns(text_string(&event), event.length);
        *width = columns > *width ? columns : *width;
    }
    for (uint32_t i = 0; i < table->columns; i++)
        table->changes += table->widths[i] + GAP;
    text_release(&event);
}

static bool has_changes(const lp_execution *execution)
{
    bool found = execution->start_count > 0;
    for (size_t i = 0; i < execution->length && !found; i++)
        found = execution->steps[i].change_count > 0;
    return found;
}

static void append_head(const struct table *table)
{
    terminal_style(table->terminal, STYLE_DIM, table->text);
    append_spaces(table->text, INDENT);
    text_append(table->text, "step     ");
    unsigned column = MARGIN;
    for (uint32_t i = 0; i < table->columns; i++) {
        bool last = i + 1 == table->columns;
        unsigned next = last ? table->changes : column + table->widths[i] + GAP;
        size_t before = table->text->length;
        if (table->columns > 1)
            text_format(table->text, "process %u", i);
        else
            text_append(table->text, "event");
        if (!last || has_changes(table->execution))
            append_spaces(table->text, next - column - (unsigned)(table->text->length - before));
        column = next;
    }
    if (has_changes(table->execution))
        text_append(table->text, "changes");
    terminal_style(table->terminal, STYLE_PLAIN, table->text);
    text_append(table->text, "\n");
}

/* Begins a line of what changed. */
static void begin_line(const struct table *table, unsigned *column)
{
    text_append(table->text, "\n");
    append_spaces(table->text, table->changes);
    *column = table->changes;
}

/* What changed, from `column` on, and the end of the line: a value is broken only where it is too
 * long for a line of its own. */
static void append_changes(const struct table *table, const lp_variable *variables, size_t count,
                           unsigned column)
{
    struct text one = TEXT_EMPTY, broken = TEXT_EMPTY;
    const unsigned columns = table->terminal->columns;
    if (count && column >= table->changes)
        begin_line(table, &column);
    else if (count)
        append_spaces(table->text, table->changes - column);
    column = table->changes;
    for (size_t i = 0; i < count; i++) {
        text_clear(&one);
        execution_variables(&variables[i], 1, table->terminal, &one);
        text_append(&one, i + 1 < count ? "," : "");
        unsigned width = (unsigned)utf8_columns(text_string(&one), one.length);
        if (i && column + 1 + width > columns)
            begin_line(table, &column);
        else if (i) {
            text_append(table->text, " ");
            column++;
        }
        if (column + width > columns) {
            text_clear(&broken);
            terminal_wrap(table->terminal, text_string(&one), table->changes, column, &broken);
            text_append_bytes(table->text, text_string(&broken), broken.length - 1);
            column = columns; /* the next one begins a line */
        } else {
            text_append(table->text, text_string(&one));
            column += width;
        }
    }
    text_append(table->text, "\n");
    text_release(&broken);
    text_release(&one);
}

static void append_step(const struct table *table, size_t index, bool failing)
{
    const lp_step *step = &table->execution->steps[index];
    const struct terminal *terminal = table->terminal;
    const char *visible = terminal->unicode ? "•" : "*", *fault = terminal->unicode ? "✗" : "X";
    uint32_t place = table->joined ? 0 : step->process;
    unsigned column = MARGIN;
    struct text event = TEXT_EMPTY;
    append_event(table, step, &event);
    text_format(table->text, "%*s%4zu  %s  ", INDENT, "", index + 1,
                failing         ? fault
                : step->visible ? visible
                                : " ");
    for (uint32_t i = 0; i < place; i++) {
        append_spaces(table->text, table->widths[i] + GAP);
        column += table->widths[i] + GAP;
    }
    terminal_append(terminal,
                    failing         ? STYLE_BAD
                    : step->visible ? STYLE_STRONG
                                    : STYLE_PLAIN,
                    text_string(&event), table->text);
    column += (unsigned)utf8_columns(text_string(&event), event.length);
    append_changes(table, step->changes, step->change_count, column);
    text_release(&event);
}

/* The step and what stands before it: where the middle of a long execution is left out, and where a
 * loop begins. */
static void append_row(const struct table *table, size_t index, bool failing)
{
    const lp_execution *execution = table->execution;
    const char *rule = table->terminal->unicode ? "──" : "--";
    if (execution->length > MOST_STEPS && index == execution->length - SHOWN_END) {
        text_append(table->text, "      ... ");
        text_append_count(table->text, execution->length - 2 * (size_t)SHOWN_END);
        text_append(table->text, " steps are left out here; --json lists all\n");
    }
    if (execution->is_lasso && index == execution->loop_start)
        text_format(table->text, "      %s the loop %s\n", rule, rule);
    append_step(table, index, failing && index + 1 == execution->length);
    if (execution->is_lasso && index + 1 == execution->length)
        text_format(table->text, "      %s back to step %zu %s\n", rule, execution->loop_start + 1,
                    rule);
}

/* Has the processes begin beside one another, in front of where the changes stand; their events run
 * on below the heads of others. False if some would run on beyond the terminal. */
static bool stagger(struct table *table)
{
    const unsigned columns = table->terminal->columns, others = table->columns - 1;
    const unsigned least = (unsigned)strlen("process 10"), changes = columns - LEAST_CHANGES;
    const unsigned behind = MARGIN + table->widths[others] + GAP;
    unsigned width = changes > behind ? (changes - behind) / others : 0, widest = 0;
    width = width > least + GAP ? width - GAP : least;
    if (MARGIN + others * (width + GAP) + least + GAP > changes)
        return false;
    for (uint32_t i = 0, begins = MARGIN; i < table->columns; i++) {
        unsigned *own = &table->widths[i];
        widest = begins + *own > widest ? begins + *own : widest;
        *own = *own > width ? width : *own;
        begins += *own + GAP;
    }
    table->changes = changes;
    return widest <= columns;
}

static void lay_out(struct table *table)
{
    unsigned columns = table->terminal->columns;
    table->columns = count_processes(table->execution);
    table->widths = memory_small(table->columns * sizeof *table->widths);
    measure(table);
    if (table->changes + LEAST_CHANGES > columns && table->columns > 1 && !stagger(table)) {
        table->joined = true;
        table->columns = 1;
        measure(table);
    }
    if (table->changes + LEAST_CHANGES > columns)
        table->changes = columns - LEAST_CHANGES;
}

void execution_pieces(const lp_execution *execution, bool failing, const struct terminal *terminal,
                      bool (*piece)(void *user, struct text *text), void *user)
{
    struct text text = TEXT_EMPTY;
    struct table table = {.execution = execution, .terminal = terminal, .text = &text};
    lay_out(&table);
    append_head(&table);
    if (execution->start_count) {
        text_format(&text, "%*s%4d", INDENT, "", 0);
        append_changes(&table, execution->start, execution->start_count, INDENT + 4);
    }
    bool go_on = piece(user, &text);
    for (size_t i = 0; i < execution->length && go_on; i++) {
        if (execution->length > MOST_STEPS && i == SHOWN_END)
            i = execution->length - SHOWN_END;
        text_clear(&text);
        append_row(&table, i, failing);
        go_on = piece(user, &text);
    }
    text_release(&text);
    free(table.widths);
}

static bool append_piece(void *user, struct text *text)
{
    text_append(user, text_string(text));
    return true;
}

void execution_table(const lp_execution *execution, bool failing, const struct terminal *terminal,
                     struct text *text)
{
    execution_pieces(execution, failing, terminal, append_piece, text);
}

void execution_visible(const lp_execution *execution, const struct terminal *terminal,
                       struct text *text)
{
    struct text events = TEXT_EMPTY;
    for (size_t i = 0; i < execution->length; i++) {
        const lp_step *step = &execution->steps[i];
        if (!step->visible)
            continue;
        text_append(&events, events.length ? " " : "");
        utf8_append_shown(&events, step->event, strlen(step->event), terminal->unicode);
    }
    if (events.length == 0)
        text_append(&events, "(no visible event)");
    append_spaces(text, INDENT);
    terminal_wrap(terminal, text_string(&events), INDENT, INDENT, text);
    text_release(&events);
}

/* ---- JSON ---- */

void json_add_variables(yajl_gen json, const char *key, const lp_variable *variables, size_t count)
{
    json_open_object(json, key);
    for (size_t i = 0; i < count; i++)
        json_add_text(json, variables[i].name, variables[i].value);
    yajl_gen_map_close(json);
}

void execution_json_fields(const lp_execution *execution, yajl_gen json)
{
    json_add_variables(json, "start", execution->start, execution->start_count);
    json_open_list(json, "trace");
    for (size_t i = 0; i < execution->length; i++) {
        const lp_step *step = &execution->steps[i];
        yajl_gen_map_open(json);
        json_add_number(json, "process", step->process);
        json_add_text(json, "event", step->event);
        if (step->file)
            json_add_text(json, "file", step->file);
        if (step->line)
            json_add_number(json, "line", step->line);
        json_add_boolean(json, "visible", step->visible);
        json_add_variables(json, "changes", step->changes, step->change_count);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
    if (execution->is_lasso)
        json_add_number(json, "loop_start", execution->loop_start);
}

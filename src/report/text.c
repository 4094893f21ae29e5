#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "report/label.h"

void report_text_count(uint64_t number, const char *one, const char *several, struct text *text)
{
    text_append_count(text, number);
    text_format(text, " %s", number == 1 ? one : several);
}

const char *report_file_below(const char *file)
{
    char *folder = getcwd(NULL, 0);
    size_t length = folder ? strlen(folder) : 0;
    bool below = length && strncmp(file, folder, length) == 0 && file[length] == '/';
    free(folder);
    if (below)
        file += length + 1;
    while (file[0] == '.' && file[1] == '/' && file[2] && file[2] != '/')
        file += 2;
    return file;
}

void report_text_seconds(double seconds, struct text *text)
{
    text_format(text, "%.*f s", seconds < 0.1 ? 3 : seconds < 10 ? 2 : 1, seconds);
}

void report_text_reason(const char *reason, const struct terminal *terminal, struct text *text)
{
    struct text shown = TEXT_EMPTY;
    utf8_append_shown(&shown, reason, strlen(reason), terminal->unicode);
    terminal_wrap(terminal, text_string(&shown), 2, 0, text);
    text_release(&shown);
}

#define CELLS         4  /* operation, process, place in the file, times */
#define LEAST_COLUMNS 24 /* of an operation, be the terminal too narrow for all cells */

/* The operation in at most `most` columns. */
static void fill_cells(const lp_history *history, const struct report_violation *violation,
                       size_t index, size_t most, const struct terminal *terminal,
                       struct text cells[CELLS])
{
    const lp_value *key = violation->found->has_key ? &violation->found->key : NULL;
    const struct report_operation *operation = &violation->operations[index];
    struct text label = TEXT_EMPTY;
    for (size_t cell = 0; cell < CELLS; cell++)
        text_clear(&cells[cell]);
    label_operation(operation, key, terminal, &label);
    utf8_append_ends(&cells[0], text_string(&label), label.length, most, terminal->unicode);
    text_release(&label);
    label_process(operation->recorded.process, terminal, &cells[1]);
    label_place(history, operation->index, true, &cells[2]);
    label_times(&operation->recorded, &cells[3]);
}

/* Widens columns to what their cells take. */
static void measure_cells(const struct text cells[CELLS], size_t widths[CELLS])
{
    for (size_t cell = 0; cell < CELLS; cell++) {
        size_t columns = utf8_columns(text_string(&cells[cell]), cells[cell].length);
        widths[cell] = columns > widths[cell] ? columns : widths[cell];
    }
}

static void append_cells(const struct text cells[CELLS], const size_t widths[CELLS],
                         struct text *text)
{
    size_t gap = 4; /* columns before the next cell */
    for (size_t cell = 0; cell < CELLS; cell++) {
        size_t columns = utf8_columns(text_string(&cells[cell]), cells[cell].length);
        if (columns > 0) {
            text_format(text, "%*s%s", (int)gap, "", text_string(&cells[cell]));
            gap = 0;
        }
        gap += widths[cell] - columns + (widths[cell] > 0 ? 3 : 0);
    }
}

/* What the other cells leave of the terminal for the operation: half of it at most. */
static size_t operation_columns(const size_t widths[CELLS], const struct terminal *terminal)
{
    size_t taken = 4, half = terminal->columns / 2;
    for (size_t cell = 1; cell < CELLS; cell++)
        taken += widths[cell] > 0 ? widths[cell] + 3 : 0;
    size_t left = terminal->columns > taken ? terminal->columns - taken : 0;
    return left > half ? half : left > LEAST_COLUMNS ? left : LEAST_COLUMNS;
}

void report_text_operations(const lp_history *history, const struct report_violation *violation,
                            const struct terminal *terminal, struct text *text)
{
    struct text cells[CELLS] = {TEXT_EMPTY, TEXT_EMPTY, TEXT_EMPTY, TEXT_EMPTY};
    size_t widths[CELLS] = {0}, count = violation->operation_count;
    for (size_t i = 0; i < count; i++) {
        fill_cells(history, violation, i, terminal->columns / 2, terminal, cells);
        measure_cells(cells, widths);
    }
    size_t most = operation_columns(widths, terminal);
    widths[0] = widths[0] > most ? most : widths[0];
    for (size_t i = 0; i < count; i++) {
        fill_cells(history, violation, i, most, terminal, cells);
        terminal_style(terminal, violation->operations[i].core ? STYLE_STRONG : STYLE_DIM, text);
        append_cells(cells, widths, text);
        terminal_style(terminal, STYLE_PLAIN, text);
        text_append(text, "\n");
    }
    for (size_t cell = 0; cell < CELLS; cell++)
        text_release(&cells[cell]);
}

/* One line each. */
void report_text_commands(const char *commands, const struct terminal *terminal, struct text *text)
{
    text_append(text, "\n  to step through it:\n");
    while (*commands) {
        struct text command = TEXT_EMPTY;
        size_t length = strcspn(commands, "\n");
        utf8_append_shown(&command, commands, length, terminal->unicode);
        text_append(text, "    ");
        terminal_append(terminal, STYLE_STRONG, text_string(&command), text);
        text_append(text, "\n");
        text_release(&command);
        commands += length + (commands[length] == '\n');
    }
}

#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/utf8.h"
#include "report/label.h"

void report_text_count(uint64_t number, const char *one, const char *several, struct text *text)
{
    text_append_count(text, number);
    text_format(text, " %s", number == 1 ? one : several);
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

#define CELLS 4 /* operation, process, place in the file, times */

static void fill_cells(const lp_history *history, const struct report_violation *violation,
                       size_t index, const struct terminal *terminal, struct text cells[CELLS])
{
    const lp_value *key = violation->found->has_key ? &violation->found->key : NULL;
    const struct report_operation *operation = &violation->operations[index];
    struct text label = TEXT_EMPTY;
    for (size_t cell = 0; cell < CELLS; cell++)
        text_clear(&cells[cell]);
    label_operation(operation, key, terminal, &label);
    utf8_append_ends(&cells[0], text_string(&label), label.length, terminal->columns / 2,
                     terminal->unicode);
    text_release(&label);
    label_process(operation->recorded.process, terminal, &cells[1]);
    label_place(history, operation->index, true, &cells[2]);
    label_times(&operation->recorded, &cells[3]);
}

void report_text_operations(const lp_history *history, const struct report_violation *violation,
                            const struct terminal *terminal, struct text *text)
{
    struct text cells[CELLS] = {TEXT_EMPTY, TEXT_EMPTY, TEXT_EMPTY, TEXT_EMPTY};
    size_t widths[CELLS] = {0};
    /* The first round measures, the second writes. */
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < violation->operation_count; i++) {
            size_t gap = 4; /* columns before the next cell */
            fill_cells(history, violation, i, terminal, cells);
            if (round == 1)
                terminal_style(terminal, violation->operations[i].core ? STYLE_STRONG : STYLE_DIM,
                               text);
            for (size_t cell = 0; cell < CELLS; cell++) {
                size_t columns = utf8_columns(text_string(&cells[cell]), cells[cell].length);
                widths[cell] = columns > widths[cell] ? columns : widths[cell];
                if (round == 1 && columns > 0) {
                    text_format(text, "%*s%s", (int)gap, "", text_string(&cells[cell]));
                    gap = 0;
                }
                gap += widths[cell] - (columns > 0 ? columns : 0) + (widths[cell] > 0 ? 3 : 0);
            }
            if (round == 1) {
                terminal_style(terminal, STYLE_PLAIN, text);
                text_append(text, "\n");
            }
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

#include "report/label.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/utf8.h"

#define VALUE_COLUMNS 40 /* of one value in an operation */

void label_value(lp_value value, const struct terminal *terminal, struct text *text)
{
    char *shown = lp_value_to_text(value);
    if (shown)
        utf8_append_shown(text, shown, strlen(shown), terminal->unicode);
    free(shown);
}

/* A value of an operation: where it is long its beginning and its end. */
static void append_short(lp_value value, const struct terminal *terminal, struct text *text)
{
    struct text whole = TEXT_EMPTY;
    label_value(value, terminal, &whole);
    utf8_append_ends(text, text_string(&whole), whole.length, VALUE_COLUMNS, terminal->unicode);
    text_release(&whole);
}

/* Appends " VALUE" without the key in front of it: of [k v] just v, of [k old new] [old new], of k
 * itself nothing. Nil as a whole is nothing to show, unless `always`. */
static void append_value(lp_value value, const lp_value *key, bool always,
                         const struct terminal *terminal, struct text *text)
{
    const lp_value *items;
    size_t length;
    if (key && lp_value_kind(value) == LP_LIST && lp_value_get_items(value, &items, &length) &&
        length >= 2 && items[0] == *key) {
        if (length == 2) {
            append_value(items[1], NULL, always, terminal, text);
            return;
        }
        text_append(text, " [");
        for (size_t i = 1; i < length; i++) {
            if (i > 1)
                text_append(text, " ");
            append_short(items[i], terminal, text);
        }
        text_append(text, "]");
        return;
    }
    if (!always && (value == LP_VALUE_NIL || (key && value == *key)))
        return;
    text_append(text, " ");
    append_short(value, terminal, text);
}

/* Whether it is nil, or nil with the key in front of it. */
static bool is_nil(lp_value value, const lp_value *key)
{
    const lp_value *items;
    size_t length;
    return value == LP_VALUE_NIL ||
           (key && lp_value_kind(value) == LP_LIST && lp_value_get_items(value, &items, &length) &&
            length == 2 && items[0] == *key && items[1] == LP_VALUE_NIL);
}

void label_operation(const struct report_operation *operation, const lp_value *key,
                     const struct terminal *terminal, struct text *text)
{
    const lp_operation *recorded = &operation->recorded;
    const char *arrow = terminal->unicode ? " →" : " ->";
    utf8_append_shown(text, recorded->function, strlen(recorded->function), terminal->unicode);
    append_value(recorded->argument, key, false, terminal, text);
    if (recorded->outcome == LP_OUTCOME_FAIL)
        text_append(text, " failed");
    else if (recorded->outcome == LP_OUTCOME_UNKNOWN && operation->answers)
        text_format(text, "%s ?", arrow);
    else if (recorded->outcome == LP_OUTCOME_OK && recorded->result_recorded &&
             (is_nil(recorded->result, operation->keyed ? key : NULL)
                  ? operation->answers
                  : recorded->result != recorded->argument)) {
        text_append(text, arrow);
        append_value(recorded->result, operation->keyed ? key : NULL, true, terminal, text);
    }
}

void label_process(lp_value process, const struct terminal *terminal, struct text *text)
{
    const char *name;
    size_t length;
    text_append(text, "process ");
    if (lp_value_get_text(process, &name, &length))
        utf8_append_shown(text, name, length, terminal->unicode);
    else
        label_value(process, terminal, text);
}

/* Whether lines cannot tell the operations apart: JSON is often written as one line. */
static bool is_one_line(const lp_history *history)
{
    size_t count = lp_history_length(history);
    lp_operation first = lp_history_operation(history, 0);
    lp_operation last = lp_history_operation(history, count - 1);
    return count > 1 && first.invoke_line == last.invoke_line &&
           (!last.response_line || last.response_line == last.invoke_line);
}

void label_place(const lp_history *history, uint32_t index, bool whole, struct text *text)
{
    lp_operation operation = lp_history_operation(history, index);
    if (!operation.invoke_line)
        return;
    if (is_one_line(history))
        text_format(text, "operation %" PRIu32, index);
    else if (!whole || !operation.response_line || operation.response_line == operation.invoke_line)
        text_format(text, "line %" PRIu32, operation.invoke_line);
    else
        text_format(text, "lines %" PRIu32 " and %" PRIu32, operation.invoke_line,
                    operation.response_line);
}

void label_event_place(const lp_history *history, uint32_t index, bool returns, struct text *text)
{
    lp_operation operation = lp_history_operation(history, index);
    uint32_t line = returns ? operation.response_line : operation.invoke_line;
    if (line && is_one_line(history))
        text_format(text, "operation %" PRIu32, index);
    else if (line)
        text_format(text, "line %" PRIu32, line);
}

void label_times(const lp_operation *operation, struct text *text)
{
    bool returned = operation->response_time != LP_TIME_NONE && operation->response != LP_NEVER;
    if (operation->invoke_time == LP_TIME_NONE && !returned)
        return;
    text_append(text, "time ");
    if (operation->invoke_time != LP_TIME_NONE)
        text_format(text, "%" PRId64, operation->invoke_time);
    if (returned)
        text_format(text, "%sto %" PRId64, operation->invoke_time != LP_TIME_NONE ? " " : "",
                    operation->response_time);
}

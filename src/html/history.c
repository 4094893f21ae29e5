#include "html/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "html/packed.h"
#include "report/json.h"

void html_history_release(struct html_history *history)
{
    for (size_t i = 0; i < history->order_count; i++) {
        for (size_t k = 0; k < history->orders[i].state_count; k++)
            free(history->orders[i].states[k]);
        free(history->orders[i].states);
    }
    free(history->orders);
    free(history->parts);
    free(history->part_of);
    lp_result_destroy(history->searched);
}

/* What operations have in common: processes, and functions by name. */
struct names {
    lp_value *processes; /* ascending */
    size_t process_count;
    const char **functions;
    size_t function_count;
};

static int by_value(const void *left, const void *right)
{
    lp_value a = *(const lp_value *)left, b = *(const lp_value *)right;
    return (a > b) - (a < b);
}

static uint32_t find_process(const struct names *names, lp_value process)
{
    const lp_value *found =
        bsearch(&process, names->processes, names->process_count, sizeof process, by_value);
    return (uint32_t)(found - names->processes);
}

static uint32_t find_function(struct names *names, const char *function)
{
    size_t i = 0;
    while (i < names->function_count && strcmp(names->functions[i], function) != 0)
        i++;
    if (i == names->function_count)
        names->functions[names->function_count++] = function;
    return (uint32_t)i;
}

static void collect_processes(const lp_history *history, struct names *names)
{
    size_t count = lp_history_length(history), kept = 0;
    for (size_t i = 0; i < count; i++)
        names->processes[i] = lp_history_operation(history, i).process;
    if (count)
        qsort(names->processes, count, sizeof *names->processes, by_value);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || names->processes[kept - 1] != names->processes[i])
            names->processes[kept++] = names->processes[i];
    names->process_count = kept;
}

/* ---- columns ---- */

enum column_kind {
    COLUMN_PROCESS,       /* its number in `processes` */
    COLUMN_FUNCTION,      /* its number in `functions` */
    COLUMN_OUTCOME,       /* lp_outcome; 4 more: a result was recorded */
    COLUMN_INVOKE,        /* position, less that of the operation before */
    COLUMN_RESPONSE,      /* position, less that of the invocation; 0: never */
    COLUMN_INVOKE_LINE,   /* less that of the operation before */
    COLUMN_RESPONSE_LINE, /* less that of the invocation; 0: none */
    COLUMN_INVOKE_TIME,   /* less that of the operation before */
    COLUMN_RESPONSE_TIME, /* less that of the invocation */
    COLUMN_PART,          /* one more than its number in `parts`; 0: none */
    COLUMN_ARGUMENT,      /* as EDN */
    COLUMN_RESULT,        /* as EDN; empty: none */
    COLUMN_COUNT,
};

static const char *const column_names[] = {
    [COLUMN_PROCESS] = "process",
    [COLUMN_FUNCTION] = "function",
    [COLUMN_OUTCOME] = "outcome",
    [COLUMN_INVOKE] = "invoke",
    [COLUMN_RESPONSE] = "response",
    [COLUMN_INVOKE_LINE] = "invoke_line",
    [COLUMN_RESPONSE_LINE] = "response_line",
    [COLUMN_INVOKE_TIME] = "invoke_time",
    [COLUMN_RESPONSE_TIME] = "response_time",
    [COLUMN_PART] = "part",
    [COLUMN_ARGUMENT] = "argument",
    [COLUMN_RESULT] = "result",
};

static void append_value(lp_value value, struct text *bytes)
{
    char *shown = lp_value_to_text(value);
    packed_text(bytes, shown ? shown : "");
    free(shown);
}

/* The difference of two positions, lines or times, which may be none. */
static int64_t less(int64_t number, int64_t other)
{
    return (int64_t)((uint64_t)number - (uint64_t)other);
}

static void append_item(enum column_kind kind, const lp_operation *now, const lp_operation *before,
                        uint32_t part, struct names *names, struct text *bytes)
{
    switch (kind) {
    case COLUMN_PROCESS:
        packed_number(bytes, find_process(names, now->process));
        return;
    case COLUMN_FUNCTION:
        packed_number(bytes, find_function(names, now->function));
        return;
    case COLUMN_OUTCOME:
        packed_number(bytes, (uint64_t)now->outcome + (now->result_recorded ? 4 : 0));
        return;
    case COLUMN_INVOKE:
        packed_signed(bytes, less(now->invoke, before->invoke));
        return;
    case COLUMN_RESPONSE:
        packed_number(bytes, now->response == LP_NEVER ? 0 : now->response - now->invoke);
        return;
    case COLUMN_INVOKE_LINE:
        packed_signed(bytes, less(now->invoke_line, before->invoke_line));
        return;
    case COLUMN_RESPONSE_LINE:
        packed_signed(bytes, now->response_line ? less(now->response_line, now->invoke_line) : 0);
        return;
    case COLUMN_INVOKE_TIME:
        packed_signed(bytes, less(now->invoke_time, before->invoke_time));
        return;
    case COLUMN_RESPONSE_TIME:
        packed_signed(bytes, less(now->response_time, now->invoke_time));
        return;
    case COLUMN_PART:
        packed_number(bytes, part == LP_NO_PART ? 0 : (uint64_t)part + 1);
        return;
    case COLUMN_ARGUMENT:
        append_value(now->argument, bytes);
        return;
    default:
        if (now->result_recorded)
            append_value(now->result, bytes);
        else
            packed_text(bytes, "");
    }
}

/* Whether every operation has a time, or else its call at least; none if only some have. */
static bool has_times(const lp_history *history)
{
    size_t count = lp_history_length(history);
    for (size_t i = 0; i < count; i++) {
        const lp_operation operation = lp_history_operation(history, i);
        if (operation.invoke_time == LP_TIME_NONE)
            return false;
        if (operation.response != LP_NEVER && operation.response_time == LP_TIME_NONE)
            return false;
    }
    return count > 0;
}

static void write_column(const struct html_history *history, enum column_kind kind,
                         struct names *names, yajl_gen json)
{
    const lp_history *recorded = history->history;
    struct text bytes = TEXT_EMPTY, packed = TEXT_EMPTY;
    lp_operation before = {0};
    for (size_t i = 0; i < lp_history_length(recorded); i++) {
        lp_operation now = lp_history_operation(recorded, i);
        if (now.response_time == LP_TIME_NONE)
            now.response_time = now.invoke_time;
        append_item(kind, &now, &before, history->part_of ? history->part_of[i] : 0, names, &bytes);
        before = now;
    }
    json_add_text(json, column_names[kind],
                  packed_append(&bytes, &packed) ? text_string(&packed) : NULL);
    text_release(&packed);
    text_release(&bytes);
}

static void write_columns(const struct html_history *history, struct names *names, yajl_gen json)
{
    bool timed = has_times(history->history);
    json_open_object(json, "columns");
    for (enum column_kind kind = 0; kind < COLUMN_COUNT; kind++)
        if (timed || (kind != COLUMN_INVOKE_TIME && kind != COLUMN_RESPONSE_TIME))
            write_column(history, kind, names, json);
    yajl_gen_map_close(json);
}

/* ---- the rest ---- */

static void write_value(yajl_gen json, const char *key, lp_value value)
{
    char *shown = lp_value_to_text(value);
    json_add_text(json, key, shown);
    free(shown);
}

static void write_annotations(const lp_history *history, yajl_gen json)
{
    json_open_list(json, "annotations");
    for (size_t i = 0; i < lp_history_annotations(history); i++) {
        const lp_annotation annotation = lp_history_annotation(history, i);
        json_open_object(json, NULL);
        write_value(json, "process", annotation.process);
        json_add_text(json, "function", annotation.function);
        write_value(json, "value", annotation.value);
        json_add_number(json, "position", annotation.position);
        if (annotation.time != LP_TIME_NONE)
            json_add_integer(json, "time", annotation.time);
        json_add_number(json, "line", annotation.line);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static bool is_of(const lp_violation *violation, const lp_part *part)
{
    bool same = !violation->object || !part->object ? violation->object == part->object
                                                    : strcmp(violation->object, part->object) == 0;
    return same && violation->has_key == part->has_key &&
           (!part->has_key || violation->key == part->key);
}

/* Null where it is not known: others are not decided once a violation is found. */
static const char *part_verdict(const lp_result *result, const lp_part *part)
{
    for (size_t i = 0; i < result->violation_count; i++)
        if (is_of(&result->violations[i], part))
            return "violation";
    bool all = result->verdict != LP_UNKNOWN && result->parts_decided == result->parts;
    return result->verdict == LP_LINEARIZABLE || all ? "linearizable" : NULL;
}

static void write_parts(const struct html_history *history, yajl_gen json)
{
    json_open_list(json, "parts");
    for (size_t i = 0; i < history->part_count; i++) {
        const lp_part *part = &history->parts[i];
        json_open_object(json, NULL);
        if (part->object)
            json_add_text(json, "object", part->object);
        if (part->has_key)
            write_value(json, "key", part->key);
        json_add_number(json, "operations", part->operations);
        json_add_text(json, "verdict", part_verdict(history->result, part));
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

/* An order as the differences of its indices, and the states along it. */
static void write_order(const struct html_order *order, yajl_gen json)
{
    struct text bytes = TEXT_EMPTY, packed = TEXT_EMPTY;
    json_open_object(json, NULL);
    json_add_number(json, "length", order->length);
    for (size_t i = 0; i < order->length; i++)
        packed_signed(&bytes, less(order->order[i], i ? order->order[i - 1] : 0));
    json_add_text(json, "order", packed_append(&bytes, &packed) ? text_string(&packed) : NULL);
    text_clear(&bytes);
    text_clear(&packed);
    json_add_number(json, "first", order->first);
    for (size_t i = 0; i < order->state_count && order->states[i]; i++)
        packed_text(&bytes, order->states[i]);
    json_add_text(json, "states", packed_append(&bytes, &packed) ? text_string(&packed) : NULL);
    if (order->stuck_count)
        json_add_indices(json, "stuck", order->stuck, order->stuck_count);
    yajl_gen_map_close(json);
    text_release(&packed);
    text_release(&bytes);
}

static size_t count_functions(const lp_history *history)
{
    const char *before = NULL;
    size_t changes = 0;
    for (size_t i = 0; i < lp_history_length(history); i++) {
        const char *function = lp_history_operation(history, i).function;
        changes += function != before;
        before = function;
    }
    return changes;
}

void html_history_json(const struct html_history *history, yajl_gen json)
{
    const lp_history *recorded = history->history;
    size_t count = lp_history_length(recorded);
    struct names names = {.processes = memory_small(count * sizeof *names.processes),
                          .functions =
                              memory_small(count_functions(recorded) * sizeof *names.functions)};
    collect_processes(recorded, &names);
    json_open_object(json, "history");
    json_add_number(json, "operations", count);
    json_open_list(json, "processes");
    for (size_t i = 0; i < names.process_count; i++)
        write_value(json, NULL, names.processes[i]);
    yajl_gen_array_close(json);
    write_columns(history, &names, json);
    json_add_texts(json, "functions", names.functions, names.function_count);
    write_parts(history, json);
    write_annotations(recorded, json);
    json_open_list(json, "orders");
    for (size_t i = 0; i < history->order_count; i++)
        write_order(&history->orders[i], json);
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
    free(names.processes);
    free(names.functions);
}

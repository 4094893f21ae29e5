#include "report/rules_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "report/json.h"

static const char *const verdicts[] = {
    [LP_HOLDS] = "holds", [LP_VIOLATED] = "violated", [LP_UNDECIDED] = "unknown"};

static const char *const decisions[] = {
    [LP_LINEARIZABLE] = "linearizable", [LP_VIOLATION] = "violation", [LP_UNKNOWN] = "unknown"};

static void append_value(lp_value which, struct text *text)
{
    char *edn = lp_value_to_edn(which);
    text_append(text, edn ? edn : "?");
    free(edn);
}

/* "enqueue 3", "dequeue -> 3" */
static void append_operation(const lp_operation *operation, struct text *text)
{
    text_append(text, operation->function);
    if (operation->argument != LP_VALUE_NIL) {
        text_append_char(text, ' ');
        append_value(operation->argument, text);
    }
    if (operation->outcome == LP_OUTCOME_OK && operation->result_recorded &&
        operation->result != operation->argument) {
        text_append(text, " -> ");
        append_value(operation->result, text);
    }
}

/* ---- text ---- */

static void append_verdict(const struct rules_run_report *report, const struct terminal *terminal,
                           struct text *text)
{
    static const enum style styles[] = {
        [LP_HOLDS] = STYLE_GOOD, [LP_VIOLATED] = STYLE_BAD, [LP_UNDECIDED] = STYLE_UNKNOWN};
    const lp_rules_run *run = report->run;
    lp_rule_automaton automaton;
    size_t count = 0;
    text_format(text, "%s: ", report->input);
    terminal_append(terminal, styles[run->verdict], verdicts[run->verdict], text);
    while (lp_rules_at(report->rules, count, &automaton))
        count++;
    text_format(text, " (%s, ", automaton.object);
    report_text_count(count, "automaton", "automata", text);
    text_append(text, ", ");
    report_text_count(run->operations, "operation", "operations", text);
    if (run->failed)
        text_format(text, ", %zu that did not happen", run->failed);
    text_append(text, ", ");
    report_text_seconds(run->seconds, text);
    text_append(text, ")\n");
}

/* "from the return of dequeue -> 7 in line 7 on" */
static void append_place(const struct rules_run_report *report, const lp_rules_reading *reading,
                         struct text *text)
{
    lp_operation operation = lp_history_operation(report->history, reading->operation);
    bool ended = operation.outcome != LP_OUTCOME_UNKNOWN && operation.response != LP_NEVER;
    uint32_t line = reading->returned ? operation.response_line : operation.invoke_line;
    text_format(text, "from the %s of ", reading->returned ? "return" : "call");
    append_operation(&operation, text);
    if (reading->returned && !ended)
        text_append(text, ", at the end,");
    else if (line)
        text_format(text, " in line %" PRIu32, line);
    text_append(text, " on");
}

/* The operations whose values have this colour, "colour 1: enqueue 3, dequeue -> 3". */
static void append_colour(const struct rules_run_report *report, const lp_rules_reading *reading,
                          unsigned colour, const struct terminal *terminal, struct text *text)
{
    struct text line = TEXT_EMPTY;
    for (size_t i = 0; i < lp_history_length(report->history); i++) {
        lp_operation operation = lp_history_operation(report->history, i);
        if (reading->colours[i] != colour)
            continue;
        text_format(&line, line.length ? ", " : "colour %u: ", colour);
        text_append(&line, reading->marked[i] ? "marked " : "");
        append_operation(&operation, &line);
        if (operation.invoke_line)
            text_format(&line, " (line %" PRIu32 ")", operation.invoke_line);
    }
    if (line.length)
        terminal_wrap(terminal, text_string(&line), 8, 0, text);
    text_release(&line);
}

void rules_run_text(const struct rules_run_report *report, const struct report_style *style,
                    struct text *text)
{
    const struct terminal *terminal = &style->terminal;
    lp_rule_automaton automaton;
    append_verdict(report, terminal, text);
    if (style->quiet)
        return;
    report_text_reason(report->run->reason, terminal, text);
    text_append_char(text, '\n');
    for (size_t a = 0; lp_rules_at(report->rules, a, &automaton); a++) {
        const lp_rules_reading *reading = &report->run->readings[a];
        struct text line = TEXT_EMPTY;
        text_format(&line, "%s %s", automaton.name,
                    reading->accepted ? "accepts it, " : "does not accept it");
        if (reading->accepted)
            append_place(report, reading, &line);
        terminal_wrap(terminal, text_string(&line), 4, 0, text);
        text_release(&line);
        for (unsigned colour = 1; reading->accepted && colour < LP_RULE_COLOURS; colour++)
            append_colour(report, reading, colour, terminal, text);
    }
}

/* ---- JSON ---- */

static void add_operations(yajl_gen json, const struct rules_run_report *report,
                           const lp_rules_reading *reading)
{
    json_add_key(json, "colours");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < lp_history_length(report->history); i++)
        yajl_gen_integer(json, reading->colours[i]);
    yajl_gen_array_close(json);
    json_add_key(json, "marked");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < lp_history_length(report->history); i++)
        if (reading->marked[i])
            yajl_gen_integer(json, (long long)i);
    yajl_gen_array_close(json);
}

static void add_readings(yajl_gen json, const struct rules_run_report *report)
{
    lp_rule_automaton automaton;
    json_add_key(json, "automata");
    yajl_gen_array_open(json);
    for (size_t a = 0; lp_rules_at(report->rules, a, &automaton); a++) {
        const lp_rules_reading *reading = &report->run->readings[a];
        yajl_gen_map_open(json);
        json_add_text(json, "name", automaton.name);
        json_add_boolean(json, "accepts", reading->accepted);
        if (reading->accepted) {
            json_add_number(json, "operation", reading->operation);
            json_add_text(json, "event", reading->returned ? "return" : "call");
            add_operations(json, report, reading);
        }
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

void rules_run_json_fields(const struct rules_run_report *report, yajl_gen json)
{
    const lp_rules_run *run = report->run;
    lp_rule_automaton first;
    bool any = lp_rules_at(report->rules, 0, &first);
    json_add_text(json, "input", report->input);
    json_add_text(json, "object", any ? first.object : NULL);
    json_add_text(json, "verdict", verdicts[run->verdict]);
    json_add_text(json, "history", decisions[run->decided]);
    json_add_number(json, "operations", run->operations);
    json_add_number(json, "failed", run->failed);
    json_add_number(json, "completed", run->completed);
    json_add_number(json, "left_out", run->left_out);
    json_add_seconds(json, run->seconds);
    json_add_text(json, "reason", run->reason);
    if (run->decided == LP_UNKNOWN)
        json_add_text(json, "limit", json_limit(run->limit));
    add_readings(json, report);
}

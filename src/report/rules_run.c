#include "report/rules_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "report/json.h"
#include "report/rules.h"

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

static void append_evidence(const void *found, const struct terminal *terminal, struct text *text)
{
    const struct rules_run_report *report = found;
    lp_rule_automaton automaton;
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
    rules_append_unmade(report->rules, terminal, text);
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

static void add_evidence(const void *found, yajl_gen json)
{
    const struct rules_run_report *report = found;
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
    rules_add_unmade(report->rules, json);
}

static void add_facts(struct result *result, const char *object, size_t automata,
                      const lp_rules_run *run)
{
    result_fact(result, "%s", object);
    result_count(result, automata, "automaton", "automata");
    result_count(result, run->operations, "operation", "operations");
    if (run->failed)
        result_fact(result, "%zu that did not happen", run->failed);
}

void rules_run_fill(struct result *result, const struct rules_run_report *report)
{
    static const struct evidence_kind evidence = {append_evidence, add_evidence};
    static const char *const decisions[] = {
        [LP_LINEARIZABLE] = "linearizable", [LP_VIOLATION] = "violation", [LP_UNKNOWN] = "unknown"};
    const lp_rules_run *run = report->run;
    const char *object;
    size_t automata = rules_count(report->rules, &object);
    result->decided = true;
    result->verdict = run->verdict;
    result->words = result_answers;
    text_append(&result->subject, result->input);
    result->seconds = run->seconds;
    add_facts(result, object, automata, run);
    result_add_text(result, "input", result->input);
    result_add_text(result, "object", object);
    result_add_verdict(result);
    result_add_text(result, "history", decisions[run->decided]);
    result_add_number(result, "operations", run->operations);
    result_add_number(result, "failed", run->failed);
    result_add_number(result, "completed", run->completed);
    result_add_number(result, "left_out", run->left_out);
    result_add_seconds(result);
    result_add_reason(result);
    if (run->decided == LP_UNKNOWN)
        result_add_limit(result);
    result_add_evidence(result, &evidence, report);
}

#include "report/rules_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
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
static void add_colour(struct node *root, const struct rules_run_report *report,
                       const lp_rules_reading *reading, unsigned colour)
{
    struct text *line = NULL;
    for (size_t i = 0; i < lp_history_length(report->history); i++) {
        lp_operation operation = lp_history_operation(report->history, i);
        if (reading->colours[i] != colour)
            continue;
        if (line)
            text_append(line, ", ");
        else
            text_format(line = node_add_paragraph(root, 8, NULL), "colour %u: ", colour);
        text_append(line, reading->marked[i] ? "marked " : "");
        append_operation(&operation, line);
        if (operation.invoke_line)
            text_format(line, " (line %" PRIu32 ")", operation.invoke_line);
    }
}

static void add_reading(struct node *root, const struct rules_run_report *report,
                        const lp_rules_reading *reading, const char *name)
{
    struct text *line = node_add_paragraph(root, 4, NULL);
    text_format(line, "%s %s", name, reading->accepted ? "accepts it, " : "does not accept it");
    if (reading->accepted)
        append_place(report, reading, line);
    for (unsigned colour = 1; reading->accepted && colour < LP_RULE_COLOURS; colour++)
        add_colour(root, report, reading, colour);
}

static void add_fields(struct node *object, const struct rules_run_report *report,
                       const lp_rules_reading *reading, const char *name)
{
    node_add_text(object, "name", name);
    node_add_boolean(object, "accepts", reading->accepted);
    if (!reading->accepted)
        return;
    node_add_number(object, "operation", reading->operation);
    node_add_text(object, "event", reading->returned ? "return" : "call");
    struct node *colours = node_add_list(object, "colours");
    for (size_t i = 0; i < lp_history_length(report->history); i++)
        node_add_number(colours, NULL, reading->colours[i]);
    struct node *marked = node_add_list(object, "marked");
    for (size_t i = 0; i < lp_history_length(report->history); i++)
        if (reading->marked[i])
            node_add_number(marked, NULL, i);
}

static void add_evidence(struct node *root, const struct rules_run_report *report)
{
    lp_rule_automaton automaton;
    node_add_gap(root);
    struct node *automata = node_add_list(root, "automata");
    for (size_t a = 0; lp_rules_at(report->rules, a, &automaton); a++) {
        const lp_rules_reading *reading = &report->run->readings[a];
        add_reading(root, report, reading, automaton.name);
        add_fields(node_add_object(automata, NULL), report, reading, automaton.name);
    }
    for (size_t a = 0; lp_rules_at(report->rules, a, &automaton); a++) {
        struct node *drawing = rules_add_automaton(root, report->rules, a, report->history);
        if (!report->run->readings[a].accepted)
            continue;
        drawing = node_add_found(drawing, NODE_READING, NULL, report->history, report->run);
        text_append(&drawing->words, "the recorded history, which it accepts ");
        append_place(report, &report->run->readings[a], &drawing->words);
    }
    rules_add_unmade(root, report->rules);
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
    struct node *root = &result->root;
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
    node_add_text(root, "input", result->input);
    node_add_text(root, "object", object);
    result_add_verdict(result);
    node_add_text(root, "history", decisions[run->decided]);
    node_add_number(root, "operations", run->operations);
    node_add_number(root, "failed", run->failed);
    node_add_number(root, "completed", run->completed);
    node_add_number(root, "left_out", run->left_out);
    result_add_seconds(result);
    result_add_reason(result);
    if (run->decided == LP_UNKNOWN)
        result_add_limit(result);
    add_evidence(root, report);
}

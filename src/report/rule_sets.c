#include "report/rule_sets.h"

#include <string.h>

#include "base/utf8.h"
#include "report/json.h"
#include "report/rule_history.h"

#define TITLE_WIDTH 58

static const enum style styles[] = {
    [LP_HOLDS] = STYLE_GOOD, [LP_VIOLATED] = STYLE_BAD, [LP_UNDECIDED] = STYLE_UNKNOWN};

/* "step-by-step linearizable (Definition 7)" */
static void append_title(const struct rule_set_report *report, const lp_rule_property *property,
                         struct text *text)
{
    struct text title = TEXT_EMPTY;
    bool compares = !property->source[0] && strcmp(property->name, "prefixes") != 0;
    const char *source = compares ? report->set.specification : property->source;
    text_append(&title, property->title);
    if (source && source[0])
        text_format(&title, " (%s)", source);
    text_format(text, "    %-*s", TITLE_WIDTH, text_string(&title));
    text_release(&title);
}

static void append_properties(const struct rule_set_report *report, const struct terminal *terminal,
                              struct text *text)
{
    text_append_char(text, '\n');
    for (size_t i = 0; i < report->result->property_count; i++) {
        const lp_rule_property *property = &report->result->properties[i];
        append_title(report, property, text);
        if (property->asked)
            terminal_append(terminal, styles[property->verdict], result_answers[property->verdict],
                            text);
        else
            text_append(text, "not asked");
        text_append_char(text, '\n');
    }
}

static void append_violations(const struct rule_set_report *report, const struct terminal *terminal,
                              struct text *text)
{
    for (size_t i = 0; i < report->result->property_count; i++) {
        const lp_rule_property *property = &report->result->properties[i];
        if (property->verdict != LP_VIOLATED)
            continue;
        text_format(text, "\n  %s: violated\n", property->title);
        terminal_wrap(terminal, property->reason, 4, 0, text);
        if (!property->history.operation_count)
            continue;
        text_append_char(text, '\n');
        rule_history_draw(&property->history, terminal, text);
    }
}

static void append_sizes(const lp_rule_set_result *result, struct text *text)
{
    text_append(text, "\n    events   executions      derived    histories  linearizable\n");
    for (size_t i = 0; i < result->size_count; i++) {
        const lp_rule_set_size *size = &result->sizes[i];
        text_format(text, "    %6u", size->events);
        report_text_column(size->executions, 11, text);
        report_text_column(size->derived, 11, text);
        report_text_column(size->histories, 11, text);
        report_text_column(size->linearizable, 12, text);
        text_append(text, "\n");
    }
}

/* "RDeqEmpty  1,234  1,012  1  0  0": what violates the rule, and no earlier one. */
static void append_comparisons(const struct rule_set_report *report,
                               const struct terminal *terminal, struct text *text)
{
    const lp_rule_set_result *result = report->result;
    int width = 9;
    if (result->not_compared) {
        text_format(text, "\n  not compared with violation automata: %s\n", result->not_compared);
        return;
    }
    for (size_t i = 0; i < result->comparison_count; i++)
        width = (int)strlen(result->comparisons[i].rule) > width
                    ? (int)strlen(result->comparisons[i].rule)
                    : width;
    text_format(text,
                "\n    %-*s  automata    violations        first       missed  false alarms\n",
                width, "rule");
    for (size_t i = 0; i < result->comparison_count; i++) {
        const lp_rule_comparison *rule = &result->comparisons[i];
        text_format(text, "    %-*s", width, rule->rule);
        if (rule->made)
            report_text_column(rule->automata, 8, text);
        else
            text_append(text, "  not made");
        report_text_column(rule->violations, 12, text);
        report_text_column(rule->first, 11, text);
        report_text_column(rule->missed, 11, text);
        report_text_column(rule->false_alarms, 12, text);
        text_append(text, "\n");
    }
    for (size_t i = 0; i < result->comparison_count; i++) {
        const lp_rule_comparison *rule = &result->comparisons[i];
        if (!rule->difference.operation_count)
            continue;
        text_format(text, "\n  %s %s\n", rule->culprit ? rule->culprit : rule->rule,
                    rule->culprit ? "accepts what does not violate its rule"
                                  : "is violated, and no automaton of it accepts");
        rule_history_draw(&rule->difference, terminal, text);
    }
}

static void append_evidence(const void *found, const struct terminal *terminal, struct text *text)
{
    const struct rule_set_report *report = found;
    if (report->set.outside)
        text_format(text, "  outside the reduction to any number of threads: %s\n",
                    report->set.outside);
    if (!report->result)
        return;
    append_properties(report, terminal, text);
    append_violations(report, terminal, text);
    append_sizes(report->result, text);
    append_comparisons(report, terminal, text);
}

/* ---- JSON ---- */

static void add_properties(yajl_gen json, const lp_rule_set_result *result)
{
    json_add_key(json, "properties");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < result->property_count; i++) {
        const lp_rule_property *property = &result->properties[i];
        yajl_gen_map_open(json);
        json_add_text(json, "name", property->name);
        json_add_text(json, "verdict",
                      property->asked ? result_answers[property->verdict] : "not asked");
        if (property->reason)
            json_add_text(json, "reason", property->reason);
        if (property->verdict == LP_VIOLATED)
            json_add_number(json, "events", property->size);
        if (property->history.operation_count)
            rule_history_json(json, "history", &property->history);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_sizes(yajl_gen json, const lp_rule_set_result *result)
{
    json_add_key(json, "sizes");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < result->size_count; i++) {
        const lp_rule_set_size *size = &result->sizes[i];
        yajl_gen_map_open(json);
        json_add_number(json, "events", size->events);
        json_add_number(json, "executions", size->executions);
        json_add_number(json, "derived", size->derived);
        json_add_number(json, "histories", size->histories);
        json_add_number(json, "linearizable", size->linearizable);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_comparisons(yajl_gen json, const lp_rule_set_result *result)
{
    if (result->not_compared) {
        json_add_text(json, "not_compared", result->not_compared);
        return;
    }
    json_add_key(json, "automata");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < result->comparison_count; i++) {
        const lp_rule_comparison *rule = &result->comparisons[i];
        yajl_gen_map_open(json);
        json_add_text(json, "rule", rule->rule);
        json_add_boolean(json, "made", rule->made && !rule->own);
        json_add_boolean(json, "own", rule->own);
        json_add_number(json, "automata", rule->automata);
        json_add_number(json, "violations", rule->violations);
        json_add_number(json, "first", rule->first);
        json_add_number(json, "accepted", rule->accepted);
        json_add_number(json, "missed", rule->missed);
        json_add_number(json, "false_alarms", rule->false_alarms);
        if (rule->culprit)
            json_add_text(json, "automaton", rule->culprit);
        if (rule->difference.operation_count)
            rule_history_json(json, "history", &rule->difference);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_evidence(const void *found, yajl_gen json)
{
    static const lp_rule_set_result unread;
    const struct rule_set_report *report = found;
    add_properties(json, report->result ? report->result : &unread);
    add_sizes(json, report->result ? report->result : &unread);
    if (report->result)
        add_comparisons(json, report->result);
}

/* "4 rules, 63 executions, 7,181 histories" */
static void add_facts(struct result *result, const struct rule_set_report *report)
{
    uint64_t executions = 0, histories = 0;
    result_count(result, report->set.rules, "rule", "rules");
    for (size_t i = 0; report->result && i < report->result->size_count; i++) {
        executions += report->result->sizes[i].executions;
        histories += report->result->sizes[i].histories;
    }
    if (report->result) {
        result_count(result, executions, "execution", "executions");
        result_count(result, histories, "history", "histories");
    }
}

void rule_set_fill(struct result *result, const struct rule_set_report *report)
{
    static const struct evidence_kind evidence = {append_evidence, add_evidence};
    result->decided = report->result != NULL;
    result->verdict = report->result ? report->result->verdict : LP_UNDECIDED;
    result->words = result_answers;
    text_append(&result->subject, report->set.name);
    result->seconds = report->result ? report->result->seconds : 0;
    add_facts(result, report);
    result_add_text(result, "input", result->input);
    result_add_text(result, "rules", report->set.name);
    if (report->set.specification)
        result_add_text(result, "specification", report->set.specification);
    result_add_verdict(result);
    result_add_number(result, "size", report->result ? report->result->size : 0);
    result_add_seconds(result);
    result_add_reason(result);
    if (report->set.outside)
        result_add_text(result, "outside", report->set.outside);
    result_add_limit(result);
    result_add_evidence(result, &evidence, report);
}

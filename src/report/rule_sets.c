#include "report/rule_sets.h"

#include <string.h>

#define TITLE_WIDTH 58

static const enum style styles[] = {
    [LP_HOLDS] = STYLE_GOOD, [LP_VIOLATED] = STYLE_BAD, [LP_UNDECIDED] = STYLE_UNKNOWN};

/* "step-by-step linearizable (Definition 7)                   holds" */
static void add_property_line(struct node *root, const struct rule_set_report *report,
                              const lp_rule_property *property)
{
    struct text title = TEXT_EMPTY;
    bool compares = !property->source[0] && strcmp(property->name, "prefixes") != 0;
    const char *source = compares ? report->set.specification : property->source;
    text_append(&title, property->title);
    if (source && source[0])
        text_format(&title, " (%s)", source);
    text_format(node_add_line(root, 4, STYLE_PLAIN), "%-*s", TITLE_WIDTH, text_string(&title));
    root->last->tail_style = property->asked ? styles[property->verdict] : STYLE_PLAIN;
    text_append(&root->last->tail,
                property->asked ? result_answers[property->verdict] : "not asked");
    text_release(&title);
}

static void add_violation(struct node *root, const lp_rule_property *property)
{
    node_add_gap(root);
    text_format(node_add_line(root, 2, STYLE_PLAIN), "%s: violated", property->title);
    text_append(node_add_paragraph(root, 4, NULL), property->reason);
    if (!property->history.operation_count)
        return;
    node_add_gap(root);
    node_add_found(root, NODE_RULE_HISTORY, NULL, NULL, &property->history);
}

static void add_property_fields(struct node *object, const lp_rule_property *property)
{
    node_add_text(object, "name", property->name);
    node_add_text(object, "verdict",
                  property->asked ? result_answers[property->verdict] : "not asked");
    if (property->reason)
        node_add_text(object, "reason", property->reason);
    if (property->verdict == LP_VIOLATED)
        node_add_number(object, "events", property->size);
    if (property->history.operation_count)
        node_add_found(object, NODE_RULE_HISTORY, "history", NULL, &property->history);
}

static void add_properties(struct node *root, const struct rule_set_report *report)
{
    struct node *list = node_add_list(root, "properties");
    if (!report->result)
        return;
    const lp_rule_property *properties = report->result->properties;
    const size_t count = report->result->property_count;
    node_add_gap(root);
    for (size_t i = 0; i < count; i++) {
        add_property_line(root, report, &properties[i]);
        add_property_fields(node_add_object(list, NULL), &properties[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (properties[i].verdict == LP_VIOLATED)
            add_violation(root, &properties[i]);
}

static void add_sizes(struct node *root, const lp_rule_set_result *result)
{
    static const struct column columns[] = {{"events", "events", 6},
                                            {"executions", "executions", 11},
                                            {"derived", "derived", 11},
                                            {"histories", "histories", 11},
                                            {"linearizable", "linearizable", 12},
                                            {0}};
    struct node *table = node_add_table(root, "sizes", result ? columns : NULL);
    for (size_t i = 0; result && i < result->size_count; i++) {
        const lp_rule_set_size *size = &result->sizes[i];
        struct node *row = node_add_object(table, NULL);
        node_add_number(row, "events", size->events);
        node_add_number(row, "executions", size->executions);
        node_add_number(row, "derived", size->derived);
        node_add_number(row, "histories", size->histories);
        node_add_number(row, "linearizable", size->linearizable);
    }
}

/* A rule with what violates it, and no earlier one. */
static void add_comparison(struct node *row, const lp_rule_comparison *rule)
{
    node_add_text(row, "rule", rule->rule);
    node_add_boolean(row, "made", rule->made && !rule->own);
    node_add_boolean(row, "own", rule->own);
    node_add_number(row, "automata", rule->automata);
    row->last->shown = rule->made ? NULL : "not made";
    node_add_number(row, "violations", rule->violations);
    node_add_number(row, "first", rule->first);
    node_add_number(row, "accepted", rule->accepted);
    node_add_number(row, "missed", rule->missed);
    node_add_number(row, "false_alarms", rule->false_alarms);
    if (rule->culprit)
        node_add_text(row, "automaton", rule->culprit);
    if (rule->difference.operation_count)
        node_add_found(row, NODE_RULE_HISTORY, "history", NULL, &rule->difference);
}

static void add_comparisons(struct node *root, const lp_rule_set_result *result)
{
    static const struct column columns[] = {{"rule", "rule     ", 0},
                                            {"automata", "automata", 8},
                                            {"violations", "violations", 12},
                                            {"first", "first", 11},
                                            {"missed", "missed", 11},
                                            {"false_alarms", "false alarms", 12},
                                            {0}};
    if (result->not_compared) {
        node_add_text(root, "not_compared", result->not_compared);
        node_add_gap(root);
        text_format(node_add_line(root, 2, STYLE_PLAIN), "not compared with violation automata: %s",
                    result->not_compared);
        return;
    }
    struct node *table = node_add_table(root, "automata", columns);
    for (size_t i = 0; i < result->comparison_count; i++) {
        const lp_rule_comparison *rule = &result->comparisons[i];
        add_comparison(node_add_object(table, NULL), rule);
        if (!rule->difference.operation_count)
            continue;
        node_add_gap(root);
        text_format(node_add_line(root, 2, STYLE_PLAIN), "%s %s",
                    rule->culprit ? rule->culprit : rule->rule,
                    rule->culprit ? "accepts what does not violate its rule"
                                  : "is violated, and no automaton of it accepts");
        node_add_found(root, NODE_RULE_HISTORY, NULL, NULL, &rule->difference);
    }
}

static void add_evidence(struct node *root, const struct rule_set_report *report)
{
    if (report->set.outside)
        text_format(node_add_line(root, 2, STYLE_PLAIN),
                    "outside the reduction to any number of threads: %s", report->set.outside);
    add_properties(root, report);
    add_sizes(root, report->result);
    if (report->result)
        add_comparisons(root, report->result);
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
    struct node *root = &result->root;
    result->decided = report->result != NULL;
    result->verdict = report->result ? report->result->verdict : LP_UNDECIDED;
    result->words = result_answers;
    text_append(&result->subject, report->set.name);
    result->seconds = report->result ? report->result->seconds : 0;
    add_facts(result, report);
    node_add_text(root, "input", result->input);
    node_add_text(root, "rules", report->set.name);
    if (report->set.specification)
        node_add_text(root, "specification", report->set.specification);
    result_add_verdict(result);
    node_add_number(root, "size", report->result ? report->result->size : 0);
    result_add_seconds(result);
    result_add_reason(result);
    if (report->set.outside)
        node_add_text(root, "outside", report->set.outside);
    result_add_limit(result);
    add_evidence(root, report);
}

#include "report/rules.h"

#include "report/rule_history.h"

static uint64_t count_histories(const lp_rules_result *result)
{
    uint64_t count = 0;
    for (size_t i = 0; i < result->size_count; i++)
        count += result->sizes[i].histories;
    return count;
}

/* Whether an earlier operation has the same value. */
static bool is_repeated(const lp_rule_history *history, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (history->operations[i].value == history->operations[at].value)
            return true;
    return false;
}

/* "colours: a 1, b 2"; nothing where no value has one. */
static void add_colours(struct node *root, const lp_rule_history *history)
{
    struct text *colours = NULL;
    for (size_t i = 0; i < history->operation_count; i++) {
        const lp_rule_operation *operation = &history->operations[i];
        if (!operation->colour || is_repeated(history, i))
            continue;
        text_append(colours ? colours : node_add_paragraph(root, 4, NULL),
                    colours ? ", " : "colours: ");
        colours = &root->last->words;
        if (operation->has_value)
            text_append_char(colours, (char)('a' + operation->value));
        else
            text_append(colours, operation->method);
        text_format(colours, " %u", operation->colour);
    }
}

/* "marked: Write b, Read a"; nothing where no operation is. */
static void add_marks(struct node *root, const lp_rule_history *history)
{
    struct text *marks = NULL;
    for (size_t i = 0; i < history->operation_count; i++) {
        if (!history->operations[i].marked)
            continue;
        text_append(marks ? marks : node_add_paragraph(root, 4, NULL), marks ? ", " : "marked: ");
        marks = &root->last->words;
        rule_operation_append(&history->operations[i], marks);
    }
}

/* Drawn, with what has colours and marks below; under a key in JSON as well. */
static void add_history(struct node *root, const char *key, const lp_rule_history *history)
{
    node_add_found(root, NODE_RULE_HISTORY, key, NULL, history);
    add_colours(root, history);
    add_marks(root, history);
}

void rules_add_unmade(struct node *root, const lp_rules *rules)
{
    lp_rule_unmade unmade;
    struct node *list = NULL;
    for (size_t i = 0; lp_rules_unmade(rules, i, &unmade); i++) {
        if (i == 0) {
            list = node_add_list(root, "not_made");
            node_add_gap(root);
        }
        struct node *object = node_add_object(list, NULL);
        node_add_text(object, "rule", unmade.rule);
        node_add_text(object, "reason", unmade.reason);
        text_format(node_add_paragraph(root, 4, NULL), "no automata of %s: %s", unmade.rule,
                    unmade.reason);
    }
}

/* ---- the evidence ---- */

static void add_difference(struct node *root, const struct rules_report *report)
{
    const lp_rules_result *result = report->result;
    lp_rule_automaton culprit;
    node_add_text(root, "difference", result->accepted ? "false alarm" : "missed");
    if (result->accepted && lp_rules_at(report->rules, result->culprit, &culprit))
        node_add_text(root, "automaton", culprit.name);
    node_add_gap(root);
    add_history(root, "history", &result->difference);
}

static void add_sizes(struct node *root, const lp_rules_result *result)
{
    static const struct column columns[] = {
        {"operations", "operations", 10},     {"histories", "histories", 11},
        {"linearizable", "linearizable", 12}, {"missed", "missed", 11},
        {"false_alarms", "false alarms", 12}, {0}};
    struct node *table = node_add_table(root, "sizes", result ? columns : NULL);
    for (size_t i = 0; result && i < result->size_count; i++) {
        const lp_rules_size *size = &result->sizes[i];
        struct node *row = node_add_object(table, NULL);
        node_add_number(row, "operations", size->operations);
        node_add_number(row, "histories", size->histories);
        node_add_number(row, "linearizable", size->linearizable);
        node_add_number(row, "missed", size->missed);
        node_add_number(row, "false_alarms", size->false_alarms);
    }
}

static void add_random(struct node *root, const lp_rules_result *result)
{
    struct node *random = node_add_object(root, "random");
    node_add_number(random, "seed", result->seed);
    node_add_number(random, "histories", result->random_histories);
    if (result->verdict == LP_HOLDS)
        node_add_number(random, "linearizable", result->random_linearizable);
    if (result->random_missed)
        node_add_number(random, "missed", result->random_missed);
}

static void add_automata(struct node *root, const struct rules_report *report)
{
    static const struct column columns[] = {{"name", "automaton", 0},
                                            {"states", "states", 6},
                                            {"accepted", "accepts", 9},
                                            {"alone", "alone", 9},
                                            {0}};
    lp_rule_automaton automaton;
    struct node *table = node_add_table(root, "automata", report->result ? columns : NULL);
    for (size_t i = 0; lp_rules_at(report->rules, i, &automaton); i++) {
        struct node *row = node_add_object(table, NULL);
        node_add_text(row, "input", report->inputs[i]);
        node_add_text(row, "name", automaton.name);
        node_add_number(row, "states", automaton.state_count);
        if (!report->result)
            continue;
        node_add_number(row, "accepted", report->result->automata[i].accepted);
        node_add_number(row, "alone", report->result->automata[i].alone);
        node_add_found(row, NODE_RULE_HISTORY, "example", NULL,
                       &report->result->automata[i].example);
    }
}

static void add_examples(struct node *root, const struct rules_report *report)
{
    lp_rule_automaton automaton;
    for (size_t i = 0; lp_rules_at(report->rules, i, &automaton); i++) {
        const lp_rule_history *example = &report->result->automata[i].example;
        node_add_gap(root);
        text_format(node_add_line(root, 2, STYLE_PLAIN), "%s accepts%s", automaton.name,
                    example->operation_count ? "" : " none of them");
        if (example->operation_count)
            add_history(root, NULL, example);
    }
}

/* Each automaton, with the histories that it is known to accept. */
static void add_drawings(struct node *root, const struct rules_report *report)
{
    const lp_rules_result *result = report->result;
    lp_rule_automaton automaton;
    for (size_t i = 0; lp_rules_at(report->rules, i, &automaton); i++) {
        struct node *drawing = rules_add_automaton(root, report->rules, i, NULL), *reading;
        if (result && result->accepted && result->culprit == i) {
            reading = node_add_found(drawing, NODE_READING, NULL, NULL, &result->difference);
            text_append(&reading->words, "a false alarm: it is linearizable, and accepted");
        }
        if (result && result->automata[i].example.operation_count) {
            reading =
                node_add_found(drawing, NODE_READING, NULL, NULL, &result->automata[i].example);
            text_format(&reading->words, "one of the smallest violations that it%s accepts",
                        result->automata[i].alone ? " alone" : "");
        }
    }
}

static void add_evidence(struct node *root, const struct rules_report *report)
{
    const lp_rules_result *result = report->result;
    if (result && result->difference.operation_count)
        add_difference(root, report);
    add_sizes(root, result);
    if (result && result->random)
        add_random(root, result);
    add_automata(root, report);
    rules_add_unmade(root, report->rules);
    if (result && report->examples)
        add_examples(root, report);
    add_drawings(root, report);
}

struct node *rules_add_automaton(struct node *root, const lp_rules *rules, size_t index,
                                 const lp_history *history)
{
    struct node *drawing = node_add_found(root, NODE_AUTOMATON, NULL, history, rules);
    drawing->number = index;
    return drawing;
}

size_t rules_count(const lp_rules *rules, const char **object)
{
    lp_rule_automaton automaton;
    size_t count = 0;
    *object = NULL;
    for (; lp_rules_at(rules, count, &automaton); count++)
        *object = automaton.object;
    return count;
}

void rules_fill(struct result *result, const struct rules_report *report)
{
    struct node *root = &result->root;
    const char *object;
    size_t automata = rules_count(report->rules, &object);
    uint64_t histories = report->result ? count_histories(report->result) : 0;
    result->decided = report->result != NULL;
    result->verdict = report->result ? report->result->verdict : LP_UNDECIDED;
    result->words = result_answers;
    text_append(&result->subject, object ? object : "rules");
    result->seconds = report->result ? report->result->seconds : 0;
    if (report->result) {
        result_count(result, automata, "automaton", "automata");
        result_count(result, histories, "history", "histories");
    }
    node_add_text(root, "object", object);
    result_add_verdict(result);
    node_add_number(root, "histories", histories);
    node_add_number(root, "size", report->result ? report->result->size : 0);
    result_add_seconds(result);
    result_add_reason(result);
    result_add_limit(result);
    add_evidence(root, report);
}

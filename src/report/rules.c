#include "report/rules.h"

#include <inttypes.h>
#include <string.h>

#include "report/json.h"
#include "report/rule_history.h"

static uint64_t count_histories(const lp_rules_result *result)
{
    uint64_t count = 0;
    for (size_t i = 0; i < result->size_count; i++)
        count += result->sizes[i].histories;
    return count;
}

/* ---- colours ---- */

/* Whether an earlier operation has the same value. */
static bool is_repeated(const lp_rule_history *history, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (history->operations[i].value == history->operations[at].value)
            return true;
    return false;
}

/* "colours: a 1, b 2"; nothing where no value has one. */
static void append_colours(const lp_rule_history *history, const struct terminal *terminal,
                           struct text *text)
{
    struct text colours = TEXT_EMPTY;
    for (size_t i = 0; i < history->operation_count; i++) {
        const lp_rule_operation *operation = &history->operations[i];
        if (!operation->colour || is_repeated(history, i))
            continue;
        text_append(&colours, colours.length ? ", " : "colours: ");
        if (operation->has_value)
            text_append_char(&colours, (char)('a' + operation->value));
        else
            text_append(&colours, operation->method);
        text_format(&colours, " %u", operation->colour);
    }
    if (colours.length)
        terminal_wrap(terminal, text_string(&colours), 4, 0, text);
    text_release(&colours);
}

/* "marked: Write b, Read a"; nothing where no operation is. */
static void append_marks(const lp_rule_history *history, const struct terminal *terminal,
                         struct text *text)
{
    struct text marks = TEXT_EMPTY;
    for (size_t i = 0; i < history->operation_count; i++) {
        if (!history->operations[i].marked)
            continue;
        text_append(&marks, marks.length ? ", " : "marked: ");
        rule_operation_append(&history->operations[i], &marks);
    }
    if (marks.length)
        terminal_wrap(terminal, text_string(&marks), 4, 0, text);
    text_release(&marks);
}

/* ---- rules without automata ---- */

void rules_append_unmade(const lp_rules *rules, const struct terminal *terminal, struct text *text)
{
    lp_rule_unmade unmade;
    for (size_t i = 0; lp_rules_unmade(rules, i, &unmade); i++) {
        struct text line = TEXT_EMPTY;
        text_append(text, i ? "" : "\n");
        text_format(&line, "no automata of %s: %s", unmade.rule, unmade.reason);
        terminal_wrap(terminal, text_string(&line), 4, 0, text);
        text_release(&line);
    }
}

void rules_add_unmade(const lp_rules *rules, yajl_gen json)
{
    lp_rule_unmade unmade;
    if (!lp_rules_unmade(rules, 0, &unmade))
        return;
    json_add_key(json, "not_made");
    yajl_gen_array_open(json);
    for (size_t i = 0; lp_rules_unmade(rules, i, &unmade); i++) {
        yajl_gen_map_open(json);
        json_add_text(json, "rule", unmade.rule);
        json_add_text(json, "reason", unmade.reason);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

/* ---- text ---- */

static void append_sizes(const lp_rules_result *result, struct text *text)
{
    text_append(text, "\n    operations    histories  linearizable       missed  false alarms\n");
    for (size_t i = 0; i < result->size_count; i++) {
        const lp_rules_size *size = &result->sizes[i];
        text_format(text, "    %10u", size->operations);
        report_text_column(size->histories, 11, text);
        report_text_column(size->linearizable, 12, text);
        report_text_column(size->missed, 11, text);
        report_text_column(size->false_alarms, 12, text);
        text_append(text, "\n");
    }
}

static void append_automata(const struct rules_report *report, struct text *text)
{
    lp_rule_automaton automaton;
    int width = 9;
    for (size_t i = 0; lp_rules_at(report->rules, i, &automaton); i++)
        width = (int)strlen(automaton.name) > width ? (int)strlen(automaton.name) : width;
    text_format(text, "\n    %-*s  states    accepts      alone\n", width, "automaton");
    for (size_t i = 0; lp_rules_at(report->rules, i, &automaton); i++) {
        text_format(text, "    %-*s  %6" PRIu32, width, automaton.name, automaton.state_count);
        report_text_column(report->result->automata[i].accepted, 9, text);
        report_text_column(report->result->automata[i].alone, 9, text);
        text_append(text, "\n");
    }
}

static void append_examples(const struct rules_report *report, const struct terminal *terminal,
                            struct text *text)
{
    lp_rule_automaton automaton;
    for (size_t i = 0; lp_rules_at(report->rules, i, &automaton); i++) {
        const lp_rule_history *example = &report->result->automata[i].example;
        text_format(text, "\n  %s accepts%s\n", automaton.name,
                    example->operation_count ? "" : " none of them");
        if (!example->operation_count)
            continue;
        rule_history_draw(example, terminal, text);
        append_colours(example, terminal, text);
        append_marks(example, terminal, text);
    }
}

static void append_evidence(const void *found, const struct terminal *terminal, struct text *text)
{
    const struct rules_report *report = found;
    const lp_rules_result *result = report->result;
    if (!result)
        return;
    if (result->difference.operation_count) {
        text_append(text, "\n");
        rule_history_draw(&result->difference, terminal, text);
        append_colours(&result->difference, terminal, text);
        append_marks(&result->difference, terminal, text);
    }
    append_sizes(result, text);
    append_automata(report, text);
    rules_append_unmade(report->rules, terminal, text);
    if (report->examples)
        append_examples(report, terminal, text);
}

/* ---- JSON ---- */

static void add_sizes(yajl_gen json, const lp_rules_result *result)
{
    json_add_key(json, "sizes");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < result->size_count; i++) {
        const lp_rules_size *size = &result->sizes[i];
        yajl_gen_map_open(json);
        json_add_number(json, "operations", size->operations);
        json_add_number(json, "histories", size->histories);
        json_add_number(json, "linearizable", size->linearizable);
        json_add_number(json, "missed", size->missed);
        json_add_number(json, "false_alarms", size->false_alarms);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_automata(yajl_gen json, const struct rules_report *report)
{
    lp_rule_automaton automaton;
    json_add_key(json, "automata");
    yajl_gen_array_open(json);
    for (size_t i = 0; lp_rules_at(report->rules, i, &automaton); i++) {
        yajl_gen_map_open(json);
        json_add_text(json, "input", report->inputs[i]);
        json_add_text(json, "name", automaton.name);
        json_add_number(json, "states", automaton.state_count);
        if (report->result) {
            json_add_number(json, "accepted", report->result->automata[i].accepted);
            json_add_number(json, "alone", report->result->automata[i].alone);
            rule_history_json(json, "example", &report->result->automata[i].example);
        }
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_evidence(const void *found, yajl_gen json)
{
    static const lp_rules_result unread;
    const struct rules_report *report = found;
    const lp_rules_result *result = report->result ? report->result : &unread;
    if (result->difference.operation_count) {
        lp_rule_automaton culprit;
        json_add_text(json, "difference", result->accepted ? "false alarm" : "missed");
        if (result->accepted && lp_rules_at(report->rules, result->culprit, &culprit))
            json_add_text(json, "automaton", culprit.name);
        rule_history_json(json, "history", &result->difference);
    }
    add_sizes(json, result);
    if (result->random) {
        json_add_key(json, "random");
        yajl_gen_map_open(json);
        json_add_number(json, "seed", result->seed);
        json_add_number(json, "histories", result->random_histories);
        if (result->verdict == LP_HOLDS)
            json_add_number(json, "linearizable", result->random_linearizable);
        if (result->random_missed)
            json_add_number(json, "missed", result->random_missed);
        yajl_gen_map_close(json);
    }
    add_automata(json, report);
    rules_add_unmade(report->rules, json);
}

unsigned rules_colours(const lp_rule_automaton *automaton, uint32_t from, uint32_t to,
                       unsigned event, uint32_t method)
{
    size_t row = (size_t)from * 2 + event;
    const uint32_t *next =
        &automaton->next[(row * automaton->method_count + method) * LP_RULE_COLOURS];
    unsigned colours = 0;
    for (unsigned colour = 1; colour <= LP_RULE_COLOURS; colour++)
        colours |= (unsigned)(next[colour - 1] == to) << colour;
    return colours;
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
    static const struct evidence_kind evidence = {append_evidence, add_evidence};
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
    result_add_text(result, "object", object);
    result_add_verdict(result);
    result_add_number(result, "histories", histories);
    result_add_number(result, "size", report->result ? report->result->size : 0);
    result_add_seconds(result);
    result_add_reason(result);
    result_add_limit(result);
    result_add_evidence(result, &evidence, report);
}

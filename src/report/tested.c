#include "report/tested.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct column columns[] = {
    {"thread", "thread", 6}, {"line", "line", 16}, {"access", "access", 24}, {"location", "on", 16},
    {"value", "value", 0},   {"from", "from", 0},  {NULL, NULL, 0},
};

static void add_list(struct node *root, const char *key, const char *title,
                     const char *const *lines, size_t count)
{
    if (count == 0)
        return;
    node_add_texts(root, key, lines, count);
    node_add_gap(root);
    text_append(node_add_line(root, 2, STYLE_PLAIN), title);
    for (size_t i = 0; i < count; i++)
        text_append(node_add_line(root, 4, STYLE_PLAIN), lines[i]);
}

static void add_trace(struct node *root, const lp_tested *found)
{
    if (!found->trace_length)
        return;
    struct node *table = node_add_table(root, "trace", columns);
    for (size_t i = 0; i < found->trace_length; i++) {
        const lp_access *step = &found->trace[i];
        struct node *row = node_add_object(table, NULL);
        node_add_number(row, "thread", step->thread);
        node_add_text(row, "file", step->file);
        node_add_number(row, "line", step->line);
        node_add_text(row, "access", step->access);
        if (step->location)
            node_add_text(row, "location", step->location);
        if (step->value)
            node_add_text(row, "value", step->value);
        if (step->source)
            node_add_text(row, "from", step->source);
    }
}

static void add_parts(struct result *result, const struct tested_request *request,
                      const lp_tested *found)
{
    struct node *root = &result->root;
    node_add_text(root, "input", result->input);
    node_add_text(root, "test", request->test);
    node_add_text(root, "spec", request->spec);
    node_add_text(root, "scenario", found->scenario);
    result_add_verdict(result);
    node_add_number(root, "scenarios", found->scenarios);
    if (found->larger) {
        node_add_number(root, "larger", found->larger);
        node_add_number(root, "larger_cut_off", found->larger_cut_off);
    }
    node_add_number(root, "executions", found->executions);
    node_add_number(root, "blocked", found->blocked);
    node_add_number(root, "hanging", found->hanging);
    node_add_number(root, "histories", found->histories);
    node_add_boolean(root, "complete", found->complete);
    node_add_text(root, "memory_model", request->memory_model);
    node_add_text(root, "compilers", request->compilers);
    result_add_seconds(result);
    result_add_reason(result);
    result_add_limit(result);
    if (found->finding)
        node_add_text(root, "finding", found->finding);
    add_list(root, "operations", "operations:", found->operations, found->operation_count);
    add_list(root, "client", "for a client that sees to it that:", found->client,
             found->client_count);
    add_trace(root, found);
}

void tested_fill(struct result *result, const struct tested_request *request,
                 const lp_tested *found)
{
    static const lp_tested none = {.verdict = LP_UNDECIDED};
    result->decided = found != NULL;
    found = found ? found : &none;
    result->verdict = found->verdict;
    result->words = result_answers;
    text_format(&result->subject, "%s: %s", result->input, request->test);
    result->about = found->scenario;
    result->family = result->input;
    result->seconds = found->seconds;
    result_fact(result, "%s", request->memory_model);
    if (result->decided) {
        result_count(result, found->scenarios, "scenario", "scenarios");
        result_count(result, found->executions, "execution", "executions");
    }
    add_parts(result, request, found);
}

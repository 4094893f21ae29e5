#include "report/tested.h"

#include <string.h>

#include "report/lanes.h"

static void add_list(struct node *root, const char *key, const char *title,
                     const char *const *lines, size_t count)
{
    if (count == 0)
        return;
    node_add_texts(root, key, lines, count);
    node_add_gap(root);
    text_append(node_add_line(root, 2, STYLE_PLAIN), title);
    for (size_t i = 0; i < count; i++)
        text_append(node_add_paragraph(root, 4, NULL), lines[i]);
}

static void add_trace(struct node *root, const lp_tested *found)
{
    if (!found->trace_length)
        return;
    struct node *table = node_add_table(root, "trace", NULL);
    for (size_t i = 0; i < found->trace_length; i++) {
        const lp_access *step = &found->trace[i];
        struct node *row = node_add_object(table, NULL);
        node_add_number(row, "thread", step->thread);
        if (step->call)
            node_add_number(row, "operation", step->call - 1);
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
    if (found->loop_start < found->trace_length)
        node_add_number(root, "loop_start", found->loop_start);
    lanes_add(root, found);
}

/* Where the finding is: at the last step that has a place. */
static void set_place(struct result *result, const lp_tested *found)
{
    for (size_t i = 0; i < found->trace_length; i++)
        if (found->trace[i].file && found->trace[i].line) {
            result->file = found->trace[i].file;
            result->line = found->trace[i].line;
        }
}

/* How far a legal order of the calls gets. */
static void add_order(struct node *root, const lp_tested *found)
{
    if (!found->order)
        return;
    node_add_indices(root, "order", found->order, found->order_length);
    node_add_indices(root, "stuck", found->stuck, found->stuck_length);
    if (found->state)
        node_add_text(root, "state", found->state);
    node_add_gap(root);
    text_append(node_add_line(root, 2, STYLE_PLAIN),
                found->order_length ? "the longest legal order:" : "no order can begin:");
    for (size_t i = 0; i < found->order_length; i++)
        text_append(node_add_line(root, 4, STYLE_PLAIN), found->operations[found->order[i]]);
    for (size_t i = 0; i < found->stuck_length; i++) {
        struct text *line = node_add_line(root, 4, STYLE_BAD);
        text_format(line, "%s cannot follow", found->operations[found->stuck[i]]);
        if (found->state)
            text_format(line, ": the object is %s", found->state);
    }
}

static const char *const models[] = {"sc", "tso", "rc11"};

/* "also under sc and tso", "not under tso: every behaviour of this scenario was covered there" */
static void add_under(struct node *root, const struct tested_request *request,
                      const lp_tested *found)
{
    struct text also = TEXT_EMPTY, not = TEXT_EMPTY, all = TEXT_EMPTY;
    struct node *names = node_add_list(root, "also_in");
    struct node *unknown = node_add_list(root, "also_in_unknown");
    for (size_t i = 0; i < ARRAY_LENGTH(models); i++) {
        bool is_asked = strcmp(models[i], request->memory_model) == 0;
        if (!is_asked && found->under[i] == LP_VIOLATED) {
            text_format(&also, "%s%s", also.length ? " and " : "also under ", models[i]);
            node_add_text(names, NULL, models[i]);
        } else if (!is_asked && found->under[i] == LP_HOLDS) {
            text_format(&not, "%snot under %s", not .length ? ", " : "", models[i]);
        } else if (!is_asked && found->under_reason[i]) {
            text_format(&all, "%sunder %s: %s", all.length ? "; " : "", models[i],
                        found->under_reason[i]);
            node_add_text(unknown, NULL, models[i]);
        }
    }
    if (not .length)
        text_append(&not, ": every behaviour of this scenario was covered there");
    node_add_gap(root);
    struct text *line = node_add_paragraph(root, 2, NULL);
    text_format(line, "%s%s%s%s%s", text_string(&also), also.length && not .length ? "; " : "",
                text_string(&not ), (also.length || not .length) && all.length ? "; " : "",
                text_string(&all));
    text_release(&also);
    text_release(&not );
    text_release(&all);
}

static void add_end(struct node *root, const struct tested_request *request, const lp_tested *found)
{
    if (found->cut_off) {
        node_add_text(root, "cut_off", found->cut_off);
        text_append(node_add_paragraph(root, 2, NULL), found->cut_off);
    }
    node_add_text(root, "schedule", found->schedule);
    node_add_gap(root);
    text_append(node_add_line(root, 2, STYLE_PLAIN), "this execution again:");
    text_append(node_add_line(root, 4, STYLE_STRONG), request->again);
}

static void add_parts(struct result *result, const struct tested_request *request,
                      const lp_tested *found)
{
    struct node *root = &result->root;
    node_add_text(root, "input", result->input);
    node_add_text(root, "test", request->test);
    node_add_text(root, "spec", request->spec);
    node_add_text(root, "scenario", found->scenario);
    if (found->found_in)
        node_add_text(root, "found_in", found->found_in);
    result_add_verdict(result);
    node_add_number(root, "scenarios", found->scenarios);
    if (found->larger) {
        node_add_number(root, "larger", found->larger);
        node_add_number(root, "larger_cut_off", found->larger_cut_off);
    }
    if (found->left_out)
        node_add_number(root, "left_out", found->left_out);
    node_add_number(root, "executions", found->executions);
    node_add_number(root, "blocked", found->blocked);
    node_add_number(root, "hanging", found->hanging);
    if (found->waiting_behind)
        node_add_number(root, "waiting_behind", found->waiting_behind);
    node_add_number(root, "histories", found->histories);
    node_add_boolean(root, "complete", found->complete);
    node_add_text(root, "memory_model", request->memory_model);
    node_add_text(root, "compilers", request->compilers);
    node_add_number(root, "repeated", found->repeated);
    if (found->relaxed_count)
        node_add_texts(root, "relaxed", found->relaxed, found->relaxed_count);
    result_add_seconds(result);
    result_add_reason(result);
    result_add_limit(result);
    if (found->verdict != LP_VIOLATED)
        return;
    node_add_text(root, "finding", found->finding);
    if (found->found_in)
        text_format(node_add_paragraph(root, 2, NULL),
                    "found in %s; the smallest scenario that is violated: %s", found->found_in,
                    found->scenario);
    add_list(root, "operations", "operations:", found->operations, found->operation_count);
    add_list(root, "client", "for a client that sees to it that:", found->client,
             found->client_count);
    add_order(root, found);
    add_list(root, "unordered",
             strcmp(found->finding, "data race") == 0 ? "to be ordered:" : "how it comes about:",
             found->unordered, found->unordered_count);
    add_trace(root, found);
    if (!request->is_replay)
        add_under(root, request, found);
    add_end(root, request, found);
}

void tested_fill(struct result *result, const struct tested_request *request,
                 const lp_tested *found)
{
    static const lp_tested none = {.verdict = LP_UNDECIDED};
    result->decided = found != NULL;
    result->has_replay = found && found->verdict == LP_VIOLATED;
    found = found ? found : &none;
    result->verdict = found->verdict;
    result->words = result_answers;
    text_format(&result->subject, "%s: %s", result->input, request->test);
    result->about = found->scenario;
    result->is_about_scenario = true;
    result->family = result->input;
    result->seconds = found->seconds;
    result_fact(result, "%s", request->memory_model);
    if (result->decided) {
        result_count(result, found->scenarios, "scenario", "scenarios");
        result_count(result, found->executions, "execution", "executions");
    }
    add_parts(result, request, found);
    if (found->verdict == LP_VIOLATED)
        set_place(result, found);
}

/* The answer for one history: its violations, each with its operations. */
#include "report/report.h"

#include <stdlib.h>

#include "base/quantity.h"
#include "report/result.h"

static void add_operation(struct node *list, const struct report_operation *operation)
{
    static const char *const types[] = {
        [LP_OUTCOME_OK] = "ok", [LP_OUTCOME_FAIL] = "fail", [LP_OUTCOME_UNKNOWN] = "info"};
    const lp_operation *recorded = &operation->recorded;
    struct node *object = node_add_object(list, NULL);
    node_add_number(object, "operation", operation->index);
    node_add_boolean(object, "core", operation->core);
    node_add_value(object, "process", recorded->process);
    node_add_text(object, "f", recorded->function);
    if (recorded->has_key)
        node_add_value(object, "key", recorded->key);
    node_add_value(object, "argument", recorded->argument);
    if (recorded->result_recorded)
        node_add_value(object, "result", recorded->result);
    node_add_text(object, "type", types[recorded->outcome]);
    if (recorded->invoke_line)
        node_add_number(object, "invoke_line", recorded->invoke_line);
    if (recorded->response_line)
        node_add_number(object, "response_line", recorded->response_line);
    if (operation->invoke_byte != REPORT_NO_BYTE)
        node_add_number(object, "invoke_byte", operation->invoke_byte);
    if (operation->response_byte != REPORT_NO_BYTE)
        node_add_number(object, "response_byte", operation->response_byte);
    if (recorded->invoke_time != LP_TIME_NONE)
        node_add_integer(object, "invoke_time", recorded->invoke_time);
    if (recorded->response_time != LP_TIME_NONE)
        node_add_integer(object, "response_time", recorded->response_time);
}

static void add_partial(struct node *list, const lp_partial *partial)
{
    struct node *object = node_add_object(list, NULL);
    node_add_indices(object, "order", partial->order, partial->order_length);
    node_add_text(object, "state", partial->state);
    node_add_indices(object, "stuck", partial->stuck, partial->stuck_length);
}

void report_add_violation(struct node *object, const struct report_violation *violation)
{
    const lp_violation *found = violation->found;
    if (found->object)
        node_add_text(object, "object", found->object);
    if (found->has_key)
        node_add_value(object, "key", found->key);
    if (found->core_length) /* without members none was found: an empty set is no violation */
        node_add_indices(object, "core", found->core, found->core_length);
    node_add_boolean(object, "core_complete", found->core_complete);
    node_add_indices(object, "context", found->context, found->context_length);
    node_add_indices(object, "evidence", found->evidence, found->evidence_length);
    struct node *shown = node_add_list(object, "shown");
    for (size_t i = 0; i < violation->operation_count; i++)
        add_operation(shown, &violation->operations[i]);
    struct node *partials = found->partial_count ? node_add_list(object, "partials") : NULL;
    for (size_t i = 0; i < found->partial_count; i++)
        add_partial(partials, &found->partials[i]);
}

static void add_violations(struct node *root, const struct report *report)
{
    struct node *list = node_add_list(root, "violations");
    for (size_t i = 0; i < report->violation_count; i++) {
        const lp_violation *found = report->violations[i].found;
        struct node *object = node_add_object(list, NULL);
        node_add_text(object, "spec", found->spec);
        node_add_text(object, "method", found->method);
        node_add_text(object, "reason", found->reason);
        report_add_violation(object, &report->violations[i]);
    }
}

/* ---- what is shown of a violation ---- */

static void append_value(lp_value value, struct text *text)
{
    char *edn = lp_value_to_edn(value);
    text_append(text, edn ? edn : "");
    free(edn);
}

/* Which of several violations, and of which object and key. */
static void add_place(struct node *root, const struct report *report, size_t index)
{
    const lp_violation *found = report->violations[index].found;
    if (report->violation_count == 1 && !found->object && !found->has_key)
        return;
    struct text *place = node_add_line(root, 2, STYLE_STRONG);
    if (report->violation_count > 1)
        text_format(place, "violation %zu of %zu", index + 1, report->violation_count);
    if (found->object)
        text_format(place, "%sobject %s", place->length ? ", " : "", found->object);
    if (found->has_key) {
        text_append(place, place->length ? ", key " : "key ");
        append_value(found->key, place);
    }
}

static void add_note(struct node *root, const struct report_violation *violation, bool has_no_trace)
{
    const lp_violation *found = violation->found;
    struct text note = TEXT_EMPTY;
    if (!found->core_length)
        text_append(&note, "No small set of operations that is a violation by itself was found: "
                           "looking for one may take as long as the verdict, and half a second.");
    else if (!found->core_complete) {
        report_text_count(found->core_length, "operation is", "operations are", &note);
        text_append(&note, " known to be a violation by themselves; whether fewer would do is left "
                           "open: looking for them may take as long as the verdict, and half a "
                           "second.");
    }
    if (violation->core_left_out) {
        if (note.length)
            text_append(&note, " ");
        report_text_count(violation->core_left_out, "operation more belongs",
                          "operations more belong", &note);
        text_append(&note, has_no_trace ? " to the core; --json lists all of it."
                                        : " to the core; replay shows all of it.");
    }
    if (violation->left_out) {
        if (note.length)
            text_append(&note, " ");
        text_append_count(&note, violation->left_out);
        text_append(&note, " more are left out here; --json lists all.");
    }
    if (note.length) {
        node_add_gap(root);
        text_append(node_add_paragraph(root, 2, NULL), text_string(&note));
    }
    text_release(&note);
}

static void add_shown(struct node *root, const struct report *report, size_t index)
{
    const struct report_violation *violation = &report->violations[index];
    if (index)
        node_add_gap(root);
    add_place(root, report, index);
    text_append(node_add_paragraph(root, 2, NULL), violation->found->reason);
    if (violation->operation_count) {
        node_add_gap(root);
        node_add_found(root, NODE_TIMELINE, NULL, report->history, violation);
        node_add_gap(root);
        node_add_found(root, NODE_OPERATIONS, NULL, report->history, violation);
    }
    add_note(root, violation, report->has_no_trace);
    if (violation->found->partial_count) {
        node_add_gap(root);
        node_add_found(root, NODE_ORDERS, NULL, report->history, violation);
    }
}

void report_add_evidence(struct node *root, const struct report *report)
{
    const lp_result *result = report->result;
    for (size_t i = 0; i < report->violation_count; i++)
        add_shown(root, report, i);
    if (report->violation_count)
        report_add_violation(root, &report->violations[0]);
    if (report->violation_count > 1)
        add_violations(root, report);
    if (report->witness && result->verdict == LP_LINEARIZABLE)
        node_add_indices(root, "linearization", result->linearization,
                         result->linearization_length);
}

/* ---- the whole ---- */

/* "queue, 1,000 operations, 3 pending, 1 part, monitor" */
static void add_facts(struct result *result, const lp_result *found)
{
    result_fact(result, "%s", found->spec);
    result_count(result, found->operations, "operation", "operations");
    if (found->pending)
        result_count(result, found->pending, "pending", "pending");
    if (found->skipped)
        result_count(result, found->skipped, "event skipped", "events skipped");
    if (found->passed_over)
        result_count(result, found->passed_over, "line passed over", "lines passed over");
    if (!found->parts) /* a limit was reached before there were any */
        return;
    result_count(result, found->parts, "part", "parts");
    result_fact(result, "%s%s", found->keyed_results ? "results [key value], " : "", found->method);
}

static void add_parts(struct result *result, const lp_result *found)
{
    node_add_text(&result->root, "input", result->input);
    node_add_text(&result->root, "spec", found->spec);
    result_add_verdict(result);
    node_add_number(&result->root, "operations", found->operations);
    node_add_number(&result->root, "pending", found->pending);
    node_add_number(&result->root, "skipped", found->skipped);
    node_add_number(&result->root, "passed_over", found->passed_over);
    node_add_number(&result->root, "partitions", found->parts);
    if (found->keyed_results)
        node_add_text(&result->root, "results", "keyed");
    node_add_text(&result->root, "method", found->method);
    result_add_seconds(result);
    node_add_number(&result->root, "explored", found->explored);
    result_add_reason(result);
    result_add_warnings(result);
    result_add_limit(result);
    if (result->verdict == LP_UNDECIDED)
        node_add_number(&result->root, "partitions_decided", found->parts_decided);
}

/* Where the violation became certain, and what there is of the history. */
static void add_followed(struct node *root, const struct report *report)
{
    const lp_monitor_state *state = report->followed;
    struct node *object = node_add_object(root, "followed");
    node_add_number(object, "lines", state->lines);
    node_add_number(object, "running", state->running);
    node_add_number(object, "kept", state->retained);
    node_add_number(object, "unfinished_bytes", state->waiting);
    node_add_number(object, "held", state->held);
    node_add_number(object, "late", state->late);
    node_add_number(object, "late_answers", state->late_answers);
    node_add_number(object, "given_up", state->given_up);
    if (state->given_up) {
        node_add_number(object, "given_up_line", state->given_up_line);
        if (report->logs)
            node_add_text(object, "given_up_log", report->logs[state->given_up_log]);
    }
    if (state->verdict != LP_VIOLATION)
        return;
    node_add_number(object, "line", state->line);
    if (report->logs)
        node_add_text(object, "log", report->logs[state->log]);
    node_add_boolean(object, "exact", state->exact);
    if (!report->part.known)
        return;
    node_add_number(object, "byte", report->part.byte);
    node_add_number(object, "from_line", report->part.first);
    node_add_number(object, "from_byte", report->part.first_byte);
}

void report_fill(struct result *result, const struct report *report)
{
    static const char *const words[] = {
        [LP_LINEARIZABLE] = "linearizable", [LP_VIOLATION] = "violation", [LP_UNKNOWN] = "unknown"};
    static const lp_result unread = {.verdict = LP_UNKNOWN};
    const lp_result *found = report ? report->result : &unread;
    result->decided = report != NULL;
    result->verdict = (lp_answer)found->verdict;
    result->words = words;
    text_append(&result->subject, result->input);
    result->family = found->spec;
    result->seconds = found->seconds;
    result->told = result->has_replay = found->verdict == LP_VIOLATION && found->violation_count;
    result->warnings = found->warnings;
    result->warning_count = found->warning_count;
    if (report)
        add_facts(result, found);
    if (report && report->violation_count && report->violations[0].operation_count)
        result->line = report->violations[0].operations[0].recorded.invoke_line;
    add_parts(result, found);
    if (report && report->followed)
        add_followed(&result->root, report);
    if (report)
        report_add_evidence(&result->root, report);
}

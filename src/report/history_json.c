#include <stdlib.h>

#include "report/json.h"
#include "report/report.h"
#include "report/result.h"

static void add_value(yajl_gen json, const char *key, lp_value value)
{
    char *printed = lp_value_to_json(value);
    json_add_key(json, key);
    json_add_raw(json, printed ? printed : "null");
    free(printed);
}

static void add_operation(yajl_gen json, const struct report_violation *violation, size_t index)
{
    static const char *const types[] = {
        [LP_OUTCOME_OK] = "ok", [LP_OUTCOME_FAIL] = "fail", [LP_OUTCOME_UNKNOWN] = "info"};
    const struct report_operation *operation = &violation->operations[index];
    const lp_operation *recorded = &operation->recorded;
    yajl_gen_map_open(json);
    json_add_number(json, "operation", operation->index);
    json_add_boolean(json, "core", operation->core);
    add_value(json, "process", recorded->process);
    json_add_text(json, "f", recorded->function);
    if (recorded->has_key)
        add_value(json, "key", recorded->key);
    add_value(json, "argument", recorded->argument);
    if (recorded->result_recorded)
        add_value(json, "result", recorded->result);
    json_add_text(json, "type", types[recorded->outcome]);
    if (recorded->invoke_line)
        json_add_number(json, "invoke_line", recorded->invoke_line);
    if (recorded->response_line)
        json_add_number(json, "response_line", recorded->response_line);
    if (recorded->invoke_time != LP_TIME_NONE)
        json_add_integer(json, "invoke_time", recorded->invoke_time);
    if (recorded->response_time != LP_TIME_NONE)
        json_add_integer(json, "response_time", recorded->response_time);
    yajl_gen_map_close(json);
}

static void add_partials(yajl_gen json, const lp_violation *found)
{
    json_add_key(json, "partials");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < found->partial_count; i++) {
        const lp_partial *partial = &found->partials[i];
        yajl_gen_map_open(json);
        json_add_indices(json, "order", partial->order, partial->order_length);
        json_add_text(json, "state", partial->state);
        json_add_indices(json, "stuck", partial->stuck, partial->stuck_length);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_violation(yajl_gen json, const struct report_violation *violation)
{
    const lp_violation *found = violation->found;
    if (found->object)
        json_add_text(json, "object", found->object);
    if (found->has_key)
        add_value(json, "key", found->key);
    if (found->core_length) /* without members none was found: an empty set is no violation */
        json_add_indices(json, "core", found->core, found->core_length);
    json_add_boolean(json, "core_complete", found->core_complete);
    json_add_indices(json, "context", found->context, found->context_length);
    json_add_indices(json, "evidence", found->evidence, found->evidence_length);
    json_add_key(json, "shown");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < violation->operation_count; i++)
        add_operation(json, violation, i);
    yajl_gen_array_close(json);
    if (found->partial_count)
        add_partials(json, found);
}

static void add_violations(yajl_gen json, const struct report *report)
{
    json_add_key(json, "violations");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < report->violation_count; i++) {
        const lp_violation *found = report->violations[i].found;
        yajl_gen_map_open(json);
        json_add_text(json, "spec", found->spec);
        json_add_text(json, "method", found->method);
        json_add_text(json, "reason", found->reason);
        add_violation(json, &report->violations[i]);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

static void add_evidence(const void *found, yajl_gen json)
{
    const struct report *report = found;
    const lp_result *result = report->result;
    if (report->violation_count)
        add_violation(json, &report->violations[0]);
    if (report->violation_count > 1)
        add_violations(json, report);
    if (report->witness && result->verdict == LP_LINEARIZABLE)
        json_add_indices(json, "linearization", result->linearization,
                         result->linearization_length);
}

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
    result_add_text(result, "input", result->input);
    result_add_text(result, "spec", found->spec);
    result_add_verdict(result);
    result_add_number(result, "operations", found->operations);
    result_add_number(result, "pending", found->pending);
    result_add_number(result, "skipped", found->skipped);
    result_add_number(result, "passed_over", found->passed_over);
    result_add_number(result, "partitions", found->parts);
    if (found->keyed_results)
        result_add_text(result, "results", "keyed");
    result_add_text(result, "method", found->method);
    result_add_seconds(result);
    result_add_number(result, "explored", found->explored);
    result_add_reason(result);
    result_add_warnings(result);
    result_add_limit(result);
    if (result->verdict == LP_UNDECIDED)
        result_add_number(result, "partitions_decided", found->parts_decided);
}

void report_fill(struct result *result, const struct report *report)
{
    static const char *const words[] = {
        [LP_LINEARIZABLE] = "linearizable", [LP_VIOLATION] = "violation", [LP_UNKNOWN] = "unknown"};
    static const struct evidence_kind evidence = {report_text, add_evidence};
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
    add_parts(result, found);
    if (report)
        result_add_evidence(result, &evidence, report);
}

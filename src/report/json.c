#include "report/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void print_to_stream(void *out, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, out);
}

yajl_gen json_begin(FILE *out)
{
    yajl_gen json = yajl_gen_alloc(NULL);
    if (!json)
        abort();
    yajl_gen_config(json, yajl_gen_print_callback, print_to_stream, out);
    yajl_gen_map_open(json);
    return json;
}

void json_end(yajl_gen json, FILE *out)
{
    yajl_gen_map_close(json);
    yajl_gen_free(json);
    fputc('\n', out);
}

void json_add_item(yajl_gen json, const char *string)
{
    struct text valid = TEXT_EMPTY;
    utf8_append_valid(&valid, string, strlen(string));
    yajl_gen_string(json, (const unsigned char *)text_string(&valid), valid.length);
    text_release(&valid);
}

/* Whatever is a JSON value already: yajl writes numbers as they are given. */
void json_add_raw(yajl_gen json, const char *value)
{
    yajl_gen_number(json, value, strlen(value));
}

void json_add_key(yajl_gen json, const char *key)
{
    json_add_item(json, key);
}

void json_add_text(yajl_gen json, const char *key, const char *text)
{
    json_add_key(json, key);
    if (text)
        json_add_item(json, text);
    else
        yajl_gen_null(json);
}

void json_add_number(yajl_gen json, const char *key, uint64_t number)
{
    char digits[24];
    json_add_key(json, key);
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    json_add_raw(json, digits);
}

void json_add_integer(yajl_gen json, const char *key, int64_t integer)
{
    char digits[24];
    json_add_key(json, key);
    snprintf(digits, sizeof digits, "%" PRId64, integer);
    json_add_raw(json, digits);
}

void json_add_boolean(yajl_gen json, const char *key, bool boolean)
{
    json_add_key(json, key);
    yajl_gen_bool(json, boolean);
}

void json_add_seconds(yajl_gen json, double seconds)
{
    char digits[40];
    json_add_key(json, "seconds");
    snprintf(digits, sizeof digits, "%.6f", seconds);
    json_add_raw(json, digits);
}

void json_add_indices(yajl_gen json, const char *key, const uint32_t *indices, size_t length)
{
    json_add_key(json, key);
    yajl_gen_array_open(json);
    for (size_t i = 0; i < length; i++)
        yajl_gen_integer(json, indices[i]);
    yajl_gen_array_close(json);
}

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

const char *json_limit(lp_limit limit)
{
    static const char *const names[] = {[LP_LIMIT_NONE] = NULL,
                                        [LP_LIMIT_TIME] = "time",
                                        [LP_LIMIT_MEMORY] = "memory",
                                        [LP_LIMIT_INTERRUPT] = "interrupt",
                                        [LP_LIMIT_DEPTH] = "depth"};
    return names[limit];
}

void json_add_warnings(yajl_gen json, const lp_warning *warnings, size_t count)
{
    json_add_key(json, "warnings");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < count; i++)
        json_add_item(json, warnings[i].message);
    yajl_gen_array_close(json);
}

void report_json_fields(const struct report *report, bool witness, yajl_gen json)
{
    static const lp_result unread = {0};
    const lp_result *result = report->result ? report->result : &unread;
    json_add_text(json, "input", report->input);
    json_add_text(json, "spec", result->spec);
    json_add_text(json, "verdict", report_verdict_name(report->verdict));
    json_add_number(json, "operations", result->operations);
    json_add_number(json, "pending", result->pending);
    json_add_number(json, "skipped", result->skipped);
    json_add_number(json, "passed_over", result->passed_over);
    json_add_number(json, "partitions", result->parts);
    if (result->keyed_results)
        json_add_text(json, "results", "keyed");
    json_add_text(json, "method", result->method);
    json_add_seconds(json, result->seconds);
    json_add_number(json, "explored", result->explored);
    json_add_text(json, "reason", report->reason);
    if (result->warning_count)
        json_add_warnings(json, result->warnings, result->warning_count);
    if (report->verdict == LP_UNKNOWN) {
        json_add_text(json, "limit", json_limit(report->limit));
        json_add_number(json, "partitions_decided", result->parts_decided);
    }
    if (report->violation_count)
        add_violation(json, &report->violations[0]);
    if (report->violation_count > 1)
        add_violations(json, report);
    if (witness && report->verdict == LP_LINEARIZABLE)
        json_add_indices(json, "linearization", result->linearization,
                         result->linearization_length);
}

void report_json(const struct report *report, bool witness, FILE *out)
{
    yajl_gen json = json_begin(out);
    report_json_fields(report, witness, json);
    json_end(json, out);
}

void json_add_trace_head(yajl_gen json, const char *command, uint64_t hash)
{
    char digits[40];
    snprintf(digits, sizeof digits, "xxh3:%016" PRIx64, hash);
    json_add_text(json, "command", command);
    json_add_text(json, "version", lp_version());
    json_add_text(json, "hash", digits);
}

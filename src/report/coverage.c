#include "report/coverage.h"

#include <string.h>

#include "base/utf8.h"
#include "report/execution.h"
#include "report/json.h"
#include "report/junit.h"

static const char *const verdicts[] = {
    [LP_SAFE] = "safe", [LP_UNSAFE] = "unsafe", [LP_COVER_UNKNOWN] = "unknown"};

lp_cover_verdict coverage_verdict(const struct coverage_report *report)
{
    return report->result ? report->result->verdict : LP_COVER_UNKNOWN;
}

/* "mutex.spec: safe (forward, 1,024 markings, 0.010 s)" */
static void append_verdict(const struct coverage_report *report, const struct terminal *terminal,
                           struct text *text)
{
    static const enum style styles[] = {
        [LP_SAFE] = STYLE_GOOD, [LP_UNSAFE] = STYLE_BAD, [LP_COVER_UNKNOWN] = STYLE_UNKNOWN};
    const lp_coverage *result = report->result;
    lp_cover_verdict verdict = coverage_verdict(report);
    utf8_append_shown(text, report->input, strlen(report->input), terminal->unicode);
    text_append(text, ": ");
    terminal_append(terminal, styles[verdict], verdicts[verdict], text);
    if (result) {
        text_append(text, " (");
        if (*result->method)
            text_format(text, "%s, ", result->method);
        report_text_count(result->explored, "marking", "markings", text);
        text_append(text, ", ");
        report_text_seconds(result->seconds, text);
        text_append(text, ")");
    }
    text_append(text, "\n");
}

void coverage_text(const struct coverage_report *report, const struct report_style *style,
                   struct text *text)
{
    const struct terminal *terminal = &style->terminal;
    append_verdict(report, terminal, text);
    if (style->quiet)
        return;
    report_text_reason(report->reason, terminal, text);
    if (!report->result || !report->result->has_execution)
        return;
    text_append(text, "\n");
    execution_table(&report->result->execution, false, terminal, text);
    if (style->replay)
        report_text_commands(style->replay, terminal, text);
}

void coverage_json_fields(const struct coverage_report *report, yajl_gen json)
{
    static const lp_coverage unread = {.method = ""};
    const lp_coverage *result = report->result ? report->result : &unread;
    lp_cover_verdict verdict = coverage_verdict(report);
    json_add_text(json, "input", report->input);
    json_add_text(json, "verdict", verdicts[verdict]);
    json_add_seconds(json, result->seconds);
    json_add_number(json, "memory_bytes", result->memory);
    json_add_text(json, "method", *result->method ? result->method : NULL);
    json_add_number(json, "markings", result->explored);
    json_add_text(json, "reason", report->reason);
    if (result->unchecked)
        json_add_text(json, "unchecked", result->unchecked);
    if (result->warning_count)
        json_add_warnings(json, result->warnings, result->warning_count);
    if (verdict == LP_SAFE)
        json_add_number(json, "certificate", result->certificate);
    if (verdict == LP_COVER_UNKNOWN)
        json_add_text(json, "limit", json_limit(report->result ? result->limit : report->limit));
    if (result->has_execution) {
        json_add_boolean(json, "shortest", result->shortest);
        execution_json_fields(&result->execution, json);
    }
}

void coverage_junit(const struct coverage_report *report, const char *story, struct text *text)
{
    static const char *const faults[] = {
        [LP_SAFE] = NULL, [LP_UNSAFE] = "failure", [LP_COVER_UNKNOWN] = "error"};
    lp_cover_verdict verdict = coverage_verdict(report);
    junit_append_case(report->input, report->input, report->result ? report->result->seconds : 0,
                      faults[verdict], faults[verdict] ? verdicts[verdict] : NULL, report->reason,
                      story, text);
}

void coverage_trace(const struct coverage_report *report, uint64_t hash, FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_trace_head(json, "cover", hash);
    coverage_json_fields(report, json);
    json_end(json, out);
}

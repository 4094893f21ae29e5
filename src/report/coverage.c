#include "report/coverage.h"

#include "report/execution.h"
#include "report/json.h"

static void append_run(const void *found, const struct terminal *terminal, struct text *text)
{
    text_append(text, "\n");
    execution_table(found, false, terminal, text);
}

static void add_run(const void *found, yajl_gen json)
{
    execution_json_fields(found, json);
}

static void add_parts(struct result *result, const lp_coverage *found)
{
    static const struct evidence_kind run = {append_run, add_run};
    result_add_text(result, "input", result->input);
    result_add_verdict(result);
    result_add_seconds(result);
    result_add_number(result, "memory_bytes", found->memory);
    result_add_text(result, "method", *found->method ? found->method : NULL);
    result_add_number(result, "markings", found->explored);
    result_add_reason(result);
    if (found->unchecked)
        result_add_text(result, "unchecked", found->unchecked);
    result_add_warnings(result);
    if (found->verdict == LP_SAFE)
        result_add_number(result, "certificate", found->certificate);
    result_add_limit(result);
    if (found->has_execution) {
        result_add_boolean(result, "shortest", found->shortest);
        result_add_evidence(result, &run, &found->execution);
    }
}

void coverage_fill(struct result *result, const lp_coverage *found)
{
    static const char *const words[] = {
        [LP_SAFE] = "safe", [LP_UNSAFE] = "unsafe", [LP_COVER_UNKNOWN] = "unknown"};
    static const lp_coverage unread = {.verdict = LP_COVER_UNKNOWN, .method = ""};
    result->decided = found != NULL;
    found = found ? found : &unread;
    result->verdict = (lp_answer)found->verdict;
    result->words = words;
    text_append(&result->subject, result->input);
    result->family = result->input;
    result->seconds = found->seconds;
    result->warnings = found->warnings;
    result->warning_count = found->warning_count;
    result->has_replay = found->has_execution;
    if (*found->method)
        result_fact(result, "%s", found->method);
    if (result->decided)
        result_count(result, found->explored, "marking", "markings");
    add_parts(result, found);
}

void coverage_trace(const struct result *result, uint64_t hash, FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_trace_head(json, "cover", hash);
    result_json_fields(result, json);
    json_end(json, out);
}

#include "report/coverage.h"

#include "report/json.h"

static void add_parts(struct result *result, const lp_coverage *found)
{
    struct node *root = &result->root;
    node_add_text(root, "input", result->input);
    result_add_verdict(result);
    result_add_seconds(result);
    node_add_number(root, "memory_bytes", found->memory);
    node_add_text(root, "method", *found->method ? found->method : NULL);
    node_add_number(root, "markings", found->explored);
    result_add_reason(result);
    if (found->unchecked)
        node_add_text(root, "unchecked", found->unchecked);
    result_add_warnings(result);
    if (found->verdict == LP_SAFE)
        node_add_number(root, "certificate", found->certificate);
    result_add_limit(result);
    if (found->has_execution) {
        node_add_boolean(root, "shortest", found->shortest);
        node_add_gap(root);
        node_add_found(root, NODE_EXECUTION, NULL, NULL, &found->execution);
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

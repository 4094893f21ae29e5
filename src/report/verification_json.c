#include <stdlib.h>
#include <string.h>

#include "report/execution.h"
#include "report/json.h"
#include "report/verification.h"

void json_add_variables(yajl_gen json, const char *key, const lp_variable *variables, size_t count)
{
    json_add_key(json, key);
    yajl_gen_map_open(json);
    for (size_t i = 0; i < count; i++)
        json_add_text(json, variables[i].name, variables[i].value);
    yajl_gen_map_close(json);
}

void execution_json_fields(const lp_execution *execution, yajl_gen json)
{
    json_add_variables(json, "start", execution->start, execution->start_count);
    json_add_key(json, "trace");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < execution->length; i++) {
        const lp_step *step = &execution->steps[i];
        yajl_gen_map_open(json);
        json_add_number(json, "process", step->process);
        json_add_text(json, "event", step->event);
        json_add_boolean(json, "visible", step->visible);
        json_add_variables(json, "changes", step->changes, step->change_count);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
    if (execution->is_lasso)
        json_add_number(json, "loop_start", execution->loop_start);
}

static void add_failure(yajl_gen json, const lp_verification *result)
{
    static const char *const names[] = {[LP_FAILURE_EVENT] = "event",
                                        [LP_FAILURE_REFUSAL] = "refusal",
                                        [LP_FAILURE_DIVERGENCE] = "divergence"};
    json_add_text(json, "failure", names[result->failure]);
    json_add_texts(json, "offered", result->offered, result->offered_count);
}

/* The operations, as events of the native history format, and what the checker of histories says of
 * them. */
static void add_history(yajl_gen json, const lp_verification *result)
{
    const lp_violation *violation = &result->check->violations[0];
    char *written = NULL;
    size_t size = 0;
    lp_error error;
    json_add_key(json, "history");
    yajl_gen_map_open(json);
    json_add_text(json, "spec", result->check->spec);
    json_add_text(json, "reason", violation->reason);
    json_add_indices(json, "core", violation->core, violation->core_length);
    json_add_key(json, "events");
    yajl_gen_array_open(json);
    FILE *lines = open_memstream(&written, &size);
    if (lines) {
        bool good = lp_history_write(result->history, "json", lines, &error) == LP_OK;
        fclose(lines);
        for (char *line = good ? written : NULL, *next; line && *line; line = next) {
            next = line + strcspn(line, "\n");
            if (*next)
                *next++ = 0;
            json_add_raw(json, line);
        }
        free(written);
    }
    yajl_gen_array_close(json);
    yajl_gen_map_close(json);
}

void verification_json_questions(const void *found, yajl_gen json)
{
    const lp_verification *result = found;
    static const char *const answers[] = {[LP_QUESTION_SAFE] = "safe",
                                          [LP_QUESTION_UNSAFE] = "unsafe",
                                          [LP_QUESTION_OPEN] = "unknown"};
    json_add_key(json, "questions");
    yajl_gen_array_open(json);
    for (size_t i = 0; i < result->question_count; i++) {
        const lp_question *question = &result->questions[i];
        yajl_gen_map_open(json);
        json_add_text(json, "rule", question->name);
        json_add_text(json, "about", question->about);
        json_add_text(json, "verdict", answers[question->answer]);
        json_add_text(json, "method", *question->method ? question->method : NULL);
        json_add_text(json, "reason", *question->reason ? question->reason : NULL);
        json_add_number(json, "markings", question->explored);
        json_add_number(json, "controls", question->controls);
        json_add_number(json, "places", question->places);
        json_add_number(json, "transitions", question->transitions);
        json_add_seconds(json, question->seconds);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

void verification_json_missing(const void *found, yajl_gen json)
{
    const lp_verification *result = found;
    json_add_texts(json, "missing", result->missing, result->missing_count);
    if (result->uncalled_count)
        json_add_texts(json, "never_called", result->uncalled, result->uncalled_count);
}

void verification_json_execution(const void *found, yajl_gen json)
{
    const lp_verification *result = found;
    execution_json_fields(&result->execution, json);
    if (result->failure != LP_FAILURE_NONE)
        add_failure(json, result);
    if (result->check)
        add_history(json, result);
}

#include "report/model_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/json.h"
#include "report/step.h"

static unsigned last_process(const lp_execution *execution)
{
    unsigned last = 0;
    for (size_t i = 0; i < execution->length; i++)
        last = execution->steps[i].process > last ? execution->steps[i].process : last;
    return last;
}

void model_trace_write(const struct model_trace_request *request, const struct result *result,
                       const lp_assertion *assertion, const lp_verification *found, FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_trace_head(json, "verify", request->hash);
    json_open_object(json, "options");
    json_add_text(json, "reduce", request->reduce);
    json_add_text(json, "search", request->search);
    json_add_text(json, "method", request->method);
    json_add_text(json, "fairness", request->fairness);
    yajl_gen_map_close(json);
    struct text process = TEXT_EMPTY;
    text_append(&process, assertion->process);
    if (found->copies)
        text_format(&process, " with copies = %u", found->copies);
    /* Threads of `.lin`, where an assertion is the whole process, always keep their places. */
    bool threads = strncmp(assertion->text, "assert ", strlen("assert ")) == 0;
    if (found->threads) /* as simulate wants an assertion about any number of threads */
        text_format(&process, " [%u threads, %u values]", 1 + last_process(&found->execution),
                    found->values);
    else if (found->values)
        text_format(&process, " [%u values]", found->values);
    if (found->fairness != LP_FAIRNESS_NONE && !threads)
        text_format(&process, "%s processes = apart", found->copies ? "," : " with");
    json_add_text(json, "process", text_string(&process));
    text_release(&process);
    result_json_fields(result, json);
    json_end(json, out);
}

/* An object of texts; false if there is none. */
static bool take_variables(yajl_val object, const char *key, const lp_variable **variables,
                           size_t *count)
{
    yajl_val found = tree_find(object, key, yajl_t_object);
    size_t length = found ? YAJL_GET_OBJECT(found)->len : 0;
    lp_variable *list = memory_small(length * sizeof *list);
    *variables = list;
    for (*count = 0; *count < length; ++*count) {
        yajl_val value = YAJL_GET_OBJECT(found)->values[*count];
        if (!YAJL_IS_STRING(value))
            return false;
        list[*count] = (lp_variable){.name = strdup(YAJL_GET_OBJECT(found)->keys[*count]),
                                     .value = strdup(value->u.string)};
    }
    return found != NULL;
}

static bool take_step(yajl_val item, lp_step *step)
{
    *step = (lp_step){.event = tree_text(item, "event"),
                      .visible = tree_boolean(item, "visible"),
                      .file = tree_text(item, "file")};
    if (!tree_number(item, "line", &step->line))
        step->line = 0;
    bool good = take_variables(item, "changes", &step->changes, &step->change_count);
    return good && step->event && tree_number(item, "process", &step->process);
}

static bool take_execution(yajl_val root, lp_execution *execution)
{
    yajl_val found = tree_find(root, "trace", yajl_t_array);
    size_t count = found ? YAJL_GET_ARRAY(found)->len : 0;
    uint32_t loop_start;
    lp_step *steps = memory_small(count * sizeof *steps);
    execution->steps = steps;
    execution->is_lasso = tree_number(root, "loop_start", &loop_start);
    execution->loop_start = execution->is_lasso ? loop_start : 0;
    if (!take_variables(root, "start", &execution->start, &execution->start_count))
        return false;
    while (execution->length < count) {
        size_t index = execution->length++;
        if (!take_step(YAJL_GET_ARRAY(found)->values[index], &steps[index]))
            return false;
    }
    return found != NULL;
}

struct model_trace *model_trace_take(yajl_val root, bool is_net)
{
    struct model_trace *trace = memory_small(sizeof *trace);
    *trace = (struct model_trace){.is_net = is_net,
                                  .input = tree_text(root, "input"),
                                  .process = tree_text(root, "process"),
                                  .assertion = tree_text(root, "assertion"),
                                  .verdict = tree_text(root, "verdict"),
                                  .reason = tree_text(root, "reason")};
    char *failure = tree_text(root, "failure");
    trace->failing = failure && strcmp(failure, "event") == 0;
    free(failure);
    if (take_execution(root, &trace->execution) && tree_hash(root, "hash", &trace->hash) &&
        trace->input && trace->verdict &&
        (is_net || (tree_number(root, "line", &trace->line) && trace->process && trace->assertion)))
        return trace;
    model_trace_destroy(trace);
    return NULL;
}

void model_trace_fill(struct result *result, const struct model_trace *trace)
{
    struct node *root = &result->root;
    node_add_text(root, "input", trace->input);
    if (!trace->is_net) {
        node_add_number(root, "line", trace->line);
        node_add_text(root, "assertion", trace->assertion);
        node_add_text(root, "process", trace->process);
    }
    node_add_text(root, "verdict", trace->verdict);
    node_add_text(root, "reason", trace->reason);
    if (trace->failing)
        node_add_text(root, "failure", "event");
    node_add_found(root, NODE_EXECUTION, NULL, NULL, &trace->execution);
}

void model_trace_destroy(struct model_trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->execution.length; i++)
        step_release(&trace->execution.steps[i]);
    free((void *)(uintptr_t)trace->execution.steps);
    variables_release(trace->execution.start, trace->execution.start_count);
    char *texts[] = {trace->input, trace->process, trace->assertion, trace->verdict, trace->reason};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        free(texts[i]);
    free(trace);
}

#include "report/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/json.h"
#include "report/tree.h"

static void add_options(const struct trace *request, yajl_gen json)
{
    json_open_object(json, "options");
    json_open_list(json, "spec");
    for (size_t i = 0; i < request->spec_count; i++)
        yajl_gen_string(json, (const unsigned char *)request->specs[i], strlen(request->specs[i]));
    yajl_gen_array_close(json);
    json_add_text(json, "initial", request->initial);
    json_add_text(json, "format", request->format);
    json_add_text(json, "method", request->method);
    json_add_text(json, "results", request->results);
    json_add_text(json, "order", request->order);
    json_add_boolean(json, "independent", request->independent);
    json_add_boolean(json, "owned", request->owned);
    json_add_boolean(json, "knossos-nil", request->knossos_nil);
    yajl_gen_map_close(json);
}

void trace_write(const struct trace *request, const struct result *result,
                 const lp_violation *found, FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_trace_head(json, "check", request->hash);
    add_options(request, json);
    char *key = found->has_key ? lp_value_to_edn(found->key) : NULL;
    json_add_text(json, "key_edn", key); /* JSON cannot say every value */
    free(key);
    json_add_boolean(json, "keyed_results", found->keyed_results);
    result_json_fields(result, json);
    json_end(json, out);
}

static bool take_partials(yajl_val root, struct trace *trace)
{
    yajl_val found = tree_find(root, "partials", yajl_t_array);
    size_t count = found ? YAJL_GET_ARRAY(found)->len : 0;
    trace->partials = memory_small(count * sizeof *trace->partials);
    for (size_t i = 0; i < count; i++) {
        yajl_val item = YAJL_GET_ARRAY(found)->values[i];
        struct trace_partial *partial = &trace->partials[trace->partial_count++];
        *partial = (struct trace_partial){0};
        bool good = tree_indices(item, "order", &partial->order, &partial->order_length) &&
                    tree_indices(item, "stuck", &partial->stuck, &partial->stuck_length);
        partial->state = tree_text(item, "state");
        if (!good)
            return false;
    }
    return true;
}

/* False if a field is missing or of a wrong shape. */
static bool take_fields(yajl_val root, struct trace *trace)
{
    yajl_val options = tree_find(root, "options", yajl_t_object);
    bool good = tree_hash(root, "hash", &trace->hash);
    trace->input = tree_text(root, "input");
    trace->initial = tree_text(options, "initial");
    trace->format = tree_text(options, "format");
    trace->method = tree_text(options, "method");
    trace->results = tree_text(options, "results");
    trace->order = tree_text(options, "order");
    trace->independent = tree_boolean(options, "independent");
    trace->owned = tree_boolean(options, "owned");
    trace->knossos_nil = tree_boolean(options, "knossos-nil");
    good = tree_texts(options, "spec", &trace->specs, &trace->spec_count) && good;
    trace->spec = tree_text(root, "spec");
    trace->reason = tree_text(root, "reason");
    trace->object = tree_text(root, "object");
    trace->key = tree_text(root, "key_edn");
    trace->keyed_results = tree_boolean(root, "keyed_results");
    trace->core_complete = tree_boolean(root, "core_complete");
    return good && options && trace->input && trace->spec && trace->reason &&
           tree_indices(root, "core", &trace->core, &trace->core_length) &&
           tree_indices(root, "context", &trace->context, &trace->context_length) &&
           tree_indices(root, "evidence", &trace->evidence, &trace->evidence_length) &&
           take_partials(root, trace);
}

static enum status read_file(const char *path, struct text *bytes, struct error *error)
{
    char block[65536];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(error, STATUS_INPUT, path, 0, "cannot be opened: %s", strerror(errno));
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        text_append_bytes(bytes, block, got);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (failed)
        return error_set(error, STATUS_INPUT, path, 0, "cannot be read: %s", strerror(failed));
    return STATUS_OK;
}

static struct trace *take_trace(yajl_val root)
{
    struct trace *taken = memory_small(sizeof *taken);
    *taken = (struct trace){0};
    if (take_fields(root, taken))
        return taken;
    trace_destroy(taken);
    return NULL;
}

enum status trace_read(const char *path, struct traces *traces, struct error *error)
{
    struct text bytes = TEXT_EMPTY;
    yajl_val root = NULL;
    *traces = (struct traces){0};
    enum status status = read_file(path, &bytes, error);
    if (status == STATUS_OK)
        status = tree_parse(path, &bytes, &root, error);
    if (status == STATUS_OK) {
        char *command = tree_text(root, "command");
        if (command && strcmp(command, "check") == 0)
            traces->history = take_trace(root);
        else if (command && strcmp(command, "verify") == 0)
            traces->model = model_trace_take(root, false);
        else if (command && strcmp(command, "cover") == 0)
            traces->model = model_trace_take(root, true);
        else if (command && strcmp(command, "test") == 0)
            traces->test = test_trace_take(root);
        if (!traces->history && !traces->model && !traces->test)
            status = error_set(error, STATUS_INPUT, path, 0,
                               "expected a trace as --trace of `linchpin check`, `verify`, "
                               "`cover` or `test` writes it, found another JSON value");
        free(command);
        yajl_tree_free(root);
    }
    text_release(&bytes);
    return status;
}

void traces_release(struct traces *traces)
{
    trace_destroy(traces->history);
    model_trace_destroy(traces->model);
    test_trace_destroy(traces->test);
}

void trace_destroy(struct trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->spec_count; i++)
        free(trace->specs[i]);
    for (size_t i = 0; i < trace->partial_count; i++) {
        free(trace->partials[i].order);
        free(trace->partials[i].stuck);
        free(trace->partials[i].state);
    }
    char *texts[] = {trace->input,  trace->initial, trace->format, trace->method,  trace->spec,
                     trace->reason, trace->object,  trace->key,    trace->results, trace->order};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        free(texts[i]);
    free(trace->specs);
    free(trace->partials);
    free(trace->core);
    free(trace->context);
    free(trace->evidence);
    free(trace);
}

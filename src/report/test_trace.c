#include "report/test_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "report/json.h"

bool test_trace_hash(const char *const *sources, size_t count, uint64_t *hash,
                     struct text *complaint)
{
    *hash = count;
    for (size_t i = 0; i < count; i++) {
        char block[65536];
        size_t got;
        FILE *file = fopen(sources[i], "rb");
        uint64_t length = 0;
        while (file && (got = fread(block, 1, sizeof block, file)) > 0) {
            *hash = hash_bytes(block, got, *hash);
            length += got;
        }
        int failed = !file || ferror(file) ? errno : 0;
        if (file)
            fclose(file);
        if (failed) {
            text_format(complaint, "%s: cannot be read: %s", sources[i], strerror(failed));
            return false;
        }
        *hash = hash_pair(*hash, length);
    }
    return true;
}

/* ---- writing ---- */

static void add_calls(const lp_tested *found, yajl_gen json)
{
    json_open_list(json, "calls");
    for (size_t i = 0; i < found->operation_count; i++) {
        const lp_test_call *call = &found->calls[i];
        uint32_t before[LP_TEST_CALLS];
        size_t count = 0;
        for (uint32_t j = 0; j < LP_TEST_CALLS; j++)
            if (call->before >> j & 1)
                before[count++] = j;
        json_open_object(json, NULL);
        json_add_number(json, "thread", call->thread);
        json_add_text(json, "f", call->name);
        if (call->has_argument)
            json_add_integer(json, "argument", call->argument);
        if (call->has_second)
            json_add_integer(json, "second", call->second);
        if (call->has_third)
            json_add_integer(json, "third", call->third);
        json_add_text(json, "result", call->result);
        json_add_boolean(json, "may_fail", call->may_fail);
        json_add_boolean(json, "may_wait", call->may_wait);
        json_add_indices(json, "before", before, count);
        yajl_gen_map_close(json);
    }
    yajl_gen_array_close(json);
}

void test_trace_write(const struct test_trace_request *request, uint64_t hash,
                      const struct result *result, const lp_tested *found, FILE *out)
{
    yajl_gen json = json_begin(out);
    json_add_trace_head(json, "test", hash);
    json_open_object(json, "options");
    json_add_texts(json, "sources", request->sources, request->source_count);
    json_add_texts(json, "flags", request->flags, request->flag_count);
    yajl_gen_map_close(json);
    add_calls(found, json);
    result_json_fields(result, json);
    json_end(json, out);
}

/* ---- reading ---- */

/* An integer that need not be there; false if something else is. */
static bool take_integer(yajl_val item, const char *key, bool *has, int64_t *integer)
{
    yajl_val found = tree_find(item, key, yajl_t_any);
    *has = found && YAJL_IS_INTEGER(found);
    if (*has)
        *integer = YAJL_GET_INTEGER(found);
    return *has || !found || YAJL_IS_NULL(found);
}

static bool take_call(yajl_val item, lp_test_call *call)
{
    uint32_t *before;
    size_t count;
    *call = (lp_test_call){.name = tree_text(item, "f"),
                           .result = tree_text(item, "result"),
                           .may_fail = tree_boolean(item, "may_fail"),
                           .may_wait = tree_boolean(item, "may_wait")};
    bool has_third = false;
    bool integers = take_integer(item, "argument", &call->has_argument, &call->argument) &&
                    take_integer(item, "second", &call->has_second, &call->second) &&
                    take_integer(item, "third", &has_third, &call->third);
    call->has_third = call->has_second && has_third;
    uint32_t thread = 0;
    bool good = tree_indices(item, "before", &before, &count) && call->name && integers &&
                tree_number(item, "thread", &thread);
    call->thread = thread;
    for (size_t i = 0; good && i < count; i++) {
        good = before[i] < LP_TEST_CALLS;
        call->before |= good ? UINT32_C(1) << before[i] : 0;
    }
    free(before);
    return good;
}

static bool take_calls(yajl_val root, lp_tested *found)
{
    yajl_val list = tree_find(root, "calls", yajl_t_array);
    size_t count = list ? YAJL_GET_ARRAY(list)->len : 0;
    size_t room = (count > found->operation_count ? count : found->operation_count) + 1;
    lp_test_call *calls = memory_small(room * sizeof *calls);
    memset(calls, 0, room * sizeof *calls);
    found->calls = calls;
    bool good = list && count == found->operation_count && count <= LP_TEST_CALLS;
    for (size_t i = 0; good && i < count; i++)
        good = take_call(YAJL_GET_ARRAY(list)->values[i], &calls[i]);
    return good;
}

static bool take_step(yajl_val item, const lp_tested *found, lp_access *step)
{
    uint32_t thread = 0, line = 0, operation;
    *step = (lp_access){.file = tree_text(item, "file"),
                        .access = tree_text(item, "access"),
                        .location = tree_text(item, "location"),
                        .value = tree_text(item, "value"),
                        .source = tree_text(item, "from")};
    bool good = tree_number(item, "thread", &thread) && tree_number(item, "line", &line) &&
                step->access && thread > 0;
    if (tree_number(item, "operation", &operation))
        step->call = operation < found->operation_count ? operation + 1 : 0;
    step->thread = thread;
    step->line = line;
    return good;
}

static bool take_steps(yajl_val root, lp_tested *found)
{
    yajl_val list = tree_find(root, "trace", yajl_t_array);
    size_t count = list ? YAJL_GET_ARRAY(list)->len : 0;
    lp_access *steps = memory_small((count + 1) * sizeof *steps);
    found->trace = steps;
    while (found->trace_length < count) {
        size_t index = found->trace_length++;
        if (!take_step(YAJL_GET_ARRAY(list)->values[index], found, &steps[index]))
            return false;
    }
    uint32_t start;
    found->loop_start = tree_number(root, "loop_start", &start) ? start : count;
    return found->loop_start <= count;
}

static bool take_found(yajl_val root, lp_tested *found)
{
    uint32_t *order, *stuck, number;
    char **texts;
    bool good = tree_texts(root, "operations", &texts, &found->operation_count);
    found->operations = (const char *const *)texts;
    good = tree_texts(root, "client", &texts, &found->client_count) && good;
    found->client = (const char *const *)texts;
    good = tree_texts(root, "unordered", &texts, &found->unordered_count) && good;
    found->unordered = (const char *const *)texts;
    good = tree_texts(root, "relaxed", &texts, &found->relaxed_count) && good;
    found->relaxed = (const char *const *)texts;
    good = tree_indices(root, "order", &order, &found->order_length) && good;
    good = tree_indices(root, "stuck", &stuck, &found->stuck_length) && good;
    found->order = found->order_length || found->stuck_length ? order : NULL;
    found->stuck = stuck;
    if (!found->order)
        free(order);
    for (size_t i = 0; good && i < found->order_length; i++)
        good = found->order[i] < found->operation_count;
    for (size_t i = 0; good && i < found->stuck_length; i++)
        good = stuck[i] < found->operation_count;
    found->verdict = LP_VIOLATED;
    found->reason = tree_text(root, "reason");
    found->scenario = tree_text(root, "scenario");
    found->found_in = tree_text(root, "found_in");
    found->finding = tree_text(root, "finding");
    found->state = tree_text(root, "state");
    found->schedule = tree_text(root, "schedule");
    found->cut_off = tree_text(root, "cut_off");
    found->complete = tree_boolean(root, "complete");
    const struct {
        const char *key;
        uint64_t *count;
    } counts[] = {{"scenarios", &found->scenarios}, {"executions", &found->executions},
                  {"histories", &found->histories}, {"blocked", &found->blocked},
                  {"hanging", &found->hanging},     {"larger", &found->larger},
                  {"left_out", &found->left_out},   {"larger_cut_off", &found->larger_cut_off},
                  {"repeated", &found->repeated},   {"waiting_behind", &found->waiting_behind}};
    for (size_t i = 0; i < ARRAY_LENGTH(counts); i++)
        *counts[i].count = tree_number(root, counts[i].key, &number) ? number : 0;
    return good && take_calls(root, found) && take_steps(root, found) && found->reason &&
           found->scenario && found->finding && found->schedule;
}

struct test_trace *test_trace_take(yajl_val root)
{
    struct test_trace *trace = memory_small(sizeof *trace);
    yajl_val options = tree_find(root, "options", yajl_t_object);
    *trace = (struct test_trace){.input = tree_text(root, "input"),
                                 .test = tree_text(root, "test"),
                                 .spec = tree_text(root, "spec"),
                                 .memory_model = tree_text(root, "memory_model"),
                                 .compilers = tree_text(root, "compilers")};
    bool good = tree_texts(options, "sources", &trace->sources, &trace->source_count);
    good = tree_texts(options, "flags", &trace->flags, &trace->flag_count) && good;
    if (take_found(root, &trace->found) && good && tree_hash(root, "hash", &trace->hash) &&
        trace->input && trace->test && trace->memory_model && trace->source_count > 0)
        return trace;
    test_trace_destroy(trace);
    return NULL;
}

static void release(const void *owned)
{
    free((void *)(uintptr_t)owned);
}

static void release_texts(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        release(texts[i]);
    release(texts);
}

void test_trace_destroy(struct test_trace *trace)
{
    if (!trace)
        return;
    const lp_tested *found = &trace->found;
    for (size_t i = 0; found->calls && i < found->operation_count; i++) {
        release(found->calls[i].name);
        release(found->calls[i].result);
    }
    for (size_t i = 0; i < found->trace_length; i++) {
        const lp_access *step = &found->trace[i];
        const char *const texts[] = {step->file, step->access, step->location, step->value,
                                     step->source};
        for (size_t j = 0; j < ARRAY_LENGTH(texts); j++)
            release(texts[j]);
    }
    const void *const owned[] = {
        trace->input,        trace->test,   trace->spec,     trace->compilers,
        trace->memory_model, found->calls,  found->trace,    found->order,
        found->stuck,        found->reason, found->scenario, found->found_in,
        found->finding,      found->state,  found->schedule, found->cut_off};
    for (size_t i = 0; i < ARRAY_LENGTH(owned); i++)
        release(owned[i]);
    release_texts(found->operations, found->operation_count);
    release_texts(found->relaxed, found->relaxed_count);
    release_texts(found->client, found->client_count);
    release_texts(found->unordered, found->unordered_count);
    release_texts((const char *const *)trace->sources, trace->source_count);
    release_texts((const char *const *)trace->flags, trace->flag_count);
    free(trace);
}

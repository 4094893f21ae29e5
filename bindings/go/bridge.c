#include "bridge.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

/* ---- a specification whose callbacks are in Go ----
 *
 * A state is a number of the Go side, which has interned it, 1 and above: a handle. */

static void *model_init(void *user)
{
    bridge_model *model = user;
    void *initial = __atomic_load_n(&model->initial, __ATOMIC_RELAXED);
    if (!initial) {
        initial = (void *)(uintptr_t)goInit(model->handle);
        __atomic_store_n(&model->initial, initial, __ATOMIC_RELAXED);
    }
    return initial;
}

static void *model_follow(void *user, const void *state, size_t operation, lp_value argument,
                          const lp_value *recorded)
{
    const bridge_model *model = user;
    uint64_t from = (uintptr_t)state;
    int64_t class = 0;
    if (model->described)
        return (void *)(uintptr_t)goFollow(model->handle, from, (uint64_t)operation, argument,
                                           recorded ? *recorded : LP_VALUE_NIL);
    if (!lp_value_get_integer(argument, &class))
        return NULL;
    return (void *)(uintptr_t)goStep(model->handle, from, (uint64_t) class);
}

static char *model_print(void *user, const void *state)
{
    const bridge_model *model = user;
    return goPrint(model->handle, (uintptr_t)state);
}

/* ---- values ----
 *
 * n nil; t, f; i and d with 8 bytes; s, k, y (a string, a keyword, a symbol) with 4 bytes of
 * length and the letters, a zero byte behind them; l with 4 bytes of length and that many values.
 */

static lp_value decode_value(lp_context *context, const uint8_t **at)
{
    uint8_t tag = *(*at)++;
    int64_t integer;
    double real;
    uint32_t length;
    switch (tag) {
    case 't':
    case 'f':
        return lp_value_boolean(tag == 't');
    case 'i':
        memcpy(&integer, *at, sizeof integer);
        *at += sizeof integer;
        return lp_value_integer(context, integer);
    case 'd':
        memcpy(&real, *at, sizeof real);
        *at += sizeof real;
        return lp_value_real(context, real);
    case 's':
    case 'k':
    case 'y':
    case 'l':
        memcpy(&length, *at, sizeof length);
        *at += sizeof length;
        break;
    default:
        return LP_VALUE_NIL;
    }
    const char *text = (const char *)*at;
    if (tag != 'l') {
        *at += length + 1;
        return tag == 's'   ? lp_value_string(context, text)
               : tag == 'k' ? lp_value_keyword(context, text)
                            : lp_value_symbol(context, text);
    }
    lp_value *items = malloc((length + 1) * sizeof *items);
    if (!items)
        return LP_VALUE_REFUSED;
    for (uint32_t i = 0; i < length; i++)
        items[i] = decode_value(context, at);
    lp_value list = lp_value_list(context, items, length);
    free(items);
    return list;
}

static lp_value value_at(lp_context *context, const bridge_question *question, uint64_t place)
{
    const uint8_t *at = question->values + place;
    return place == BRIDGE_NIL ? LP_VALUE_NIL : decode_value(context, &at);
}

/* ---- recording ---- */

/* The texts of a list; null: no memory. */
static const char **split_names(const char *names)
{
    size_t count = 0;
    for (const char *at = names; *at; at += strlen(at) + 1)
        count++;
    const char **split = malloc((count + 1) * sizeof *split);
    if (!split)
        return NULL;
    for (size_t i = 0; i < count; i++, names += strlen(names) + 1)
        split[i] = names;
    split[count] = NULL;
    return split;
}

/* Records an operation that answers nothing. */
static lp_status record_silent(lp_history *history, const bridge_operation *now,
                               const char *const *names, lp_value process, lp_value key,
                               lp_value argument, lp_error *error)
{
    const uint8_t outcome = (uint8_t)now->outcome;
    const uint32_t first = 0;
    const bool answers = false;
    const lp_columns columns = {.size = sizeof columns,
                                .length = 1,
                                .process = &process,
                                .function = &first,
                                .names = names + now->function,
                                .name_count = 1,
                                .key = &key,
                                .object = now->object ? &first : NULL,
                                .objects = now->object ? names + now->object - 1 : NULL,
                                .object_count = now->object ? 1 : 0,
                                .argument = &argument,
                                .outcome = &outcome,
                                .called = &now->called,
                                .returned = &now->returned,
                                .answers = &answers};
    return lp_history_intervals(history, &columns, error);
}

static lp_status record(const bridge_question *question, const char *const *names,
                        const lp_value *processes, bridge_answer *answer)
{
    lp_context *context = answer->context;
    uint32_t object = 0;
    uint64_t key = BRIDGE_NIL;
    for (size_t i = 0; i < question->count; i++) {
        const bridge_operation *now = &question->operations[i];
        lp_status status = LP_OK;
        if (now->object != object)
            status = lp_history_object(answer->history, now->object ? names[now->object - 1] : NULL,
                                       &answer->error);
        if (status == LP_OK && now->key != key)
            status = lp_history_key(answer->history, value_at(context, question, now->key),
                                    &answer->error);
        object = now->object;
        key = now->key;
        bool numbered = !question->spec && !question->model.described;
        lp_value process =
            processes ? processes[now->process] : lp_value_integer(context, now->process);
        lp_value argument = numbered ? lp_value_integer(context, (int64_t)now->argument)
                                     : value_at(context, question, now->argument);
        lp_value result = value_at(context, question, now->result);
        if (question->model.described)
            goRecorded(question->model.handle, i, now->function, argument, result);
        if (status == LP_OK && now->silent)
            status = record_silent(answer->history, now, names, process,
                                   value_at(context, question, now->key), argument, &answer->error);
        else if (status == LP_OK)
            status = lp_history_interval(answer->history, process, names[now->function], argument,
                                         now->called, now->outcome, result, now->returned,
                                         &answer->error);
        if (status != LP_OK)
            return status;
    }
    for (size_t i = 0; i < question->note_count; i++) {
        const bridge_note *note = &question->notes[i];
        lp_status status =
            lp_history_note(answer->history, value_at(context, question, note->process), note->name,
                            value_at(context, question, note->value), note->time, &answer->error);
        if (status != LP_OK)
            return status;
    }
    return lp_history_close(answer->history, &answer->error);
}

static lp_status make_spec(const bridge_question *question, const char *const *names,
                           bridge_answer *answer)
{
    static const lp_spec_callbacks callbacks = {.size = sizeof callbacks,
                                                .name = "model",
                                                .init = model_init,
                                                .follow = model_follow,
                                                .print = model_print};
    if (question->spec) {
        const lp_spec_options options = {.size = sizeof options,
                                         .initial = question->initial,
                                         .owned = question->owned,
                                         .nil_reads = question->nil_reads};
        return lp_spec_create(answer->context, question->spec, &options, &answer->spec,
                              &answer->error);
    }
    lp_spec_callbacks named = callbacks;
    named.operations = names;
    answer->model = question->model;
    return lp_spec_create_custom(answer->context, &named, &answer->model, &answer->spec,
                                 &answer->error);
}

/* ---- deciding ---- */

static void set_options(const bridge_question *question, bridge_answer *answer)
{
    answer->options = (lp_check_options){.size = sizeof(lp_check_options),
                                         .method = question->method,
                                         .timeout = question->timeout,
                                         .jobs = question->jobs,
                                         .untold = question->untold,
                                         .independent = question->independent,
                                         .all = question->all};
}

static lp_status check(const bridge_question *question, const char *const *names,
                       const lp_value *processes, bridge_answer *answer)
{
    answer->history = lp_history_create(answer->context, "history");
    if (!answer->history)
        return LP_LIMIT;
    answer->status = record(question, names, processes, answer);
    if (answer->status == LP_OK)
        answer->status = make_spec(question, names, answer);
    if (answer->status != LP_OK)
        return answer->status;
    answer->binding = (lp_binding){.spec = answer->spec};
    return lp_check(answer->context, answer->history, &answer->binding, 1, &answer->options,
                    &answer->result, &answer->error);
}

void bridge_check(const bridge_question *question, bridge_answer *answer)
{
    const char **names = split_names(question->names);
    lp_value *processes = NULL;
    if (question->processes) {
        const uint8_t *at = question->processes;
        processes = malloc((question->process_count + 1) * sizeof *processes);
        for (size_t i = 0; processes && i < question->process_count; i++)
            processes[i] = decode_value(answer->context, &at);
    }
    set_options(question, answer);
    answer->status = names && (processes || !question->processes)
                         ? check(question, names, processes, answer)
                         : LP_LIMIT;
    free(processes);
    free(names);
}

void bridge_check_history(const lp_history *history, const bridge_question *question,
                          bridge_answer *answer)
{
    const lp_spec_options inferred = {.size = sizeof inferred,
                                      .initial = question->initial,
                                      .owned = question->owned,
                                      .nil_reads = question->nil_reads};
    set_options(question, answer);
    answer->status = question->spec ? make_spec(question, NULL, answer) : LP_OK;
    if (answer->status != LP_OK)
        return;
    answer->binding = (lp_binding){.spec = answer->spec};
    answer->options.inferred = &inferred;
    answer->status =
        lp_check(answer->context, history, answer->spec ? &answer->binding : NULL,
                 answer->spec ? 1 : 0, &answer->options, &answer->result, &answer->error);
    answer->options.inferred = NULL;
}

void bridge_release(bridge_answer *answer)
{
    lp_result_destroy(answer->result);
    lp_history_destroy(answer->history);
    lp_spec_destroy(answer->spec);
    if (answer->context)
        lp_context_destroy(answer->context);
    memset(answer, 0, sizeof *answer);
}

char *bridge_html(bridge_answer *answer, const lp_history *history, size_t *length)
{
    lp_report *report = lp_report_create(LP_REPORT_HTML, NULL);
    if (!report)
        return NULL;
    lp_report_check(report, answer->context, history, answer->spec ? &answer->binding : NULL,
                    answer->spec ? 1 : 0, &answer->options, answer->result, NULL);
    return lp_report_finish(report, length);
}

/* ---- elements ---- */

lp_violation *bridge_violation(const lp_result *result, size_t index)
{
    return (lp_violation *)&result->violations[index];
}

lp_partial *bridge_partial(const lp_violation *violation, size_t index)
{
    return (lp_partial *)&violation->partials[index];
}

lp_warning *bridge_warning(const lp_result *result, size_t index)
{
    return (lp_warning *)&result->warnings[index];
}

lp_step *bridge_step(const lp_verification *result, size_t index)
{
    return (lp_step *)&result->execution.steps[index];
}

lp_variable *bridge_change(const lp_step *step, size_t index)
{
    return (lp_variable *)&step->changes[index];
}

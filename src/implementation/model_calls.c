#include "implementation/model_calls.h"

#include <string.h>

#include "implementation/model_steps.h"
#include "implementation/run_answers.h"

/* Whether the clients' order says when the operation is called. */
static bool lin_is_ordered(const struct lin_setting *setting, const struct lin_entry *entry)
{
    for (uint32_t i = 0; i < setting->client_count; i++)
        if (strcmp(setting->client[i], entry->operation->name) == 0)
            return true;
    return false;
}

/* Where the order ends that a name of the clients' orders is in. */
static uint32_t end_of_order(const struct lin_setting *setting, uint32_t at)
{
    const uint32_t *end = setting->client_ends;
    if (!end)
        return setting->client_count;
    while (*end <= at)
        end++;
    return *end;
}

/* Whether a thread that is at `turn` may call the operation with that name: it stands there, or the
 * name begins an order and the thread is in none. */
static bool is_next(const struct lin_setting *setting, uint32_t turn, uint32_t at)
{
    return turn ? at == turn : at == 0 || end_of_order(setting, at - 1) == at;
}

static bool counts_operations(const struct lin_setting *setting)
{
    return setting->operations >= 0 || setting->total;
}

uint32_t lin_operations_at_first(const struct lin_setting *setting)
{
    bool few = setting->operations >= 0 &&
               (setting->total == 0 || (uint32_t)setting->operations < setting->total);
    return few ? (uint32_t)setting->operations : setting->total;
}

/* Whether values are fresh and this call would not bring the next one; if it does that is noted in
 * `after`. */
static bool lin_is_stale(const struct lin_steps *steps, const struct lin_entry *entry,
                         const int32_t *arguments, uint32_t *after)
{
    for (uint32_t i = 0; steps->setting.fresh && i < entry->operation->parameter_count; i++) {
        if (entry->operation->parameters[i]->type.kind != LIN_TYPE_VALUE)
            continue;
        if ((uint32_t)arguments[i] != after[steps->last_slot] + 1)
            return true;
        after[steps->last_slot]++;
    }
    return false;
}

/* The label of a call, with the thread and the arguments as components. */
static label label_call(struct lin_worker *worker, uint32_t number, const struct action *event)
{
    const uint32_t of = (uint32_t)worker->model->steps->listing.code.length + number,
                   thread = event->components[0],
                   word = event->count > 1 ? event->components[1] : 0;
    struct lin_known_label *known = lin_known_label(worker, of, thread, word);
    if (event->count <= 2 && lin_label_is_known(known, of, thread, word))
        return known->label;
    const label made = labels_intern(worker->model->model.labels, event);
    if (event->count <= 2 && made != LABEL_REFUSED)
        *known = (struct lin_known_label){of, thread, word, made};
    return made;
}

label lin_model_label_call(struct lin_worker *worker, uint32_t call, uint32_t thread)
{
    const struct lin_steps *steps = worker->model->steps;
    uint32_t components[MOST_COMPONENTS] = {thread}, number = 0, calls = 1;
    const struct lin_entry *entry;
    for (;; call -= calls, number++) {
        entry = &steps->entries[number];
        calls = 1;
        for (uint32_t i = 0; i < entry->operation->parameter_count; i++)
            calls *= (uint32_t)(entry->parameters[i].high - entry->parameters[i].low) + 1;
        if (call < calls)
            break;
    }
    for (uint32_t i = 0; i < entry->operation->parameter_count; i++) {
        const struct lin_step_range *range = &entry->parameters[i];
        calls /= (uint32_t)(range->high - range->low) + 1;
        components[1 + i] =
            lin_run_component_of((enum lin_type_kind)entry->operation->parameters[i]->type.kind,
                                 (uint32_t)range->low + call / calls);
        call %= calls;
    }
    const struct action event = {.kind = LABEL_INVOKE,
                                 .name = worker->model->operation_names.items[number],
                                 .components = components,
                                 .count = entry->operation->parameter_count + 1};
    return label_call(worker, number, &event);
}

/* Calls an operation, which leaves the thread at `turn`. */
static enum status call(struct lin_worker *worker, const uint32_t *state, uint32_t thread,
                        uint32_t number, uint32_t turn, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    const struct lin_entry *entry = &steps->entries[number];
    uint32_t count = entry->operation->parameter_count;
    uint32_t components[MOST_COMPONENTS] = {thread};
    int32_t arguments[MOST_ARGUMENTS];
    struct action event = {.kind = LABEL_INVOKE,
                           .name = worker->model->operation_names.items[number],
                           .components = components,
                           .count = count + 1};
    if (count > ARRAY_LENGTH(arguments))
        return script_error(steps->module->script, entry->operation->at, error,
                            "expected at most %d parameters, found %u", MOST_ARGUMENTS, count);
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = entry->parameters[i].low;
    for (;;) {
        memcpy(worker->before.items, state, steps->slots * sizeof *state);
        uint32_t *own = thread_slots(steps, worker->before.items, thread);
        if (counts_operations(&steps->setting))
            own[LIN_THREAD_LEFT]--;
        own[LIN_THREAD_TURN] = turn;
        for (uint32_t i = 0; i < count; i++) {
            own[LIN_THREAD_HEADER + steps->result_words + i] = (uint32_t)arguments[i];
            if (entry->pointed)
                own[LIN_THREAD_HEADER + entry->pointed + 1 + i] = (uint32_t)arguments[i];
            components[1 + i] =
                lin_run_component_of((enum lin_type_kind)entry->operation->parameters[i]->type.kind,
                                     (uint32_t)arguments[i]);
        }
        const label l = label_call(worker, number, &event);
        if (!lin_is_stale(steps, entry, arguments, worker->before.items))
            TRY(lin_model_run_all(worker, thread, entry->start, l, l, out, error));
        uint32_t last = count;
        while (last > 0 && arguments[last - 1] == entry->parameters[last - 1].high) {
            last--;
            arguments[last] = entry->parameters[last].low;
        }
        if (last == 0)
            return STATUS_OK;
        arguments[last - 1]++;
    }
}

/* Calls an operation wherever the clients' orders say so. */
static enum status call_in_order(struct lin_worker *worker, const uint32_t *state, uint32_t thread,
                                 uint32_t number, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    const struct lin_setting *setting = &steps->setting;
    const char *name = steps->entries[number].operation->name;
    const uint32_t turn = thread_slots_of(steps, state, thread)[LIN_THREAD_TURN];
    for (uint32_t at = 0; at < setting->client_count; at++) {
        if (!is_next(setting, turn, at) || strcmp(setting->client[at], name) != 0)
            continue;
        const uint32_t then = at + 1 == end_of_order(setting, at) ? 0 : at + 1;
        TRY(call(worker, state, thread, number, then, out, error));
    }
    return STATUS_OK;
}

/* Whether threads have called as often as they may together. */
static bool has_called_all(const struct lin_steps *steps, const uint32_t *state)
{
    uint32_t called = 0, first = lin_operations_at_first(&steps->setting);
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        called += first - thread_slots_of(steps, state, i)[LIN_THREAD_LEFT];
    return steps->setting.total && called >= steps->setting.total;
}

enum status lin_model_call_any(struct lin_worker *worker, const uint32_t *state, uint32_t thread,
                               uint32_t known_as, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    const struct lin_setting *setting = &steps->setting;
    const uint32_t *own = state + steps->thread_first + thread * steps->thread_words;
    if ((counts_operations(setting) && own[LIN_THREAD_LEFT] == 0) || has_called_all(steps, state))
        return STATUS_OK;
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        const struct lin_entry *entry = &steps->entries[i];
        if (entry->only >= 0 && (uint32_t)entry->only != known_as)
            continue;
        TRY(lin_is_ordered(setting, entry)
                ? call_in_order(worker, state, thread, i, out, error)
                : call(worker, state, thread, i, own[LIN_THREAD_TURN], out, error));
    }
    return STATUS_OK;
}

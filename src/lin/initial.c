#include "lin/initial.h"

#include <string.h>

#include "lin/model_calls.h"
#include "lin/model_steps.h"
#include "lin/run_answers.h"

static enum status expect_no_fault(const struct lin_model *model, const struct successors *out,
                                   size_t first, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    for (size_t i = first; i < out->steps.length; i++)
        if (out->steps.items[i].label == model->fault)
            return script_error(steps->module->script, steps->object->at, error, "%s",
                                model->reason);
    return STATUS_OK;
}

/* All threads run to before their first steps, in the states from `first` on. */
static enum status start_threads(struct lin_model *model, struct successors *out, size_t first,
                                 struct error *error)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        size_t count = out->steps.length - first;
        for (size_t i = 0; i < count; i++) {
            memcpy(model->before.items, out->states.items + (first + i) * steps->slots,
                   steps->slots * sizeof *model->before.items);
            TRY(lin_model_run_all(model, thread, steps->entries[thread].start, LABEL_TAU, LABEL_TAU,
                                  out, error));
        }
        size_t rest = out->steps.length - first - count;
        memmove(out->steps.items + first, out->steps.items + first + count,
                rest * sizeof *out->steps.items);
        memmove(out->states.items + first * steps->slots,
                out->states.items + (first + count) * steps->slots,
                rest * steps->slots * sizeof *out->states.items);
        out->steps.length = first + rest;
        out->states.length = out->steps.length * steps->slots;
    }
    return STATUS_OK;
}

static bool start_object(struct lin_model *model, uint32_t *slots)
{
    const struct spec *spec = model->steps->setting.spec;
    outcomes_clear(&model->outcomes);
    if (!spec->class->init(spec, VALUE_NIL, &model->outcomes))
        return false;
    uint32_t *state = &slots[model->steps->spec_slot];
    *state = lin_run_intern_object(model, &model->outcomes.items.items[0]);
    return *state != UINT32_MAX;
}

/* Runs `init`, with the first thread's locals to work in. */
static enum status run_init(struct lin_model *model, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    uint32_t *before = model->before.items;
    size_t first = out->steps.length;
    memset(before, 0, steps->slots * sizeof *before);
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        thread_slots(steps, before, i)[LIN_THREAD_LEFT] = lin_operations_at_first(&steps->setting);
    if (steps->setting.spec && !start_object(model, before))
        return STATUS_LIMIT;
    const struct lin_fusion fusion = model->fusion;
    model->fusion.symmetry = model->fusion.values = false; /* the first thread works here */
    model->starving = 0;
    enum status status =
        lin_model_run_all(model, 0, steps->initially, LABEL_TAU, LABEL_TAU, out, error);
    model->fusion = fusion;
    TRY(status);
    return expect_no_fault(model, out, first, error);
}

enum status lin_initial_states(struct lin_model *model, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = model->steps;
    const struct lin_fusion fusion = model->fusion;
    size_t first = out->steps.length;
    TRY(run_init(model, out, error));
    bool starves = model->starving != 0;
    if (steps->setting.words) {
        model->fusion.local = false; /* executions begin where they do without fusion */
        enum status status = start_threads(model, out, first, error);
        model->fusion = fusion;
        TRY(status);
        TRY(expect_no_fault(model, out, first, error));
    }
    if (out->steps.length > first)
        return STATUS_OK;
    return script_error(steps->module->script, steps->object->at, error,
                        "expected an initial state of `%s`, found none%s", steps->object->name,
                        starves ? ": it makes more nodes than `nodes =` says" : "");
}

enum status lin_initial_nodes(struct lin_model *model, uint32_t *made, bool *enough,
                              struct error *error)
{
    const struct lin_steps *steps = model->steps;
    struct successors out;
    successors_init(&out, model->model.budget);
    enum status status = run_init(model, &out, error);
    *enough = model->starving == 0;
    memset(made, 0, steps->pool_count * sizeof *made);
    for (size_t s = 0; status == STATUS_OK && s < out.steps.length; s++)
        for (uint32_t i = 0; i < steps->pool_count; i++) {
            const struct lin_pool *pool = &steps->pools[i];
            const uint32_t *node = out.states.items + s * steps->slots + pool->first;
            uint32_t count = 0;
            for (uint32_t j = 0; j < pool->nodes; j++, node += pool->words)
                count += *node != LIN_NODE_NONE;
            made[i] = count > made[i] ? count : made[i];
        }
    successors_release(&out);
    return status;
}

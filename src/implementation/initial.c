#include "implementation/initial.h"

#include <stdio.h>
#include <string.h>

#include "implementation/model_calls.h"
#include "implementation/model_steps.h"
#include "implementation/run_answers.h"

static enum status expect_no_fault(const struct lin_worker *worker, const struct successors *out,
                                   size_t first, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    for (size_t i = first; i < out->steps.length; i++)
        if (out->steps.items[i].label == worker->model->fault)
            return script_error(steps->module->script, steps->object->at, error, "%s",
                                worker->reason);
    return STATUS_OK;
}

/* All threads run to before their first steps, in the states from `first` on. */
static enum status start_threads(struct lin_worker *worker, struct successors *out, size_t first,
                                 struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        size_t count = out->steps.length - first;
        for (size_t i = 0; i < count; i++) {
            memcpy(worker->before.items, out->states.items + (first + i) * steps->slots,
                   steps->slots * sizeof *worker->before.items);
            TRY(lin_model_run_all(worker, thread, steps->entries[thread].start, LABEL_TAU,
                                  LABEL_TAU, out, error));
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

/* The specification's first state, with the lock of the words held. */
static bool start_object(struct lin_worker *worker, uint32_t *slots)
{
    const struct spec *spec = worker->model->steps->setting.spec;
    outcomes_clear(&worker->outcomes);
    if (!spec->class->init(spec, VALUE_NIL, &worker->outcomes))
        return false;
    uint32_t *state = &slots[worker->model->steps->spec_slot];
    *state = lin_run_intern_object(worker, &worker->outcomes.items.items[0]);
    return *state != UINT32_MAX;
}

static bool lock_and_start_object(struct lin_worker *worker, uint32_t *slots)
{
    struct lin_words *words = worker->model->steps->setting.words;
    pthread_mutex_lock(&words->lock);
    bool started = start_object(worker, slots);
    pthread_mutex_unlock(&words->lock);
    return started;
}

/* Runs `init`, with the first thread's locals to work in. */
static enum status run_init(struct lin_worker *worker, struct successors *out, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    uint32_t *before = worker->before.items;
    size_t first = out->steps.length;
    memset(before, 0, steps->slots * sizeof *before);
    for (uint32_t i = 0; i < steps->setting.threads; i++)
        thread_slots(steps, before, i)[LIN_THREAD_LEFT] = lin_operations_at_first(&steps->setting);
    if (steps->setting.spec && !lock_and_start_object(worker, before))
        return STATUS_LIMIT;
    const struct lin_options options = worker->options;
    worker->options.shows_errors = false;
    out->starving = 0;
    enum status status =
        lin_model_run_all(worker, 0, steps->initially, LABEL_TAU, LABEL_TAU, out, error);
    worker->options = options;
    TRY(status);
    return expect_no_fault(worker, out, first, error);
}

static enum status find_states(struct lin_worker *worker, struct successors *out,
                               struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    const struct lin_options options = worker->options;
    size_t first = out->steps.length;
    TRY(run_init(worker, out, error));
    bool starves = out->starving != 0;
    if (steps->setting.words) {
        /* executions begin where they do without fusion */
        worker->options.local = worker->options.write_once = worker->options.pure =
            worker->options.stale = false;
        enum status status = start_threads(worker, out, first, error);
        worker->options = options;
        TRY(status);
        TRY(expect_no_fault(worker, out, first, error));
    }
    if (out->steps.length > first)
        return STATUS_OK;
    char made[80];
    snprintf(made, sizeof made, ": it makes more nodes than `nodes =` says, %u of each struct",
             steps->pool_count ? steps->pools[0].nodes : 0);
    return script_error(steps->module->script, steps->object->at, error,
                        "expected an initial state of `%s`, found none%s", steps->object->name,
                        starves ? made : "");
}

/* Compiled code knows no other options than the model's. */
enum status lin_initial_states(struct lin_worker *worker, struct successors *out,
                               struct error *error)
{
    const struct lin_native_functions *native = worker->native;
    worker->native = NULL;
    enum status status = find_states(worker, out, error);
    worker->native = native;
    return status;
}

enum status lin_initial_nodes(struct lin_worker *worker, const struct limits *limits,
                              uint32_t *made, bool *enough, struct error *error)
{
    const struct lin_steps *steps = worker->model->steps;
    struct successors out;
    successors_init(&out, worker->model->model.budget);
    out.limits = limits;
    enum status status = run_init(worker, &out, error);
    *enough = out.starving == 0;
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

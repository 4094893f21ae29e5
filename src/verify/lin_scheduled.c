#include "verify/lin_scheduled.h"

#include <string.h>

#include "base/memory.h"

struct scheduled_worker {
    struct worker worker; /* first */
    const struct lin_scheduled *model;
    struct lin_worker *inside;
    VECTOR(uint32_t) coloured; /* words of a state as the system has them */
    struct successors out;
};

/* ---- agreement with the schedule ---- */

static void colour(const struct lin_schedule *schedule, const struct lin_value_slots *slots,
                   uint32_t *words)
{
    for (uint32_t i = 0; schedule->colours && i < slots->count; i++) {
        uint32_t *word = &words[slots->items[i]];
        *word = *word ? schedule->colours[*word] : 0;
    }
}

static bool is_shared(struct scheduled_worker *worker, const uint32_t *state, uint32_t shared)
{
    const struct lin_steps *steps = worker->model->inside->steps;
    uint32_t *words = worker->coloured.items;
    size_t bytes = steps->thread_first * sizeof *words;
    memcpy(words, state, bytes);
    colour(worker->model->schedule, &steps->shared_values, words);
    for (uint32_t i = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].nodes; j++)
            colour(worker->model->schedule, &steps->pools[i].values,
                   words + steps->pools[i].first + j * steps->pools[i].words);
    return memcmp(words, thread_system_shared(worker->model->schedule->system, shared), bytes) == 0;
}

static bool is_local(struct scheduled_worker *worker, const uint32_t *state, uint32_t thread,
                     uint32_t local)
{
    const struct lin_steps *steps = worker->model->inside->steps;
    uint32_t *words = worker->coloured.items;
    size_t bytes = steps->thread_words * sizeof *words;
    memcpy(words, thread_slots_of(steps, state, thread), bytes);
    if (is_at_code(words))
        colour(worker->model->schedule, &entry_at(steps, words[LIN_THREAD_AT] - 1)->values,
               words + LIN_THREAD_HEADER);
    return memcmp(words, thread_system_local(worker->model->schedule->system, local), bytes) == 0;
}

/* Whether the call that a label is, or begins with, has this value. */
static bool calls_with(const struct lin_model *model, label l, uint32_t wanted)
{
    const struct action *event = labels_get(model->model.labels, l);
    if (event->kind == LABEL_SEVERAL)
        return calls_with(model, event->components[0], wanted);
    return event->kind == LABEL_INVOKE &&
           (wanted == 0 ? event->count == 1 : event->count == 2 && event->components[1] == wanted);
}

static bool agrees(struct scheduled_worker *worker, const struct lin_scheduled_step *wanted,
                   label l, const uint32_t *state)
{
    const struct thread_move *move = wanted->move;
    if (move->ending == ENDING_FAULT)
        return l == worker->model->inside->fault;
    if (move->calls && l == LABEL_TAU)
        return false;
    if (move->calls && worker->model->schedule->colours &&
        !calls_with(worker->model->inside, l, wanted->value))
        return false;
    return is_shared(worker, state, move->next_shared) &&
           is_local(worker, state, wanted->thread, move->next_local);
}

/* ---- the model ---- */

static bool add(struct scheduled_worker *worker, size_t number, uint32_t taken,
                struct successors *out)
{
    uint32_t slots = worker->model->inside->model.slots;
    if (!vector_reserve(&out->states, out->states.length + slots + 1) ||
        !vector_push(&out->steps, worker->out.steps.items[number]))
        return false;
    uint32_t *state = out->states.items + out->states.length;
    memcpy(state, worker->out.states.items + number * slots, slots * sizeof *state);
    state[slots] = taken;
    out->states.length += slots + 1;
    return true;
}

static enum status scheduled_initial(struct worker *base, struct successors *out,
                                     struct error *error)
{
    struct scheduled_worker *worker = (struct scheduled_worker *)base;
    const struct model *inside = &worker->model->inside->model;
    successors_clear(&worker->out);
    worker->out.limits = out->limits;
    TRY(worker_initial(&worker->inside->worker, &worker->out, error));
    out->exhausted |= worker->out.exhausted;
    for (size_t i = 0; i < worker->out.steps.length; i++)
        if (is_shared(worker, worker->out.states.items + i * inside->slots,
                      worker->model->schedule->shared) &&
            !add(worker, i, 0, out))
            return STATUS_LIMIT;
    return STATUS_OK;
}

/* The steps of the thread whose turn it is that agree. */
static enum status follow(struct scheduled_worker *worker, const uint32_t *state,
                          struct successors *out, struct error *error)
{
    uint32_t slots = worker->model->inside->model.slots, taken = state[slots];
    const struct lin_scheduled_step *wanted = &worker->model->schedule->steps[taken];
    TRY(lin_model_steps_of(worker->inside, state, wanted->thread, wanted->thread, &worker->out,
                           error));
    out->exhausted |= worker->out.exhausted;
    for (size_t i = 0; i < worker->out.steps.length; i++)
        if (agrees(worker, wanted, worker->out.steps.items[i].label,
                   worker->out.states.items + i * slots) &&
            !add(worker, i, taken + 1, out))
            return STATUS_LIMIT;
    return STATUS_OK;
}

static enum status scheduled_successors(struct worker *base, const uint32_t *state,
                                        struct successors *out, struct error *error)
{
    struct scheduled_worker *worker = (struct scheduled_worker *)base;
    const struct lin_model *inside = worker->model->inside;
    uint32_t taken = state[inside->model.slots];
    successors_clear(&worker->out);
    if (taken < worker->model->schedule->count)
        return follow(worker, state, out, error);
    for (uint32_t thread = 0; thread < inside->steps->setting.threads; thread++)
        if (lin_model_is_running(inside, state, thread))
            TRY(lin_model_steps_of(worker->inside, state, thread, thread, &worker->out, error));
    out->exhausted |= worker->out.exhausted;
    for (size_t i = 0; i < worker->out.steps.length; i++)
        TRY_MEMORY(add(worker, i, taken, out));
    return STATUS_OK;
}

static void scheduled_print(const struct model *outer, const uint32_t *state,
                            const uint32_t *before, struct text *text)
{
    const struct model *inside = &((const struct lin_scheduled *)outer)->inside->model;
    inside->class->print(inside, state, before, text);
}

static enum status scheduled_evaluate(struct worker *base, uint32_t condition,
                                      const uint32_t *state, int64_t *holds, struct error *error)
{
    struct scheduled_worker *worker = (struct scheduled_worker *)base;
    return worker_evaluate(&worker->inside->worker, condition, state, holds, error);
}

static void destroy_worker(struct worker *base)
{
    struct scheduled_worker *worker = (struct scheduled_worker *)base;
    lin_worker_destroy(worker->inside);
    vector_release(&worker->coloured);
    successors_release(&worker->out);
    memory_release(base->model->budget, worker, sizeof *worker);
}

static struct worker *create_worker(const struct model *base)
{
    const struct lin_scheduled *model = (const struct lin_scheduled *)base;
    struct scheduled_worker *worker = memory_zeroed(base->budget, sizeof *worker);
    if (!worker)
        return NULL;
    worker->worker.model = base;
    worker->model = model;
    vector_init(&worker->coloured, base->budget);
    successors_init(&worker->out, base->budget);
    worker->inside = lin_worker_create(model->inside);
    if (worker->inside && vector_reserve(&worker->coloured, base->slots))
        return &worker->worker;
    destroy_worker(&worker->worker);
    return NULL;
}

static const struct model_class scheduled_class = {
    .name = ".lin, scheduled",
    .worker_create = create_worker,
    .worker_destroy = destroy_worker,
    .initial = scheduled_initial,
    .successors = scheduled_successors,
    .evaluate = scheduled_evaluate,
    .print = scheduled_print,
};

void lin_scheduled_create(const struct lin_model *inside, const struct lin_schedule *schedule,
                          struct lin_scheduled *model)
{
    *model = (struct lin_scheduled){.model = {.class = &scheduled_class,
                                              .labels = inside->model.labels,
                                              .budget = inside->model.budget,
                                              .slots = inside->model.slots + 1,
                                              .identity_slots = inside->model.slots + 1},
                                    .inside = inside,
                                    .schedule = schedule};
}

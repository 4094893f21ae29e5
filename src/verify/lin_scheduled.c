#include "verify/lin_scheduled.h"

#include <string.h>

static struct lin_scheduled *scheduled_of(struct model *model)
{
    return (struct lin_scheduled *)model;
}

/* ---- agreement with the schedule ---- */

static void colour(const struct lin_schedule *schedule, const struct lin_value_slots *slots,
                   uint32_t *words)
{
    for (uint32_t i = 0; schedule->colours && i < slots->count; i++) {
        uint32_t *word = &words[slots->items[i]];
        *word = *word ? schedule->colours[*word] : 0;
    }
}

static bool is_shared(struct lin_scheduled *model, const uint32_t *state, uint32_t shared)
{
    const struct lin_steps *steps = model->inside->steps;
    uint32_t *words = model->coloured.items;
    size_t bytes = steps->thread_first * sizeof *words;
    memcpy(words, state, bytes);
    colour(model->schedule, &steps->shared_values, words);
    for (uint32_t i = 0; i < steps->pool_count; i++)
        for (uint32_t j = 0; j < steps->pools[i].nodes; j++)
            colour(model->schedule, &steps->pools[i].values,
                   words + steps->pools[i].first + j * steps->pools[i].words);
    return memcmp(words, thread_system_shared(model->schedule->system, shared), bytes) == 0;
}

static bool is_local(struct lin_scheduled *model, const uint32_t *state, uint32_t thread,
                     uint32_t local)
{
    const struct lin_steps *steps = model->inside->steps;
    uint32_t *words = model->coloured.items;
    size_t bytes = steps->thread_words * sizeof *words;
    memcpy(words, thread_slots_of(steps, state, thread), bytes);
    if (is_at_code(words))
        colour(model->schedule, &entry_at(steps, words[LIN_THREAD_AT] - 1)->values,
               words + LIN_THREAD_HEADER);
    return memcmp(words, thread_system_local(model->schedule->system, local), bytes) == 0;
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

static bool agrees(struct lin_scheduled *model, const struct lin_scheduled_step *wanted, label l,
                   const uint32_t *state)
{
    const struct thread_move *move = wanted->move;
    if (move->ending == ENDING_FAULT)
        return l == model->inside->fault;
    if (move->calls && l == LABEL_TAU)
        return false;
    if (move->calls && model->schedule->colours && !calls_with(model->inside, l, wanted->value))
        return false;
    return is_shared(model, state, move->next_shared) &&
           is_local(model, state, wanted->thread, move->next_local);
}

/* ---- the model ---- */

static bool add(struct lin_scheduled *model, size_t number, uint32_t taken, struct successors *out)
{
    uint32_t slots = model->inside->model.slots;
    if (!vector_reserve(&out->states, out->states.length + slots + 1) ||
        !vector_push(&out->steps, model->out.steps.items[number]))
        return false;
    uint32_t *state = out->states.items + out->states.length;
    memcpy(state, model->out.states.items + number * slots, slots * sizeof *state);
    state[slots] = taken;
    out->states.length += slots + 1;
    return true;
}

static enum status scheduled_initial(struct model *outer, struct successors *out,
                                     struct error *error)
{
    struct lin_scheduled *model = scheduled_of(outer);
    struct model *inside = &model->inside->model;
    successors_clear(&model->out);
    TRY(inside->class->initial(inside, &model->out, error));
    for (size_t i = 0; i < model->out.steps.length; i++)
        if (is_shared(model, model->out.states.items + i * inside->slots,
                      model->schedule->shared) &&
            !add(model, i, 0, out))
            return STATUS_LIMIT;
    return STATUS_OK;
}

/* The steps of the thread whose turn it is that agree. */
static enum status follow(struct lin_scheduled *model, const uint32_t *state,
                          struct successors *out, struct error *error)
{
    uint32_t slots = model->inside->model.slots, taken = state[slots];
    const struct lin_scheduled_step *wanted = &model->schedule->steps[taken];
    TRY(lin_model_steps_of(model->inside, state, wanted->thread, &model->out, error));
    for (size_t i = 0; i < model->out.steps.length; i++)
        if (agrees(model, wanted, model->out.steps.items[i].label,
                   model->out.states.items + i * slots) &&
            !add(model, i, taken + 1, out))
            return STATUS_LIMIT;
    return STATUS_OK;
}

static enum status scheduled_successors(struct model *outer, const uint32_t *state,
                                        struct successors *out, struct error *error)
{
    struct lin_scheduled *model = scheduled_of(outer);
    struct lin_model *inside = model->inside;
    uint32_t taken = state[inside->model.slots];
    successors_clear(&model->out);
    if (taken < model->schedule->count)
        return follow(model, state, out, error);
    for (uint32_t thread = 0; thread < inside->steps->setting.threads; thread++)
        if (lin_model_is_running(inside, state, thread))
            TRY(lin_model_steps_of(inside, state, thread, &model->out, error));
    for (size_t i = 0; i < model->out.steps.length; i++)
        if (!add(model, i, taken, out))
            return STATUS_LIMIT;
    return STATUS_OK;
}

static void scheduled_print(const struct model *outer, const uint32_t *state,
                            const uint32_t *before, struct text *text)
{
    const struct model *inside = &((const struct lin_scheduled *)outer)->inside->model;
    inside->class->print(inside, state, before, text);
}

static enum status scheduled_evaluate(struct model *outer, uint32_t condition,
                                      const uint32_t *state, int64_t *holds, struct error *error)
{
    struct model *inside = &scheduled_of(outer)->inside->model;
    return inside->class->evaluate(inside, condition, state, holds, error);
}

static const struct model_class scheduled_class = {
    .name = ".lin, scheduled",
    .initial = scheduled_initial,
    .successors = scheduled_successors,
    .evaluate = scheduled_evaluate,
    .print = scheduled_print,
};

enum status lin_scheduled_create(struct lin_model *inside, const struct lin_schedule *schedule,
                                 struct lin_scheduled *model)
{
    struct budget *budget = inside->model.budget;
    *model = (struct lin_scheduled){.model = {.class = &scheduled_class,
                                              .labels = inside->model.labels,
                                              .budget = budget,
                                              .slots = inside->model.slots + 1,
                                              .identity_slots = inside->model.slots + 1},
                                    .inside = inside,
                                    .schedule = schedule};
    vector_init(&model->coloured, budget);
    successors_init(&model->out, budget);
    return vector_reserve(&model->coloured, inside->model.slots) ? STATUS_OK : STATUS_LIMIT;
}

void lin_scheduled_release(struct lin_scheduled *model)
{
    vector_release(&model->coloured);
    successors_release(&model->out);
}

#include "reduce/slice.h"

#include <assert.h>
#include <string.h>

static enum status successors(struct worker *worker, const uint32_t *state, struct successors *out,
                              struct error *error)
{
    return worker_successors(decorator_inside(worker), state, out, error);
}

static enum status process_steps(struct worker *worker, const uint32_t *state, uint32_t process,
                                 struct successors *out, struct error *error)
{
    struct worker *inner = decorator_inside(worker);
    return inner->model->class->process_steps(inner, state, process, out, error);
}

static enum status outlooks(struct worker *worker, const uint32_t *state, struct outlooks *out,
                            struct error *error)
{
    struct worker *inner = decorator_inside(worker);
    return inner->model->class->outlooks(inner, state, out, error);
}

static enum status represent(struct worker *worker, uint32_t *state, struct error *error)
{
    const struct slice *slice = (const struct slice *)worker->model;
    struct worker *inner = decorator_inside(worker);
    const uint32_t *live;
    TRY(inner->model->class->live(inner, state, &live, error));
    for (uint32_t word = 0; word < slice->words; word++) {
        uint32_t dead = ~(live[word] | slice->kept[word]);
        for (; dead; dead &= dead - 1) {
            uint32_t slot = word * 32 + (uint32_t)__builtin_ctz(dead);
            assert(slot != 0 && slot < worker->model->slots); /* the control is kept */
            state[slot] = slice->values[slot];
        }
    }
    return STATUS_OK;
}

static uint32_t control(const struct model *base, const uint32_t *state)
{
    const struct model *inner = ((const struct decorator *)base)->inner;
    return inner->class->control(inner, state);
}

static void condition_touches(const struct model *base, uint32_t condition, uint32_t *sets)
{
    const struct model *inner = ((const struct decorator *)base)->inner;
    inner->class->condition_touches(inner, condition, sets);
}

static const struct model_class slice_class = {
    .name = "slice",
    .worker_create = decorator_worker_create,
    .worker_destroy = decorator_worker_destroy,
    .initial = decorator_initial,
    .successors = successors,
    .process_steps = process_steps,
    .follow = decorator_follow,
    .evaluate = decorator_evaluate,
    .outlooks = outlooks,
    .control = control,
    .represent = represent,
    .condition_touches = condition_touches,
    .known = decorator_known,
    .print = decorator_print,
};

/* Slots outside a state's identity say nothing about which states are one. */
bool slice_possible(const struct model *model)
{
    return model->class->live && model->slots == model->identity_slots;
}

static void keep_slot(struct slice *slice, uint32_t slot)
{
    slice->kept[slot / 32] |= UINT32_C(1) << slot % 32;
}

/* The first initial state has the values. */
static enum status take_values(struct slice *slice, struct error *error)
{
    const struct model *inner = slice->decorator.inner;
    struct worker *worker = worker_create(inner);
    struct successors first;
    successors_init(&first, inner->budget);
    enum status status = worker ? worker_initial(worker, &first, error) : STATUS_LIMIT;
    assert(status != STATUS_OK || first.steps.length >= 1);
    if (status == STATUS_OK)
        memcpy(slice->values, first.states.items, inner->slots * sizeof *slice->values);
    successors_release(&first);
    worker_destroy(worker);
    return status;
}

enum status slice_create(const struct model *inner, struct slice *slice, struct error *error)
{
    assert(slice_possible(inner));
    uint32_t words = (inner->slots + 31) / 32;
    *slice = (struct slice){.decorator = {*inner, inner}, .words = words};
    slice->decorator.model.class = &slice_class;
    slice->kept = memory_zeroed(inner->budget, 2 * words * sizeof *slice->kept);
    slice->values = memory_zeroed(inner->budget, inner->slots * sizeof *slice->values);
    TRY_MEMORY(slice->kept && slice->values);
    keep_slot(slice, 0); /* the control */
    for (uint32_t slot = inner->slots; slot < words * 32; slot++)
        keep_slot(slice, slot);
    return take_values(slice, error);
}

void slice_release(struct slice *slice)
{
    if (!slice->decorator.inner)
        return;
    struct budget *budget = slice->decorator.inner->budget;
    memory_release(budget, slice->kept, 2 * slice->words * sizeof *slice->kept);
    memory_release(budget, slice->values, slice->decorator.inner->slots * sizeof *slice->values);
}

void slice_keep(struct slice *slice, uint32_t condition)
{
    slice->decorator.inner->class->condition_touches(slice->decorator.inner, condition,
                                                     slice->kept);
}

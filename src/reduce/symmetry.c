#include "reduce/symmetry.h"

#include <string.h>

#define SKIPS_MOST 64 /* in a row: they may go round in a cycle */

enum status symmetry_turn(struct symmetry *symmetry, uint32_t *state, turning by,
                          struct error *error)
{
    TRY(symmetry->source->class->turn(symmetry->source, state, by, error));
    if (by == TURNING_IDENTITY)
        return STATUS_OK;
    /* what a dead variable goes back to need not be the same for every index */
    return decorator_represent(&symmetry->decorator.model, state, error);
}

enum status symmetry_settle(struct symmetry *symmetry, uint32_t *state, struct error *error)
{
    struct model *inner = symmetry->decorator.inner;
    TRY(decorator_represent(&symmetry->decorator.model, state, error));
    for (uint32_t i = 0; symmetry->skips && inner->class->skip && i < SKIPS_MOST; i++) {
        uint32_t process = 0;
        TRY(inner->class->skip(inner, state, &process, error));
        if (process == UINT32_MAX)
            break;
    }
    return STATUS_OK;
}

/* The label of a step and what comes behind it. */
static enum status add_turning(struct symmetry *symmetry, label *l, turning by)
{
    const uint32_t both[] = {*l, by};
    bool fresh = false;
    uint32_t number = word_arrays_intern(&symmetry->keys, both, ARRAY_LENGTH(both), &fresh);
    if (number == UINT32_MAX)
        return STATUS_LIMIT;
    if (fresh) {
        const uint32_t components[] = {*l, by, TURNING_IDENTITY};
        const struct action event = {
            .kind = LABEL_TURN, .components = components, .count = ARRAY_LENGTH(components)};
        label made = labels_intern(symmetry->decorator.model.labels, &event);
        if (made == LABEL_REFUSED || !vector_push(&symmetry->labels, made))
            return STATUS_LIMIT;
    }
    *l = symmetry->labels.items[number];
    return STATUS_OK;
}

label symmetry_label(const struct labels *labels, label l, turning *by)
{
    const struct action *event = labels_get(labels, l);
    bool turned = event->kind == LABEL_TURN;
    *by = turned ? event->components[1] : TURNING_IDENTITY;
    return turned ? event->components[0] : l;
}

static enum status stand_in(struct symmetry *symmetry, struct step *step, uint32_t *state,
                            struct error *error)
{
    turning by = TURNING_IDENTITY;
    TRY(symmetry_settle(symmetry, state, error));
    if (step->label != LABEL_TERMINATE) /* those who ask about it look for the label alone */
        TRY(symmetry->source->class->order(symmetry->source, state, &by, error));
    TRY(symmetry_turn(symmetry, state, by, error));
    return by == TURNING_IDENTITY ? STATUS_OK : add_turning(symmetry, &step->label, by);
}

static enum status successors(struct model *base, const uint32_t *state, struct successors *out,
                              struct error *error)
{
    struct symmetry *symmetry = (struct symmetry *)base;
    struct model *inner = symmetry->decorator.inner;
    size_t first = out->steps.length;
    TRY(inner->class->successors(inner, state, out, error));
    for (size_t i = first; symmetry->turns && i < out->steps.length; i++)
        TRY(stand_in(symmetry, &out->steps.items[i], out->states.items + i * base->slots, error));
    return STATUS_OK;
}

/* Initial states stand for themselves: nothing is compared with a renumbered specification then. */
static enum status initial(struct model *base, struct successors *out, struct error *error)
{
    struct symmetry *symmetry = (struct symmetry *)base;
    size_t first = out->steps.length;
    TRY(symmetry->decorator.inner->class->initial(symmetry->decorator.inner, out, error));
    for (size_t i = first; symmetry->turns && i < out->steps.length; i++) {
        uint32_t *state = out->states.items + i * base->slots;
        TRY(symmetry_settle(symmetry, state, error));
        TRY(symmetry_turn(symmetry, state, TURNING_IDENTITY, error));
    }
    return STATUS_OK;
}

/* What a step leads to has been brought into form. */
static enum status represent(struct model *base, uint32_t *state, struct error *error)
{
    struct symmetry *symmetry = (struct symmetry *)base;
    if (symmetry->turns)
        return STATUS_OK;
    TRY(decorator_represent(&symmetry->decorator.model, state, error));
    return symmetry->source->class->turn(symmetry->source, state, TURNING_IDENTITY, error);
}

static enum status skip(struct model *base, uint32_t *state, uint32_t *process, struct error *error)
{
    struct symmetry *symmetry = (struct symmetry *)base;
    struct model *inner = symmetry->decorator.inner;
    *process = UINT32_MAX;
    if (symmetry->turns || !inner->class->skip)
        return STATUS_OK;
    TRY(inner->class->skip(inner, state, process, error));
    return *process == UINT32_MAX
               ? STATUS_OK
               : symmetry->source->class->turn(symmetry->source, state, TURNING_IDENTITY, error);
}

static const struct model_class symmetry_class = {
    .name = "symmetry",
    .initial = initial,
    .successors = successors,
    .evaluate = decorator_evaluate,
    .represent = represent,
    .skip = skip,
    .print = decorator_print,
};

void symmetry_create(struct model *inner, struct model *source, bool turns, bool skips,
                     struct symmetry *symmetry)
{
    *symmetry = (struct symmetry){
        .decorator = {*inner, inner}, .source = source, .turns = turns, .skips = skips};
    symmetry->decorator.model.class = &symmetry_class;
    word_arrays_init(&symmetry->keys, inner->budget);
    vector_init(&symmetry->labels, inner->budget);
}

void symmetry_release(struct symmetry *symmetry)
{
    if (!symmetry->decorator.inner)
        return;
    word_arrays_release(&symmetry->keys);
    vector_release(&symmetry->labels);
}

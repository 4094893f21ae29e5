#include "reduce/symmetry.h"

#include <string.h>

#define SKIPS_MOST 64 /* in a row: they may go round in a cycle */

enum status symmetry_turn(struct symmetry *symmetry, uint32_t *state, struct renumbering by,
                          struct error *error)
{
    TRY(symmetry->source->class->turn(symmetry->source, state, by, error));
    if (renumbering_is_none(by))
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

/* The label of a step and what comes behind it, which is looked up here first: labels are shared.
 */
static enum status add_renumbering(struct symmetry *symmetry, label *l, struct renumbering by)
{
    const uint32_t key[] = {*l, by.threads, by.values};
    bool fresh = false;
    uint32_t number = word_arrays_intern(&symmetry->keys, key, ARRAY_LENGTH(key), &fresh);
    if (number == UINT32_MAX)
        return STATUS_LIMIT;
    if (fresh) {
        label made = labels_renumbered(symmetry->decorator.model.labels, *l, by);
        if (made == LABEL_REFUSED || !vector_push(&symmetry->labels, made))
            return STATUS_LIMIT;
    }
    *l = symmetry->labels.items[number];
    return STATUS_OK;
}

static enum status stand_in(struct symmetry *symmetry, struct step *step, uint32_t *state,
                            struct error *error)
{
    struct renumbering by = RENUMBERING_NONE;
    TRY(symmetry_settle(symmetry, state, error));
    if (step->label != LABEL_TERMINATE) /* those who ask about it look for the label alone */
        TRY(symmetry->source->class->order(symmetry->source, state, &by, error));
    TRY(symmetry_turn(symmetry, state, by, error));
    return renumbering_is_none(by) ? STATUS_OK : add_renumbering(symmetry, &step->label, by);
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
        TRY(symmetry_turn(symmetry, state, RENUMBERING_NONE, error));
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
    return symmetry->source->class->turn(symmetry->source, state, RENUMBERING_NONE, error);
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
               : symmetry->source->class->turn(symmetry->source, state, RENUMBERING_NONE, error);
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

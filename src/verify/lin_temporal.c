#include "verify/lin_temporal.h"

#include "implementation/step_compile.h"
#include "lin/arguments.h"

struct naming {
    struct lin_steps *steps;
    struct value_pool *pool;
    struct temporal *temporal;
};

#define FAIL(naming, at, error, ...)                                                               \
    script_error((naming)->steps->module->script, at, error, __VA_ARGS__)

/* Which thread an event is of. */
static enum status thread_of(struct naming *naming, const struct lin_atom *atom, int32_t *thread,
                             struct error *error)
{
    value found = VALUE_NIL;
    int64_t integer = -1;
    uint32_t threads = naming->steps->setting.threads;
    *thread = LIVENESS_ANYBODYS;
    if (!atom->expression)
        return STATUS_OK;
    if (lin_constant(atom->expression, NULL, naming->pool, &found) != STATUS_OK ||
        !value_get_integer(found, &integer) || integer < 0 || integer >= threads)
        return FAIL(naming, atom->expression->at, error, "expected the number of a thread, 0 to %u",
                    threads - 1);
    *thread = (int32_t)integer;
    return STATUS_OK;
}

static enum status number_atom(void *context, const struct formula *formula, unsigned *number,
                               struct error *error)
{
    struct naming *naming = context;
    const struct lin_atom *atom = formula->atom;
    struct liveness_atom made = {.thread = LIVENESS_EXACTLY};
    const char *name =
        arena_copy_text(&naming->temporal->arena, naming->steps->module->script->text + formula->at,
                        formula->end - formula->at);
    TRY_MEMORY(name);
    if (atom->kind == LIN_ATOM_CONDITION) {
        TRY(lin_steps_condition(naming->steps, atom->expression, &made.condition, error));
    } else {
        TRY(thread_of(naming, atom, &made.thread, error));
        made.kind = atom->kind == LIN_ATOM_CALL ? LABEL_INVOKE : LABEL_RESPOND;
        made.event = atom->name;
    }
    if (temporal_number(naming->temporal, name, &made, number))
        return STATUS_OK;
    return FAIL(naming, formula->at, error, "expected at most %d different atoms in a formula",
                LTL_MAX_ATOMS);
}

enum status lin_temporal_number(struct lin_steps *steps, struct value_pool *pool,
                                struct formula *formula, struct temporal *temporal,
                                struct error *error)
{
    struct naming naming = {.steps = steps, .pool = pool, .temporal = temporal};
    temporal->is_lin = true;
    temporal->formula = formula;
    return formula_number_atoms(formula, number_atom, &naming, error);
}

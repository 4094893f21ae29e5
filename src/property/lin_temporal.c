#include "property/lin_temporal.h"

#include "lang/lin_code.h"

struct naming {
    struct lin_steps *steps;
    struct value_pool *pool;
    struct temporal *temporal;
    struct error *error;
};

#define FAIL(naming, at, ...)                                                                      \
    script_error((naming)->steps->module->script, at, (naming)->error, __VA_ARGS__)

static enum csp_formula_kind kind_of(const struct lin_formula *formula)
{
    static const uint8_t kinds[] = {
        [LIN_FORMULA_TRUE] = FORMULA_TRUE,
        [LIN_FORMULA_FALSE] = FORMULA_FALSE,
        [LIN_FORMULA_CALL] = FORMULA_ATOM,
        [LIN_FORMULA_RETURN] = FORMULA_ATOM,
        [LIN_FORMULA_CONDITION] = FORMULA_ATOM,
        [LIN_FORMULA_NOT] = FORMULA_NOT,
        [LIN_FORMULA_NEXT] = FORMULA_NEXT,
        [LIN_FORMULA_ALWAYS] = FORMULA_ALWAYS,
        [LIN_FORMULA_UNTIL] = FORMULA_UNTIL,
        [LIN_FORMULA_EVENTUALLY] = FORMULA_EVENTUALLY,
        [LIN_FORMULA_RELEASE] = FORMULA_RELEASE,
        [LIN_FORMULA_WEAK_UNTIL] = FORMULA_OR,
        [LIN_FORMULA_AND] = FORMULA_AND,
        [LIN_FORMULA_OR] = FORMULA_OR,
        [LIN_FORMULA_XOR] = FORMULA_XOR,
        [LIN_FORMULA_IMPLIES] = FORMULA_IMPLIES,
        [LIN_FORMULA_EQUIVALENT] = FORMULA_EQUIVALENT,
    };
    return (enum csp_formula_kind)kinds[formula->kind];
}

/* Which thread an event is of. */
static enum status thread_of(struct naming *naming, const struct lin_formula *atom, int32_t *thread)
{
    value found = VALUE_NIL;
    int64_t integer = -1;
    uint32_t threads = naming->steps->setting.threads;
    *thread = LIVENESS_ANYBODYS;
    if (!atom->expression)
        return STATUS_OK;
    if (lin_constant(atom->expression, naming->pool, &found) != STATUS_OK ||
        !value_get_integer(found, &integer) || integer < 0 || integer >= threads)
        return FAIL(naming, atom->expression->at, "expected the number of a thread, 0 to %u",
                    threads - 1);
    *thread = (int32_t)integer;
    return STATUS_OK;
}

/* The name of its events' labels: "inv.push". */
static const char *event_of(struct naming *naming, const struct lin_formula *atom)
{
    struct text text = TEXT_EMPTY;
    text_format(&text, "%s.%s", atom->kind == LIN_FORMULA_CALL ? "inv" : "res", atom->name);
    const char *event = arena_copy_text(&naming->temporal->arena, text_string(&text), text.length);
    text_release(&text);
    return event;
}

static enum status number_atom(struct naming *naming, const struct lin_formula *atom,
                               uint8_t *number)
{
    struct liveness_atom made = {.thread = LIVENESS_EXACTLY};
    const char *name =
        arena_copy_text(&naming->temporal->arena, naming->steps->module->script->text + atom->at,
                        atom->end - atom->at);
    if (!name)
        return STATUS_LIMIT;
    if (atom->kind == LIN_FORMULA_CONDITION) {
        TRY(lin_steps_condition(naming->steps, atom->expression, &made.condition, naming->error));
    } else {
        TRY(thread_of(naming, atom, &made.thread));
        made.event = event_of(naming, atom);
        if (!made.event)
            return STATUS_LIMIT;
    }
    if (temporal_number(naming->temporal, name, &made, number))
        return STATUS_OK;
    return FAIL(naming, atom->at, "expected at most %d different atoms in a formula",
                LTL_MAX_ATOMS);
}

static struct csp_formula *make(struct naming *naming, enum csp_formula_kind kind,
                                const struct lin_formula *formula)
{
    struct csp_formula *made = arena_allocate(&naming->temporal->arena, sizeof *made);
    if (made)
        *made = (struct csp_formula){
            .kind = (uint8_t)kind, .height = formula->height, .at = formula->at};
    return made;
}

/* `f W g` is `(f U g) || [] f`. */
static enum status build(struct naming *naming, const struct lin_formula *formula,
                         struct csp_formula **built)
{
    struct csp_formula *made = *built = make(naming, kind_of(formula), formula);
    if (!made)
        return STATUS_LIMIT;
    if (made->kind == FORMULA_ATOM)
        return number_atom(naming, formula, &made->number);
    if (formula->left)
        TRY(build(naming, formula->left, &made->left));
    if (formula->right)
        TRY(build(naming, formula->right, &made->right));
    if (formula->kind != LIN_FORMULA_WEAK_UNTIL)
        return STATUS_OK;
    struct csp_formula *until = make(naming, FORMULA_UNTIL, formula);
    struct csp_formula *always = make(naming, FORMULA_ALWAYS, formula);
    if (!until || !always)
        return STATUS_LIMIT;
    until->left = always->left = made->left;
    until->right = made->right;
    made->left = until;
    made->right = always;
    return STATUS_OK;
}

enum status lin_temporal_number(struct lin_steps *steps, struct value_pool *pool,
                                const struct lin_formula *formula, struct temporal *temporal,
                                struct error *error)
{
    struct naming naming = {.steps = steps, .pool = pool, .temporal = temporal, .error = error};
    temporal->is_lin = true;
    return build(&naming, formula, &temporal->formula);
}

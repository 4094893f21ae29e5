#include "verify/csp_temporal.h"

#define FAIL(naming, at, error, ...)                                                               \
    script_error((naming)->model->program->module->script, at, error, __VA_ARGS__)

struct naming {
    struct csp_model *model;
    struct temporal *temporal;
};

static const char *keep(struct naming *naming, const struct text *text)
{
    return arena_copy_text(&naming->temporal->arena, text_string(text), text->length);
}

/* What the formula says: "e.1", "c!3"; blanks in a quoted one are of no meaning. */
static const char *name_of(struct naming *naming, const struct csp_atom *atom, struct error *error,
                           enum status *status)
{
    struct text text = TEXT_EMPTY;
    const struct csp_model *model = naming->model;
    label l;
    *status = STATUS_OK;
    if (atom->quoted || atom->event.component_count == 0) {
        for (const char *at = atom->event.name; *at; at++)
            if (*at != ' ' && *at != '\t')
                text_append_char(&text, *at);
    } else {
        *status = csp_event_label(&naming->model->terms, &atom->event, NULL, &l, error);
        if (*status == STATUS_OK)
            labels_print(model->terms.labels, l, &text);
    }
    const char *name = *status == STATUS_OK ? keep(naming, &text) : NULL;
    if (*status == STATUS_OK && !name)
        *status = STATUS_LIMIT;
    text_release(&text);
    return name;
}

/* The expression that a name without components stands for; null: it is an event. */
static enum status proposition(const struct naming *naming, const struct csp_atom *atom, place at,
                               const struct csp_expression **expression, struct error *error)
{
    const struct csp_program *program = naming->model->program;
    struct symbol symbol = csp_symbol(program, atom->event.name);
    *expression = NULL;
    if (atom->quoted)
        return STATUS_OK;
    if (symbol.kind == SYMBOL_MACRO) {
        const struct csp_macro *macro = &program->module->macros.items[symbol.index];
        *expression = macro->has_parameters ? NULL : macro->expression;
        if (*expression && atom->event.component_count == 0)
            return STATUS_OK;
    }
    if (symbol.kind == SYMBOL_NONE || symbol.kind == SYMBOL_CHANNEL)
        return STATUS_OK;
    return FAIL(naming, at, error,
                "expected an event, or a proposition that `#define` gives, found the %s `%s`",
                symbol.kind == SYMBOL_VARIABLE     ? "variable"
                : symbol.kind == SYMBOL_DEFINITION ? "process"
                                                   : "macro",
                atom->event.name);
}

static enum status number_atom(void *context, const struct formula *formula, unsigned *number,
                               struct error *error)
{
    struct naming *naming = context;
    const struct csp_atom *atom = formula->atom;
    const struct csp_expression *expression;
    enum status status;
    TRY(proposition(naming, atom, formula->at, &expression, error));
    const char *name = name_of(naming, atom, error, &status);
    TRY(status);
    struct liveness_atom made = {.event = expression ? NULL : name, .thread = LIVENESS_EXACTLY};
    if (expression)
        TRY(csp_model_proposition(naming->model, expression, &made.condition, error));
    if (temporal_number(naming->temporal, name, &made, number))
        return STATUS_OK;
    return FAIL(naming, formula->at, error, "expected at most %d different atoms in a formula",
                LTL_MAX_ATOMS);
}

enum status csp_temporal_number(struct csp_model *model, struct formula *formula,
                                struct temporal *temporal, struct error *error)
{
    struct naming naming = {.model = model, .temporal = temporal};
    temporal->formula = formula;
    return formula_number_atoms(formula, number_atom, &naming, error);
}

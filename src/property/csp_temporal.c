#include "property/csp_temporal.h"

#include <string.h>

#include "property/csp_ltl.h"

#define FAIL(temporal, at, error, ...)                                                             \
    script_error((temporal)->model->program->module->script, at, error, __VA_ARGS__)

/* ---- atoms ---- */

static const char *keep(struct csp_temporal *temporal, const struct text *text)
{
    return arena_copy_text(&temporal->arena, text_string(text), text->length);
}

/* What the formula says: "e.1", "c!3"; blanks in a quoted one are of no meaning. */
static const char *name_of(struct csp_temporal *temporal, const struct csp_formula *atom,
                           struct error *error, enum status *status)
{
    struct text text = TEXT_EMPTY;
    const struct csp_model *model = temporal->model;
    label l;
    *status = STATUS_OK;
    if (atom->quoted || atom->atom.component_count == 0) {
        for (const char *at = atom->atom.name; *at; at++)
            if (*at != ' ' && *at != '\t')
                text_append_char(&text, *at);
    } else {
        *status = csp_event_label(&temporal->model->terms, &atom->atom, NULL, &l, error);
        if (*status == STATUS_OK)
            labels_print(model->terms.labels, l, &text);
    }
    const char *name = *status == STATUS_OK ? keep(temporal, &text) : NULL;
    if (*status == STATUS_OK && !name)
        *status = STATUS_LIMIT;
    text_release(&text);
    return name;
}

/* The expression that a name without components stands for; null: it is an event. */
static enum status proposition(const struct csp_temporal *temporal, const struct csp_formula *atom,
                               const struct csp_expression **expression, struct error *error)
{
    const struct csp_program *program = temporal->model->program;
    struct symbol symbol = csp_symbol(program, atom->atom.name);
    *expression = NULL;
    if (atom->quoted)
        return STATUS_OK;
    if (symbol.kind == SYMBOL_MACRO) {
        const struct csp_macro *macro = &program->module->macros.items[symbol.index];
        *expression = macro->has_parameters ? NULL : macro->expression;
        if (*expression && atom->atom.component_count == 0)
            return STATUS_OK;
    }
    if (symbol.kind == SYMBOL_NONE || symbol.kind == SYMBOL_CHANNEL)
        return STATUS_OK;
    return FAIL(temporal, atom->at, error,
                "expected an event, or a proposition that `#define` gives, found the %s `%s`",
                symbol.kind == SYMBOL_VARIABLE     ? "variable"
                : symbol.kind == SYMBOL_DEFINITION ? "process"
                                                   : "macro",
                atom->atom.name);
}

static enum status number_atom(void *context, const struct csp_formula *atom, unsigned *number,
                               struct error *error)
{
    struct csp_temporal *temporal = context;
    const struct csp_expression *expression;
    enum status status;
    TRY(proposition(temporal, atom, &expression, error));
    const char *name = name_of(temporal, atom, error, &status);
    TRY(status);
    for (*number = 0; *number < temporal->count; ++*number)
        if (strcmp(temporal->names[*number], name) == 0 &&
            !temporal->atoms[*number].event == (expression != NULL))
            return STATUS_OK;
    if (temporal->count == LTL_MAX_ATOMS)
        return FAIL(temporal, atom->at, error, "expected at most %d different atoms in a formula",
                    LTL_MAX_ATOMS);
    struct liveness_atom *made = &temporal->atoms[temporal->count];
    *made = (struct liveness_atom){.event = expression ? NULL : name};
    if (expression)
        TRY(csp_model_condition(temporal->model, expression, &made->condition, error));
    temporal->names[temporal->count++] = name;
    return STATUS_OK;
}

unsigned csp_temporal_atom(const struct csp_temporal *temporal, const struct csp_formula *atom)
{
    unsigned number = 0;
    struct error ignored;
    enum status status =
        number_atom((struct csp_temporal *)(uintptr_t)temporal, atom, &number, &ignored);
    return status == STATUS_OK ? number : 0;
}

static enum status number_all(struct csp_temporal *temporal, const struct csp_formula *formula,
                              struct error *error)
{
    unsigned number;
    if (!formula)
        return STATUS_OK;
    if (formula->kind == FORMULA_ATOM)
        return number_atom(temporal, formula, &number, error);
    TRY(number_all(temporal, formula->left, error));
    return number_all(temporal, formula->right, error);
}

enum status csp_temporal_create(struct csp_model *model, const struct csp_formula *formula,
                                struct csp_temporal *temporal, struct error *error)
{
    temporal->model = model;
    temporal->formula = formula;
    temporal->count = 0;
    arena_init(&temporal->arena, model->model.budget);
    return number_all(temporal, formula, error);
}

void csp_temporal_release(struct csp_temporal *temporal)
{
    arena_release(&temporal->arena);
}

/* ---- deciding ---- */

/* The automaton of the runs that violate the formula. */
static enum status translate(struct csp_temporal *temporal, const struct limits *limits,
                             struct buchi *automaton, struct error *error)
{
    struct ltl ltl;
    ltl_id formula = LTL_REFUSED;
    if (!ltl_init(&ltl, limits->budget)) /* which releases what it had */
        return STATUS_LIMIT;
    enum status status =
        csp_ltl_build(temporal->formula, number_atom, temporal, &ltl, &formula, error);
    if (status == STATUS_OK && formula == LTL_REFUSED)
        status = STATUS_LIMIT;
    if (status == STATUS_OK)
        status = buchi_translate(&ltl, ltl_not(formula), limits, automaton, error);
    ltl_release(&ltl);
    return status;
}

/* Where a formula holds because an event never comes, that may be a slip of the pen. Said only if
 * every state was looked at: the automaton need not have asked for all. */
static void tell_unmet(const struct csp_temporal *temporal, const struct graph *graph,
                       const struct liveness *found, struct text *reason)
{
    for (uint32_t state = 0; state < graph->states.count; state++)
        if (!graph_is_expanded(graph, state))
            return;
    for (unsigned i = 0; i < temporal->count; i++)
        if (temporal->atoms[i].event && !(found->met >> i & 1))
            text_format(reason, "%s`%s`", reason->length ? ", " : "no run has the event ",
                        temporal->names[i]);
}

enum status csp_temporal_decide(struct csp_temporal *temporal, struct graph *graph,
                                const struct assertion_options *options, struct liveness *found,
                                struct assertion_result *result, struct error *error)
{
    struct buchi automaton;
    buchi_init(&automaton, options->limits->budget);
    result->is_temporal = true;
    result->fairness = options->fairness;
    enum status status = translate(temporal, options->limits, &automaton, error);
    if (status == STATUS_OK) {
        const struct liveness_options search = {.automaton = &automaton,
                                                .atoms = temporal->atoms,
                                                .atom_count = temporal->count,
                                                .fairness = options->fairness,
                                                .limits = options->limits};
        status = liveness_search(graph, &search, found, error);
    }
    buchi_release(&automaton);
    result->answer = found->answer;
    result->limit = found->limit;
    result->states = found->states;
    result->transitions = found->transitions;
    if (status != STATUS_OK)
        return status;
    if (found->too_many)
        text_append(&result->reason, "fairness of processes is decided for at most 63 of them");
    else if (found->answer == UNDECIDED)
        assertion_undecided(result, found->depth);
    else if (found->answer == HOLDS)
        tell_unmet(temporal, graph, found, &result->reason);
    else
        return csp_temporal_tell(temporal, found, options->fairness, &result->reason, error);
    return STATUS_OK;
}

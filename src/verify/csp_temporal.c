#include "verify/csp_temporal.h"

#include "csp/events.h"
#include "property/reachability.h"
#include "tell/trace_writer.h"

#define FAIL(naming, at, error, ...)                                                               \
    script_error((naming)->model->shared.program->module->script, at, error, __VA_ARGS__)

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
            if (*at == ',') /* within an array */
                text_append(&text, ", ");
            else if (*at != ' ' && *at != '\t')
                text_append_char(&text, *at);
    } else {
        struct csp_terms terms;
        csp_terms_init(&terms, &naming->model->shared.pool);
        *status = csp_event_label(&terms, &atom->event, NULL, &l, error);
        csp_terms_release(&terms);
        if (*status == STATUS_OK)
            labels_print(model->model.labels, l, &text);
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
    const struct csp_program *program = naming->model->shared.program;
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

/* Puts the formula, which must outlive it, into `temporal`: numbers its atoms, and makes conditions
 * of those that are. */
static enum status number_atoms(struct csp_model *model, struct formula *formula,
                                struct temporal *temporal, struct error *error)
{
    struct naming naming = {.model = model, .temporal = temporal};
    temporal->formula = formula;
    return formula_number_atoms(formula, number_atom, &naming, error);
}

/* ---- deciding ---- */

/* A run, or what leads to the fault that `status` tells of. */
static enum status show_run(struct csp_decision *decision, const struct execution *execution,
                            enum status status)
{
    struct error ignored;
    if (status != STATUS_OK && status != STATUS_INPUT)
        return status;
    csp_model_unlimited(decision->implementation.model); /* what was found is shown */
    TRY(csp_decision_keep_steps(decision, execution));
    enum status replayed =
        trace_replay(&decision->implementation.graph, execution, &decision->result->trace,
                     status == STATUS_OK ? decision->error : &ignored);
    return status == STATUS_OK ? replayed : status;
}

/* A formula may be decided long before the model has shown all that it does: it holds only of a
 * model that runs into no fault, in its steps or in the propositions. */
static enum status look_for_fault(struct csp_decision *decision, const struct temporal *temporal)
{
    uint32_t conditions[LTL_MAX_ATOMS];
    struct assertion_result *result = decision->result;
    struct reachability found;
    const struct reachability_options options = {.question = QUESTION_FAULT_FREE,
                                                 .evaluated = conditions,
                                                 .evaluated_count =
                                                     temporal_conditions(temporal, conditions),
                                                 .limits = decision->options->limits};
    reachability_init(&found, options.limits->budget);
    enum status status = reach(&decision->implementation.graph, &options, &found, decision->error);
    if (status == STATUS_INPUT) {
        status = show_run(decision, &found.execution, status);
    } else if (status == STATUS_OK && found.answer == UNDECIDED) {
        result->answer = UNDECIDED;
        result->limit = found.limit;
        result->states = found.states;
        result->transitions = found.transitions;
        text_clear(&result->reason);
        assertion_undecided(result, &found.extent);
        text_append(&result->reason, "; no run violates the formula, but the model may run into a "
                                     "fault");
    }
    reachability_release(&found);
    return status;
}

enum status csp_temporal_decide(struct csp_decision *decision)
{
    struct csp_side *side = &decision->implementation;
    struct temporal temporal;
    struct liveness found;
    liveness_init(&found, decision->options->limits->budget);
    temporal_init(&temporal, decision->labels, decision->options->limits->budget);
    enum status status =
        number_atoms(side->model, decision->assertion->formula, &temporal, decision->error);
    if (status == STATUS_OK)
        status = csp_side_start(decision, side);
    if (status == STATUS_OK)
        status = show_run(decision, &found.execution,
                          temporal_decide(&temporal, &side->graph, decision->options->fairness,
                                          decision->options->limits, &found, decision->result,
                                          decision->error));
    if (status == STATUS_OK && decision->result->answer == HOLDS)
        status = look_for_fault(decision, &temporal);
    temporal_release(&temporal);
    liveness_release(&found);
    return status;
}

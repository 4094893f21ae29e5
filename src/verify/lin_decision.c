#include "verify/lin_decision.h"

#include "tell/concretise.h"
#include "tell/trace_writer.h"

bool lin_decision_is_reduced(const struct lin_decision *decision)
{
    const struct lin_options *fusion = &decision->instance.model.options;
    return fusion->intervals || fusion->local || fusion->write_once || fusion->symmetry ||
           fusion->values || decision->instance.steps.pool_count > 0;
}

void lin_decision_close_plain(struct lin_decision *decision)
{
    worker_destroy(decision->reduced);
    if (decision->has_plain)
        graph_release(&decision->plain);
    if (decision->has_plain_model)
        lin_model_release(&decision->plain_model);
    decision->reduced = NULL;
    decision->has_plain = decision->has_plain_model = false;
}

enum status lin_decision_open_plain(struct lin_decision *decision, bool fields)
{
    const struct lin_options fusion = {
        .forget = decision->instance.model.options.forget, .fields = fields, .names = true};
    lin_decision_close_plain(decision);
    decision->has_plain_model = true;
    TRY(lin_model_create(&decision->instance.steps, &fusion, decision->labels,
                         decision->options->limits->budget, &decision->plain_model,
                         decision->error));
    decision->has_plain = true;
    TRY(graph_create(&decision->plain_model.model, decision->options->limits, &decision->plain,
                     decision->error));
    decision->reduced = worker_create(&decision->instance.model.model);
    return granted(decision->reduced);
}

/* Where dead fields are forgotten there may be more room for nodes than there is if they are shown.
 */
enum status lin_decision_make_concrete(struct lin_decision *decision, struct execution *execution)
{
    static const struct concretise_options options = {.most = CONCRETISE_MOST_STEPS};
    bool found = false, fields = false;
    do {
        TRY(lin_decision_open_plain(decision, fields));
        TRY(concretise(decision->reduced, &decision->graph, &decision->plain, &options, execution,
                       &found, decision->error));
        fields = !found && !fields && decision->instance.model.options.fields;
    } while (fields);
    return found ? STATUS_OK
                 : error_set(decision->error, STATUS_INTERNAL, NULL, 0,
                             "a fused step is none of the implementation");
}

/* The same where the model is wrong behind the execution, which stays as it is where that cannot be
 * shown in single steps. What is wrong is in the decision's error, and remains there. */
static struct graph *concrete_to_fault(struct lin_decision *decision, struct execution *execution)
{
    static const struct concretise_options options = {.most = CONCRETISE_MOST_STEPS,
                                                      .to_fault = true};
    struct error fault = *decision->error;
    struct graph *graph = &decision->graph;
    bool found = false;
    if (!lin_decision_is_reduced(decision) || execution->states.length == 0)
        return graph;
    enum status status = lin_decision_open_plain(decision, false);
    if (status == STATUS_OK)
        status = concretise(decision->reduced, graph, &decision->plain, &options, execution, &found,
                            decision->error);
    *decision->error = fault;
    return status == STATUS_OK && found ? &decision->plain : graph;
}

/* Finds again where the specification could not follow, and ends the execution there: a fused step
 * that was taken apart, or an automaton that waited for what was running, may have gone on. */
static enum status end_violation(struct lin_decision *decision, struct normal *normal,
                                 struct refinement *found)
{
    normal_id at;
    TRY(normal->class->initial(normal, &at, decision->error));
    struct execution *execution = &found->execution;
    for (size_t i = 0; i < execution->labels.length; i++) {
        found->before = at;
        if (execution->labels.items[i] != LABEL_TAU)
            TRY(normal->class->step(normal, at, execution->labels.items[i], &at, decision->error));
        if (at != NORMAL_NONE)
            continue;
        execution->labels.length = i + 1;
        execution->states.length = i + 2;
        return STATUS_OK;
    }
    found->answer = UNDECIDED;
    if (decision->automata)
        TRY(lin_by_automata_blame(decision->automata, decision->error));
    return error_set(decision->error, STATUS_INTERNAL, NULL, 0,
                     "the specification can follow what was found to be a violation");
}

enum status lin_decision_say_fault(struct lin_decision *decision, const struct graph *graph,
                                   const struct execution *execution)
{
    const struct lin_model *model =
        graph == &decision->plain ? &decision->plain_model : &decision->instance.model;
    size_t at = 0;
    while (at < execution->labels.length && execution->labels.items[at] != model->fault)
        at++;
    if (at == execution->labels.length)
        return STATUS_OK;
    text_clear(&decision->result->reason);
    return lin_model_explain(model, graph_state(graph, execution->states.items[at]),
                             graph_state(graph, execution->states.items[at + 1]),
                             &decision->result->reason, decision->error);
}

/* The execution ends with a linearization point out of place: an error of the model. */
static enum status say_misplaced(struct lin_decision *decision, const struct execution *execution)
{
    const struct lin_model *model = &decision->instance.model;
    const struct lin_steps *steps = model->steps;
    struct assertion_result *result = decision->result;
    label last = execution->labels.items[execution->labels.length - 1];
    enum label_kind kind;
    uint32_t owner = 0, at = lin_model_misplaced(model, last, &kind, &owner);
    if (at == UINT32_MAX)
        return STATUS_OK;
    const struct instruction *instruction = &steps->listing.code.items[at];
    const struct script *script = steps->module->script;
    place where = steps->listing.places.items[at];
    const char *operation = steps->entries[instruction->wide].operation->name;
    result->answer = UNDECIDED;
    text_clear(&result->reason);
    if (kind == LABEL_NO_POINT)
        return script_error(script, where, decision->error,
                            "expected a linearization point in `%s` before it answers, found none",
                            operation);
    if (instruction->op == OP_LINEARIZE)
        return script_error(script, where, decision->error,
                            "expected one linearization point in `%s`, found a second", operation);
    return script_error(script, where, decision->error,
                        kind == LABEL_IDLE_POINT
                            ? "expected a linearization point for a thread that runs an operation, "
                              "found one for thread %d, which runs none"
                            : "expected one linearization point in the operation of thread %d, "
                              "found a second",
                        (int)owner);
}

/* Points that the specification cannot follow say nothing of the implementation, unless they are
 * where its operations take effect if it has such places at all. */
static void doubt_points(struct lin_decision *decision, const struct execution *execution)
{
    struct assertion_result *result = decision->result;
    label last = execution->labels.items[execution->labels.length - 1];
    if (!decision->instance.setting.points || decision->instance.points_complete ||
        last == decision->instance.model.fault)
        return;
    result->answer = UNDECIDED;
    text_append(&result->reason, "; the points may be wrong or too few (with points = complete "
                                 "says that they are neither)");
}

enum status lin_decision_take(struct lin_decision *decision, struct normal *normal,
                              struct refinement *found, enum status status)
{
    struct graph *graph = &decision->graph;
    if (status == STATUS_OK && found->answer == VIOLATED) {
        if (lin_decision_is_reduced(decision)) {
            TRY(lin_decision_make_concrete(decision, &found->execution));
            graph = &decision->plain;
        }
        status = end_violation(decision, normal, found);
    } else if (status == STATUS_INPUT)
        graph = concrete_to_fault(decision, &found->execution);
    TRY(assertion_take_refinement(decision->result, graph, normal, found, status, decision->error));
    if (decision->result->answer != VIOLATED)
        return STATUS_OK;
    TRY(lin_decision_say_fault(decision, graph, &found->execution));
    TRY(say_misplaced(decision, &found->execution));
    doubt_points(decision, &found->execution);
    return STATUS_OK;
}

enum status lin_decision_show_fault(struct lin_decision *decision, struct execution *execution)
{
    struct graph *graph = concrete_to_fault(decision, execution);
    return trace_replay_beside(graph, execution, &decision->result->trace, STATUS_INPUT,
                               decision->error);
}

#include "verify/csp_reachability.h"

#include "property/incomplete.h"
#include "tell/trace_writer.h"

static const char *const refutations[] = {
    [QUESTION_DEADLOCK_FREE] = "a deadlock is reachable",
    [QUESTION_NONTERMINATING] = "a deadlock or termination is reachable",
    [QUESTION_DETERMINISTIC] = "a state has two steps of this event to different states: ",
    [QUESTION_DIVERGENCE_FREE] = "the model can go on for ever without a visible event",
    [QUESTION_REACHES] = "no reachable state satisfies the proposition",
};
enum status csp_reachability_goal(struct csp_decision *decision,
                                  struct reachability_options *options)
{
    const struct csp_assertion *assertion = decision->assertion;
    struct csp_side *side = &decision->implementation;
    struct symbol symbol = csp_symbol(decision->program, assertion->goal);
    const struct csp_module *module = decision->program->module;
    const struct csp_expression *condition =
        symbol.kind == SYMBOL_MACRO ? module->macros.items[symbol.index].expression : NULL;
    if (!condition)
        return DECISION_FAIL(decision, assertion->at,
                             "expected a proposition that `#define` gives, found `%s`",
                             assertion->goal);
    TRY(csp_model_proposition(side->model, condition, &options->condition, decision->error));
    csp_side_watch(side, options->condition);
    if (!assertion->extreme)
        return STATUS_OK;
    options->has_extreme = true;
    options->maximum = assertion->maximum;
    TRY(csp_model_value(side->model, assertion->extreme, &options->extreme, decision->error));
    csp_side_watch(side, options->extreme);
    return STATUS_OK;
}

static void refute(struct csp_decision *decision, const struct reachability *found,
                   enum question question)
{
    struct text *reason = &decision->result->reason;
    text_append(reason, refutations[question]);
    if (question == QUESTION_DETERMINISTIC)
        labels_print(decision->labels,
                     found->execution.labels.items[found->execution.labels.length - 1], reason);
}

static enum status take_reachability(struct csp_decision *decision, struct reachability *found,
                                     enum question question, struct graph *graph,
                                     enum status status)
{
    struct assertion_result *result = decision->result;
    result->answer = found->answer;
    result->limit = found->limit;
    result->states = found->states;
    result->transitions = found->transitions;
    result->extreme = found->extreme;
    if (status != STATUS_OK && status != STATUS_INPUT)
        return status;
    if (status == STATUS_OK && found->answer == UNDECIDED)
        assertion_undecided(result, &found->extent);
    else if (status == STATUS_OK && found->answer == VIOLATED)
        refute(decision, found, question);
    else if (status == STATUS_OK && result->has_extreme)
        text_format(&result->reason, "where the proposition holds, the value is at %s %lld",
                    decision->assertion->maximum ? "most" : "least", (long long)found->extreme);
    if (status == STATUS_OK && !result->has_extreme &&
        found->answer == (question == QUESTION_REACHES ? HOLDS : VIOLATED))
        assertion_say_order(result, &found->extent);
    csp_model_unlimited(decision->implementation.model); /* what was found is shown */
    return trace_replay_beside(graph, &found->execution, &result->trace, status, decision->error);
}

enum status csp_reachability_decide(struct csp_decision *decision, enum question question)
{
    struct reachability_options options = {.question = question,
                                           .order = decision->options->order,
                                           .swarm = decision->options->swarm,
                                           .checkpoint = decision->options->checkpoint,
                                           .stats = &decision->result->stats,
                                           .threads = decision->options->threads,
                                           .threads_from = decision->options->threads_from,
                                           .limits = decision->options->limits};
    if (question == QUESTION_REACHES)
        TRY(csp_reachability_goal(decision, &options));
    decision->result->has_extreme = options.has_extreme;
    TRY(csp_side_start(decision, &decision->implementation));
    struct reachability found;
    reachability_init(&found, decision->options->limits->budget);
    enum status status =
        reach_in_order(&decision->implementation.graph, &options, &found, decision->error);
    struct graph own = {0}, *graph = NULL;
    bool told = true;
    if (status == STATUS_OK || status == STATUS_INPUT) {
        struct error fault = *decision->error;
        enum status telling = csp_decision_tell(decision, &found.execution, &own, &graph, &told);
        if (telling == STATUS_OK)
            *decision->error = fault;
        status = telling == STATUS_OK ? status : telling;
    }
    if (told)
        status = take_reachability(decision, &found, question, graph, status);
    if (status == STATUS_OK || status == STATUS_INPUT) {
        enum status kept = csp_decision_keep_steps(decision, &found.execution);
        status = kept == STATUS_OK ? status : kept;
    }
    if (own.model)
        graph_release(&own);
    reachability_release(&found);
    return status;
}

#include "verify/lin_fixed.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "implementation/native.h"
#include "lin/check.h"
#include "property/graph_normal.h"
#include "property/incomplete.h"
#include "property/linear_normal.h"
#include "property/rank_refinement.h"
#include "property/reachability.h"
#include "tell/trace_writer.h"
#include "verify/lin_decision.h"
#include "verify/lin_instance_open.h"
#include "verify/lin_log.h"
#include "verify/lin_returns.h"
#include "verify/progress.h"

/* A default pool that ran out is a limit, not the algorithm's doing. */
static void mention_pool(struct lin_decision *decision, const struct graph *graph,
                         enum holds doubted)
{
    struct assertion_result *result = decision->result;
    if (!graph->own.exhausted || result->answer != doubted)
        return;
    result->answer = UNDECIDED;
    text_clear(&result->reason);
    text_append(&result->reason, "some operation needs more nodes than were expected (");
    const struct lin_steps *steps = &decision->instance.steps;
    for (uint32_t i = 0, told = 0; i < steps->pool_count; i++)
        if (steps->pools[i].is_default)
            text_format(&result->reason, "%s%u of `%s`", told++ ? ", " : "", steps->pools[i].nodes,
                        steps->pools[i].of->name);
    text_append(&result->reason, "): `nodes = M` says how many there are");
}

/* ---- never ---- */

static enum status take_never(struct lin_decision *decision, struct reachability *found)
{
    struct assertion_result *result = decision->result;
    struct graph *graph = &decision->graph;
    result->answer = found->answer == UNDECIDED ? UNDECIDED
                     : found->answer == HOLDS   ? VIOLATED
                                                : HOLDS;
    result->limit = found->limit;
    result->states = found->states;
    result->transitions = found->transitions;
    if (result->answer == UNDECIDED)
        assertion_undecided(result, &found->extent);
    if (result->answer != VIOLATED)
        return STATUS_OK;
    if (lin_decision_is_reduced(decision)) {
        TRY(lin_decision_make_concrete(decision, &found->execution));
        graph = &decision->plain;
    }
    text_append(&result->reason, "the condition becomes true");
    assertion_say_order(result, &found->extent);
    TRY(trace_replay(graph, &found->execution, &result->trace, decision->error));
    return lin_decision_say_fault(decision, graph, &found->execution);
}

static enum status never(struct lin_decision *decision)
{
    struct reachability found;
    const struct reachability_options options = {.question = QUESTION_REACHES,
                                                 .condition = decision->instance.condition,
                                                 .order = decision->options->order,
                                                 .swarm = decision->options->swarm,
                                                 .checkpoint = decision->options->checkpoint,
                                                 .stats = &decision->result->stats,
                                                 .threads = decision->options->threads,
                                                 .threads_from = decision->options->threads_from,
                                                 .limits = decision->options->limits};
    decision->result->method = "reachability";
    decision->graph.forgets = true; /* every state is taken up once */
    reachability_init(&found, decision->options->limits->budget);
    enum status status = reach_in_order(&decision->graph, &options, &found, decision->error);
    if (status == STATUS_OK)
        status = take_never(decision, &found);
    else if (status == STATUS_INPUT)
        status = lin_decision_show_fault(decision, &found.execution);
    if (status == STATUS_OK)
        mention_pool(decision, &decision->graph, HOLDS);
    reachability_release(&found);
    return status;
}

/* What the specification has done wrong. */
static enum status fault_of(const struct spec *spec, const struct lin_decision *decision)
{
    return spec->class->fault ? spec->class->fault(spec, decision->error) : STATUS_OK;
}

/* What an answer is worth, which is nothing where the specification has done something wrong. One
 * that has refuses to go on, as it does when memory runs out. */
static enum status unless_at_fault(const struct spec *spec, const struct lin_decision *decision,
                                   enum status status)
{
    if (status != STATUS_OK && status != STATUS_LIMIT)
        return status;
    const enum status fault = fault_of(spec, decision);
    return fault == STATUS_OK ? status : fault;
}

/* ---- programs ---- */

/* Both sides are state graphs, their labels what the programs print. */
static enum status refine_program(struct lin_decision *decision, struct graph *specification)
{
    struct graph_normal normal;
    struct refinement found;
    const struct refinement_options options =
        assertion_refinement(decision->options, decision->result);
    specification->limits = decision->options->limits;
    graph_normal_init(&normal, specification, false);
    refinement_init(&found, decision->options->limits->budget);
    enum status status =
        refine_in_order(&decision->graph, &normal.normal, &options, &found, decision->error);
    status = lin_decision_take(decision, &normal.normal, &found, status);
    refinement_release(&found);
    graph_normal_release(&normal);
    return status;
}

static enum status refines(struct lin_decision *decision)
{
    struct lin_instance other;
    struct graph graph;
    bool has_graph = false;
    decision->result->method = "refinement";
    enum status status = lin_instance_open_specification(&other, &decision->instance,
                                                         &decision->instance.model.options);
    if (status == STATUS_OK) {
        has_graph = true;
        status =
            graph_create(&other.model.model, decision->options->limits, &graph, decision->error);
    }
    if (status == STATUS_OK)
        status = refine_program(decision, &graph);
    if (status == STATUS_OK)
        mention_pool(decision, &decision->graph, HOLDS);
    if (status == STATUS_OK && has_graph) /* it could have done more */
        mention_pool(decision, &graph, VIOLATED);
    if (has_graph)
        graph_release(&graph);
    const struct spec *specs[] = {decision->instance.spec, other.spec};
    for (size_t i = 0; i < ARRAY_LENGTH(specs) && status == STATUS_OK; i++)
        if (specs[i])
            status = fault_of(specs[i], decision);
    lin_instance_close(&other);
    return status;
}

/* ---- satisfies ---- */

/* A formula holds only of an algorithm that does nothing it must not do. */
static enum status look_for_fault(struct lin_decision *decision)
{
    struct reachability found;
    uint32_t conditions[LTL_MAX_ATOMS];
    const struct reachability_options options = {
        .question = QUESTION_REACHES,
        .condition = decision->instance.condition,
        .evaluated = conditions,
        .evaluated_count = temporal_conditions(&decision->instance.temporal, conditions),
        .limits = decision->options->limits};
    reachability_init(&found, decision->options->limits->budget);
    enum status status = reach(&decision->graph, &options, &found, decision->error);
    if (status == STATUS_INPUT) {
        status = lin_decision_show_fault(decision, &found.execution);
    } else if (status == STATUS_OK && found.answer != VIOLATED) {
        text_clear(&decision->result->reason);
        status = take_never(decision, &found);
    }
    reachability_release(&found);
    return status;
}

static enum status satisfies(struct lin_decision *decision)
{
    struct liveness found;
    struct lin_instance *instance = &decision->instance;
    struct limits *limits = decision->options->limits;
    struct assertion_result *result = decision->result;
    result->method = "automaton";
    liveness_init(&found, limits->budget);
    enum status status =
        temporal_decide(&instance->temporal, &decision->graph,
                        instance->has_fairness ? instance->fairness : decision->options->fairness,
                        limits, &found, result, decision->error);
    if (status == STATUS_OK && result->answer == VIOLATED) {
        status = lin_decision_open_plain(decision, false);
        if (status == STATUS_OK)
            status =
                trace_replay_on(decision->plain.own.worker, decision->reduced, &decision->graph,
                                &found.execution, &result->trace, decision->error);
        if (status == STATUS_OK)
            status = lin_decision_say_fault(decision, &decision->graph, &found.execution);
    } else if (status == STATUS_INPUT) {
        status = lin_decision_show_fault(decision, &found.execution);
    } else if (status == STATUS_OK && result->answer == HOLDS) {
        status = look_for_fault(decision);
        mention_pool(decision, &decision->graph, HOLDS);
    }
    liveness_release(&found);
    return status;
}

/* ---- all kinds ---- */

/* Linearizability is what ranks share: of other assertions states are not the same words on each,
 * or more is asked than a step shows. */
static bool is_shared(const struct assertion_options *options,
                      const struct lin_assertion *assertion)
{
    return options->ranks && !options->bounds && assertion->property == LIN_LINEARIZES &&
           !explore_is_incomplete(options->order);
}

static enum status refine_shared(struct lin_decision *decision, struct normal *compared,
                                 const struct refinement_options *options, struct refinement *found)
{
    struct rank_figures figures;
    struct transport_meeting *ranks = decision->options->ranks;
    TRY(refine_among_ranks(&decision->graph, compared, options, ranks, found, &figures,
                           decision->error));
    LOG(options->limits->log,
        "ranks: %u, %" PRIu64 " states, %" PRIu64 " on the rank with most, %" PRIu64 " bytes sent",
        ranks->transport->ranks, figures.states, figures.largest, figures.bytes);
    return STATUS_OK;
}

/* What `compared` cannot follow is a violation, told as one of `specification`, which can follow it
 * no more. */
static enum status compare(struct lin_decision *decision, struct normal *compared,
                           struct normal *specification)
{
    struct refinement found;
    const struct refinement_options options =
        assertion_refinement(decision->options, decision->result);
    decision->graph.forgets = options.antichain; /* then there is about one pair of a state */
    refinement_init(&found, decision->options->limits->budget);
    enum status status =
        is_shared(decision->options, decision->instance.assertion)
            ? refine_shared(decision, compared, &options, &found)
            : refine_in_order(&decision->graph, compared, &options, &found, decision->error);
    if (!transport_helps(decision->options->ranks))
        status = lin_decision_take(decision, specification, &found, status);
    if (status == STATUS_OK)
        mention_pool(decision, &decision->graph, HOLDS);
    refinement_release(&found);
    return status;
}

/* Automata see whole histories only: where others could tell more than these, it stays open whether
 * the assertion holds. */
static enum status look_for_stuck(struct lin_decision *decision)
{
    static const struct lin_bounds one_value = {.values = 1};
    const struct lin_instance *instance = &decision->instance;
    struct assertion_result *result = decision->result;
    struct lin_options telling = instance->model.options;
    struct lin_instance again;
    bool returns = true;
    telling.tells_changes = true;
    telling.pure = telling.stale = false; /* an operation may return that has to try again for it */
    telling.decided = false;
    telling.refuted = NULL;
    telling.fields = false; /* what is written there again would be a change */
    enum status status = lin_instance_open_bounded(
        &again, instance->module, instance->assertion, &one_value, &telling, decision->labels,
        instance->pool, decision->options->limits, decision->error);
    if (status == STATUS_OK)
        status = lin_returns_decide(&again.model, again.reduced, decision->options->limits,
                                    &returns, &result->reason, decision->error);
    lin_instance_close(&again);
    if (status != STATUS_OK || returns)
        return status;
    result->answer = UNDECIDED;
    text_append(&result->reason, ", though others may have seen what it did: of this the automata "
                                 "know nothing (--method=refinement does)");
    return STATUS_OK;
}

static enum status take_automata(struct lin_decision *decision,
                                 const struct lin_by_automata *automata)
{
    struct assertion_result *result = decision->result;
    if (result->answer == VIOLATED) {
        lin_by_automata_append_violated(automata, &result->reason);
        result->values = LIN_BY_AUTOMATA_VALUES;
    }
    if (result->answer == HOLDS && lin_by_automata_needs_returns(automata) &&
        !decision->options->most_operations)
        TRY(look_for_stuck(decision));
    if (result->answer == HOLDS) {
        text_append(&result->reason, "no history is accepted by ");
        lin_by_automata_append_names(automata, &result->reason);
        text_append(&result->reason, ", whatever the values are");
        if (automata->rules.own)
            text_format(&result->reason, ", if these describe all violations of `%s`",
                        automata->rules.object->name);
    }
    return STATUS_OK;
}

static enum status linearizes_by_automata(struct lin_decision *decision,
                                          struct normal *specification)
{
    struct lin_by_automata automata;
    enum status status = lin_by_automata_open(&automata, &decision->instance, decision->error);
    decision->automata = &automata;
    automata.normal.base.limits = decision->options->limits;
    if (status == STATUS_OK)
        status = compare(decision, &automata.normal.base.normal, specification);
    if (status == STATUS_OK)
        status = take_automata(decision, &automata);
    lin_by_automata_close(&automata);
    return status;
}

/* Of any number of threads what is bounded is always decided by refinement. */
static bool decides_by_automata(const struct lin_assertion *assertion,
                                const struct assertion_options *options)
{
    return assertion->property == LIN_LINEARIZES && !options->bounds &&
           options->linearizing == LINEARIZING_BY_AUTOMATA;
}

static enum status linearizes(struct lin_decision *decision)
{
    struct linear_normal normal;
    linear_normal_init(&normal, decision->instance.spec, decision->labels,
                       decision->instance.setting.points, decision->options->limits->budget);
    normal.base.limits = decision->options->limits;
    normal.base.events.lists = true;
    enum status status = decides_by_automata(decision->instance.assertion, decision->options)
                             ? linearizes_by_automata(decision, &normal.base.normal)
                             : compare(decision, &normal.base.normal, &normal.base.normal);
    linear_normal_release(&normal);
    return unless_at_fault(decision->instance.spec, decision, status);
}

/* A condition may ask where a call has been made, and of which thread. */
static bool exchanges_threads(const struct lin_assertion *assertion)
{
    return assertion->property == LIN_LINEARIZES ||
           (assertion->property == LIN_NEVER && !lin_names_running(assertion->condition));
}

/* Cycles are looked for where every step is one. A formula names the events of the threads, and
 * fairness is about them: they keep their labels. */
static reductions sound_reductions(const struct lin_assertion *assertion)
{
    const reductions joining = REDUCE_PARTIAL_ORDER | REDUCE_WRITE_ONCE,
                     of_histories = REDUCE_PURE | REDUCE_STALE | REDUCE_FIELDS | REDUCE_DECIDED;
    if (exchanges_threads(assertion))
        return REDUCE_INTERVALS | joining | REDUCE_SYMMETRY | REDUCE_SLICE |
               (assertion->property == LIN_LINEARIZES ? of_histories | REDUCE_STICKY : REDUCE_NONE);
    if (assertion->property == LIN_REFINES)
        return joining | REDUCE_SLICE | of_histories;
    if (assertion->property == LIN_SATISFIES)
        return REDUCE_SLICE;
    return (assertion->property == LIN_NEVER ? joining : REDUCE_NONE) | REDUCE_SYMMETRY |
           REDUCE_SLICE;
}

/* What is made one step: a schedule is one of calls and answers that are fused. */
static struct lin_options choose_fusion(const struct lin_assertion *assertion,
                                        const struct assertion_options *options, reductions used)
{
    if (options->bounds && options->bounds->schedule)
        return (struct lin_options){.intervals = true, .forget = true, .names = true};
    bool by_automata = decides_by_automata(assertion, options); /* no colour is like another */
    return (struct lin_options){
        .intervals = (used & REDUCE_INTERVALS) != 0,
        .local = (used & REDUCE_PARTIAL_ORDER) != 0,
        .write_once = (used & REDUCE_WRITE_ONCE) != 0,
        .symmetry = (used & REDUCE_SYMMETRY) != 0 && exchanges_threads(assertion),
        .values = (used & REDUCE_SYMMETRY) != 0 && !by_automata,
        .pure = (used & REDUCE_PURE) != 0,
        .stale = (used & REDUCE_STALE) != 0,
        .forget = (used & REDUCE_SLICE) != 0,
        .fields = (used & REDUCE_FIELDS) != 0,
        .decided = (used & REDUCE_DECIDED) != 0,
    };
}

/* Whether all that a search looks at is asked whether suppositions are so, by one process, which
 * may begin again. Automata do not look at what is behind an end of all that they wait for. */
static bool relies_on_suppositions(const struct lin_assertion *assertion,
                                   const struct assertion_options *options)
{
    return assertion->property == LIN_LINEARIZES && !decides_by_automata(assertion, options) &&
           !options->bounds && !options->ranks && !options->checkpoint;
}

static enum status open(struct lin_decision *decision, const struct lin_module *module,
                        const struct lin_assertion *assertion, struct value_pool *pool)
{
    static const struct lin_bounds colours = {.values = LIN_BY_AUTOMATA_VALUES};
    const struct assertion_options *options = decision->options;
    const struct lin_bounds *bounds =
        decides_by_automata(assertion, options) ? &colours : options->bounds;
    struct assertion_result *result = decision->result;
    struct lin_instance *instance = &decision->instance;
    struct lin_options fusion = choose_fusion(assertion, options, result->reductions);
    if (!relies_on_suppositions(assertion, options))
        result->reductions &= ~(reductions)REDUCE_STICKY;
    if (result->reductions & REDUCE_STICKY)
        fusion.refuted = &decision->refuted;
    decision->labels = labels_create(options->limits->budget);
    TRY_MEMORY(decision->labels);
    decision->opened = true;
    TRY(lin_instance_open_bounded(instance, module, assertion, bounds, &fusion, decision->labels,
                                  pool, options->limits, decision->error));
    instance->steps.setting.total = options->most_operations;
    if (!instance->model.options.symmetry && !instance->model.options.values)
        result->reductions &= ~(reductions)REDUCE_SYMMETRY;
    if (!instance->steps.reads_write_once)
        result->reductions &= ~(reductions)REDUCE_WRITE_ONCE;
    if (!instance->steps.has_pure)
        result->reductions &= ~(reductions)REDUCE_PURE;
    if (!instance->steps.stale_from)
        result->reductions &= ~(reductions)REDUCE_STALE;
    if (!instance->model.options.decided)
        result->reductions &= ~(reductions)REDUCE_DECIDED;
    if (!instance->model.supposed)
        result->reductions &= ~(reductions)REDUCE_STICKY;
    if (!instance->steps.shared_reads)
        result->reductions &= ~(reductions)REDUCE_FIELDS;
    lin_log_reductions(options->limits->log, &instance->model, result->reductions);
    return lin_native_attach(&instance->model, options->engine, options->limits->log);
}

static enum status make_graph(struct lin_decision *decision)
{
    const struct lin_bounds *bounds = decision->options->bounds;
    const struct lin_model *inside = &decision->instance.model;
    const struct model *model = decision->instance.reduced;
    if (bounds && bounds->schedule) {
        lin_scheduled_create(inside, bounds->schedule, &decision->scheduled);
        model = &decision->scheduled.model;
    }
    decision->has_graph = true;
    return graph_create(model, decision->options->limits, &decision->graph, decision->error);
}

static enum status progresses(struct lin_decision *decision, enum lin_property property)
{
    const struct lin_instance *instance = &decision->instance;
    struct linear_normal waiting;
    if (!instance->waits)
        return progress_decide(&instance->model, instance->reduced, NULL, property,
                               decision->options, decision->result, decision->error);
    linear_normal_init(&waiting, instance->spec, decision->labels, false,
                       decision->options->limits->budget);
    waiting.base.limits = decision->options->limits;
    waiting.base.events.lists = true;
    enum status status = progress_decide(&instance->model, instance->reduced, &waiting, property,
                                         decision->options, decision->result, decision->error);
    linear_normal_release(&waiting);
    return unless_at_fault(instance->spec, decision, status);
}

static enum status decide(struct lin_decision *decision, enum lin_property property)
{
    switch (property) {
    case LIN_LINEARIZES:
        TRY(make_graph(decision));
        return linearizes(decision);
    case LIN_NEVER:
        TRY(make_graph(decision));
        return never(decision);
    case LIN_SATISFIES:
        decision->result->method = "automaton";
        if (assertion_is_unasked(decision->options, "runs that go on for ever", decision->result))
            return STATUS_OK;
        TRY(make_graph(decision));
        return satisfies(decision);
    case LIN_REFINES:
        TRY(make_graph(decision));
        return refines(decision);
    default:
        decision->result->method = "cycles";
        if (assertion_is_unasked(decision->options, "cycles", decision->result))
            return STATUS_OK;
        return progresses(decision, property);
    }
}

static void close(struct lin_decision *decision)
{
    lin_decision_close_plain(decision);
    if (decision->has_graph)
        graph_release(&decision->graph);
    if (decision->opened)
        lin_instance_close(&decision->instance);
    labels_destroy(decision->labels);
}

/* What it costs that values are compared with constants. */
static void mention_named_values(const struct lin_decision *decision)
{
    const struct lin_steps *steps = &decision->instance.steps;
    struct assertion_result *result = decision->result;
    uint32_t named = 0;
    if (!steps->named_values || result->answer != HOLDS || result->reason.length > 0)
        return;
    text_append(&result->reason, "values are compared with");
    for (uint32_t v = 1; v <= steps->setting.values; v++)
        if (lin_steps_name_value(steps, v))
            text_format(&result->reason, "%s %u", named++ ? " and" : "", v);
    if (decision->instance.model.options.values)
        text_format(&result->reason, ": symmetry exchanges only the other %u of %u",
                    steps->setting.values - named, steps->setting.values);
    else
        text_append(&result->reason, ": none is exchanged");
}

/* *again: what was supposed has turned out to be wrong, and what was found is nothing. */
static enum status decide_supposing(struct lin_decision *decision, const struct lin_module *module,
                                    const struct lin_assertion *assertion, struct value_pool *pool,
                                    bool *again)
{
    const struct assertion_options *options = decision->options;
    struct assertion_result *result = decision->result;
    result->reductions = options->reductions & sound_reductions(assertion);
    result->method = decides_by_automata(assertion, options) ? "automata" : "linearizability";
    enum status status = open(decision, module, assertion, pool);
    if (status == STATUS_OK)
        status = decide(decision, (enum lin_property)assertion->property);
    if (status == STATUS_OK)
        mention_named_values(decision);
    const struct lin_model *model = &decision->instance.model;
    if (model->native)
        result->stats.native_from = lin_native_from(model->native);
    *again = (model->supposed & decision->refuted) != 0 &&
             (status == STATUS_LIMIT || (status == STATUS_OK && result->answer == UNDECIDED));
    return status;
}

enum status lin_decide_fixed(const struct lin_module *module, const struct lin_assertion *assertion,
                             struct value_pool *pool, const struct assertion_options *options,
                             struct assertion_result *result, struct error *error)
{
    uint64_t refuted = 0;
    enum status status = STATUS_OK;
    bool again = true;
    if (transport_helps(options->ranks) && !is_shared(options, assertion))
        return STATUS_OK;
    while (again) {
        struct lin_decision decision = {
            .options = options, .result = result, .refuted = refuted, .error = error};
        status = decide_supposing(&decision, module, assertion, pool, &again);
        refuted = decision.refuted;
        close(&decision);
        if (again) {
            LOG(options->limits->log, "reduction: not sticky after all, so it begins again");
            assertion_result_release(result);
            assertion_result_init(result, options->limits->budget);
        }
    }
    if (options->bounds) {
        result->threads = options->bounds->threads;
        result->values = options->bounds->values;
    }
    if (status == STATUS_LIMIT) {
        assertion_refused(result, options->limits);
        status = STATUS_OK;
    }
    return status;
}

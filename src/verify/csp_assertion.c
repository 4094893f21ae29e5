#include "verify/csp_assertion.h"

#include <string.h>

#include "csp/copies.h"
#include "csp/model.h"
#include "csp/resolve.h"
#include "lin/spec.h"
#include "property/graph_normal.h"
#include "property/linear_normal.h"
#include "property/paper_refinement.h"
#include "property/reachability.h"
#include "property/refinement.h"
#include "reduce/partial_order.h"
#include "reduce/slice.h"
#include "reduce/symmetry.h"
#include "spec/builtin.h"
#include "tell/follow.h"
#include "tell/straighten.h"
#include "value/print.h"
#include "verify/csp_temporal.h"

/* A process of the module, reduced where that is asked for and sound, and its state graph. */
struct side {
    struct csp_model *model;
    struct slice slice;
    struct partial_order order;
    struct symmetry symmetry;
    struct model *reduced; /* one of the four */
    bool keeps_offers;     /* of ample sets, for the walker to choose */
    struct graph graph;
    bool has_graph;
};

/* What deciding an assertion needs, created in order and released whatever happens. */
struct decision {
    struct csp_program *program;
    const struct csp_assertion *assertion;
    const struct assertion_options *options;
    struct assertion_result *result;
    struct labels *labels;
    struct csp_indices indices; /* what is alike */
    bool asymmetric;            /* renumbering is not to be used */
    bool crooked;               /* and what it has shown could not be told without */
    struct side implementation;
    struct csp_counting counting; /* of `|||{..}` */
    VECTOR(label) steps;          /* the labels of what was found, where that must be confirmed */
    struct error *error;
};

#define FAIL(decision, at, ...)                                                                    \
    script_error((decision)->program->module->script, at, (decision)->error, __VA_ARGS__)

/* Whether a partial order reduction keeps what the assertion asks, and how it must go about it. */
static bool ample_purpose(const struct csp_assertion *assertion, enum ample_purpose *purpose)
{
    switch ((enum csp_assertion_kind)assertion->kind) {
    case ASSERTION_DEADLOCK_FREE:
    case ASSERTION_NONTERMINATING:
    case ASSERTION_REACHES:
        *purpose = AMPLE_STATES;
        return true;
    case ASSERTION_REFINES:
    case ASSERTION_LINEARIZES:
        *purpose = AMPLE_TRACES;
        return true;
    default: /* stable refusals, cycles and single states are not kept */
        return false;
    }
}

/* The reduction of the 2009 paper is one of refinement. */
static bool is_as_in_paper(const struct decision *decision)
{
    return (decision->options->reductions & REDUCE_PAPER) &&
           (decision->assertion->kind == ASSERTION_REFINES ||
            decision->assertion->kind == ASSERTION_LINEARIZES);
}

static bool is_fair(const struct decision *decision)
{
    return decision->assertion->kind == ASSERTION_SATISFIES &&
           decision->options->fairness != FAIRNESS_NONE;
}

/* Whether states that differ by their indices may stand for one another. */
static bool is_symmetric(const struct decision *decision)
{
    enum ample_purpose ignored;
    return (decision->options->reductions & REDUCE_SYMMETRY) && !decision->asymmetric &&
           decision->assertion->kind != ASSERTION_SATISFIES && decision->indices.count > 0 &&
           decision->counting.cut_off == 0 && !is_as_in_paper(decision) &&
           ample_purpose(decision->assertion, &ignored); /* the same questions */
}

static bool skips(const struct side *side)
{
    return side->order.decorator.inner && side->order.purpose == AMPLE_TRACES;
}

/* Makes the model; its graph is started once all conditions are known. */
static enum status open_side(struct decision *decision, const struct csp_process *process,
                             struct side *side)
{
    enum ample_purpose purpose = AMPLE_TRACES;
    bool symmetric = is_symmetric(decision);
    struct csp_counting counting = decision->counting;
    counting.apart = is_fair(decision); /* fairness is about who takes part */
    TRY(csp_model_create(decision->program, process, decision->labels, decision->options->limits,
                         &counting, symmetric ? &decision->indices : NULL, &side->model,
                         decision->error));
    struct model *model = &side->model->model;
    if ((decision->options->reductions & REDUCE_SLICE) && slice_possible(model) &&
        decision->assertion->kind != ASSERTION_DETERMINISTIC &&
        decision->assertion->kind != ASSERTION_SATISFIES) {
        decision->result->reductions |= REDUCE_SLICE;
        TRY(slice_create(model, &side->slice, decision->error));
        model = &side->slice.decorator.model;
    }
    bool paper = is_as_in_paper(decision);
    /* What is ample for each number of copies need not be so where counts branch. */
    if (decision->counting.cut_off == 0 &&
        (paper || (decision->options->reductions & REDUCE_PARTIAL_ORDER)) &&
        partial_order_possible(model) && ample_purpose(decision->assertion, &purpose)) {
        decision->result->reductions |= paper ? REDUCE_PAPER : REDUCE_PARTIAL_ORDER;
        side->keeps_offers = paper;
        purpose = paper ? AMPLE_PAPER : purpose;
        TRY(partial_order_create(model, purpose, &side->order));
        model = &side->order.decorator.model;
    }
    if (symmetric && model->slots == model->identity_slots) {
        decision->result->reductions |= REDUCE_SYMMETRY;
        symmetry_create(model, &side->model->model, side == &decision->implementation, skips(side),
                        &side->symmetry);
        model = &side->symmetry.decorator.model;
    }
    side->reduced = model;
    return STATUS_OK;
}

static enum status start_side(struct decision *decision, struct side *side)
{
    side->has_graph = true;
    TRY(graph_create(side->reduced, &side->graph, decision->error));
    side->graph.keeps_offers = side->keeps_offers;
    side->graph.skips = skips(side);
    side->graph.limits = decision->options->limits;
    return STATUS_OK;
}

static void close_side(struct side *side)
{
    if (side->has_graph)
        graph_release(&side->graph);
    symmetry_release(&side->symmetry);
    partial_order_release(&side->order);
    slice_release(&side->slice);
    csp_model_destroy(side->model);
}

/* Tells an execution in the model's own numbers. `plain` becomes the graph that has its states: the
 * implementation's where it has those numbers already, else `own`, to be released. *told is false
 * where that cannot be done. */
static enum status tell(struct decision *decision, struct execution *execution, struct graph *own,
                        struct graph **plain, bool *told)
{
    struct side *side = &decision->implementation;
    *plain = &side->graph;
    *told = true;
    if (!side->symmetry.decorator.inner || execution->states.length == 0)
        return STATUS_OK;
    *plain = own;
    TRY(graph_create(side->symmetry.decorator.inner, own, decision->error));
    own->skips = side->graph.skips;
    TRY(straighten(&side->symmetry, &side->graph, own, execution, told, decision->error));
    decision->crooked = !*told;
    return STATUS_OK;
}

/* Keeps the labels of an execution of the abstraction, to follow them in the model itself. */
static enum status keep_steps(struct decision *decision, const struct execution *execution)
{
    decision->steps.length = 0;
    for (size_t i = 0; decision->counting.cut_off && i < execution->labels.length; i++)
        if (!vector_push(&decision->steps, execution->labels.items[i]))
            return STATUS_LIMIT;
    return STATUS_OK;
}

/* ---- questions about states ---- */

static const char *const refutations[] = {
    [QUESTION_DEADLOCK_FREE] = "a deadlock is reachable",
    [QUESTION_NONTERMINATING] = "a deadlock or termination is reachable",
    [QUESTION_DETERMINISTIC] = "a state has two steps of this event to different states: ",
    [QUESTION_DIVERGENCE_FREE] = "the model can go on for ever without a visible event",
    [QUESTION_REACHES] = "no reachable state satisfies the proposition",
};

/* The value of an expression over the implementation's variables is one that reductions must keep.
 */
static void watch(struct side *side, uint32_t number)
{
    if (side->slice.decorator.inner)
        slice_keep(&side->slice, number);
    if (side->order.decorator.inner)
        partial_order_keep(&side->order, number);
}

static enum status goal(struct decision *decision, struct reachability_options *options)
{
    const struct csp_assertion *assertion = decision->assertion;
    struct side *side = &decision->implementation;
    struct symbol symbol = csp_symbol(decision->program, assertion->goal);
    const struct csp_module *module = decision->program->module;
    const struct csp_expression *condition =
        symbol.kind == SYMBOL_MACRO ? module->macros.items[symbol.index].expression : NULL;
    if (!condition)
        return FAIL(decision, assertion->at,
                    "expected a proposition that `#define` gives, found `%s`", assertion->goal);
    TRY(csp_model_proposition(side->model, condition, &options->condition, decision->error));
    watch(side, options->condition);
    if (!assertion->extreme)
        return STATUS_OK;
    options->has_extreme = true;
    options->maximum = assertion->maximum;
    TRY(csp_model_value(side->model, assertion->extreme, &options->extreme, decision->error));
    watch(side, options->extreme);
    return STATUS_OK;
}

static void refute(struct decision *decision, const struct reachability *found,
                   enum question question)
{
    struct text *reason = &decision->result->reason;
    text_append(reason, refutations[question]);
    if (question == QUESTION_DETERMINISTIC)
        labels_print(decision->labels,
                     found->execution.labels.items[found->execution.labels.length - 1], reason);
}

static enum status take_reachability(struct decision *decision, struct reachability *found,
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
        assertion_undecided(result, found->depth);
    else if (status == STATUS_OK && found->answer == VIOLATED)
        refute(decision, found, question);
    else if (status == STATUS_OK && result->has_extreme)
        text_format(&result->reason, "where the proposition holds, the value is at %s %lld",
                    decision->assertion->maximum ? "most" : "least", (long long)found->extreme);
    struct error ignored;
    decision->implementation.model->terms.limits = NULL; /* what was found is shown */
    TRY(trace_replay(graph, &found->execution, &result->trace, &ignored));
    return status;
}

static enum status ask(struct decision *decision, enum question question)
{
    struct reachability_options options = {.question = question,
                                           .depth_first = decision->options->depth_first,
                                           .limits = decision->options->limits};
    if (question == QUESTION_REACHES)
        TRY(goal(decision, &options));
    decision->result->has_extreme = options.has_extreme;
    TRY(start_side(decision, &decision->implementation));
    struct reachability found;
    reachability_init(&found, decision->options->limits->budget);
    enum status status = reach(&decision->implementation.graph, &options, &found, decision->error);
    struct graph own = {0}, *graph = NULL;
    bool told = true;
    if (status == STATUS_OK || status == STATUS_INPUT) {
        struct error fault = *decision->error;
        enum status telling = tell(decision, &found.execution, &own, &graph, &told);
        *decision->error = fault;
        status = telling == STATUS_OK ? status : telling;
    }
    if (told)
        status = take_reachability(decision, &found, question, graph, status);
    if (status == STATUS_OK || status == STATUS_INPUT) {
        enum status kept = keep_steps(decision, &found.execution);
        status = kept == STATUS_OK ? status : kept;
    }
    if (own.model)
        graph_release(&own);
    reachability_release(&found);
    return status;
}

/* ---- refinement ---- */

/* Tells what was found in the model's own numbers: the normalised state is then found anew, and the
 * last step must be the one that cannot be followed. `status` is what the search ended with. */
static enum status tell_refinement(struct decision *decision, struct normal *normal,
                                   struct refinement *found, struct graph *own,
                                   struct graph **graph, bool *told, enum status status)
{
    struct error fault = *decision->error;
    normal_id at = 0;
    TRY(tell(decision, &found->execution, own, graph, told));
    *decision->error = fault;
    if (*graph != own || !*told)
        return status;
    TRY(normal->class->initial(normal, &at, decision->error));
    for (size_t i = 0; i < found->execution.labels.length; i++) {
        label l = found->execution.labels.items[i];
        found->before = at;
        if (l == LABEL_TAU)
            continue;
        enum status stepped = normal->class->step(normal, at, l, &at, decision->error);
        if (stepped == STATUS_INPUT)
            return stepped; /* an event out of place, told in these numbers */
        TRY(stepped);
        if (at == NORMAL_NONE)
            break;
    }
    *told = status == STATUS_INPUT || (at == NORMAL_NONE) == (found->answer == VIOLATED);
    decision->crooked = !*told;
    *decision->error = fault;
    return status;
}

static enum status compare(struct decision *decision, struct normal *normal,
                           struct failures *failures)
{
    struct refinement_options options = assertion_refinement(decision->options, decision->result);
    options.failures = failures;
    struct refinement found;
    refinement_init(&found, decision->options->limits->budget);
    enum status status =
        decision->implementation.keeps_offers
            ? refine_as_in_paper(&decision->implementation.graph, normal, options.limits, &found,
                                 decision->error)
            : refine(&decision->implementation.graph, normal, &options, &found, decision->error);
    decision->implementation.model->terms.limits = NULL; /* what was found is shown */
    struct graph own = {0}, *graph = &decision->implementation.graph;
    bool told = true;
    if (status == STATUS_OK || status == STATUS_INPUT)
        status = tell_refinement(decision, normal, &found, &own, &graph, &told, status);
    if (told)
        status = assertion_take_refinement(decision->result, graph, normal, &found, status,
                                           decision->error);
    if (status == STATUS_OK || status == STATUS_INPUT) {
        enum status kept = keep_steps(decision, &found.execution);
        status = kept == STATUS_OK ? status : kept;
    }
    if (own.model)
        graph_release(&own);
    refinement_release(&found);
    return status;
}

static enum status refine_process(struct decision *decision)
{
    struct side specification = {0};
    TRY(start_side(decision, &decision->implementation));
    enum status status = open_side(decision, decision->assertion->specification, &specification);
    if (status == STATUS_OK)
        status = start_side(decision, &specification);
    if (status == STATUS_OK) {
        enum csp_assertion_kind kind = (enum csp_assertion_kind)decision->assertion->kind;
        struct graph_normal normal;
        struct failures failures;
        graph_normal_init(&normal, &specification.graph,
                          specification.symmetry.decorator.inner ? &specification.symmetry : NULL);
        failures_init(&failures, &decision->implementation.graph, &normal,
                      kind == ASSERTION_REFINES_FAILURES_DIVERGENCES);
        status = compare(decision, &normal.normal, kind == ASSERTION_REFINES ? NULL : &failures);
        failures_release(&failures);
        graph_normal_release(&normal);
    }
    close_side(&specification);
    return status;
}

/* ---- linearizability ---- */

static const char *skip_blank(const char *at)
{
    return at + strspn(at, " \t\r\n\f");
}

/* What follows `initial =`; null where something else stands. */
static const char *initial_value(const char *arguments)
{
    const char *at = skip_blank(arguments);
    if (strncmp(at, "initial", 7) != 0)
        return NULL;
    at = skip_blank(at + 7);
    return *at == '=' ? skip_blank(at + 1) : NULL;
}

/* One of a `.lin` file that the model includes. */
static enum status make_included_spec(const struct csp_assertion *assertion,
                                      const struct script *script, struct value_pool *pool,
                                      struct budget *budget, struct spec **spec,
                                      struct error *error)
{
    struct spec_request request = {0};
    struct text reference = TEXT_EMPTY;
    for (const char *letter = assertion->goal; *letter; letter++)
        text_append_char(&reference, *letter == '-' ? '_' : *letter);
    if (assertion->goal_arguments)
        text_format(&reference, "(%s)", assertion->goal_arguments);
    enum status status =
        lin_spec_from_script(script, text_string(&reference), &request, pool, budget, spec, error);
    text_release(&reference);
    return status;
}

/* `register(initial = 3)` or `semaphore(3)`. */
static enum status make_built_in_spec(const struct csp_module *module,
                                      const struct csp_assertion *assertion,
                                      struct value_pool *pool, struct budget *budget,
                                      struct spec **spec, struct error *error)
{
    struct spec_request request = {.name = assertion->goal};
    struct text name = TEXT_EMPTY;
    const char *arguments = assertion->goal_arguments;
    const char *initial = arguments ? initial_value(arguments) : NULL;
    if (initial) {
        size_t used = 0;
        struct error wrong = {0};
        enum status status = value_parse_edn(pool, initial, strlen(initial), &used, NULL, 0,
                                             &request.initial, &wrong);
        if (status == STATUS_INPUT)
            return script_error(module->script, assertion->at, error, "%s", wrong.message);
        TRY(status);
        const char *rest = skip_blank(initial + used);
        if (*rest)
            return script_error(module->script, assertion->at, error,
                                "expected `)` after the initial value, found `%.40s`", rest);
        request.has_initial = true;
    } else if (arguments) {
        text_format(&name, "%s(%s)", assertion->goal, arguments);
        request.name = text_string(&name);
    }
    enum status status = spec_create(&request, pool, budget, spec, error);
    text_release(&name);
    return status;
}

enum status csp_assertion_spec(const struct csp_module *module,
                               const struct csp_assertion *assertion, struct value_pool *pool,
                               struct budget *budget, struct spec **spec, struct error *error)
{
    struct script included;
    TRY(csp_included_spec(module, assertion->goal, &included, error));
    enum status status = included.name
                             ? make_included_spec(assertion, &included, pool, budget, spec, error)
                             : make_built_in_spec(module, assertion, pool, budget, spec, error);
    if (status != STATUS_USAGE)
        return status;
    struct error copy = *error;
    return script_error(module->script, assertion->at, error, "%s", copy.message);
}

static bool is_operation(const struct labels *labels, label l)
{
    return linear_is_visible(labels, l, false);
}

static bool is_point(const struct labels *labels, label l)
{
    return linear_is_visible(labels, l, true);
}

/* Of a process that calls nothing, or never answers, everything is linearizable; but then its
 * events will not have the names that they should have. */
static enum status require_operations(struct decision *decision, const struct linear_normal *normal)
{
    const struct csp_assertion *assertion = decision->assertion;
    bool called = linear_events_met(&normal->base.events, LINEAR_INVOKE);
    if (called && linear_events_met(&normal->base.events, LINEAR_RESPOND))
        return STATUS_OK;
    return FAIL(decision, assertion->at, "expected events %s, found none in any execution",
                called ? "`res.OP.thread` and the result" : "`inv.OP.thread` and the arguments");
}

/* The operations of the specification that no execution calls. */
static enum status note_missing(struct decision *decision, const struct linear_normal *normal)
{
    const struct spec_class *class = normal->spec->class;
    struct assertion_result *result = decision->result;
    for (size_t i = 0; i < class->operation_count; i++) {
        if (linear_events_call(&normal->base.events, i))
            continue;
        const char *name = class->operations[i].name;
        name = arena_copy_text(&result->asked.arena, name, strlen(name));
        if (!name || !vector_push(&result->missing, name))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status linearizes(struct decision *decision, struct value_pool *pool)
{
    struct spec *spec = NULL;
    struct linear_normal normal;
    bool points = decision->assertion->points != POINTS_NONE;
    if (decision->options->linearizing == LINEARIZING_BY_AUTOMATA)
        return FAIL(decision, decision->assertion->at,
                    "expected an implementation in `.lin` for violation automata: whether a "
                    "process only copies values is not known");
    TRY(start_side(decision, &decision->implementation));
    TRY(csp_assertion_spec(decision->program->module, decision->assertion, pool,
                           decision->options->limits->budget, &spec, decision->error));
    linear_normal_init(&normal, spec, decision->labels, points, decision->options->limits->budget);
    if (decision->implementation.order.decorator.inner)
        decision->implementation.order.is_visible = points ? is_point : is_operation;
    enum status status = compare(decision, &normal.base.normal, NULL);
    if (status == STATUS_INPUT && !decision->error->file) {
        struct error copy = *decision->error;
        status = FAIL(decision, decision->assertion->at, "%s", copy.message);
    }
    if (status == STATUS_OK && decision->result->answer == HOLDS)
        status = require_operations(decision, &normal);
    if (status == STATUS_OK && decision->result->answer == HOLDS)
        status = note_missing(decision, &normal);
    if (status == STATUS_OK && decision->result->answer == VIOLATED &&
        decision->assertion->points == POINTS_GIVEN) {
        decision->result->answer = UNDECIDED;
        text_append(&decision->result->reason,
                    "; the points may be wrong or too few (with points = complete says that they "
                    "are neither)");
    }
    linear_normal_release(&normal);
    spec_destroy(spec);
    return status;
}

/* ---- temporal formulas ---- */

/* A run, or what leads to the fault that `status` tells of. */
static enum status show_run(struct decision *decision, const struct execution *execution,
                            enum status status)
{
    struct error ignored;
    if (status != STATUS_OK && status != STATUS_INPUT)
        return status;
    decision->implementation.model->terms.limits = NULL; /* what was found is shown */
    TRY(keep_steps(decision, execution));
    enum status replayed =
        trace_replay(&decision->implementation.graph, execution, &decision->result->trace,
                     status == STATUS_OK ? decision->error : &ignored);
    return status == STATUS_OK ? replayed : status;
}

/* A formula may be decided long before the model has shown all that it does: it holds only of a
 * model that runs into no fault, in its steps or in the propositions. */
static enum status look_for_fault(struct decision *decision, const struct temporal *temporal)
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
        assertion_undecided(result, found.depth);
        text_append(&result->reason, "; no run violates the formula, but the model may run into a "
                                     "fault");
    }
    reachability_release(&found);
    return status;
}

static enum status satisfies(struct decision *decision)
{
    struct side *side = &decision->implementation;
    struct temporal temporal;
    struct liveness found;
    liveness_init(&found, decision->options->limits->budget);
    temporal_init(&temporal, decision->labels, decision->options->limits->budget);
    enum status status =
        csp_temporal_number(side->model, decision->assertion->formula, &temporal, decision->error);
    if (status == STATUS_OK)
        status = start_side(decision, side);
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

/* ---- all kinds ---- */

static const char *method(const struct csp_assertion *assertion)
{
    switch ((enum csp_assertion_kind)assertion->kind) {
    case ASSERTION_REFINES:
    case ASSERTION_REFINES_FAILURES:
    case ASSERTION_REFINES_FAILURES_DIVERGENCES:
        return "refinement";
    case ASSERTION_LINEARIZES:
        return "linearizability";
    case ASSERTION_SATISFIES:
        return "automaton";
    default:
        return "reachability";
    }
}

static void restart(struct decision *decision)
{
    struct budget *budget = decision->options->limits->budget;
    close_side(&decision->implementation);
    decision->implementation = (struct side){0};
    assertion_result_release(decision->result);
    assertion_result_init(decision->result, budget);
    decision->steps.length = 0;
}

/* With `|||{..}` the processes are taken as `decision->counting` says. */
static enum status decide_so(struct decision *decision, struct value_pool *pool)
{
    const struct csp_assertion *assertion = decision->assertion;
    decision->result->method = method(assertion);
    TRY(open_side(decision, assertion->process, &decision->implementation));
    switch ((enum csp_assertion_kind)assertion->kind) {
    case ASSERTION_DEADLOCK_FREE:
        return ask(decision, QUESTION_DEADLOCK_FREE);
    case ASSERTION_NONTERMINATING:
        return ask(decision, QUESTION_NONTERMINATING);
    case ASSERTION_DIVERGENCE_FREE:
        return ask(decision, QUESTION_DIVERGENCE_FREE);
    case ASSERTION_DETERMINISTIC:
        return ask(decision, QUESTION_DETERMINISTIC);
    case ASSERTION_REACHES:
        return ask(decision, QUESTION_REACHES);
    case ASSERTION_REFINES:
    case ASSERTION_REFINES_FAILURES:
    case ASSERTION_REFINES_FAILURES_DIVERGENCES:
        return refine_process(decision);
    case ASSERTION_SATISFIES:
        return satisfies(decision);
    default:
        return linearizes(decision, pool);
    }
}

/* Where an execution was found that symmetry does not let us tell, it is looked for without. So it
 * is where a subscript has left its dimension: elements of other rows were touched, and which they
 * are does not turn with the indices. */
static enum status decide_once(struct decision *decision, struct value_pool *pool)
{
    struct csp_program *program = decision->program;
    program->notes_crossings = is_symmetric(decision);
    *program->crossed = false;
    enum status status = decide_so(decision, pool);
    program->notes_crossings = false;
    if (!decision->crooked && !*program->crossed)
        return status;
    decision->asymmetric = true;
    decision->crooked = false;
    restart(decision);
    return decide_so(decision, pool);
}

/* ---- any number of copies ---- */

/* Cut-offs are tried up to this one: a higher one tells more states apart, and is of use where
 * several copies can be in the same place. */
#define LAST_CUT_OFF 3

/* Where what the abstraction shows cannot be followed, these numbers of copies are explored. */
#define MOST_EXPLORED 4

/* An execution is looked for with as many copies as it has steps, and one that takes none of them;
 * but with no more than this. */
#define MOST_FOLLOWED 64

static bool is_refinement(const struct decision *decision)
{
    uint8_t kind = decision->assertion->kind;
    return kind >= ASSERTION_REFINES && kind <= ASSERTION_REFINES_FAILURES_DIVERGENCES;
}

/* Whether the answer is one that an execution shows, and not the absence of one. */
static bool is_shown(const struct decision *decision)
{
    return decision->result->answer ==
           (decision->assertion->kind == ASSERTION_REACHES ? HOLDS : VIOLATED);
}

/* What must be true where the steps end; false if that cannot be followed. */
static bool what_to_follow(const struct decision *decision, enum status status,
                           struct follow *wanted)
{
    *wanted = (struct follow){.labels = decision->steps.items, .count = decision->steps.length};
    if (status == STATUS_INPUT) {
        wanted->goal = FOLLOW_FAULT;
        return decision->result->trace.start != NULL;
    }
    switch ((enum csp_assertion_kind)decision->assertion->kind) {
    case ASSERTION_DEADLOCK_FREE:
    case ASSERTION_NONTERMINATING:
        wanted->goal = FOLLOW_STUCK;
        return true;
    case ASSERTION_REACHES:
        wanted->goal = FOLLOW_CONDITION;
        wanted->has_extreme = decision->result->has_extreme;
        wanted->value = decision->result->extreme;
        return true;
    case ASSERTION_DETERMINISTIC:
    case ASSERTION_DIVERGENCE_FREE:
    case ASSERTION_SATISFIES:
        return false;
    default:
        wanted->goal = FOLLOW_STEPS;
        return decision->result->failing == FAILING_EVENT;
    }
}

/* Looks for the steps in the model with so many copies; if they are there, the trace is that of
 * these. */
static enum status follow_with(struct decision *decision, uint32_t copies, struct follow *wanted,
                               bool *found)
{
    const struct assertion_options *options = decision->options;
    const struct assertion_options plain = {.reductions = REDUCE_NONE, .limits = options->limits};
    struct side *side = &decision->implementation;
    struct reachability_options conditions = {0};
    struct execution execution;
    struct trace *trace = &decision->result->trace;
    reductions used = decision->result->reductions;
    execution_init(&execution, options->limits->budget);
    close_side(side);
    *side = (struct side){0};
    decision->counting = (struct csp_counting){.copies = copies};
    decision->options = &plain;
    enum status status = open_side(decision, decision->assertion->process, side);
    if (status == STATUS_OK && wanted->goal == FOLLOW_CONDITION) {
        status = goal(decision, &conditions);
        wanted->condition = conditions.condition;
        wanted->extreme = conditions.extreme;
    }
    if (status == STATUS_OK)
        status = start_side(decision, side);
    if (status == STATUS_OK)
        status = follow(&side->graph, wanted, &execution, found, decision->error);
    if (*found || (status == STATUS_INPUT && execution.states.length)) {
        struct error ignored;
        trace->steps.length = 0;
        enum status replayed = trace_replay(&side->graph, &execution, trace, &ignored);
        status = replayed == STATUS_OK ? status : replayed;
    }
    decision->options = options;
    decision->result->reductions = used;
    execution_release(&execution);
    return status;
}

/* Looks for what the abstraction shows in the model itself, with 1, 2, ... copies. */
static enum status confirm(struct decision *decision, enum status status, uint32_t *copies)
{
    struct follow wanted;
    *copies = 0;
    if (!what_to_follow(decision, status, &wanted))
        return STATUS_OK;
    uint32_t most = wanted.count < MOST_FOLLOWED ? (uint32_t)wanted.count + 1 : MOST_FOLLOWED;
    for (uint32_t n = 1; n <= most; n++) {
        bool found = false;
        TRY(follow_with(decision, n, &wanted, &found));
        if (found) {
            *copies = n;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

static void tell_copies(struct decision *decision, uint32_t copies)
{
    struct text *reason = &decision->result->reason;
    decision->result->copies = copies;
    text_format(reason, "%swith %u %s for `..`", reason->length ? ", " : "", copies,
                copies == 1 ? "copy" : "copies");
}

/* Decides for every number of copies at once, by counting up to a cut-off. */
static enum status decide_counted(struct decision *decision, struct value_pool *pool,
                                  uint32_t cut_off, bool *settled)
{
    struct assertion_result *result = decision->result;
    restart(decision);
    decision->counting = (struct csp_counting){.cut_off = cut_off};
    enum status status = decide_once(decision, pool);
    *settled = true;
    if (status != STATUS_OK && status != STATUS_INPUT)
        return status;
    if (status == STATUS_INPUT && !result->trace.start)
        return status; /* wrong whatever the number */
    if (status == STATUS_OK && result->answer == UNDECIDED && result->limit != LIMIT_NONE)
        return status;
    if (status == STATUS_OK && !is_shown(decision)) {
        *settled = !decision->implementation.model->inexact && result->answer != UNDECIDED;
        if (*settled && result->answer == HOLDS)
            text_format(&result->reason, "for any number of copies, counted up to %u", cut_off);
        return status;
    }
    uint32_t copies;
    struct error fault = *decision->error;
    TRY(confirm(decision, status, &copies));
    *settled = copies > 0;
    *decision->error = fault;
    if (*settled)
        tell_copies(decision, copies);
    return STATUS_OK;
}

/* The answer for 1, 2, ... copies each, as far as it is one that an execution shows. */
static enum status decide_few(struct decision *decision, struct value_pool *pool, bool *settled)
{
    struct assertion_result *result = decision->result;
    for (uint32_t n = 1; n <= MOST_EXPLORED; n++) {
        restart(decision);
        decision->counting = (struct csp_counting){.copies = n};
        *settled = true;
        TRY(decide_once(decision, pool));
        if (result->answer == UNDECIDED)
            return STATUS_OK;
        if (is_shown(decision)) {
            tell_copies(decision, n);
            return STATUS_OK;
        }
    }
    *settled = false;
    return STATUS_OK;
}

/* An answer for every number of copies from one on; see docs/internals/reductions.md. */
static enum status decide_any_number(struct decision *decision, struct value_pool *pool)
{
    struct assertion_result *result = decision->result;
    bool settled = false;
    bool counts = decision->assertion->kind != ASSERTION_DETERMINISTIC && !is_fair(decision);
    bool extreme = decision->assertion->extreme != NULL;
    for (uint32_t cut_off = 1; counts && cut_off <= LAST_CUT_OFF; cut_off++) {
        TRY(decide_counted(decision, pool, cut_off, &settled));
        if (settled)
            return STATUS_OK;
    }
    /* a greatest value with few copies need not be the greatest */
    if (!extreme)
        TRY(decide_few(decision, pool, &settled));
    if (settled)
        return STATUS_OK;
    result->answer = UNDECIDED;
    result->limit = LIMIT_NONE;
    text_clear(&result->reason);
    if (!extreme)
        text_format(&result->reason, "with 1 to %d copies for `..` the answer is %s, but ",
                    MOST_EXPLORED,
                    decision->assertion->kind == ASSERTION_REACHES ? "violated" : "holds");
    if (!counts)
        text_format(&result->reason, "%s is not decided for any number",
                    is_fair(decision) ? "fairness" : "determinism");
    else
        text_format(&result->reason,
                    "counting copies up to %d leaves more possible than any number that was tried "
                    "shows",
                    LAST_CUT_OFF);
    trace_release(&result->trace);
    trace_init(&result->trace, decision->options->limits->budget);
    return STATUS_OK;
}

static enum status decide(struct decision *decision, struct value_pool *pool)
{
    const struct csp_process *any = NULL;
    if (is_refinement(decision))
        TRY(csp_find_any_copies(decision->program, decision->assertion->specification, &any));
    if (any)
        return FAIL(decision, any->at,
                    "expected a number of copies in a specification of a refinement, found `..`");
    TRY(csp_find_any_copies(decision->program, decision->assertion->process, &any));
    return any ? decide_any_number(decision, pool) : decide_once(decision, pool);
}

/* What is alike, unless the specification tells callers apart. */
static enum status find_indices(struct decision *decision, struct value_pool *pool)
{
    const struct csp_assertion *assertion = decision->assertion;
    struct spec *spec = NULL;
    TRY(csp_indices_find(decision->program, assertion, decision->labels, &decision->indices));
    if (assertion->kind != ASSERTION_LINEARIZES || decision->indices.count == 0)
        return STATUS_OK;
    struct error ignored; /* it comes again when the assertion is decided */
    if (csp_assertion_spec(decision->program->module, assertion, pool,
                           decision->options->limits->budget, &spec, &ignored) == STATUS_OK)
        decision->asymmetric = spec_tells_callers(spec);
    spec_destroy(spec);
    return STATUS_OK;
}

enum status csp_assertion_decide(struct csp_program *program, const struct csp_assertion *assertion,
                                 struct value_pool *pool, const struct assertion_options *options,
                                 struct assertion_result *result, struct error *error)
{
    struct decision decision = {.program = program,
                                .assertion = assertion,
                                .options = options,
                                .result = result,
                                .error = error};
    vector_init(&decision.steps, options->limits->budget);
    decision.labels = labels_create(options->limits->budget);
    enum status status = decision.labels ? STATUS_OK : STATUS_LIMIT;
    if (status == STATUS_OK && (options->reductions & REDUCE_SYMMETRY))
        status = find_indices(&decision, pool);
    if (status == STATUS_OK)
        status = decide(&decision, pool);
    if (status == STATUS_LIMIT) { /* refused before the walk began */
        assertion_refused(result, options->limits);
        status = STATUS_OK;
    }
    close_side(&decision.implementation);
    csp_indices_release(&decision.indices);
    vector_release(&decision.steps);
    labels_destroy(decision.labels);
    return status;
}

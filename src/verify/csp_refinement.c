#include "verify/csp_refinement.h"

#include <string.h>

#include "property/graph_normal.h"
#include "property/incomplete.h"
#include "property/linear_normal.h"
#include "property/paper_refinement.h"
#include "property/refinement.h"
#include "verify/csp_specification.h"

/* Tells what was found in the model's own numbers: the normalised state is then found anew, and the
 * last step must be the one that cannot be followed. `status` is what the search ended with. */
static enum status tell_refinement(struct csp_decision *decision, struct normal *normal,
                                   struct refinement *found, struct graph *own,
                                   struct graph **graph, bool *told, enum status status)
{
    struct error fault = *decision->error;
    normal_id at = 0;
    TRY(csp_decision_tell(decision, &found->execution, own, graph, told));
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
    decision->untold = !*told;
    *decision->error = fault;
    return status;
}

static enum status compare(struct csp_decision *decision, struct normal *normal,
                           struct failures *failures)
{
    struct refinement_options options = assertion_refinement(decision->options, decision->result);
    options.failures = failures;
    struct refinement found;
    refinement_init(&found, decision->options->limits->budget);
    enum status status =
        decision->implementation.keeps_offers && !explore_is_incomplete(options.order)
            ? refine_as_in_paper(&decision->implementation.graph, normal, options.limits, &found,
                                 decision->error)
            : refine_in_order(&decision->implementation.graph, normal, &options, &found,
                              decision->error);
    csp_model_unlimited(decision->implementation.model); /* what was found is shown */
    struct graph own = {0}, *graph = &decision->implementation.graph;
    bool told = true;
    if (status == STATUS_OK || status == STATUS_INPUT)
        status = tell_refinement(decision, normal, &found, &own, &graph, &told, status);
    if (told)
        status = assertion_take_refinement(decision->result, graph, normal, &found, status,
                                           decision->error);
    if (status == STATUS_OK || status == STATUS_INPUT) {
        enum status kept = csp_decision_keep_steps(decision, &found.execution);
        status = kept == STATUS_OK ? status : kept;
    }
    if (own.model)
        graph_release(&own);
    refinement_release(&found);
    return status;
}

enum status csp_refinement_decide(struct csp_decision *decision)
{
    struct csp_side specification = {0};
    TRY(csp_side_start(decision, &decision->implementation));
    enum status status =
        csp_side_open(decision, decision->assertion->specification, &specification);
    if (status == STATUS_OK)
        status = csp_side_start(decision, &specification);
    if (status == STATUS_OK) {
        enum csp_assertion_kind kind = (enum csp_assertion_kind)decision->assertion->kind;
        struct graph_normal normal;
        struct failures failures;
        graph_normal_init(&normal, &specification.graph,
                          specification.symmetry.decorator.inner != NULL);
        failures_init(&failures, &decision->implementation.graph, &normal,
                      kind == ASSERTION_REFINES_FAILURES_DIVERGENCES);
        status = compare(decision, &normal.normal, kind == ASSERTION_REFINES ? NULL : &failures);
        failures_release(&failures);
        graph_normal_release(&normal);
    }
    csp_side_close(&specification);
    return status;
}

/* ---- linearizability ---- */
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
static enum status require_operations(struct csp_decision *decision,
                                      const struct linear_normal *normal)
{
    const struct csp_assertion *assertion = decision->assertion;
    bool called = linear_events_met(&normal->base.events, LINEAR_INVOKE);
    if (called && linear_events_met(&normal->base.events, LINEAR_RESPOND))
        return STATUS_OK;
    return DECISION_FAIL(decision, assertion->at, "expected events %s, found none in any execution",
                         called ? "`res.OP.thread` and the result"
                                : "`inv.OP.thread` and the arguments");
}

/* The operations of the specification that no execution calls. */
static enum status note_missing(struct csp_decision *decision, const struct linear_normal *normal)
{
    const struct spec_class *class = normal->spec->class;
    struct assertion_result *result = decision->result;
    for (size_t i = 0; i < class->operation_count; i++) {
        if (linear_events_call(&normal->base.events, i) || class->operations[i].optional)
            continue;
        const char *name = class->operations[i].name;
        name = arena_copy_text(&result->asked.arena, name, strlen(name));
        TRY_MEMORY(name && vector_push(&result->missing, name));
    }
    return STATUS_OK;
}

enum status csp_linearizes_decide(struct csp_decision *decision, struct value_pool *pool)
{
    struct spec *spec = NULL;
    struct linear_normal normal;
    bool points = decision->assertion->points != POINTS_NONE;
    if (decision->options->linearizing == LINEARIZING_BY_AUTOMATA)
        return DECISION_FAIL(
            decision, decision->assertion->at,
            "expected an implementation in `.lin` for violation automata: whether a "
            "process only copies values is not known");
    TRY(csp_side_start(decision, &decision->implementation));
    TRY(csp_assertion_spec(decision->program->module, decision->assertion, pool,
                           decision->options->limits->budget, &spec, decision->error));
    if (points && spec->class->together_count) {
        const char *word = spec->class->is_open ? "op open" : "together";
        spec_destroy(spec);
        return DECISION_FAIL(decision, decision->assertion->at,
                             "expected no linearization points with `%s` in the specification: a "
                             "point is of one operation",
                             word);
    }
    linear_normal_init(&normal, spec, decision->labels, points, decision->options->limits->budget);
    normal.base.limits = decision->options->limits;
    if (decision->implementation.order.decorator.inner)
        decision->implementation.order.is_visible = points ? is_point : is_operation;
    enum status status = compare(decision, &normal.base.normal, NULL);
    if (status == STATUS_INPUT && !*decision->error->file) {
        struct error copy = *decision->error;
        status = DECISION_FAIL(decision, decision->assertion->at, "%s", copy.message);
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

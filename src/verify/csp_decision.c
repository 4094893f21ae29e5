#include "verify/csp_decision.h"

#include <inttypes.h>

#include "base/log.h"
#include "tell/concretise.h"

/* Whether a partial order reduction keeps what the assertion asks, and how it must go about it. */
static bool ample_purpose(const struct csp_assertion *assertion, enum ample_purpose *purpose)
{
    switch ((enum csp_assertion_kind)assertion->kind) {
    case ASSERTION_DEADLOCK_FREE:
    case ASSERTION_NONTERMINATING:
        *purpose = AMPLE_ENDS;
        return true;
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
static bool is_as_in_paper(const struct csp_decision *decision)
{
    return (decision->options->reductions & REDUCE_PAPER) &&
           (decision->assertion->kind == ASSERTION_REFINES ||
            decision->assertion->kind == ASSERTION_LINEARIZES);
}

bool csp_decision_is_fair(const struct csp_decision *decision)
{
    return decision->assertion->kind == ASSERTION_SATISFIES &&
           decision->options->fairness != FAIRNESS_NONE;
}

/* Whether states that differ by their indices may stand for one another. */
bool csp_decision_is_symmetric(const struct csp_decision *decision)
{
    enum ample_purpose ignored;
    return (decision->options->reductions & REDUCE_SYMMETRY) && !decision->asymmetric &&
           decision->assertion->kind != ASSERTION_SATISFIES && decision->indices.nodes.count > 0 &&
           decision->counting.cut_off == 0 && !is_as_in_paper(decision) &&
           ample_purpose(decision->assertion, &ignored); /* the same questions */
}

static bool skips(const struct csp_side *side)
{
    return side->order.decorator.inner && side->order.purpose == AMPLE_TRACES;
}

static void tell_log(const struct csp_decision *decision, const struct csp_side *side)
{
    const struct log *log = decision->options->limits->log;
    const char *whose = side == &decision->implementation ? "implementation" : "specification";
    if (side->slice.decorator.inner)
        LOG(log, "reduction: slice on, of the %s", whose);
    if (side->order.decorator.inner)
        LOG(log, "reduction: partial order%s on, of the %s",
            side->keeps_offers ? " of the paper" : "", whose);
    if (side->symmetry.decorator.inner)
        LOG(log, "reduction: symmetry on, of the %s, %" PRIu32 " processes alike", whose,
            decision->indices.nodes.count);
    if (side->reduced == &side->model->model)
        LOG(log, "reduction: none of the %s", whose);
}

/* Makes the model; its graph is started once all conditions are known. */
enum status csp_side_open(struct csp_decision *decision, const struct csp_process *process,
                          struct csp_side *side)
{
    enum ample_purpose purpose = AMPLE_TRACES;
    bool symmetric = csp_decision_is_symmetric(decision);
    struct csp_counting counting = decision->counting;
    counting.apart = csp_decision_is_fair(decision); /* fairness is about who takes part */
    TRY(csp_model_create(decision->program, process, decision->labels, decision->options->limits,
                         &counting, symmetric ? &decision->indices : NULL, &side->model,
                         decision->error));
    const struct model *model = &side->model->model;
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
        if (!paper)
            csp_model_take_apart(side->model);
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
    tell_log(decision, side);
    return STATUS_OK;
}

enum status csp_side_start(struct csp_decision *decision, struct csp_side *side)
{
    side->has_graph = true;
    TRY(graph_create(side->reduced, decision->options->limits, &side->graph, decision->error));
    side->graph.keeps_offers = side->keeps_offers;
    side->graph.skips = skips(side);
    side->graph.limits = decision->options->limits;
    return STATUS_OK;
}

void csp_side_close(struct csp_side *side)
{
    if (side->has_graph)
        graph_release(&side->graph);
    partial_order_release(&side->order);
    slice_release(&side->slice);
    csp_model_destroy(side->model);
}

/* Tells an execution in the model's own numbers. `plain` becomes the graph that has its states: the
 * implementation's where it has those numbers already, else `own`, to be released. *told is false
 * where that cannot be done. */
enum status csp_decision_tell(struct csp_decision *decision, struct execution *execution,
                              struct graph *own, struct graph **plain, bool *told)
{
    static const struct concretise_options options = {.most = 1};
    struct csp_side *side = &decision->implementation;
    *plain = &side->graph;
    *told = true;
    if (!side->symmetry.decorator.inner || execution->states.length == 0)
        return STATUS_OK;
    *plain = own;
    TRY(graph_create(side->symmetry.decorator.inner, decision->options->limits, own,
                     decision->error));
    own->skips = side->graph.skips;
    TRY(concretise(side->graph.own.worker, &side->graph, own, &options, execution, told,
                   decision->error));
    decision->untold = !*told;
    return STATUS_OK;
}

/* Keeps the labels of an execution of the abstraction, to follow them in the model itself. */
enum status csp_decision_keep_steps(struct csp_decision *decision,
                                    const struct execution *execution)
{
    decision->steps.length = 0;
    for (size_t i = 0; decision->counting.cut_off && i < execution->labels.length; i++)
        TRY_MEMORY(vector_push(&decision->steps, execution->labels.items[i]));
    return STATUS_OK;
}

/* The value of an expression over the implementation's variables is one that reductions must keep.
 */
void csp_side_watch(struct csp_side *side, uint32_t number)
{
    if (side->slice.decorator.inner)
        slice_keep(&side->slice, number);
    if (side->order.decorator.inner)
        partial_order_keep(&side->order, number);
}

void csp_decision_restart(struct csp_decision *decision)
{
    struct budget *budget = decision->options->limits->budget;
    csp_side_close(&decision->implementation);
    decision->implementation = (struct csp_side){0};
    assertion_result_release(decision->result);
    assertion_result_init(decision->result, budget);
    decision->steps.length = 0;
}

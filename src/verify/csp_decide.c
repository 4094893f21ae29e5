#include "verify/csp_decide.h"

#include "verify/csp_reachability.h"
#include "verify/csp_refinement.h"
#include "verify/csp_temporal.h"

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

/* With `|||{..}` the processes are taken as `decision->counting` says. */
static enum status decide_so(struct csp_decision *decision, struct value_pool *pool)
{
    const struct csp_assertion *assertion = decision->assertion;
    decision->result->method = method(assertion);
    TRY(csp_side_open(decision, assertion->process, &decision->implementation));
    switch ((enum csp_assertion_kind)assertion->kind) {
    case ASSERTION_DEADLOCK_FREE:
        return csp_reachability_decide(decision, QUESTION_DEADLOCK_FREE);
    case ASSERTION_NONTERMINATING:
        return csp_reachability_decide(decision, QUESTION_NONTERMINATING);
    case ASSERTION_DIVERGENCE_FREE:
        return csp_reachability_decide(decision, QUESTION_DIVERGENCE_FREE);
    case ASSERTION_DETERMINISTIC:
        return csp_reachability_decide(decision, QUESTION_DETERMINISTIC);
    case ASSERTION_REACHES:
        return csp_reachability_decide(decision, QUESTION_REACHES);
    case ASSERTION_REFINES:
    case ASSERTION_REFINES_FAILURES:
    case ASSERTION_REFINES_FAILURES_DIVERGENCES:
        return csp_refinement_decide(decision);
    case ASSERTION_SATISFIES:
        if (assertion_is_unasked(decision->options, "runs that go on for ever", decision->result))
            return STATUS_OK;
        return csp_temporal_decide(decision);
    default:
        return csp_linearizes_decide(decision, pool);
    }
}

/* Where an execution was found that symmetry does not let us tell, it is looked for without. So it
 * is where a subscript has left its dimension: elements of other rows were touched, and which they
 * are does not turn with the indices. */
enum status csp_decide(struct csp_decision *decision, struct value_pool *pool)
{
    struct csp_program *program = decision->program;
    program->notes_crossings = csp_decision_is_symmetric(decision);
    *program->crossed = false;
    enum status status = decide_so(decision, pool);
    program->notes_crossings = false;
    if (!decision->untold && !*program->crossed)
        return status;
    decision->asymmetric = true;
    decision->untold = false;
    csp_decision_restart(decision);
    return decide_so(decision, pool);
}

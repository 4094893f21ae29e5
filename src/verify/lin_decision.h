/* An assertion of a `.lin` module that is being decided for a fixed number of threads, and the
 * executions that are shown for it: in single steps, from a second graph in which every statement
 * is one, since searches fuse them. */
#ifndef VERIFY_LIN_DECISION_H
#define VERIFY_LIN_DECISION_H

#include "property/refinement.h"
#include "verify/assertion.h"
#include "verify/lin_by_automata.h"
#include "verify/lin_instance.h"
#include "verify/lin_scheduled.h"

struct lin_decision {
    const struct assertion_options *options;
    struct assertion_result *result;
    struct labels *labels;
    struct lin_instance instance;
    struct lin_scheduled scheduled; /* the instance's model as the bounds' schedule has it */
    struct graph graph;
    struct worker *reduced;       /* of the instance's model: for executions that are shown */
    struct lin_model plain_model; /* each statement a step */
    struct graph plain;
    const struct lin_by_automata *automata; /* that decide it; null: it is not decided so */
    _Atomic uint64_t refuted;               /* suppositions that are known to be wrong */
    bool opened, has_graph, has_plain_model, has_plain;
    struct error *error;
};

/* Whether the graph's executions are shown by others: steps are fused, or threads or nodes are
 * renumbered. */
bool lin_decision_is_reduced(const struct lin_decision *decision);

/* Makes decision->plain, in which every statement is a step. `fields`: dead fields are forgotten
 * there, too. STATUS_INPUT: the model is wrong; STATUS_LIMIT. Closed by the next one, or when asked
 * to. */
enum status lin_decision_open_plain(struct lin_decision *decision, bool fields) MUST_CHECK;
void lin_decision_close_plain(struct lin_decision *decision);

/* Puts an execution of decision->plain, which is opened, in place of one with fused steps. */
enum status lin_decision_make_concrete(struct lin_decision *decision,
                                       struct execution *execution) MUST_CHECK;

/* Where the execution has a fault of the algorithm, which ends it or is repeated for ever, the
 * result's reason becomes what it was. The execution is one of `graph`, whose threads and nodes are
 * not renumbered. */
enum status lin_decision_say_fault(struct lin_decision *decision, const struct graph *graph,
                                   const struct execution *execution) MUST_CHECK;

/* Puts what a refinement found, and ended with, in the result, with the trace in single steps. */
enum status lin_decision_take(struct lin_decision *decision, struct normal *normal,
                              struct refinement *found, enum status status) MUST_CHECK;

/* Puts the execution that leads to where the model is wrong in the result; STATUS_INPUT, with what
 * is wrong still in the decision's error. */
enum status lin_decision_show_fault(struct lin_decision *decision,
                                    struct execution *execution) MUST_CHECK;

#endif

/* What deciding an assertion of a CSP# model needs: its processes as models, with those reductions
 * on top that are asked for and sound for the assertion, their state graphs, and how to take an
 * execution back to the model's own numbers. One decision may be made several times, under other
 * assumptions: without symmetry, with other numbers of copies. */
#ifndef VERIFY_CSP_DECISION_H
#define VERIFY_CSP_DECISION_H

#include "csp/model.h"
#include "explore/execution.h"
#include "reduce/partial_order.h"
#include "reduce/slice.h"
#include "reduce/symmetry.h"
#include "verify/assertion.h"

/* A process of the module, reduced where that is asked for and sound, and its state graph. */
struct csp_side {
    struct csp_model *model;
    struct slice slice;
    struct partial_order order;
    struct symmetry symmetry;
    const struct model *reduced; /* one of the four */
    bool keeps_offers;           /* of ample sets, for the walker to choose */
    struct graph graph;
    bool has_graph;
};

/* What deciding an assertion needs, created in order and released whatever happens. */
struct csp_decision {
    struct csp_program *program;
    const struct csp_assertion *assertion;
    const struct assertion_options *options;
    struct assertion_result *result;
    struct labels *labels;
    struct csp_indices indices; /* what is alike */
    bool asymmetric;            /* renumbering is not to be used */
    bool untold;                /* and what it has shown could not be told without */
    struct csp_side implementation;
    struct csp_counting counting; /* of `|||{..}` */
    VECTOR(label) steps;          /* the labels of what was found, where that must be confirmed */
    struct error *error;
};

#define DECISION_FAIL(decision, at, ...)                                                           \
    script_error((decision)->program->module->script, at, (decision)->error, __VA_ARGS__)

bool csp_decision_is_fair(const struct csp_decision *decision);

/* Whether states that differ by their indices may stand for one another. */
bool csp_decision_is_symmetric(const struct csp_decision *decision);

/* Begins anew: what was found so far is forgotten. */
void csp_decision_restart(struct csp_decision *decision);

/* Makes the model of a process, and its reductions; the graph is started once all conditions are
 * known. Close it whatever the status. */
enum status csp_side_open(struct csp_decision *decision, const struct csp_process *process,
                          struct csp_side *side) MUST_CHECK;

/* Makes the graph, with the initial states. */
enum status csp_side_start(struct csp_decision *decision, struct csp_side *side) MUST_CHECK;

void csp_side_close(struct csp_side *side);

/* The value of an expression over the implementation's variables is one that reductions must keep.
 */
void csp_side_watch(struct csp_side *side, uint32_t number);

/* Tells an execution in the model's own numbers. `plain` becomes the graph that has its states: the
 * implementation's where it has those numbers already, else `own`, to be released. *told is false
 * where that cannot be done. */
enum status csp_decision_tell(struct csp_decision *decision, struct execution *execution,
                              struct graph *own, struct graph **plain, bool *told) MUST_CHECK;

/* Keeps the labels of an execution of an abstraction, to follow them in the model itself. */
enum status csp_decision_keep_steps(struct csp_decision *decision,
                                    const struct execution *execution) MUST_CHECK;

#endif

/* The assertions of a CSP# model, decided. */
#ifndef PROPERTY_CSP_ASSERTION_H
#define PROPERTY_CSP_ASSERTION_H

#include "lang/csp_program.h"
#include "property/execution.h"
#include "property/trace.h"
#include "reduce/reductions.h"
#include "spec/spec.h"

struct assertion_options {
    reductions reductions; /* those unsound for the assertion are left out */
    bool depth_first;
    struct limits *limits;
};

/* Of the events that a specification offers, a reason names no more than these. */
#define ASSERTION_MOST_NAMED 4

/* Where a refinement fails. */
enum failing {
    FAILING_NOWHERE,
    FAILING_EVENT,      /* the trace's last step cannot be followed */
    FAILING_REFUSAL,    /* its last state refuses too much */
    FAILING_DIVERGENCE, /* its last state can go on invisibly for ever */
};

struct assertion_result {
    enum holds answer;
    enum limit limit;
    uint64_t states, transitions;
    uint64_t memory;       /* bytes, at most */
    reductions reductions; /* those that were used */
    const char *method;    /* "refinement", "reachability", "linearizability"; static */
    struct text reason;    /* one sentence */
    struct trace trace;    /* of a violation, of a goal reached, or to a fault of the model */
    enum failing failing;
    VECTOR(const char *) offered; /* FAILING_: the events that the specification offers there; in
                                     the trace's arena */
    bool has_extreme;
    int64_t extreme; /* of `reaches ... with min, max` */
};

void assertion_result_init(struct assertion_result *result, struct budget *budget);
void assertion_result_release(struct assertion_result *result);

/* Decides one assertion. STATUS_OK: the answer is in `result`, perhaps UNDECIDED with its limit.
 * STATUS_INPUT: the assertion or the model is wrong, with its place; for a fault at run time
 * result->trace leads to it. */
enum status csp_assertion_decide(struct csp_program *program, const struct csp_assertion *assertion,
                                 struct value_pool *pool, const struct assertion_options *options,
                                 struct assertion_result *result, struct error *error) MUST_CHECK;

#endif

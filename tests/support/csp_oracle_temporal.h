/* Temporal formulas about CSP# by definition: the oracle's graph of the process, positions in it
 * that guess which parts of the formula are true there, and runs that may not guess wrong for ever.
 * No automaton, nothing of the engines; formulas are trees (ltl_words.h). */
#ifndef TESTS_SUPPORT_CSP_ORACLE_TEMPORAL_H
#define TESTS_SUPPORT_CSP_ORACLE_TEMPORAL_H

#include "property/fairness.h"
#include "support/csp_oracle.h"
#include "support/ltl_words.h"
#include "tell/trace.h"

/* What atom i of a formula means: an event, or if that is null a condition. */
struct oracle_atom {
    const char *event;
    const struct csp_expression *condition;
};

struct oracle_question {
    struct oracle *oracle; /* with places kept where there is fairness */
    const struct csp_process *process;
    const struct oracle_atom *atoms;
    unsigned atom_count;
    const struct tree *formula;
    enum fairness fairness;
};

enum oracle_verdict {
    ORACLE_ALL_RUNS,  /* every fair run satisfies the formula */
    ORACLE_SOME_RUN,  /* some does not */
    ORACLE_FAULTS,    /* a fault is reachable, in a step or in a condition that the formula has */
    ORACLE_NO_ANSWER, /* too large, or the model is wrong */
};

enum oracle_verdict oracle_temporal_decide(const struct oracle_question *question);

/* Whether the trace is a fair run of the process that does not satisfy the formula; else what is
 * wrong. Runs of more than 63 steps, and those whose steps can be taken in
 * too many ways, are not looked at (null as well). */
const char *oracle_temporal_replay(const struct oracle_question *question,
                                   const struct trace *trace);

#endif

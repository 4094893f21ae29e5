/* Assertions that compare a CSP# model with something: with another process (traces, failures,
 * divergences), or with a sequential specification that several threads use (linearizability). Both
 * are refinements of a normal form. */
#ifndef VERIFY_CSP_REFINEMENT_H
#define VERIFY_CSP_REFINEMENT_H

#include "value/value.h"
#include "verify/csp_decision.h"

/* The implementation is open. */
enum status csp_refinement_decide(struct csp_decision *decision) MUST_CHECK;
enum status csp_linearizes_decide(struct csp_decision *decision,
                                  struct value_pool *pool) MUST_CHECK;

#endif

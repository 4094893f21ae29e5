/* Assertions about single states of a CSP# model: deadlocks, termination, divergence, determinism,
 * and whether a proposition is reached. */
#ifndef VERIFY_CSP_REACHABILITY_H
#define VERIFY_CSP_REACHABILITY_H

#include "property/reachability.h"
#include "verify/csp_decision.h"

/* Numbers the proposition that `reaches` names, and the value that is to be extreme; reductions are
 * told to keep both. The side must be open, its graph not started. */
enum status csp_reachability_goal(struct csp_decision *decision,
                                  struct reachability_options *options) MUST_CHECK;

/* Decides one question about the implementation, which is open. */
enum status csp_reachability_decide(struct csp_decision *decision,
                                    enum question question) MUST_CHECK;

#endif

/* Deciding one assertion of a CSP# model, `|||{..}` being as decision->counting says: takes the
 * procedure for its kind, and does without symmetry where that turns out to be in the way. */
#ifndef VERIFY_CSP_DECIDE_H
#define VERIFY_CSP_DECIDE_H

#include "value/value.h"
#include "verify/csp_decision.h"

enum status csp_decide(struct csp_decision *decision, struct value_pool *pool) MUST_CHECK;

#endif

/* `|=`: a temporal formula about a CSP# model. Its atoms are numbered, its runs looked for on the
 * graph of the model (verify/temporal.h), and where none violates it the model must show that it
 * runs into no fault. */
#ifndef VERIFY_CSP_TEMPORAL_H
#define VERIFY_CSP_TEMPORAL_H

#include "verify/csp_decision.h"
#include "verify/temporal.h"

/* The implementation is open. STATUS_INPUT: an atom is neither an event nor a proposition, or there
 * are too many. */
enum status csp_temporal_decide(struct csp_decision *decision) MUST_CHECK;

#endif

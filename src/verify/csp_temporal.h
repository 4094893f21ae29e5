/* `|=`: the atoms of a formula about a CSP# model. */
#ifndef VERIFY_CSP_TEMPORAL_H
#define VERIFY_CSP_TEMPORAL_H

#include "csp/model.h"
#include "verify/temporal.h"

/* Puts the formula, which must outlive it, into `temporal`: numbers its atoms, and makes conditions
 * of those that are. STATUS_INPUT: one is neither an event nor a proposition, or there are too
 * many.
 */
enum status csp_temporal_number(struct csp_model *model, struct formula *formula,
                                struct temporal *temporal, struct error *error) MUST_CHECK;

#endif

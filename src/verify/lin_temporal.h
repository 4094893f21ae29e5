/* `satisfies`: the atoms of a formula about a `.lin` implementation. */
#ifndef VERIFY_LIN_TEMPORAL_H
#define VERIFY_LIN_TEMPORAL_H

#include "implementation/steps.h"
#include "value/value.h"
#include "verify/temporal.h"

/* Puts the formula into `temporal`: numbers its atoms, and adds the conditions among them to
 * `steps`, of which no model is made yet.
 * STATUS_INPUT: a thread that there is not, a condition that cannot be asked, too many atoms. */
enum status lin_temporal_number(struct lin_steps *steps, struct value_pool *pool,
                                struct formula *formula, struct temporal *temporal,
                                struct error *error) MUST_CHECK;

#endif

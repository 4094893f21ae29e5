/* `|=`: formulas of linear temporal logic about CSP# models. */
#ifndef PROPERTY_CSP_TEMPORAL_H
#define PROPERTY_CSP_TEMPORAL_H

#include "model/csp_model.h"
#include "property/assertion.h"
#include "property/liveness.h"

/* The atoms of a formula, numbered. */
struct csp_temporal {
    struct csp_model *model;
    const struct csp_formula *formula;
    struct arena arena; /* of their texts */
    unsigned count;
    struct liveness_atom atoms[LTL_MAX_ATOMS];
    const char *names[LTL_MAX_ATOMS]; /* as the formula has them */
};

/* Numbers the atoms, and makes conditions of those that are. STATUS_INPUT: one is neither an event
 * nor a proposition, or there are too many. Release whatever the status. */
enum status csp_temporal_create(struct csp_model *model, const struct csp_formula *formula,
                                struct csp_temporal *temporal, struct error *error) MUST_CHECK;
void csp_temporal_release(struct csp_temporal *temporal);

/* Decides the formula on the model's plain graph; everything but the trace is written to `result`,
 * and what was found to `found`. STATUS_INPUT: a fault of the model, with found->execution leading
 * to it. */
enum status csp_temporal_decide(struct csp_temporal *temporal, struct graph *graph,
                                const struct assertion_options *options, struct liveness *found,
                                struct assertion_result *result, struct error *error) MUST_CHECK;

/* The number of an atom of the formula. */
unsigned csp_temporal_atom(const struct csp_temporal *temporal, const struct csp_formula *atom);

/* Appends what of the formula fails in a run that violates it, and what fairness says of its loop.
 * STATUS_INTERNAL: the run satisfies the formula. */
enum status csp_temporal_tell(const struct csp_temporal *temporal, const struct liveness *found,
                              enum fairness fairness, struct text *reason,
                              struct error *error) MUST_CHECK;

#endif

/* Formulas of linear temporal logic about a model, whatever language it is in. */
#ifndef VERIFY_TEMPORAL_H
#define VERIFY_TEMPORAL_H

#include "lang/formula.h"
#include "property/liveness.h"
#include "verify/assertion.h"

/* A formula with its atoms numbered. */
struct temporal {
    const struct formula *formula;
    struct labels *labels; /* of the model; not owned */
    struct budget *budget;
    struct arena arena; /* of the atoms' texts */
    unsigned count;
    struct liveness_atom atoms[LTL_MAX_ATOMS];
    const char *names[LTL_MAX_ATOMS]; /* as people should see them */
    bool is_lin;                      /* how fairness is written: `with fairness = weak` */
};

void temporal_init(struct temporal *temporal, struct labels *labels, struct budget *budget);
void temporal_release(struct temporal *temporal);

/* The number of the atom with this name, a new one if there is none; `atom` is then what it stands
 * for. False when there are too many. */
bool temporal_number(struct temporal *temporal, const char *name, const struct liveness_atom *atom,
                     unsigned *number) MUST_CHECK;

/* Decides the formula on the model's plain graph; everything but the trace is written to `result`,
 * and what was found to `found`. STATUS_INPUT: a fault of the model, with found->execution leading
 * to it. */
enum status temporal_decide(const struct temporal *temporal, struct graph *graph,
                            enum fairness fairness, struct limits *limits, struct liveness *found,
                            struct assertion_result *result, struct error *error) MUST_CHECK;

/* Writes the numbers of the conditions among the atoms, at most LTL_MAX_ATOMS, and returns how many
 * there are. */
size_t temporal_conditions(const struct temporal *temporal, uint32_t *conditions);

/* Appends what of the formula fails in a run that violates it, and what fairness says of its loop.
 * STATUS_INTERNAL: the run satisfies the formula. */
enum status temporal_tell(const struct temporal *temporal, const struct liveness *found,
                          enum fairness fairness, struct text *reason,
                          struct error *error) MUST_CHECK;

#endif

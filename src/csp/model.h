/* A process of a CSP# program as a model: the first slot is its term, then the program's slots. */
#ifndef CSP_MODEL_H
#define CSP_MODEL_H

#include "csp/worker.h"

/* What model_class.evaluate finds by its number. */
struct csp_condition {
    code_id code;
    bool is_proposition; /* must be a boolean, like a guard; else any value */
};

struct csp_model {
    struct model model; /* first */
    struct csp_shared shared;
    const struct csp_process *process; /* what `start` was made of; not owned */
    term start;
    VECTOR(struct csp_condition) conditions;
};

/* The model of a process reference (name and arguments) of the module; `counting` says what
 * `|||{..}` is in it, null: copies without end. With a cut-off it is an abstraction, in which every
 * execution of any number of copies has one with the same labels and valuations, that passes
 * states with the same steps as long as the model is not `inexact`. STATUS_INPUT, STATUS_LIMIT.
 * `indices` (null: none) says what is alike. Owned by the caller; `program`, `labels`, `limits`
 * (null: none) and `indices` must outlive it. */
enum status csp_model_create(struct csp_program *program, const struct csp_process *process,
                             struct labels *labels, struct limits *limits,
                             const struct csp_counting *counting, struct csp_indices *indices,
                             struct csp_model **model, struct error *error) MUST_CHECK;
void csp_model_destroy(struct csp_model *model);

/* From here on outlooks, and the processes that take part in a step, are those of the leaves of the
 * outermost `||` (csp/owners.h), where alphabets are not declared and nothing is atomic. Which
 * process a step is of stays as it is. */
void csp_model_take_apart(struct csp_model *model);

/* From here on no limit is looked at: what was found is to be shown. */
void csp_model_unlimited(struct csp_model *model);

/* Numbers an expression over the model's variables for model_class.evaluate. Where a proposition is
 * no boolean, that is a fault of the model. */
enum status csp_model_proposition(struct csp_model *model, const struct csp_expression *expression,
                                  uint32_t *number, struct error *error) MUST_CHECK;
enum status csp_model_value(struct csp_model *model, const struct csp_expression *expression,
                            uint32_t *number, struct error *error) MUST_CHECK;

#endif

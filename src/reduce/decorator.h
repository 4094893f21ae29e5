/* What the decorators of a model have in common: they answer from the model inside where they have
 * nothing to add. */
#ifndef REDUCE_DECORATOR_H
#define REDUCE_DECORATOR_H

#include "model/model.h"

struct decorator {
    struct model model;  /* first, and itself first in the decorator */
    struct model *inner; /* decorated or not; not owned */
};

/* The inner model's answers, as functions of a model_class. */
enum status decorator_initial(struct model *base, struct successors *out,
                              struct error *error) MUST_CHECK;
enum status decorator_evaluate(struct model *base, uint32_t condition, const uint32_t *state,
                               int64_t *value, struct error *error) MUST_CHECK;
/* By itself where the inner model says nothing. */
enum status decorator_represent(struct model *base, uint32_t *state,
                                struct error *error) MUST_CHECK;
void decorator_print(const struct model *base, const uint32_t *state, const uint32_t *before,
                     struct text *text);

#endif

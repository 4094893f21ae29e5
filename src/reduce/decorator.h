/* What the decorators of a model have in common: they answer from the model inside where they have
 * nothing to add. Their worker has a worker of that model. */
#ifndef REDUCE_DECORATOR_H
#define REDUCE_DECORATOR_H

#include "model/model.h"

struct decorator {
    struct model model;        /* first, and itself first in the decorator */
    const struct model *inner; /* decorated or not; not owned */
};

struct decorator_worker {
    struct worker worker; /* first, and itself first in the decorator's */
    struct worker *inner; /* owned; null when refused */
};

/* The worker of the model inside. */
static inline struct worker *decorator_inside(const struct worker *worker)
{
    return ((const struct decorator_worker *)worker)->inner;
}

/* The worker of `model` among those that are one inside the other, from this one on. */
struct worker *decorator_find_worker(struct worker *worker, const struct model *model);

/* A worker of `size` bytes with the one inside, else zero; null when refused. */
void *decorator_make_worker(const struct model *base, size_t size) MUST_CHECK;
void decorator_free_worker(struct worker *worker, size_t size);

/* The inner model's answers, as functions of a model_class. */
struct worker *decorator_worker_create(const struct model *base) MUST_CHECK;
void decorator_worker_destroy(struct worker *worker);
enum status decorator_initial(struct worker *worker, struct successors *out,
                              struct error *error) MUST_CHECK;
enum status decorator_evaluate(struct worker *worker, uint32_t condition, const uint32_t *state,
                               int64_t *value, struct error *error) MUST_CHECK;
enum status decorator_follow(struct worker *worker, const uint32_t *state, const uint32_t *who,
                             size_t length, const struct successors *of, struct followed *out,
                             struct error *error) MUST_CHECK;
/* By itself where the inner model says nothing. */
enum status decorator_represent(struct worker *worker, uint32_t *state,
                                struct error *error) MUST_CHECK;
uint64_t decorator_known(const struct model *base);
void decorator_print(const struct model *base, const uint32_t *state, const uint32_t *before,
                     struct text *text);

#endif

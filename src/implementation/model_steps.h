/* The steps of one thread of a `.lin` model: run in every way that its choices allow, joined with
 * those that only the thread can notice, labelled, and sorted. */
#ifndef IMPLEMENTATION_MODEL_STEPS_H
#define IMPLEMENTATION_MODEL_STEPS_H

#include "implementation/run.h"

/* Adds the step whose state stands in worker->after. False when refused. */
bool lin_model_add_step(struct lin_worker *worker, struct successors *out, uint32_t thread, label l,
                        label shown) MUST_CHECK;

/* The label of an answer of these words; LABEL_REFUSED when refused. */
label lin_model_label_answer(struct lin_worker *worker, const struct instruction *end,
                             const uint32_t *words, uint32_t thread);

/* The label of an answer, and the thread idle again. */
label lin_model_take_answer(struct lin_worker *worker, uint32_t *own, uint32_t thread);

/* The label of a call, points and an answer in one step, those that are not LABEL_TAU. */
label lin_model_label_whole(const struct lin_model *model, label call, label point, label answer);

/* Runs a thread in every way that its choices allow, from `start`; each run is one step. */
enum status lin_model_run_all(struct lin_worker *worker, uint32_t thread, uint32_t start, label l,
                              label shown, struct successors *out, struct error *error) MUST_CHECK;

#endif

/* The threads of a `.lin` implementation as a model: each calls operations, takes their steps one
 * at a time, and answers. Labels are `inv.OP.thread.arguments`, `res.OP.thread.result` (an answer
 * that is a symbol other than `ok` and `empty` is part of the name: `res.OP=full.thread`), and
 * `fault` for what the algorithm must not do; every other step is invisible. With points in the
 * setting there are `lin.OP.thread.arguments.result` too (`lin.OP=?.thread.arguments` where the
 * answer is left open), and `no-point.thread.instruction` and `second-point.thread.instruction` for
 * an operation that returns without one and for its second.
 *
 * The threads of a program take the steps of the operations that they call. Its labels are
 * `print.thread.answer`, termination when all threads have ended, and `fault`.
 *
 * With symmetry the threads of a state are renumbered into one order, and its values renamed. A
 * step after which they were is labelled `turn`, with the label it would have had and the
 * permutations of threads and of values as components.
 *
 * A step with several of these labels has them for components: `inv+res`, `inv+lin+res`, ...
 *
 * States are canonical: nodes that cannot be reached are collected, the others stand in the order
 * in which they are found from the shared variables and the threads' live locals; locals that will
 * not be read again are 0. Where nodes are kept, those that cannot be reached and were not given
 * back stand behind the others, without their contents. */
#ifndef IMPLEMENTATION_MODEL_H
#define IMPLEMENTATION_MODEL_H

#include "implementation/state.h"

/* The steps and labels must outlive it. STATUS_LIMIT. Release whatever the status. */
enum status lin_model_create(const struct lin_steps *steps, const struct lin_options *options,
                             struct labels *labels, struct budget *budget, struct lin_model *model,
                             struct error *error) MUST_CHECK;

/* Appends the steps of one thread, as the model's successors have them; `known_as`: its number for
 * `only thread`. */
enum status lin_model_steps_of(struct lin_worker *worker, const uint32_t *state, uint32_t thread,
                               uint32_t known_as, struct successors *out,
                               struct error *error) MUST_CHECK;

/* Appends what the thread does wrong that from `before` stands faulted in `after`. STATUS_LIMIT. */
enum status lin_model_explain(const struct lin_model *model, const uint32_t *before,
                              const uint32_t *after, struct text *text,
                              struct error *error) MUST_CHECK;

/* Whether the thread is inside an operation; whether it has none left although it is in the middle
 * of its client's order; whether it is in the middle of that. */
bool lin_model_is_running(const struct lin_model *model, const uint32_t *state, uint32_t thread);
bool lin_model_is_cut(const struct lin_model *model, const uint32_t *state, uint32_t thread);
bool lin_model_is_inside_order(const struct lin_model *model, const uint32_t *state,
                               uint32_t thread);

/* The instruction at which a linearization point is out of place, with the label's kind and the
 * thread whose operation has none or a second one, or that runs none. UINT32_MAX: the label is of
 * something else. */
uint32_t lin_model_misplaced(const struct lin_model *model, label l, enum label_kind *kind,
                             uint32_t *owner);

/* How the step that a running thread stands before is shown. */
label lin_model_note(const struct lin_model *model, const uint32_t *state, uint32_t thread);

void lin_model_release(struct lin_model *model);

#endif

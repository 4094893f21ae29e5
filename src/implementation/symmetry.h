/* The canonical form of a `.lin` model's states under symmetry: what can be exchanged, one order of
 * it, and states and labels with their threads and values renamed. */
#ifndef IMPLEMENTATION_SYMMETRY_H
#define IMPLEMENTATION_SYMMETRY_H

#include "implementation/state.h"

/* Finds the items of the model's threads. False when refused. */
bool lin_find_own_items(struct lin_model *model) MUST_CHECK;

/* Whether the implementation's code has such an instruction. */
bool lin_steps_use(const struct lin_steps *steps, enum opcode op);

/* Whether values can be exchanged as far as the implementation goes: it is called with some, there
 * are no more than 8, and at least two that it compares with no constant. With these it can do
 * nothing but keep and compare them. */
bool lin_model_has_values(const struct lin_steps *steps);

/* Whether threads can be exchanged: the code asks for its thread's number only to find items that
 * are exchanged as well, any operation may be called by any thread, and there are no more than 8.
 */
bool lin_model_is_symmetric(const struct lin_model *model);

/* Makes a state canonical as the model's fusion asks for: nodes always, threads, values. `*by` says
 * how threads and values were renamed. False when refused. */
bool lin_symmetry_sort(struct lin_worker *worker, uint32_t *slots,
                       struct renumbering *by) MUST_CHECK;

/* Renames the threads and values of a state, and brings its nodes into their order again; false
 * when refused. */
bool lin_model_turn(struct lin_worker *worker, uint32_t *state, struct renumbering by) MUST_CHECK;

/* What a step would be labelled had nothing been renamed behind it. */
label lin_model_own_label(const struct lin_model *model, label l);

/* A label with its thread and values renamed; LABEL_REFUSED. */
label lin_model_turn_label(const struct lin_model *model, label l,
                           struct renumbering by) MUST_CHECK;

#endif

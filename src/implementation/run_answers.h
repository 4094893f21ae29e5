/* Instructions that answer: linearization points, and what a program prints and calls; how an
 * operation and its answer are labelled. */
#ifndef IMPLEMENTATION_RUN_ANSWERS_H
#define IMPLEMENTATION_RUN_ANSWERS_H

#include "implementation/run.h"

/* The component of a label that shows a word. */
uint32_t lin_run_component_of(enum lin_type_kind kind, uint32_t word);

/* The label of an event with its answer, as RETURN and LINEARIZE describe one; `components`, which
 * become the event's, has room for one more. */
label lin_run_label_answer(const struct lin_model *model, const struct instruction *instruction,
                           struct action *event, uint32_t *components, const uint32_t *words);

/* The operation, or that of another thread, takes effect. Its arguments are needed no more. */
enum ran lin_run_linearize(struct lin_run *run, const struct instruction *instruction);

/* Whether the answer on top is what the program takes it for. */
enum ran lin_run_check_answer(struct lin_run *run, enum opcode op);
enum ran lin_run_print_answer(struct lin_run *run);

/* The number of the specification's state; UINT32_MAX when refused. */
uint32_t lin_run_intern_object(struct lin_worker *worker, const struct outcome *outcome);

/* A program's call of the specification. */
enum ran lin_run_invoke(struct lin_run *run, const struct instruction *instruction);

#endif

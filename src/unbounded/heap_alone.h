/* What an operation on a heap without bound answers when nobody interferes from here on. */
#ifndef UNBOUNDED_HEAP_ALONE_H
#define UNBOUNDED_HEAP_ALONE_H

#include "unbounded/heap_steps.h"

/* Sets what the operation of a step will answer, or has. False if all its ways do not answer the
 * same, or that is not known. Sets *refused when out of memory. */
bool heap_answer_alone(struct heap_steps *steps, const struct heap_step *step,
                       struct thread_move *answer, bool *refused, struct error *error);

#endif

/* What observes the steps of a proof (unbounded/heap_proof.h), and what it says of each: a
 * violation automaton, the specification itself, who watches a call that may be met, values that
 * are marked, or nothing. */
#ifndef UNBOUNDED_HEAP_OBSERVERS_H
#define UNBOUNDED_HEAP_OBSERVERS_H

#include "unbounded/heap_closure.h"

/* Observes a step: adds what is behind it to the set of views, or ends the proof. `taking`: a
 * struct heap_taking. False if no more steps of the view are asked for; a heap_step_user. */
bool heap_observe(void *taking, const struct heap_step *step);

#endif

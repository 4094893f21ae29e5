/* Whether an implementation whose heap has no bound is linearizable for any number of threads, by
 * closing a set of views under the steps of each thread and the effects of others.
 *
 * A *placement* says at which of its steps each operation takes effect: as it changes something
 * there; and, for one that changes nothing, at which reading step it was last seen what it answers.
 * Or it takes effect where its text says so, whatever the step does.
 * An operation that takes a value away may have a step besides in which it *meets*: there the
 * operation that brings this value takes effect, whoever runs it, and then itself.
 * Points may be given for it as well, in the steps of whoever helps it.
 * An operation that only brings a value may take effect nowhere in particular: then it *spans*, and
 * its call and its return are read where they are. Where no points are known, it is settled at a
 * step of each other operation what value it takes (unbounded/heap_marks.h).
 * A violation automaton reads the operations in the order in which they take effect. If in no view
 * it accepts, and none answers something else than it did there, then every history is
 * linearizable. */
#ifndef UNBOUNDED_HEAP_PROOF_H
#define UNBOUNDED_HEAP_PROOF_H

#include "unbounded/heap_closure.h"

/* The system and the alphabet, or the specification that is set afterwards, must outlive it. */
void heap_proof_init(struct heap_proof *proof, struct thread_system *system,
                     const struct heap_shape *shape, const struct alphabet *alphabet,
                     const struct heap_placement *placement, struct budget *budget,
                     const struct limits *limits, struct error *error);
void heap_proof_release(struct heap_proof *proof);

/* What observes is enum heap_watch; the alphabet is one with its colours. */
void heap_proof_watch(struct heap_proof *proof);

/* Closes the set of views, until it is closed or proof->failure says why not. STATUS_LIMIT when out
 * of memory. */
enum status heap_proof_run(struct heap_proof *proof) MUST_CHECK;

/* The causes of the view of the failure, from an initial one on, the last ones as many as there is
 * room for; returns how many there are. */
#define HEAP_MOST_CAUSES 16
uint32_t heap_proof_path(const struct heap_proof *proof, struct heap_cause path[HEAP_MOST_CAUSES]);

/* Whether an arranged view is in the closed set, or one that need not be: of an operation that can
 * take effect in no run that the automaton accepts. */
bool heap_proof_covers(const struct heap_proof *proof, const struct heap_view *view);

#endif

/* Decides coverability forwards: computes the coverability set of Karp and Miller, as one antichain
 * of markings for each control. */
#ifndef PETRI_FORWARD_H
#define PETRI_FORWARD_H

#include "petri/engine.h"

struct forward;

/* Null when memory is refused. The problem must outlive it. */
struct forward *forward_create(const struct problem *problem, struct budget *budget) MUST_CHECK;
void forward_destroy(struct forward *forward);

/* Works until about `work` units (comparisons of a few counters) are done, or it has an answer. */
enum engine_state forward_work(struct forward *forward, uint64_t work);

/* Markings found so far, and those of them in the antichain. */
uint64_t forward_explored(const struct forward *forward);
uint64_t forward_markings(const struct forward *forward);

/* After ENGINE_SAFE: fills the certificate, which is initialised. */
enum status forward_certificate(const struct forward *forward,
                                struct certificate *certificate) MUST_CHECK;

/* After ENGINE_UNSAFE: fills the run, which has room for the initial marking. STATUS_LIMIT also
 * when the run would have more than `most` transitions. */
enum status forward_run(const struct forward *forward, struct budget *budget, size_t most,
                        struct run *run) MUST_CHECK;

#endif

/* Decides coverability backwards: computes the minimal markings from which a target can be covered
 * (Abdulla, Cerans, Jonsson and Tsay 1996), leaving out those that pairs of places or invariants
 * show to be unreachable. */
#ifndef PETRI_BACKWARD_H
#define PETRI_BACKWARD_H

#include "petri/engine.h"

struct backward;

enum backward_order {
    BACKWARD_GUIDED,   /* what seems to be near an initial marking first: finds a short run */
    BACKWARD_SHORTEST, /* the run it finds has as few transitions as any */
};

/* Null when memory is refused. The problem must outlive it. */
struct backward *backward_create(const struct problem *problem, enum backward_order order,
                                 struct budget *budget) MUST_CHECK;
void backward_destroy(struct backward *backward);

/* As forward_work. */
enum engine_state backward_work(struct backward *backward, uint64_t work);

uint64_t backward_explored(const struct backward *backward);
uint64_t backward_markings(const struct backward *backward);

/* After ENGINE_SAFE: fills the certificate, which is initialised. */
enum status backward_certificate(const struct backward *backward,
                                 struct certificate *certificate) MUST_CHECK;

/* After ENGINE_UNSAFE: how many transitions the run has, and the run itself, which has room for
 * its initial marking and keeps what it was when memory is refused. */
size_t backward_length(const struct backward *backward);
enum status backward_run(const struct backward *backward, struct budget *budget,
                         struct run *run) MUST_CHECK;

#endif

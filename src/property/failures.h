/* What refinement of failures asks of a pair beside its events: a stable implementation state (one
 * without τ) must not refuse more than some stable state of the specification does after the same
 * trace; and in the failures-divergences model an implementation state may only diverge where the
 * specification does, behind which everything is allowed. */
#ifndef PROPERTY_FAILURES_H
#define PROPERTY_FAILURES_H

#include "explore/depth_first.h"
#include "explore/execution.h"
#include "property/graph_normal.h"

/* For each state of a graph whether invisible steps alone can go on from it for ever. */
struct divergence {
    struct graph *graph;   /* not owned */
    VECTOR(uint8_t) known; /* by state */
    struct depth_first search;
    struct error *error; /* of the search at hand */
};

void divergence_init(struct divergence *divergence, struct graph *graph);
void divergence_release(struct divergence *divergence);
enum status divergence_of(struct divergence *divergence, state_id state, bool *diverges,
                          struct error *error) MUST_CHECK;

/* Appends to an execution whose last state diverges the invisible steps that go on for ever: the
 * shortest way to a cycle, and a shortest one round from there. */
enum status divergence_tell(struct divergence *divergence, struct execution *execution,
                            struct error *error) MUST_CHECK;

struct failures {
    struct graph *implementation;
    struct graph_normal *specification;
    struct divergence implementation_divergence, specification_divergence;
    VECTOR(uint8_t) normal_diverges; /* by normalised state: 0 unknown, 1 no, 2 yes */
    bool divergences;                /* the failures-divergences model */
};

enum failure {
    FAILURE_NONE,
    FAILURE_REFUSAL,    /* the implementation refuses what the specification must offer */
    FAILURE_DIVERGENCE, /* the implementation diverges */
    FAILURE_CHAOS,      /* the specification diverges: nothing behind this pair can be wrong */
};

void failures_init(struct failures *failures, struct graph *implementation,
                   struct graph_normal *specification, bool divergences);
void failures_release(struct failures *failures);
enum status failures_look(struct failures *failures, state_id state, normal_id normal,
                          enum failure *found, struct error *error) MUST_CHECK;

#endif

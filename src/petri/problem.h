/* Makes a net ready for the engines: leaves out what cannot matter, and separates its control
 * states from its counters.
 *
 * Left out are places that never hold a token (concurrency.h) with the transitions that take from
 * them, and, backwards from the targets, transitions that raise no place that matters, with the
 * places that only these take from. Of the places that are left, some that exclude one another are
 * chosen as controls: at most one of them holds a token, so that a marking is one number for all of
 * them and counts for the others. */
#ifndef PETRI_PROBLEM_H
#define PETRI_PROBLEM_H

#include "base/groups.h"
#include "petri/concurrency.h"

struct change {
    uint32_t counter;
    int32_t delta; /* not 0 */
};

struct counter_count {
    uint32_t counter, count;
};

/* A transition. NET_NONE as a control: it takes, or gives, none. */
struct problem_step {
    uint32_t transition; /* of the net */
    uint32_t from, to;   /* controls */
    const struct counter_count *takes;
    const struct change *changes;
    uint32_t take_count, change_count;
};

/* A target or an initial marking; counts ascending by counter. */
struct demand {
    uint32_t control;
    uint32_t count;
    const struct counter_count *items;
};

/* The weighted tokens of a reachable marking are at most the bound. */
struct bound {
    struct arcs weights;                               /* of places of the net */
    const uint32_t *control_weights, *counter_weights; /* the same by control, by counter */
    uint64_t most;
};

struct problem {
    const struct net *net;
    struct concurrency pairs;
    struct arena arena;
    size_t control_count, counter_count;
    uint32_t *controls, *counters; /* the places they are, by number */
    uint32_t *control_of;          /* by place; NET_NONE: it is none */
    uint32_t *counter_of;
    VECTOR(struct problem_step) steps;
    VECTOR(struct demand) targets;  /* those that the pairs allow */
    VECTOR(struct arcs) invariants; /* candidates: weights of places */
    VECTOR(struct bound) bounds;    /* of those that hold */
    uint32_t initial_control;
    uint32_t *initial; /* by counter; OMEGA where open */

    struct groups from;   /* steps by `from`; those without at the end */
    struct groups to;     /* by `to` likewise, only those that change the control */
    struct groups raises; /* by counter: steps that raise it */
    struct groups takes;  /* by counter: steps that take from it */
};

/* Without bounds: invariants.h finds them. STATUS_LIMIT when memory is refused or the limits are
 * reached; release anyway. The net must outlive the problem. */
enum status problem_make(const struct net *net, struct budget *budget, const struct limits *limits,
                         struct problem *problem) MUST_CHECK;
void problem_release(struct problem *problem);

#endif

/* Properties of the reachable states and steps of one graph: a walk over all of it; breadth
 * first the run which shows an answer is a shortest one (to the first state, for a lasso). */
#ifndef PROPERTY_REACHABILITY_H
#define PROPERTY_REACHABILITY_H

#include "explore/execution.h"
#include "space/graph.h"

enum question {
    QUESTION_DEADLOCK_FREE,   /* no state without steps, unless it was reached by terminating */
    QUESTION_NONTERMINATING,  /* nor any termination */
    QUESTION_DETERMINISTIC,   /* no state with two steps of one label to different states */
    QUESTION_DIVERGENCE_FREE, /* no cycle of invisible steps */
    QUESTION_REACHES,         /* some state satisfies the condition */
    QUESTION_FAULT_FREE,      /* no fault of the model: all that is asked is that there is none */
};

struct checkpoint;
struct search_stats;
struct swarm;

struct reachability_options {
    enum question question;
    uint32_t condition;        /* REACHES: number of the condition */
    bool has_extreme;          /* REACHES: look at every goal state for the extreme of `extreme` */
    bool maximum;              /* else the minimum */
    uint32_t extreme;          /* number of an expression */
    const uint32_t *evaluated; /* conditions that must not run into a fault in any state */
    size_t evaluated_count;
    enum explore_order order;      /* not along edges */
    uint64_t stall;                /* in turns: see struct explorer; 0: as usual */
    struct swarm *swarm;           /* of EXPLORE_SWARM: what its searches share */
    struct checkpoint *checkpoint; /* null: none */
    struct search_stats *stats;    /* filled when the search ends; null: none */
    unsigned threads;              /* 0, 1: of the caller alone. More are not used for cycles
                                      of τ, extremes, checkpoints, and once a step terminated */
    uint32_t threads_from;         /* see struct explorer; 0: as usual */
    struct limits *limits;
};

struct reachability {
    enum holds answer; /* REACHES: HOLDS if reachable, and then the run shows it */
    enum limit limit;
    uint64_t states, transitions;
    struct search_extent extent;
    int64_t extreme; /* REACHES with an extreme, HOLDS: its value, attained at the run's end */
    struct execution execution; /* what shows a violation, a reached goal, or leads to a fault */
};

/* STATUS_USAGE: the checkpoint cannot be used. STATUS_INPUT: a fault of the model, with
 * result->execution leading to it. */
enum status reach(struct graph *graph, const struct reachability_options *options,
                  struct reachability *result, struct error *error) MUST_CHECK;
void reachability_init(struct reachability *result, struct budget *budget);
void reachability_release(struct reachability *result);

#endif

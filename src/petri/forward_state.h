/* The state of the forward engine: nodes, antichain, accelerations. forward.c makes it,
 * forward_answer.c reads it. */
#ifndef PETRI_FORWARD_STATE_H
#define PETRI_FORWARD_STATE_H

#include "petri/engine.h"
#include "petri/queue.h"

/* How a node comes from its parent: a step of the problem, then accelerations. */
#define WORD_ACCELERATION UINT32_C(0x80000000) /* the rest is its number */

struct node {
    uint32_t parent; /* NET_NONE: the first */
    uint32_t control;
    uint32_t words, word_end; /* of forward->words */
    uint32_t depth;
    bool alive; /* in the antichain */
    uint64_t marked,
        endless; /* signatures: a bit for each counter mod 64 with tokens, with OMEGA */
    const uint32_t *counts;
};

/* A sequence of steps that can be repeated for ever where its demand is met, after which the
 * counters of `grown` have as many tokens as one likes: the words of the nodes behind `ancestor`
 * down to `last`, and then some more. Applied to a marking, it sets `grown` to OMEGA. */
struct acceleration {
    struct demand demand; /* counts may be OMEGA */
    const uint32_t *grown;
    uint32_t grown_count;
    uint32_t ancestor, last;  /* nodes */
    uint32_t words, word_end; /* behind those of `last` */
};

struct forward {
    const struct problem *problem;
    struct budget *budget;
    struct arena arena;
    VECTOR(struct node) nodes;
    VECTOR(uint32_t) words;
    VECTOR(struct acceleration) accelerations;
    struct queue queue;
    struct antichain_row {
        VECTOR(uint32_t) nodes;
    } * antichain;       /* by control, without at the end */
    uint32_t *candidate; /* counts of the marking under construction */
    uint64_t done;       /* work */
    uint32_t current,
        next_step;              /* the node being expanded and where in its steps; NET_NONE: none */
    uint32_t goal, goal_target; /* ENGINE_UNSAFE: the node, and the target it covers */
    enum engine_state state;
};

#endif

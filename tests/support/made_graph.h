/* A small graph, given as relations, as a model: the least thing that a state graph and what is
 * asked of it can be tried on. A state is one slot, its number plus 5. */
#ifndef SUPPORT_MADE_GRAPH_H
#define SUPPORT_MADE_GRAPH_H

#include "base/random.h"
#include "explore/execution.h"
#include "space/graph.h"

enum {
    MOST = 9,   /* states */
    LABELS = 3, /* the first is invisible */
    PROCESSES = 3,
    FAR = 1000 /* a distance that no state has */
};

struct made {
    struct model model; /* first */
    struct budget budget;
    uint32_t count, second; /* initial are 0 and this one */
    bool edge[LABELS][MOST][MOST];
    bool any[MOST][MOST];
    /* Reductions, none unless a test says so: */
    uint8_t ample[MOST];      /* a bit for each of the PROCESSES that is ample in the state */
    uint32_t stands_by[MOST]; /* which state stands for this one; that one by itself */
    uint32_t skips_to[MOST];  /* where it is skipped to: a greater state, or itself for nowhere */
};

/* Whose step it is. */
static inline uint32_t made_process(uint32_t l, uint32_t from, uint32_t to)
{
    return (l + from + to) % PROCESSES;
}

/* With edges of each label between as many of a hundred pairs of states. Condition i of the model:
 * it is state i. */
void made_random(struct made *made, struct random *random, uint32_t percent);

/* The label of the graph's edges as a number below LABELS. */
uint32_t made_label(label by);

uint32_t made_number(const struct graph *graph, state_id state);

/* Fails unless the execution is one of the graph. */
void made_expect_run(const struct made *made, const struct graph *graph,
                     const struct execution *execution);

/* Sets of states, a bit each: closed under invisible steps; behind a step (of one that is closed).
 */
uint32_t made_initial_bits(const struct made *made);
uint32_t made_bits_behind(const struct made *made, uint32_t bits, uint32_t l);

#endif

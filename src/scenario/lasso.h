/* Livelock in a graph of states: threads go round for ever, and some operation never returns.
 *
 * The nodes are states of a scenario under sc, the edges steps of its threads. A lasso is a way to
 * a state and a circle back to it. It is one of a livelock if it is *fair* (every thread that can
 * step in some state of its strongly connected component steps in the circle), memory changes on
 * it, and
 *
 *   - nothing leads out of its component: however the threads are scheduled, none of them comes to
 *     its end; or
 *   - each of these threads changes memory in it: they undo what they have done, and go on so for
 *     as long as they keep step.
 *
 * What is left is no livelock: a thread that only looks, and is never lucky, waits. */
#ifndef SCENARIO_LASSO_H
#define SCENARIO_LASSO_H

#include "base/memory.h"
#include "scenario/execution_graph.h"

enum {
    LASSO_NOWHERE = -1,  /* the thread cannot step there */
    LASSO_NOT_TAKEN = -2 /* it can, but where to is not known */
};

struct lasso_node {
    int32_t to[EXECUTION_THREADS]; /* by a step of each thread: a node, or one of the above */
    int32_t parent;                /* on a shortest way to it; the first one: LASSO_NOWHERE */
    uint8_t by;                    /* the thread that steps there from its parent */
    uint8_t changes;               /* threads, a bit each, whose step changes memory */
};

struct lasso {
    bool is_closed;                  /* nothing leads out of its component */
    unsigned stem, length;           /* steps up to where the circle begins, and with it */
    uint8_t steps[EXECUTION_EVENTS]; /* threads */
};

/* Finds a lasso of a livelock in the component with number `*from` or one behind it, in an order of
 * its own, and says in `*from` where to go on. False: there is none, or memory was refused. */
bool lasso_find(const struct lasso_node *nodes, uint32_t count, uint32_t *from,
                struct budget *budget, struct lasso *lasso);

/* Whether nothing leads out of the component of a node. False also if memory was refused. */
bool lasso_is_closed(const struct lasso_node *nodes, uint32_t count, uint32_t node,
                     struct budget *budget);

#endif

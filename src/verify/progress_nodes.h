/* Whether progress holds only because there are no more nodes.
 *
 * A cycle through a state in which a thread waits for a node does not count, for the pool is a
 * bound of the model. So where every run ends with such a wait there is no cycle, whatever the
 * algorithm does with more memory. Two things show that:
 *   - a leak: in some state one operation alone is running, which can return in no run, whatever
 *     the others do, and in some run waits for a node. Then nothing is known of longer runs, and
 *     only properties of every single operation suffer: wait_free and starvation_free. (Treiber's
 *     stack is no leak: another thread may pop.) That others may be in the middle of operations is
 *     not enough: what they hold may come back, and two that wait for each other's nodes are what a
 *     pool does that is small, not one that leaks.
 *   - an operation that uses up the nodes by itself: called where no operation is running and no
 *     more nodes are taken than `init` has made, it alone comes to wait for one. Then no property
 *     says anything of it.
 * Either is looked for only where threads call for ever: otherwise the runs end anyway. */
#ifndef VERIFY_PROGRESS_NODES_H
#define VERIFY_PROGRESS_NODES_H

#include "lin/ast.h"
#include "verify/progress_states.h"

struct shortage {
    bool leaks;           /* else one operation uses up the nodes */
    uint32_t thread;      /* whose operation waits for a node */
    uint32_t state;       /* leaks: it alone is running, and cannot return; else: nobody is */
    uint32_t end;         /* it waits */
    VECTOR(uint32_t) way; /* edges from `state` to `end` */
};

void progress_shortage_init(struct shortage *shortage, struct budget *budget);
void progress_shortage_release(struct shortage *shortage);

/* The nearest one that `property`, one of the LIN_..._FREE, suffers from. STATUS_LIMIT. */
enum status progress_find_shortage(const struct progress_states *graph, enum lin_property property,
                                   const struct limits *limits, struct shortage *shortage,
                                   bool *found) MUST_CHECK;

/* Appends a sentence about it. */
void progress_say_shortage(struct progress_states *graph, const struct shortage *shortage,
                           struct text *text);

/* Appends how many nodes are taken in a state, "3 of 4"; PROGRESS_NONE: how many there are. */
void progress_say_nodes(struct progress_states *graph, uint32_t state, struct text *text);

#endif

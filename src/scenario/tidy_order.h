/* The order in which an execution is told. A graph has none; of those that extend po U rf one is
 * chosen in which as few accesses as possible are against time (a read of a value to which a newer
 * one is there, a write that goes in front of one that is there, in mo), and then the threads take
 * turns as rarely as possible. A graph that interleaving explains so has an order without any of
 * the former. */
#ifndef SCENARIO_TIDY_ORDER_H
#define SCENARIO_TIDY_ORDER_H

#include "base/memory.h"
#include "scenario/execution_graph.h"

struct tidiness {
    unsigned against_time, switches;
};

enum {
    TIDY_ANY_THREAD = 0xff
};

/* Of the order that a graph has. */
struct tidiness tidiness_of(const struct execution_graph *graph);

/* Changes the order of replay; `last`: the thread whose event comes last (TIDY_ANY_THREAD: any).
 * False when memory is refused, or there are too many orders to look through, and nothing is
 * changed. */
bool tidy_order(struct execution_graph *graph, unsigned last, struct budget *budget) MUST_CHECK;

#endif

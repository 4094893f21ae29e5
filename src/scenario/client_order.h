/* The history of an execution graph as a partial order of its operations, and which client edges
 * coherence and po U rf leave possible.
 *
 * An operation's call stands in its thread right behind the first `before` events, its return right
 * behind the first `after`. A path of happens-before from a return to a call, or from a call to a
 * return, is what its events have; under sc a path of po U rf U mo U fr, for there real time
 * follows a total order of all events. */
#ifndef SCENARIO_CLIENT_ORDER_H
#define SCENARIO_CLIENT_ORDER_H

#include "scenario/execution_graph.h"

enum {
    CLIENTS_OPERATIONS = 16
};

struct client_place {
    uint8_t thread, before, after; /* as in struct executed_operation */
    bool returned;
};

/* Sets of operations, a bit each. */
struct client_order {
    unsigned count;
    uint16_t before[CLIENTS_OPERATIONS];  /* whose return comes before the call of this one */
    uint16_t certain[CLIENTS_OPERATIONS]; /* these and those whose last event comes before the first
                                             of this one: in hb nothing follows from such an edge,
                                             psc may still forbid it */
    uint16_t possible[CLIENTS_OPERATIONS]; /* whose return a client may put before the call of this
                                              one, as far as single edges, coherence and po U rf
                                              tell; certain ones among them */
    uint16_t links[CLIENTS_OPERATIONS];    /* whose call comes before the return of this one */
};

/* Of operations sorted by thread, and by their place in it. */
void client_order_find(const struct execution_graph *graph, enum memory_model model,
                       const struct client_place *places, unsigned count,
                       struct client_order *order);

/* Closes `before` (for each operation those that return before its call): what returns before a
 * call before a return before a call, returns before that call. */
void client_order_close(const struct client_order *order, uint16_t *before);

#endif

/* The edges of states that stay packed, where the model can find them so (model_class.expand): of a
 * graph that forgets edges, for threads that wait to add what they find. */
#ifndef SPACE_GRAPH_PACKED_H
#define SPACE_GRAPH_PACKED_H

#include "space/found_rows.h"
#include "space/graph.h"

/* As graph_edges_by, and what a condition is in the state. */
enum status graph_ask_by(struct graph *graph, struct expander *by, state_id state,
                         uint32_t condition, const struct edge **edges, uint32_t *count,
                         int64_t *holds, struct error *error) MUST_CHECK;

/* What is asked of states of a graph with one part: each has a number that its rows get. */
struct asked_states {
    const state_id *states;
    const uint32_t *parents;
    uint32_t count;
    uint32_t condition;
    uint32_t asked; /* so many were; the next one is to be asked by graph_ask_by */
    bool holds;     /* the condition does, in the last of these */
};

/* Appends to rows where the edges of states lead, by state, and of each in their order. */
enum status graph_ask_rows(struct graph *graph, struct expander *by, struct asked_states *states,
                           struct found_rows *rows) MUST_CHECK;

#endif

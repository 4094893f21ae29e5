/* Answers that every property gives: holds or not, and an execution of the model that shows it. */
#ifndef EXPLORE_EXECUTION_H
#define EXPLORE_EXECUTION_H

#include "base/limits.h"
#include "base/vector.h"
#include "explore/nodes.h"
#include "model/model.h"
#include "space/graph.h"

enum holds {
    HOLDS,
    VIOLATED,
    UNDECIDED, /* a limit was reached */
};

/* An execution: states[0] is initial, states[i] -> states[i + 1] by labels[i]. */
struct execution {
    VECTOR(state_id) states;
    VECTOR(label) labels;
    bool is_lasso;
    uint32_t loop_start;       /* index of the state that the last step returns to */
    VECTOR(struct step) taken; /* by step of the loop: which one it is, where several have its
                                  label and lead to its state; may be empty: any */
};

void execution_init(struct execution *execution, struct budget *budget);
void execution_release(struct execution *execution);
bool execution_push(struct execution *execution, label by, state_id to) MUST_CHECK;

/* Which of several edges between the states of two nodes leads from the one node to the other. */
struct node_edges {
    struct graph *graph;
    /* Whether one with this label does. Null: each does. */
    enum status (*leads)(void *self, const struct search_node *from, label by,
                         const struct search_node *to, bool *leads);
    void *self;
};

/* Makes it the execution by which a node was found, with the first edge that leads from each node
 * to the next. STATUS_LIMIT. */
enum status execution_to_node(struct execution *execution, const struct nodes *nodes, uint32_t to,
                              const struct node_edges *edges, struct error *error) MUST_CHECK;

#endif

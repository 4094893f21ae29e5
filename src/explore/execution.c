/* The label of a step is looked for among the edges from a node's parent: the first that leads to
 * it is the one by which it was found. */
#include "explore/execution.h"

#include <assert.h>

void execution_init(struct execution *execution, struct budget *budget)
{
    vectors_init(budget, &execution->states, &execution->labels, &execution->taken);
    execution->is_lasso = false;
    execution->loop_start = 0;
}

void execution_release(struct execution *execution)
{
    vectors_release(&execution->states, &execution->labels, &execution->taken);
}

bool execution_push(struct execution *execution, label by, state_id to)
{
    return vector_push(&execution->labels, by) && vector_push(&execution->states, to);
}

static enum status label_between(const struct node_edges *between, const struct search_node *from,
                                 const struct search_node *to, label *by, struct error *error)
{
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(between->graph, from->state, &edges, &count, error));
    for (uint32_t i = 0; i < count; i++) {
        bool leads = true;
        *by = edges[i].label;
        if (edges[i].target != to->state)
            continue;
        if (between->leads)
            TRY(between->leads(between->self, from, *by, to, &leads));
        if (leads)
            return STATUS_OK;
    }
    return error_set(error, STATUS_INTERNAL, NULL, 0, "no edge leads to a node from its parent");
}

static enum status write_path(struct execution *execution, const struct nodes *nodes,
                              const struct node_path *path, const struct node_edges *edges,
                              struct error *error)
{
    const uint32_t *way = path->items.items;
    assert(path->items.length > 0 && nodes_get(nodes, way[0]).parent == NODE_NONE);
    TRY_MEMORY(vector_push(&execution->states, nodes_get(nodes, way[0]).state));
    for (size_t i = 1; i < path->items.length; i++) {
        const struct search_node from = nodes_get(nodes, way[i - 1]), to = nodes_get(nodes, way[i]);
        label by = LABEL_REFUSED;
        TRY(label_between(edges, &from, &to, &by, error));
        TRY_MEMORY(execution_push(execution, by, to.state));
    }
    return STATUS_OK;
}

enum status execution_to_node(struct execution *execution, const struct nodes *nodes, uint32_t to,
                              const struct node_edges *edges, struct error *error)
{
    struct node_path path;
    vector_init(&path.items, nodes->items.chunks.budget);
    execution->states.length = execution->labels.length = 0;
    enum status status = nodes_path(nodes, to, &path)
                             ? write_path(execution, nodes, &path, edges, error)
                             : STATUS_LIMIT;
    if (status != STATUS_OK) /* no half of one */
        execution->states.length = execution->labels.length = 0;
    vector_release(&path.items);
    return status;
}

/* A node is a state with the number of steps that led to it, so that a state which may be reached
 * by the first three labels and by the first five is there twice. */
#include "tell/follow.h"

#define MOST_NODES 1000000

struct walk {
    struct graph *graph;
    const struct follow *wanted;
    struct execution *execution;
    bool *found;
    struct pairs pairs;
    struct nodes nodes;
    struct finder finder;
    struct error *error;
};

static enum status leads(void *self, const struct search_node *from, label by,
                         const struct search_node *to, bool *leads)
{
    const struct walk *walk = self;
    *leads = by == walk->wanted->labels[from->with] && to->with == from->with + 1;
    return STATUS_OK;
}

static enum status write_execution(struct walk *walk, uint32_t node)
{
    const struct node_edges edges = {walk->graph, leads, walk};
    return execution_to_node(walk->execution, &walk->nodes, node, &edges, walk->error);
}

static enum status value_of(struct walk *walk, uint32_t condition, state_id state, int64_t *value)
{
    return worker_evaluate(walk->graph->own.worker, condition, graph_state(walk->graph, state),
                           value, walk->error);
}

/* Whether a state of the last layer is what was looked for. */
static enum status is_goal(struct walk *walk, state_id state, uint32_t degree, bool *goal)
{
    const struct follow *wanted = walk->wanted;
    int64_t value = 0;
    switch (wanted->goal) {
    case FOLLOW_STEPS:
        *goal = true;
        return STATUS_OK;
    case FOLLOW_STUCK:
        *goal = degree == 0;
        return STATUS_OK;
    case FOLLOW_CONDITION:
        TRY(value_of(walk, wanted->condition, state, &value));
        *goal = value != 0;
        if (!*goal || !wanted->has_extreme)
            return STATUS_OK;
        TRY(value_of(walk, wanted->extreme, state, &value));
        *goal = value == wanted->value;
        return STATUS_OK;
    default: /* a fault would have shown when its steps were asked for */
        *goal = false;
        return STATUS_OK;
    }
}

static enum status visit(void *self, uint32_t number, bool *stop)
{
    struct walk *walk = self;
    const struct follow *wanted = walk->wanted;
    const struct search_node node = nodes_get(&walk->nodes, number);
    const struct edge *edges = NULL;
    uint32_t count = 0;
    enum status status = graph_edges(walk->graph, node.state, &edges, &count, walk->error);
    if (status == STATUS_INPUT)
        TRY(write_execution(walk, number));
    TRY(status);
    if (node.with == wanted->count) {
        TRY(is_goal(walk, node.state, count, walk->found));
        *stop = *walk->found;
        return *stop ? write_execution(walk, number) : STATUS_OK;
    }
    for (uint32_t j = 0; j < count; j++)
        if (edges[j].label == wanted->labels[node.with])
            TRY(finder_find(&walk->finder, edges[j].target, node.with + 1, number));
    *stop = walk->nodes.items.length > MOST_NODES;
    return STATUS_OK;
}

static enum status found_nodes(void *self, uint32_t *count)
{
    return finder_settle(&((struct walk *)self)->finder, count);
}

static enum status walk_all(struct walk *walk)
{
    static const struct visitor visitor = {.visit = visit, .found = found_nodes};
    for (size_t i = 0; i < walk->graph->initial.length; i++)
        TRY(finder_find(&walk->finder, walk->graph->initial.items[i], 0, NODE_NONE));
    return explore_oldest_first(NULL, NULL, NULL, &visitor, walk);
}

enum status follow(struct graph *graph, const struct follow *wanted, struct execution *execution,
                   bool *found, struct error *error)
{
    struct budget *budget = graph->model->budget;
    struct walk walk = {
        .graph = graph, .wanted = wanted, .execution = execution, .found = found, .error = error};
    *found = false;
    pairs_init(&walk.pairs, budget);
    nodes_init(&walk.nodes, &nodes_are_pairs, &walk.pairs, budget);
    finder_init(&walk.finder, &walk.nodes, false);
    enum status status = walk_all(&walk);
    nodes_release(&walk.nodes);
    pairs_release(&walk.pairs);
    return status;
}

#include "property/follow.h"

#define MOST_NODES 1000000

struct node {
    state_id state;
    uint32_t before; /* index of the node it came from */
};

struct walk {
    struct graph *graph;
    const struct follow *wanted;
    VECTOR(struct node) nodes;
    VECTOR(uint32_t) layers; /* by state: 1 + the last layer that has it */
    struct error *error;
};

static enum status enter(struct walk *walk, state_id state, uint32_t before, size_t layer)
{
    while (walk->layers.length <= state)
        if (!vector_push(&walk->layers, 0))
            return STATUS_LIMIT;
    if (walk->layers.items[state] == layer + 1)
        return STATUS_OK;
    walk->layers.items[state] = (uint32_t)layer + 1;
    return vector_push(&walk->nodes, ((struct node){state, before})) ? STATUS_OK : STATUS_LIMIT;
}

/* The execution that ends at a node of a layer. */
static enum status write_execution(const struct walk *walk, uint32_t at, size_t layer,
                                   struct execution *execution)
{
    execution->states.length = execution->labels.length = 0;
    if (!vector_reserve(&execution->states, layer + 1) ||
        !vector_reserve(&execution->labels, layer + 1))
        return STATUS_LIMIT;
    execution->states.length = layer + 1;
    execution->labels.length = layer;
    for (size_t i = layer + 1; i-- > 0; at = walk->nodes.items[at].before) {
        execution->states.items[i] = walk->nodes.items[at].state;
        if (i < layer)
            execution->labels.items[i] = walk->wanted->labels[i];
    }
    return STATUS_OK;
}

static enum status value_of(struct walk *walk, uint32_t condition, state_id state, int64_t *value)
{
    struct model *model = walk->graph->model;
    return model->class->evaluate(model, condition, state_table_get(&walk->graph->states, state),
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

/* Looks at the nodes of a layer from `first` on, and makes the next one. */
static enum status go_on(struct walk *walk, size_t first, size_t layer, struct execution *execution,
                         bool *found)
{
    const struct follow *wanted = walk->wanted;
    size_t end = walk->nodes.length;
    for (size_t i = first; i < end; i++) {
        state_id state = walk->nodes.items[i].state;
        const struct edge *edges = NULL;
        uint32_t count = 0;
        enum status status = graph_edges(walk->graph, state, &edges, &count, walk->error);
        if (status == STATUS_INPUT)
            TRY(write_execution(walk, (uint32_t)i, layer, execution));
        TRY(status);
        if (layer == wanted->count) {
            TRY(is_goal(walk, state, count, found));
            if (*found)
                return write_execution(walk, (uint32_t)i, layer, execution);
            continue;
        }
        for (uint32_t j = 0; j < count; j++)
            if (edges[j].label == wanted->labels[layer])
                TRY(enter(walk, edges[j].target, (uint32_t)i, layer + 1));
    }
    return STATUS_OK;
}

enum status follow(struct graph *graph, const struct follow *wanted, struct execution *execution,
                   bool *found, struct error *error)
{
    struct walk walk = {.graph = graph, .wanted = wanted, .error = error};
    enum status status = STATUS_OK;
    *found = false;
    vector_init(&walk.nodes, graph->model->budget);
    vector_init(&walk.layers, graph->model->budget);
    for (size_t i = 0; status == STATUS_OK && i < graph->initial.length; i++)
        status = enter(&walk, graph->initial.items[i], 0, 0);
    size_t first = 0;
    for (size_t layer = 0; status == STATUS_OK && !*found && layer <= wanted->count; layer++) {
        size_t end = walk.nodes.length;
        if (first == end || end > MOST_NODES)
            break;
        status = go_on(&walk, first, layer, execution, found);
        first = end;
    }
    vector_release(&walk.nodes);
    vector_release(&walk.layers);
    return status;
}

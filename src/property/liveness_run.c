/* Once there is known to be a run, the part of the product that was visited is walked once more,
 * breadth first: the component's nodes are numbered as they are met, so that fairness.c, which
 * begins a loop where the number is least, begins it as near as can be. */
#include "property/liveness_run.h"

#include <assert.h>

#define NONE UINT32_MAX

struct run {
    struct product *product;
    const struct liveness_options *options;
    struct liveness *result;
    /* by node of the product; product->local has its number in the component, OUTSIDE, or WANTED:
     * not yet met */
    struct state_set met;
    struct nodes found; /* `state` of each is the node of the product */
    struct finder finder;
    struct node_path path;
    VECTOR(node_id) nodes; /* of the component, by number */
    size_t wanted;         /* how many there are */
    struct fair_graph component;
    VECTOR(struct liveness_step) steps; /* those of the component */
    struct state_table events;          /* label, and of an invisible step who takes part */
    struct successors successors;
    struct fair_cycle cycle;
};

#define OUTSIDE UINT32_MAX
#define WANTED  (UINT32_MAX - 1)

static bool needs_steps(const struct run *run)
{
    return run->options->fairness != FAIRNESS_NONE;
}

/* ---- distances ---- */

/* Finds a node; one of the component gets its number. */
static enum status meet(struct run *run, node_id node, uint32_t parent)
{
    const size_t before = run->found.items.length;
    TRY(finder_find(&run->finder, node, 0, parent));
    if (run->found.items.length == before || run->product->local.items[node] != WANTED)
        return STATUS_OK;
    run->product->local.items[node] = (uint32_t)run->nodes.length;
    return granted(vector_push(&run->nodes, node));
}

static enum status visit(void *self, uint32_t found, bool *stop)
{
    struct run *run = self;
    struct product_cursor cursor;
    struct product_edge edge;
    bool more;
    TRY(product_open(run->product, nodes_get(&run->found, found).state, &cursor));
    for (;;) {
        TRY(product_next(run->product, &cursor, &edge, &more));
        if (!more)
            break;
        TRY(meet(run, edge.target, found));
    }
    *stop = run->nodes.length == run->wanted;
    return STATUS_OK;
}

static enum status found_nodes(void *self, uint32_t *count)
{
    return finder_settle(&((struct run *)self)->finder, count);
}

/* Numbers the component's nodes in the order in which they are met from the initial ones. */
static enum status walk(struct run *run, const node_id *nodes, size_t count)
{
    static const struct visitor visitor = {.visit = visit, .found = found_nodes};
    struct product *product = run->product;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count; i++)
        product->local.items[nodes[i]] = WANTED;
    for (size_t i = 0; i < product->initial.length; i++)
        TRY(meet(run, product->initial.items[i], NODE_NONE));
    run->wanted = count;
    if (run->nodes.length < count)
        status = explore_oldest_first(NULL, NULL, NULL, &visitor, run);
    assert(status != STATUS_OK || run->nodes.length == count); /* each is reached */
    return status;
}

/* ---- the component as a graph ---- */

static enum status number_event(struct run *run, const struct step *step, uint32_t *event)
{
    uint64_t processes = step->label == LABEL_TAU ? step->processes : 0;
    const uint32_t words[3] = {step->shown, (uint32_t)processes, (uint32_t)(processes >> 32)};
    bool fresh;
    *event = state_table_intern(&run->events, words, &fresh);
    return *event == STATE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status add_step(struct run *run, struct fair_graph *graph,
                            const struct liveness_step *step)
{
    struct fair_step known = {.processes = step->step.processes};
    TRY(number_event(run, &step->step, &known.event));
    if (step->step.processes & STEP_OTHERS)
        run->result->too_many = run->options->fairness == FAIRNESS_PROCESS_WEAK ||
                                run->options->fairness == FAIRNESS_PROCESS_STRONG;
    return granted(vector_push(&graph->steps, known));
}

/* The steps of a state as the model gives them, behind those that are in `steps`; all of the states
 * that they lead to are known. */
static enum status model_steps(struct run *run, state_id state, void *steps_to)
{
    VECTOR(struct liveness_step) *steps = steps_to;
    struct graph *graph = run->product->graph;
    successors_clear(&run->successors);
    TRY(worker_successors(graph->own.worker, graph_state(graph, state), &run->successors,
                          run->product->error));
    for (size_t i = 0; i < run->successors.steps.length; i++) {
        const uint32_t *to = run->successors.states.items + i * graph->model->slots;
        const struct liveness_step step = {run->successors.steps.items[i], graph_find(graph, to)};
        TRY_MEMORY(vector_push(steps, step));
    }
    return STATUS_OK;
}

/* The same as the graph has them, without who takes part. */
static enum status graph_steps(struct run *run, state_id state)
{
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(run->product->graph, state, &edges, &count, run->product->error));
    for (uint32_t i = 0; i < count; i++) {
        const struct liveness_step step = {{.label = edges[i].label, .shown = edges[i].label},
                                           edges[i].target};
        TRY_MEMORY(vector_push(&run->steps, step));
    }
    return STATUS_OK;
}

/* Adds a state of the system, once. */
static enum status add_system(struct run *run, state_id state)
{
    struct fair_graph *graph = &run->component;
    uint32_t *system = &run->product->system_of.items[state];
    if (*system == NONE) {
        size_t first = run->steps.length;
        *system = (uint32_t)graph->first_step.length;
        TRY_MEMORY(vector_push(&graph->first_step, (uint32_t)first));
        TRY(needs_steps(run) ? model_steps(run, state, &run->steps) : graph_steps(run, state));
        for (size_t i = first; i < run->steps.length; i++)
            TRY(add_step(run, graph, &run->steps.items[i]));
    }
    return granted(vector_push(&graph->systems, *system));
}

/* The edges of a node by one step of its state, which leads to `target` with that letter. */
static enum status add_edges(struct run *run, node_id node, uint32_t step, state_id target,
                             uint64_t letter)
{
    const struct buchi *automaton = run->product->automaton;
    uint32_t place = product_place(run->product, node);
    for (uint32_t e = automaton->first.items[place]; e < automaton->first.items[place + 1]; e++) {
        const struct buchi_edge *by = &automaton->edges.items[e];
        node_id to;
        if (!buchi_edge_reads(by, letter))
            continue;
        TRY(product_enter(run->product, target, letter, by, &to));
        if (to == NODE_NONE || run->product->local.items[to] == OUTSIDE)
            continue;
        const struct fair_edge edge = {run->product->local.items[to], step, by->acceptance};
        TRY_MEMORY(vector_push(&run->component.edges, edge));
    }
    return STATUS_OK;
}

static enum status add_node(struct run *run, node_id node)
{
    struct fair_graph *graph = &run->component;
    state_id state = product_state(run->product, node);
    uint64_t letter;
    TRY_MEMORY(vector_push(&graph->first_edge, (uint32_t)graph->edges.length));
    uint32_t system = run->product->system_of.items[state];
    uint32_t first = graph->first_step.items[system], end = graph->first_step.items[system + 1];
    assert(first <= end && end <= run->steps.length);
    for (uint32_t i = first; i < end; i++) {
        const struct liveness_step *step = &run->steps.items[i];
        TRY(product_letter(run->product, step->step.label, step->target, &letter));
        TRY(add_edges(run, node, i, step->target, letter));
    }
    if (first < end)
        return STATUS_OK;
    TRY(product_last_letter(run->product, node, &letter));
    return add_edges(run, node, FAIR_STUTTER, state, letter);
}

static enum status make_component(struct run *run)
{
    struct fair_graph *graph = &run->component;
    for (size_t i = 0; i < run->nodes.length; i++)
        TRY(add_system(run, product_state(run->product, run->nodes.items[i])));
    TRY_MEMORY(vector_push(&graph->first_step, (uint32_t)run->steps.length));
    for (size_t i = 0; i < run->nodes.length; i++)
        TRY(add_node(run, run->nodes.items[i]));
    assert(graph->systems.length == run->nodes.length &&
           graph->first_edge.length == run->nodes.length &&
           graph->steps.length == run->steps.length);
    graph->acceptance = buchi_all_sets(run->product->automaton);
    return granted(vector_push(&graph->first_edge, (uint32_t)graph->edges.length));
}

/* ---- the run ---- */

static bool push_letter(struct run *run, uint64_t letter)
{
    return vector_push(&run->result->letters, letter);
}

/* The label of the first edge from one node to another: the one by which it was found. */
static enum status label_between(struct run *run, node_id from, node_id to, label *by)
{
    struct product_cursor cursor;
    struct product_edge edge = {.target = NODE_NONE};
    bool more = true;
    TRY(product_open(run->product, from, &cursor));
    while (more && edge.target != to)
        TRY(product_next(run->product, &cursor, &edge, &more));
    assert(more); /* there is one */
    *by = edge.label;
    return STATUS_OK;
}

static enum status write_step(struct run *run, node_id from, node_id to)
{
    const state_id state = product_state(run->product, to);
    label by = LABEL_REFUSED;
    uint64_t letter;
    if (graph_row(run->product->graph, product_state(run->product, from))->count == 0)
        return STATUS_OK; /* the run has ended: only the automaton moves on */
    TRY(label_between(run, from, to, &by));
    TRY(product_letter(run->product, by, state, &letter));
    return granted(execution_push(&run->result->execution, by, state) && push_letter(run, letter));
}

/* The way to a node from an initial one. */
static enum status write_way(struct run *run, node_id node)
{
    const struct nodes *found = &run->found;
    uint32_t number = 0;
    uint64_t letter;
    while (nodes_get(found, number).state != node)
        number++;
    TRY_MEMORY(nodes_path(found, number, &run->path));
    const uint32_t *path = run->path.items.items;
    const state_id initial = product_state(run->product, nodes_get(found, path[0]).state);
    TRY(product_first_letter(run->product, initial, &letter));
    TRY_MEMORY(vector_push(&run->result->execution.states, initial) && push_letter(run, letter));
    for (size_t i = 1; i < run->path.items.length; i++)
        TRY(write_step(run, nodes_get(found, path[i - 1]).state, nodes_get(found, path[i]).state));
    return STATUS_OK;
}

/* Whether a step that the model gives is the one that the loop takes. */
static bool is_taken(const struct run *run, const struct liveness_step *step,
                     const struct liveness_step *taken)
{
    if (step->target != taken->target || step->step.label != taken->step.label)
        return false;
    return !needs_steps(run) ||
           (step->step.shown == taken->step.shown && step->step.processes == taken->step.processes);
}

/* Appends a step to the loop, with all that its state could have done. */
static enum status write_loop_step(struct run *run, state_id from,
                                   const struct liveness_step *taken)
{
    struct liveness *result = run->result;
    struct fair_graph *loop = &result->loop;
    uint32_t node = (uint32_t)loop->systems.length, step = NONE;
    uint32_t first = (uint32_t)result->steps.length;
    uint64_t letter;
    TRY_MEMORY(vector_push(&loop->systems, node) && vector_push(&loop->first_step, first) &&
               vector_push(&loop->first_edge, node) && vector_push(&result->cycle.edges, node));
    TRY(model_steps(run, from, &result->steps));
    for (uint32_t i = first; i < result->steps.length; i++) {
        TRY(add_step(run, loop, &result->steps.items[i]));
        if (step == NONE && is_taken(run, &result->steps.items[i], taken))
            step = i;
    }
    if (step == NONE)
        return error_set(run->product->error, STATUS_INTERNAL, NULL, 0,
                         "a loop does not replay on its model");
    TRY(product_letter(run->product, taken->step.label, taken->target, &letter));
    return granted(
        vector_push(&loop->edges, ((struct fair_edge){.target = node + 1, .step = step})) &&
        vector_push(&result->execution.taken, result->steps.items[step].step) &&
        execution_push(&result->execution, taken->step.label, taken->target) &&
        push_letter(run, letter));
}

/* How many processes there are in a state; 0: that is not known. */
static enum status count_processes(struct run *run, state_id state)
{
    struct graph *graph = run->product->graph;
    const struct model *model = graph->model;
    struct outlooks outlooks;
    if (!model->class->outlooks)
        return STATUS_OK;
    outlooks_init(&outlooks, model->budget);
    enum status status = model->class->outlooks(graph->own.worker, graph_state(graph, state),
                                                &outlooks, run->product->error);
    run->result->processes = (uint32_t)outlooks.items.length;
    outlooks_release(&outlooks);
    return status;
}

static enum status write_loop(struct run *run)
{
    struct fair_graph *loop = &run->result->loop;
    struct execution *execution = &run->result->execution;
    if (run->component.edges.items[run->cycle.edges.items[0]].step == FAIR_STUTTER)
        return STATUS_OK; /* the run ends */
    execution->is_lasso = true;
    execution->loop_start = (uint32_t)execution->labels.length;
    TRY(count_processes(run, execution->states.items[execution->loop_start]));
    for (size_t i = 0; i < run->cycle.edges.length; i++) {
        uint32_t step = run->component.edges.items[run->cycle.edges.items[i]].step;
        TRY(write_loop_step(run, execution->states.items[execution->states.length - 1],
                            &run->steps.items[step]));
    }
    assert(execution->states.items[execution->labels.length] ==
           execution->states.items[execution->loop_start]);
    assert(run->result->letters.length == execution->states.length);
    loop->edges.items[loop->edges.length - 1].target = 0;
    return granted(vector_push(&loop->first_step, (uint32_t)run->result->steps.length) &&
                   vector_push(&loop->first_edge, (uint32_t)loop->edges.length));
}

/* The node that the cycle begins with. */
static node_id first_node(const struct run *run)
{
    uint32_t node = 0;
    while (run->component.first_edge.items[node + 1] <= run->cycle.edges.items[0])
        node++;
    return run->nodes.items[node];
}

/* Makes the scratch arrays long enough. */
static enum status begin(struct run *run)
{
    struct product *product = run->product;
    while (product->local.length < product->nodes.length)
        TRY_MEMORY(vector_push(&product->local, OUTSIDE));
    while (product->system_of.length < graph_count(product->graph))
        TRY_MEMORY(vector_push(&product->system_of, NONE));
    return STATUS_OK;
}

/* Puts back what the component has changed in the scratch arrays. */
static void forget(struct run *run, const node_id *nodes, size_t count)
{
    struct product *product = run->product;
    for (size_t i = 0; i < count; i++) {
        state_id state = product_state(product, nodes[i]);
        if (nodes[i] < product->local.length)
            product->local.items[nodes[i]] = OUTSIDE;
        if (state < product->system_of.length)
            product->system_of.items[state] = NONE;
    }
    fair_graph_clear(&run->component);
    run->steps.length = run->nodes.length = 0;
}

/* Whether there is a fair run at all, in whatever order the nodes are. */
static enum status is_fair(struct run *run, const node_id *nodes, size_t count, bool *found)
{
    for (size_t i = 0; i < count; i++) {
        run->product->local.items[nodes[i]] = (uint32_t)i;
        TRY_MEMORY(vector_push(&run->nodes, nodes[i]));
    }
    TRY(make_component(run));
    if (!run->result->too_many)
        TRY(fair_cycle_find(&run->component, run->options->fairness, run->options->limits,
                            &run->cycle, found));
    forget(run, nodes, count);
    return STATUS_OK;
}

static enum status find(struct run *run, const node_id *nodes, size_t count, bool *found)
{
    TRY(begin(run));
    if (needs_steps(run)) {
        TRY(is_fair(run, nodes, count, found));
        if (!*found)
            return STATUS_OK;
    }
    TRY(walk(run, nodes, count));
    TRY(make_component(run));
    if (run->result->too_many)
        return STATUS_OK;
    TRY(fair_cycle_find(&run->component, run->options->fairness, run->options->limits, &run->cycle,
                        found));
    if (!*found)
        return STATUS_OK;
    TRY(write_way(run, first_node(run)));
    return write_loop(run);
}

enum status liveness_run_find(struct product *product, const struct liveness_options *options,
                              const node_id *nodes, size_t count, struct liveness *result,
                              bool *found)
{
    struct budget *budget = options->limits->budget;
    struct run run = {.product = product, .options = options, .result = result};
    uint64_t transitions = product->transitions;
    vector_init(&run.met.words, budget);
    nodes_init(&run.found, &nodes_are_states, &run.met, budget);
    finder_init(&run.finder, &run.found, false);
    vectors_init(budget, &run.path.items, &run.nodes, &run.steps, &run.cycle.edges);
    fair_graph_init(&run.component, budget);
    state_table_init(&run.events, budget, 3, 3);
    successors_init(&run.successors, budget);
    *found = false;
    product->known_only = true;
    enum status status = find(&run, nodes, count, found);
    forget(&run, nodes, count);
    product->known_only = false;
    product->transitions = transitions;
    vector_release(&run.met.words);
    nodes_release(&run.found);
    vectors_release(&run.path.items, &run.nodes, &run.steps, &run.cycle.edges);
    fair_graph_release(&run.component);
    state_table_release(&run.events);
    successors_release(&run.successors);
    return status;
}

/* ---- faults ---- */

struct fault_walk {
    struct graph *graph;
    state_id faulty;
    uint32_t reached; /* the node that is `faulty`; NODE_NONE: it was not met */
    struct state_set met;
    struct nodes nodes;
    struct finder finder;
    struct error ignored;
};

static enum status visit_state(void *self, uint32_t node, bool *stop)
{
    struct fault_walk *walk = self;
    const state_id state = nodes_get(&walk->nodes, node).state;
    const struct edge *edges = NULL;
    uint32_t count = 0;
    *stop = state == walk->faulty;
    if (*stop)
        walk->reached = node;
    else if (graph_is_expanded(walk->graph, state))
        TRY(graph_edges(walk->graph, state, &edges, &count, &walk->ignored));
    for (uint32_t i = 0; i < count; i++)
        TRY(finder_find(&walk->finder, edges[i].target, 0, node));
    return STATUS_OK;
}

static enum status found_states(void *self, uint32_t *count)
{
    return finder_settle(&((struct fault_walk *)self)->finder, count);
}

static enum status walk_to_fault(struct fault_walk *walk, struct execution *execution)
{
    static const struct visitor visitor = {.visit = visit_state, .found = found_states};
    const struct node_edges edges = {.graph = walk->graph};
    for (size_t i = 0; i < walk->graph->initial.length; i++)
        TRY(finder_find(&walk->finder, walk->graph->initial.items[i], 0, NODE_NONE));
    TRY(explore_oldest_first(NULL, NULL, NULL, &visitor, walk));
    if (walk->reached == NODE_NONE)
        return STATUS_OK;
    return execution_to_node(execution, &walk->nodes, walk->reached, &edges, &walk->ignored);
}

enum status liveness_run_to_fault(struct product *product, struct liveness *result)
{
    struct budget *budget = product->nodes.budget;
    struct fault_walk walk = {
        .graph = product->graph, .faulty = product->faulty, .reached = NODE_NONE};
    if (product->faulty == STATE_REFUSED)
        return STATUS_OK;
    vector_init(&walk.met.words, budget);
    nodes_init(&walk.nodes, &nodes_are_states, &walk.met, budget);
    finder_init(&walk.finder, &walk.nodes, false);
    enum status status = walk_to_fault(&walk, &result->execution);
    vector_release(&walk.met.words);
    nodes_release(&walk.nodes);
    return status;
}

void liveness_init(struct liveness *result, struct budget *budget)
{
    *result = (struct liveness){.answer = UNDECIDED};
    execution_init(&result->execution, budget);
    vectors_init(budget, &result->letters, &result->steps);
    fair_graph_init(&result->loop, budget);
    vector_init(&result->cycle.edges, budget);
}

void liveness_release(struct liveness *result)
{
    execution_release(&result->execution);
    vectors_release(&result->letters, &result->steps);
    fair_graph_release(&result->loop);
    vector_release(&result->cycle.edges);
}

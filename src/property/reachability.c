/* One walk takes up every state once and looks at it, or at its steps. Cycles of invisible steps
 * are looked for behind it, depth first through the states that it has found.
 *
 * Several threads share the walk as property/search_threads.h says, where what is looked for in a
 * state does not depend on those before it. What ends the search is found again by one thread. */
#include "property/reachability.h"

#include <assert.h>

#include "explore/checkpoint.h"
#include "explore/depth_first.h"
#include "explore/stats.h"
#include "property/search_threads.h"
#include "space/graph_packed.h"

struct walk {
    struct graph *graph;
    const struct reachability_options *options;
    struct explorer *explorer;
    struct reachability *result;
    struct state_set states;
    struct nodes nodes;
    struct finder finder;
    struct search_threads threads;
    struct state_parts parts; /* in the place of `states`, of several threads */
    VECTOR(uint32_t) ended;   /* of deadlocks: states that termination leads to, a bit each */
    uint32_t ended_count;     /* how many bits */
    uint32_t waiting;         /* and a node from which another step leads to one; NODE_NONE: none */
    struct edge waiting_step; /* that step */
    bool waited;              /* long enough */
    uint64_t states_counted;  /* 0: all */
    uint32_t goal;            /* the best one so far; NODE_NONE: none yet */
    struct error *error;
};

void reachability_init(struct reachability *result, struct budget *budget)
{
    *result = (struct reachability){.answer = UNDECIDED};
    execution_init(&result->execution, budget);
}

void reachability_release(struct reachability *result)
{
    execution_release(&result->execution);
}

/* Writes the run to a node. */
static enum status write_execution(struct walk *walk, uint32_t to)
{
    const struct node_edges edges = {.graph = walk->graph};
    return execution_to_node(&walk->result->execution, &walk->nodes, to, &edges, walk->error);
}

/* The answer is no, and this step shows it. */
static enum status refute(struct walk *walk, uint32_t from, const struct edge *edge)
{
    struct edge last = edge ? *edge : (struct edge){0};
    assert(walk->result->answer == UNDECIDED); /* the first step that shows it */
    walk->result->answer = VIOLATED;
    TRY(write_execution(walk, from));
    return !edge || execution_push(&walk->result->execution, last.label, last.target)
               ? STATUS_OK
               : STATUS_LIMIT;
}

static state_id state_of(const struct walk *walk, uint32_t node)
{
    return nodes_get(&walk->nodes, node).state;
}

/* ---- the questions ---- */

/* The same of a step that was only known for what it is when the node that it leads to was taken
 * up. Breadth first what is counted ends with the node that it leads from. */
static enum status refute_at(struct walk *walk, uint32_t from, const struct edge *edge)
{
    const bool ordered = !walk->explorer->is_newest && !walk->explorer->has_turned;
    uint32_t found = from;
    if (ordered)
        walk->result->transitions = 0;
    for (uint32_t node = 0; node <= from && ordered; node++) {
        const struct edge *edges;
        uint32_t count;
        TRY(graph_edges(walk->graph, state_of(walk, node), &edges, &count, walk->error));
        walk->result->transitions += count;
    }
    while (ordered && found < walk->nodes.items.length &&
           (nodes_get(&walk->nodes, found).parent == NODE_NONE ||
            nodes_get(&walk->nodes, found).parent < from))
        found++;
    walk->states_counted = ordered ? found : 0;
    return refute(walk, from, edge);
}

/* Adds a state to those that termination leads to. */
static enum status add_ended(struct walk *walk, state_id state)
{
    while (walk->ended.length <= state / 32)
        if (!vector_push(&walk->ended, 0))
            return STATUS_LIMIT;
    const uint32_t bit = UINT32_C(1) << state % 32, *word = &walk->ended.items[state / 32];
    walk->explorer->threads = 1; /* what waits is a matter of the states before */
    walk->ended_count += !(*word & bit);
    walk->ended.items[state / 32] |= bit;
    return STATUS_OK;
}

static bool is_ended(const struct walk *walk, state_id state)
{
    return state / 32 < walk->ended.length && (walk->ended.items[state / 32] >> state % 32 & 1);
}

/* Whether the step leads where termination has led, to a state without steps. A fault there is met
 * when that state is taken up, with its run. */
static enum status leads_to_ended(struct walk *walk, const struct edge *edge, bool *leads)
{
    const struct edge *after;
    uint32_t count = 1;
    *leads = false;
    if (!is_ended(walk, edge->target))
        return STATUS_OK;
    enum status status = graph_edges(walk->graph, edge->target, &after, &count, walk->error);
    *leads = status == STATUS_OK && count == 0;
    return status == STATUS_INPUT ? STATUS_OK : status;
}

/* The step by which a node was found that has none itself; null: only termination led there, which
 * is no deadlock. */
static enum status stuck_by(struct walk *walk, struct expander *expander, uint32_t node,
                            const struct edge **by, struct error *error)
{
    const uint32_t parent = nodes_get(&walk->nodes, node).parent;
    const bool terminating = walk->options->question == QUESTION_NONTERMINATING;
    const struct edge *edges;
    uint32_t count = 0;
    *by = NULL;
    if (parent != NODE_NONE) /* else see look_at_initial */
        TRY(graph_edges_by(walk->graph, expander, state_of(walk, parent), &edges, &count, error));
    for (uint32_t i = 0; i < count && !*by; i++)
        if (edges[i].target == state_of(walk, node) &&
            (terminating || edges[i].label != LABEL_TERMINATE))
            *by = &edges[i];
    return STATUS_OK;
}

/* A state without steps is a deadlock unless it was reached by terminating; it is told when it is
 * taken up. One and the same state may be reached both ways: where termination has led to it
 * before, the first other step to it waits until all nodes that are as near have been taken up. */
static enum status look_for_deadlock(struct walk *walk, uint32_t node, const struct edge *edges,
                                     uint32_t count)
{
    if (count == 0) {
        const struct edge *by;
        TRY(stuck_by(walk, &walk->graph->own, node, &by, walk->error));
        return by ? refute_at(walk, nodes_get(&walk->nodes, node).parent, by) : STATUS_OK;
    }
    for (uint32_t i = 0; i < count && walk->options->question == QUESTION_DEADLOCK_FREE; i++) {
        bool leads = false;
        if (edges[i].label == LABEL_TERMINATE)
            TRY(add_ended(walk, edges[i].target));
        else if (walk->waiting == NODE_NONE)
            TRY(leads_to_ended(walk, &edges[i], &leads));
        if (leads) {
            walk->waiting = node;
            walk->waiting_step = edges[i];
        }
    }
    return STATUS_OK;
}

/* The initial nodes, which are all there are, come before any step: one of them may be a deadlock
 * itself. */
static enum status look_at_initial(struct walk *walk)
{
    enum question question = walk->options->question;
    if (question != QUESTION_DEADLOCK_FREE && question != QUESTION_NONTERMINATING)
        return STATUS_OK;
    for (uint32_t node = 0; node < walk->nodes.items.length; node++) {
        const struct edge *edges;
        uint32_t count = 0;
        enum status status =
            graph_edges(walk->graph, state_of(walk, node), &edges, &count, walk->error);
        if (status == STATUS_INPUT) /* it comes again when the state is taken up */
            continue;
        TRY(status);
        if (count == 0)
            return refute(walk, node, NULL);
    }
    return STATUS_OK;
}

/* The second of two edges with one label; null: there are none. */
static const struct edge *find_choice(const struct edge *edges, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        assert(edges[i - 1].label <= edges[i].label); /* in order, and equal edges once only */
        if (edges[i].label == edges[i - 1].label)
            return &edges[i];
    }
    return NULL;
}

static enum status look_for_choice(struct walk *walk, uint32_t node, const struct edge *edges,
                                   uint32_t count)
{
    const struct edge *second = find_choice(edges, count);
    return second ? refute(walk, node, second) : STATUS_OK;
}

static enum status look_for_goal(struct walk *walk, uint32_t node)
{
    struct worker *worker = walk->graph->own.worker;
    const uint32_t *slots = graph_state(walk->graph, state_of(walk, node));
    int64_t holds = 0, extreme = 0;
    TRY(worker_evaluate(worker, walk->options->condition, slots, &holds, walk->error));
    if (!holds)
        return STATUS_OK;
    if (walk->options->has_extreme) {
        TRY(worker_evaluate(worker, walk->options->extreme, slots, &extreme, walk->error));
        bool better = walk->options->maximum ? extreme > walk->result->extreme
                                             : extreme < walk->result->extreme;
        if (walk->result->answer == HOLDS && !better)
            return STATUS_OK;
        walk->result->extreme = extreme;
    }
    walk->result->answer = HOLDS;
    walk->goal = node;
    return STATUS_OK;
}

/* Conditions that nobody asks for the value of here. */
static enum status evaluate_all(const struct walk *walk, struct worker *worker,
                                const uint32_t *slots, struct error *error)
{
    const struct reachability_options *options = walk->options;
    int64_t ignored;
    for (size_t i = 0; i < options->evaluated_count; i++)
        TRY(worker_evaluate(worker, options->evaluated[i], slots, &ignored, error));
    return STATUS_OK;
}

static enum status evaluate_own(struct walk *walk, state_id state)
{
    if (walk->options->evaluated_count == 0) /* the state need not be read */
        return STATUS_OK;
    return evaluate_all(walk, walk->graph->own.worker, graph_state(walk->graph, state),
                        walk->error);
}

static enum status look(struct walk *walk, uint32_t node, const struct edge *edges, uint32_t count)
{
    switch (walk->options->question) {
    case QUESTION_DEADLOCK_FREE:
    case QUESTION_NONTERMINATING:
        return look_for_deadlock(walk, node, edges, count);
    case QUESTION_DETERMINISTIC:
        return look_for_choice(walk, node, edges, count);
    case QUESTION_REACHES:
        return look_for_goal(walk, node);
    default:
        return STATUS_OK;
    }
}

/* ---- cycles of τ ---- */

enum colour {
    WHITE, /* not visited */
    GREY,  /* on the path */
    BLACK, /* left, without a cycle through it */
};

/* Depth first over the states by their numbers. */
struct cycle_search {
    struct walk *walk;
    struct depth_first search;
    VECTOR(uint8_t) colours; /* by state */
    uint32_t looked;         /* steps since the limits were looked at */
};

static uint32_t node_of(const struct walk *walk, state_id state)
{
    uint32_t node = 0;
    while (state_of(walk, node) != state) {
        node++;
        assert(node < walk->nodes.items.length); /* every state was taken up */
    }
    return node;
}

/* An invisible step leads from the path's end back to a state on it: the lasso is the run to that
 * state, and round. */
static enum status write_lasso(struct cycle_search *search, state_id back)
{
    struct execution *execution = &search->walk->result->execution;
    const struct depth_step *path = search->search.path.items;
    size_t start = search->search.path.length - 1;
    while (path[start].node != back) {
        assert(start > 0); /* it is on the path */
        start--;
    }
    TRY(write_execution(search->walk, node_of(search->walk, back)));
    execution->is_lasso = true;
    execution->loop_start = (uint32_t)execution->states.length - 1;
    assert(execution->states.items[execution->loop_start] == back);
    for (size_t i = start + 1; i < search->search.path.length; i++)
        if (!execution_push(execution, LABEL_TAU, path[i].node))
            return STATUS_LIMIT;
    search->walk->result->answer = VIOLATED;
    return execution_push(execution, LABEL_TAU, back) ? STATUS_OK : STATUS_LIMIT;
}

static enum status meet(void *self, uint32_t state, bool *enter)
{
    struct cycle_search *search = self;
    assert(state < search->colours.length); /* all states are known by now */
    uint8_t *colour = &search->colours.items[state];
    *enter = *colour == WHITE;
    search->search.stop = *colour == GREY;
    if (*colour == GREY)
        return write_lasso(search, state);
    *colour = *enter ? GREY : *colour;
    return STATUS_OK;
}

static enum status tau_edge(void *self, uint32_t state, uint32_t number, uint32_t *target)
{
    struct cycle_search *search = self;
    const struct walk *walk = search->walk;
    const struct edge *edges;
    uint32_t count;
    if (limits_look(walk->options->limits, &search->looked))
        return STATUS_LIMIT;
    TRY(graph_edges(walk->graph, state, &edges, &count, walk->error));
    if (number < count && edges[number].label == LABEL_TAU) /* τ is the least label */
        *target = edges[number].target;
    return STATUS_OK;
}

static enum status leave(void *self, uint32_t state)
{
    struct cycle_search *search = self;
    assert(search->colours.items[state] == GREY);
    search->colours.items[state] = BLACK;
    return STATUS_OK;
}

static enum status search_cycles(struct cycle_search *search)
{
    static const struct depth_visitor visitor = {meet, tau_edge, leave};
    const struct graph *graph = search->walk->graph;
    for (state_id root = 0; root < graph_count(graph); root++)
        if (!vector_push(&search->colours, WHITE))
            return STATUS_LIMIT;
    for (state_id root = 0; root < graph_count(graph) && !search->search.stop; root++)
        if (search->colours.items[root] == WHITE)
            TRY(depth_first_from(&search->search, &visitor, search, root));
    return STATUS_OK;
}

static enum status look_for_cycles(struct walk *walk)
{
    struct cycle_search search = {.walk = walk};
    vector_init(&search.colours, walk->options->limits->budget);
    depth_first_init(&search.search, walk->options->limits->budget);
    enum status status = search_cycles(&search);
    vector_release(&search.colours);
    depth_first_release(&search.search);
    return status;
}

/* ---- the walk ---- */

static bool is_answered(const struct walk *walk)
{
    return walk->result->answer == VIOLATED ||
           (walk->result->answer == HOLDS && !walk->options->has_extreme);
}

static enum status visit(void *self, uint32_t node, bool *stop)
{
    struct walk *walk = self;
    const state_id state = state_of(walk, node);
    const struct edge *edges;
    uint32_t count;
    if (walk->waited) {
        *stop = true;
        return refute_at(walk, walk->waiting, &walk->waiting_step);
    }
    enum status status = graph_edges(walk->graph, state, &edges, &count, walk->error);
    if (status == STATUS_OK)
        status = evaluate_own(walk, state);
    if (status == STATUS_OK)
        status = look(walk, node, edges, count);
    if (status == STATUS_INPUT) {
        TRY(write_execution(walk, node));
        return status;
    }
    TRY(status);
    walk->result->transitions += count;
    *stop = is_answered(walk);
    for (uint32_t i = 0; i < count && !*stop; i++)
        TRY(finder_find(&walk->finder, edges[i].target, 0, node));
    return STATUS_OK;
}

static enum status found(void *self, uint32_t *count)
{
    struct walk *walk = self;
    walk->waited = walk->waiting != NODE_NONE;
    return finder_settle(&walk->finder, count);
}

/* ---- several threads ---- */

/* Which value is the greatest is a matter of the states before, cycles of τ are looked for by
 * state. Where deadlocks are looked for one thread goes on once a step has terminated. */
static bool may_share(const struct walk *walk)
{
    const struct reachability_options *options = walk->options;
    return !options->checkpoint && !options->has_extreme &&
           options->question != QUESTION_DIVERGENCE_FREE && search_threads_may_share(walk->graph);
}

static enum status divide(void *self, uint32_t bits)
{
    struct walk *walk = self;
    TRY_MEMORY(state_parts_init(&walk->parts, bits, walk->options->limits->budget));
    walk->nodes.class = &nodes_are_states_in_parts;
    walk->nodes.set = &walk->parts;
    vector_release(&walk->states.words);
    return STATUS_OK;
}

static enum status begin(void *self, struct team *team, unsigned threads)
{
    struct walk *walk = self;
    return search_threads_begin(&walk->threads, team, threads);
}

/* Whether the node ends the search. */
static enum status look_by(const struct walk *walk, struct search_thread *thread, uint32_t node,
                           const struct edge *edges, uint32_t count, bool *ends)
{
    const struct reachability_options *options = walk->options;
    const bool reaches = options->question == QUESTION_REACHES;
    struct worker *worker = thread->expander.worker;
    const struct edge *by = NULL;
    int64_t holds = 0;
    if (options->question == QUESTION_DETERMINISTIC)
        by = find_choice(edges, count);
    *ends = by != NULL;
    for (uint32_t i = 0; i < count && options->question == QUESTION_DEADLOCK_FREE; i++)
        *ends |= edges[i].label == LABEL_TERMINATE;
    if (reaches || options->evaluated_count) {
        const uint32_t *slots =
            thread->expander.waits /* then it was read for its edges */
                ? thread->expander.state.items
                : graph_state_by(walk->graph, &thread->expander, state_of(walk, node));
        TRY(evaluate_all(walk, worker, slots, &thread->error));
        if (reaches)
            TRY(worker_evaluate(worker, options->condition, slots, &holds, &thread->error));
        *ends |= holds != 0;
    }
    return STATUS_OK;
}

/* Whether no more is asked of a state than its condition. */
static bool is_asked_alone(const struct walk *walk, const struct search_thread *thread)
{
    return walk->options->question == QUESTION_REACHES && walk->options->evaluated_count == 0 &&
           thread->expander.waits;
}

static enum status take_one(void *self, struct search_thread *thread, uint32_t node, bool *alone)
{
    struct walk *walk = self;
    const struct edge *edges, *by = NULL;
    uint32_t count;
    enum status status;
    if (is_asked_alone(walk, thread)) {
        int64_t holds = 0;
        status = graph_ask_by(walk->graph, &thread->expander, state_of(walk, node),
                              walk->options->condition, &edges, &count, &holds, &thread->error);
        *alone = holds != 0;
    } else {
        status = graph_edges_by(walk->graph, &thread->expander, state_of(walk, node), &edges,
                                &count, &thread->error);
        if (status == STATUS_OK)
            status = look_by(walk, thread, node, edges, count, alone);
    }
    *alone |= status == STATUS_INPUT;
    if (status != STATUS_OK || *alone)
        return *alone ? STATUS_OK : status;
    thread->transitions += count;
    TRY(search_thread_find_states(thread, edges, count, node));
    if (count == 0 && (walk->options->question == QUESTION_DEADLOCK_FREE ||
                       walk->options->question == QUESTION_NONTERMINATING)) {
        *alone = thread->expander.waits; /* the targets of edges are no states */
        if (!*alone)
            TRY(stuck_by(walk, &thread->expander, node, &by, &thread->error));
    }
    *alone |= by != NULL;
    return STATUS_OK;
}

static enum status take(void *self, unsigned thread, uint32_t batch, const uint32_t *nodes,
                        uint32_t count, bool *alone)
{
    struct walk *walk = self;
    struct search_thread *own = &walk->threads.items[thread];
    uint32_t taken = 0;
    if (is_asked_alone(walk, own))
        TRY(search_thread_ask(own, nodes, count, walk->options->condition, &taken, alone));
    if (*alone)
        return STATUS_OK;
    return search_threads_take(&walk->threads, thread, batch, nodes + taken, count - taken, alone);
}

static enum status end_round(void *self, uint32_t batches, bool drop)
{
    struct walk *walk = self;
    uint64_t asked = 0;
    enum status status = STATUS_OK;
    if (!drop)
        status = search_threads_add(&walk->threads, batches, &walk->result->transitions, &asked);
    search_threads_forget(&walk->threads);
    return status;
}

static const struct together together = {.begin = begin, .take = take, .end = end_round};
static const struct search_threads_class threads_class = {.divide = divide, .take = take_one};

/* ---- checkpoints ---- */

/* Which states are asked for their steps early depends on what has ended, and on what waits. */
static void count_all(void *self, struct search_counts *counts)
{
    const struct walk *walk = self;
    const struct model *model = walk->graph->model;
    counts->known = model->class->known(model) + walk->ended_count + (walk->waiting != NODE_NONE);
    counts->moved = graph_count(walk->graph) + walk->nodes.items.length + walk->finder.count +
                    walk->result->transitions;
}

static enum status repeat(void *self, uint32_t node)
{
    struct walk *walk = self;
    const state_id state = state_of(walk, node);
    const struct edge *edges;
    uint32_t count;
    TRY(graph_edges(walk->graph, state, &edges, &count, walk->error));
    TRY(evaluate_own(walk, state));
    return look(walk, node, edges, count);
}

static bool stays(void *self, uint32_t node)
{
    (void)self;
    (void)node;
    return true;
}

/* What has ended and what waits comes again as growths are repeated. The best goal is another one
 * then: it may have been found in any visit. */
static void save(void *self, struct sections_out *out)
{
    const struct walk *walk = self;
    sections_put(out, walk->waited);
    sections_put(out, walk->goal);
    sections_put(out, walk->result->answer == HOLDS);
    sections_put(out, (uint64_t)walk->result->extreme);
    sections_put(out, walk->result->transitions);
}

static enum status restore(void *self, struct sections_in *in, struct error *error)
{
    struct walk *walk = self;
    uint64_t waited, goal, holds, extreme;
    TRY(sections_take_below(in, 2, &waited, error));
    TRY(sections_take_below(in, NODE_NONE + UINT64_C(1), &goal, error));
    if (goal != NODE_NONE && goal >= walk->nodes.items.length)
        return sections_damaged(in, "its goal is no node", error);
    TRY(sections_take_below(in, 2, &holds, error));
    TRY(sections_take(in, &extreme, error));
    walk->waited = waited;
    walk->goal = (uint32_t)goal;
    walk->result->answer = holds ? HOLDS : UNDECIDED;
    walk->result->extreme = (int64_t)extreme;
    return sections_take(in, &walk->result->transitions, error);
}

/* ---- all of it ---- */

/* What waits to be told is told when there is nothing nearer, a limit or not. */
static enum status explore_all(struct walk *walk, struct explorer *explorer)
{
    const struct resumption resumption = {.graph = walk->graph,
                                          .nodes = &walk->nodes,
                                          .finder = &walk->finder,
                                          .count = count_all,
                                          .repeat = repeat,
                                          .is_kept = stays,
                                          .save = save,
                                          .restore = restore};
    const struct visitor visitor = {.visit = visit, .found = found, .resumption = &resumption};
    enum status status = explore(explorer, &visitor, walk);
    const bool waits = walk->waiting != NODE_NONE && !is_answered(walk);
    if (waits && (status == STATUS_OK || status == STATUS_LIMIT))
        return refute_at(walk, walk->waiting, &walk->waiting_step);
    return status;
}

static enum status walk_all(struct walk *walk, struct explorer *explorer)
{
    for (size_t i = 0; i < walk->graph->initial.length; i++)
        TRY(finder_find(&walk->finder, walk->graph->initial.items[i], 0, NODE_NONE));
    TRY(look_at_initial(walk));
    if (!is_answered(walk))
        TRY(explore_all(walk, explorer));
    if (walk->options->question == QUESTION_DIVERGENCE_FREE)
        TRY(look_for_cycles(walk));
    if (walk->result->answer == UNDECIDED) /* all was looked at */
        walk->result->answer = walk->options->question == QUESTION_REACHES ? VIOLATED : HOLDS;
    return STATUS_OK;
}

/* What the walk comes to, whether or not a limit stopped it. */
static enum status end(struct walk *walk, enum status status)
{
    struct reachability *result = walk->result;
    result->states = walk->states_counted ? walk->states_counted : walk->nodes.items.length;
    if (walk->goal != NODE_NONE && (status == STATUS_OK || status == STATUS_LIMIT)) {
        enum status written = write_execution(walk, walk->goal);
        status = status == STATUS_OK ? written : status;
    }
    result->extent = nodes_extent(&walk->nodes, walk->explorer);
    if (status != STATUS_LIMIT)
        return status;
    if (result->answer != VIOLATED)
        result->answer = UNDECIDED;
    result->limit = limits_which(walk->options->limits);
    return STATUS_OK;
}

enum status reach(struct graph *graph, const struct reachability_options *options,
                  struct reachability *result, struct error *error)
{
    struct budget *budget = options->limits->budget;
    struct walk walk = {.graph = graph,
                        .options = options,
                        .result = result,
                        .waiting = NODE_NONE,
                        .goal = NODE_NONE,
                        .error = error};
    struct explorer explorer;
    vectors_init(budget, &walk.states.words, &walk.ended);
    nodes_init(&walk.nodes, &nodes_are_states, &walk.states, budget);
    finder_init(&walk.finder, &walk.nodes, false);
    search_threads_init(&walk.threads, &threads_class, &walk, graph, &walk.nodes, budget);
    explorer_init(&explorer, options->order, options->limits, budget);
    explorer.stall = options->stall ? options->stall : EXPLORE_STALL;
    walk.explorer = &explorer;
    explorer.work = &options->limits->work;
    explorer.task = "reachability";
    explorer.nodes = "states";
    explorer.checkpoint = options->checkpoint;
    explorer.stats = options->stats;
    explorer.threads = options->threads;
    explorer.together = may_share(&walk) ? &together : NULL;
    explorer.alone_in_rounds = graph->forgets;
    if (options->threads_from)
        explorer.threads_from = options->threads_from;
    if (options->stats)
        search_stats_begin(options->stats);
    enum status status = end(&walk, walk_all(&walk, &explorer));
    if (status == STATUS_USAGE)
        *error = options->checkpoint->error;
    search_threads_release(&walk.threads);
    if (options->stats) {
        search_stats_take_graph(options->stats, graph);
        options->stats->found = walk.nodes.items.length;
        options->stats->nodes = node_list_bytes(&walk.nodes.items);
        options->stats->pairs = walk.states.words.capacity * sizeof *walk.states.words.items +
                                state_parts_bytes(&walk.parts);
    }
    explorer_release(&explorer);
    nodes_release(&walk.nodes);
    state_parts_release(&walk.parts, budget);
    vectors_release(&walk.states.words, &walk.ended);
    return status;
}

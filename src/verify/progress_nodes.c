/* Which operations can return, and which come to wait for a node, is found backwards from where
 * they do, along the edges between states in which their thread runs. */
#include "verify/progress_nodes.h"

#include <string.h>

#include "base/memory.h"
#include "explore/shortest_way.h"

#define NONE PROGRESS_NONE

struct nodes_search {
    const struct progress_states *graph;
    const struct limits *limits;
    struct shortage *shortage;
    uint32_t thread;             /* that is to wait */
    bool alone;                  /* it is to run by itself, from a call on */
    struct shortest_way way;     /* to where it waits */
    VECTOR(uint32_t) states;     /* where such a way may begin; or those found, backwards */
    VECTOR(uint32_t) into;       /* edges by target, see first_into */
    VECTOR(uint32_t) first_into; /* by state, and one more */
    VECTOR(bool) returns, starves;
    bool *marked; /* one of these: the states found */
};

static const uint32_t *slots_of(const struct progress_states *graph, uint32_t state)
{
    return progress_states_get(graph, state);
}

static uint32_t count_taken(const struct lin_pool *pool, const uint32_t *slots)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < pool->nodes; i++)
        taken += slots[pool->first + i * pool->words] == LIN_NODE_LIVE;
    return taken;
}

/* ---- ways to where a thread waits ---- */

static bool starves(const struct nodes_search *search, uint32_t state)
{
    return search->graph->starving.items[state] >> search->thread & 1;
}

/* Alone the thread calls where nothing runs, and then takes its own steps; else all step. */
static enum status way_edge(void *self, uint32_t state, uint32_t number, uint32_t *target,
                            bool *ends)
{
    const struct nodes_search *search = self;
    const struct progress_states *graph = search->graph;
    const uint32_t at = graph->first.items[state] + number;
    if (at == graph->first.items[state + 1])
        return STATUS_OK;
    const struct progress_edge *edge = &graph->edges.items[at];
    const enum edge_kind kind = graph->running.items[state] ? EDGE_STEP : EDGE_CALL;
    const bool follows = search->alone ? edge->process == search->thread && edge->kind == kind
                                       : edge->kind != EDGE_SPIN;
    *target = follows ? edge->target : state;
    *ends = follows && starves(search, edge->target);
    return STATUS_OK;
}

/* Takes the shortest way from one of search->states to where the thread waits, if there is one. */
static enum status take_way(struct nodes_search *search)
{
    static const struct way_edges edges = {way_edge};
    const struct progress_states *graph = search->graph;
    const struct shortest_way *way = &search->way;
    struct shortage *shortage = search->shortage;
    bool found;
    TRY(shortest_way_find(&search->way, &edges, search, search->states.items, search->states.length,
                          &found));
    if (!found)
        return STATUS_OK;
    for (size_t i = 0; i < way->steps.length; i++)
        TRY_MEMORY(vector_push(&shortage->way, graph->first.items[way->steps.items[i].node] +
                                                   way->steps.items[i].number));
    shortage->thread = search->thread;
    shortage->state = way->steps.items[0].node;
    shortage->end = graph->edges.items[shortage->way.items[shortage->way.length - 1]].target;
    return STATUS_OK;
}

/* ---- leaks ---- */

/* Sorts the edges by their targets. */
static bool turn_edges(struct nodes_search *search)
{
    const struct progress_states *graph = search->graph;
    const size_t states = progress_states_count(graph), edges = graph->edges.length;
    if (!vector_reserve(&search->first_into, states + 1) || !vector_reserve(&search->into, edges))
        return false;
    uint32_t *first = search->first_into.items;
    memset(first, 0, (states + 1) * sizeof *first);
    for (size_t e = 0; e < edges; e++)
        first[graph->edges.items[e].target]++;
    for (size_t i = 0, sum = 0; i <= states; i++) {
        sum += first[i];
        first[i] = (uint32_t)sum; /* the end; it moves to the start */
    }
    for (size_t e = edges; e-- > 0;)
        search->into.items[--first[graph->edges.items[e].target]] = (uint32_t)e;
    return true;
}

static enum status add_marked(struct nodes_search *search, uint32_t state)
{
    search->marked[state] = true;
    return granted(vector_push(&search->states, state));
}

/* The states from which the thread comes to one that was found, in the operation that it runs. */
static enum status visit_before(void *self, uint32_t number, bool *stop)
{
    struct nodes_search *search = self;
    const struct progress_states *graph = search->graph;
    const uint32_t state = search->states.items[number];
    (void)stop; /* all are wanted */
    for (uint32_t at = search->first_into.items[state]; at < search->first_into.items[state + 1];
         at++) {
        const uint32_t before = graph->from.items[search->into.items[at]];
        if (!search->marked[before] && graph->running.items[before] >> search->thread & 1)
            TRY(add_marked(search, before));
    }
    return STATUS_OK;
}

static enum status found_before(void *self, uint32_t *count)
{
    *count = (uint32_t)((struct nodes_search *)self)->states.length;
    return STATUS_OK;
}

static enum status mark_before(struct nodes_search *search)
{
    static const struct visitor visitor = {.visit = visit_before, .found = found_before};
    return explore_oldest_first(search->limits, NULL, NULL, &visitor, search);
}

static void begin_marking(struct nodes_search *search, bool *marked)
{
    memset(marked, 0, progress_states_count(search->graph) * sizeof *marked);
    search->marked = marked;
    search->states.length = 0;
}

/* The states from which the operation that the thread is running can return; come to wait. */
static enum status mark(struct nodes_search *search)
{
    const struct progress_states *graph = search->graph;
    begin_marking(search, search->returns.items);
    for (size_t e = 0; e < graph->edges.length; e++) {
        const struct progress_edge *edge = &graph->edges.items[e];
        const uint32_t state = graph->from.items[e];
        if (edge->kind == EDGE_ANSWER && edge->process == search->thread && !search->marked[state])
            TRY(add_marked(search, state));
    }
    TRY(mark_before(search));
    begin_marking(search, search->starves.items);
    for (uint32_t state = 0; state < progress_states_count(graph); state++)
        if (starves(search, state))
            TRY(add_marked(search, state));
    return mark_before(search);
}

/* The nearest state in which the thread alone runs an operation, which can return in no run and in
 * some waits for a node; NONE. */
static uint32_t find_lost(const struct nodes_search *search)
{
    const struct progress_states *graph = search->graph;
    for (uint32_t state = 0; state < progress_states_count(graph); state++)
        if (graph->running.items[state] == UINT64_C(1) << search->thread &&
            !search->returns.items[state] && search->starves.items[state])
            return state;
    return NONE;
}

static enum status find_leak(struct nodes_search *search)
{
    const size_t states = progress_states_count(search->graph);
    struct shortage *shortage = search->shortage;
    uint32_t nearest = NONE, thread = 0;
    TRY_MEMORY(turn_edges(search) && vector_reserve(&search->returns, states) &&
               vector_reserve(&search->starves, states));
    for (search->thread = 0; search->thread < search->graph->threads; search->thread++) {
        TRY(mark(search));
        const uint32_t lost = find_lost(search);
        if (lost < nearest) {
            nearest = lost;
            thread = search->thread;
        }
    }
    if (nearest == NONE)
        return STATUS_OK;
    search->thread = thread;
    search->alone = false;
    search->states.length = 0;
    TRY_MEMORY(vector_push(&search->states, nearest));
    *shortage = (struct shortage){
        .leaks = true, .thread = thread, .state = nearest, .end = nearest, .way = shortage->way};
    return starves(search, nearest) ? STATUS_OK : take_way(search);
}

/* ---- one operation by itself ---- */

/* Of each pool the most nodes that are taken in an initial state. */
static void count_made(const struct progress_states *graph, uint32_t *made)
{
    const struct lin_steps *steps = graph->model->steps;
    memset(made, 0, steps->pool_count * sizeof *made);
    for (uint32_t s = 0; s < progress_states_count(graph) && graph->parents.items[s] == NONE; s++)
        for (uint32_t i = 0; i < steps->pool_count; i++) {
            uint32_t taken = count_taken(&steps->pools[i], slots_of(graph, s));
            made[i] = taken > made[i] ? taken : made[i];
        }
}

static bool has_no_more(const struct progress_states *graph, uint32_t state, const uint32_t *made)
{
    const struct lin_steps *steps = graph->model->steps;
    bool has = true;
    for (uint32_t i = 0; i < steps->pool_count; i++)
        has &= count_taken(&steps->pools[i], slots_of(graph, state)) <= made[i];
    return has;
}

static enum status find_alone(struct nodes_search *search)
{
    const struct progress_states *graph = search->graph;
    uint32_t made[MOST_POOLS];
    count_made(graph, made);
    for (uint32_t state = 0; state < progress_states_count(graph); state++)
        if (!graph->running.items[state] && has_no_more(graph, state, made))
            TRY_MEMORY(vector_push(&search->states, state));
    search->alone = true;
    for (search->thread = 0; search->thread < graph->threads; search->thread++) {
        TRY_MEMORY(limits_reached(search->limits) == LIMIT_NONE);
        TRY(take_way(search));
        if (search->shortage->end != NONE)
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* ---- both ---- */

void progress_shortage_init(struct shortage *shortage, struct budget *budget)
{
    *shortage = (struct shortage){.state = NONE, .end = NONE};
    vector_init(&shortage->way, budget);
}

void progress_shortage_release(struct shortage *shortage)
{
    vector_release(&shortage->way);
}

enum status progress_find_shortage(const struct progress_states *graph, enum lin_property property,
                                   const struct limits *limits, struct shortage *shortage,
                                   bool *found)
{
    const struct lin_setting *setting = &graph->model->steps->setting;
    struct budget *budget = graph->model->model.budget;
    struct nodes_search search = {.graph = graph, .limits = limits, .shortage = shortage};
    *found = false;
    if (!graph->nodes_ran_out || setting->operations >= 0 || setting->total)
        return STATUS_OK;
    vectors_init(budget, &search.states, &search.into, &search.first_into, &search.returns,
                 &search.starves);
    shortest_way_init(&search.way, budget);
    enum status status = find_alone(&search);
    if (status == STATUS_OK && shortage->end == NONE &&
        (property == LIN_WAIT_FREE || property == LIN_STARVATION_FREE))
        status = find_leak(&search);
    *found = shortage->end != NONE;
    shortest_way_release(&search.way);
    vectors_release(&search.states, &search.into, &search.first_into, &search.returns,
                    &search.starves);
    return status;
}

/* ---- telling ---- */

void progress_say_nodes(struct progress_states *graph, uint32_t state, struct text *text)
{
    const struct lin_steps *steps = graph->model->steps;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        text_append(text, i ? ", " : "");
        if (state != NONE)
            text_format(text, "%u of ", count_taken(pool, slots_of(graph, state)));
        text_format(text, "%u", pool->nodes);
        if (steps->pool_count > 1)
            text_format(text, " of `%s`", pool->of->name);
    }
}

/* The name of the operation that a thread is running in a state. */
static const char *running(const struct progress_states *graph, uint32_t state, uint32_t thread)
{
    const struct lin_steps *steps = graph->model->steps;
    const uint32_t *own = thread_slots_of(steps, slots_of(graph, state), thread);
    return entry_at(steps, own[LIN_THREAD_AT] - 1)->operation->name;
}

void progress_say_shortage(struct progress_states *graph, const struct shortage *shortage,
                           struct text *text)
{
    const char *operation = running(graph, shortage->end, shortage->thread);
    text_append(text, "nodes run out: ");
    if (shortage->leaks) {
        text_append(text, "after this run, which has taken ");
        progress_say_nodes(graph, shortage->end, text);
        text_format(text,
                    ", `%s` of thread %u waits for a node and can never complete, whatever the "
                    "others do, for lack of nodes alone; what would be with more is not known",
                    operation, shortage->thread);
        return;
    }
    text_format(text, "`%s` of thread %u, alone, has taken ", operation, shortage->thread);
    progress_say_nodes(graph, shortage->end, text);
    text_append(text, " and waits for another one; whether it would return with more is not known");
}

/* Which operations can return, and which come to wait for a node, is found backwards from where
 * they do, along the edges between states in which their thread runs. */
#include "property/progress_nodes.h"

#include <string.h>

#include "base/memory.h"

#define NONE PROGRESS_NONE

struct nodes_search {
    const struct progress_states *graph;
    struct shortage *shortage;
    bool found;
    VECTOR(uint32_t) into;       /* edges by target, see first_into */
    VECTOR(uint32_t) first_into; /* by state, and one more */
    VECTOR(bool) returns, starves, seen;
    VECTOR(uint32_t) queue;
    VECTOR(uint32_t) found_by; /* by state: edge */
};

static const uint32_t *slots_of(const struct progress_states *graph, uint32_t state)
{
    return state_table_get(&((struct progress_states *)graph)->states, state);
}

static uint32_t count_taken(const struct lin_pool *pool, const uint32_t *slots)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < pool->nodes; i++)
        taken += slots[pool->first + i * pool->words] == LIN_NODE_LIVE;
    return taken;
}

/* ---- leaks ---- */

/* Sorts the edges by their targets. */
static bool turn_edges(struct nodes_search *search)
{
    const struct progress_states *graph = search->graph;
    const size_t states = graph->states.count, edges = graph->edges.length;
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

/* Adds to `marked`, whose states are in the queue, those from which the thread can come there in
 * the operation that it is running. */
static bool mark_before(struct nodes_search *search, uint32_t thread, bool *marked)
{
    const struct progress_states *graph = search->graph;
    for (size_t i = 0; i < search->queue.length; i++) {
        uint32_t state = search->queue.items[i];
        for (uint32_t at = search->first_into.items[state];
             at < search->first_into.items[state + 1]; at++) {
            uint32_t before = graph->from.items[search->into.items[at]];
            if (marked[before] || !(graph->running.items[before] >> thread & 1))
                continue;
            marked[before] = true;
            if (!vector_push(&search->queue, before))
                return false;
        }
    }
    return true;
}

/* The states from which the operation that the thread is running can return; come to wait. */
static bool mark(struct nodes_search *search, uint32_t thread)
{
    const struct progress_states *graph = search->graph;
    const size_t states = graph->states.count;
    memset(search->returns.items, 0, states * sizeof *search->returns.items);
    memset(search->starves.items, 0, states * sizeof *search->starves.items);
    search->queue.length = 0;
    for (size_t e = 0; e < graph->edges.length; e++) {
        const struct progress_edge *edge = &graph->edges.items[e];
        uint32_t state = graph->from.items[e];
        if (edge->kind != EDGE_ANSWER || edge->process != thread || search->returns.items[state])
            continue;
        search->returns.items[state] = true;
        if (!vector_push(&search->queue, state))
            return false;
    }
    if (!mark_before(search, thread, search->returns.items))
        return false;
    search->queue.length = 0;
    for (uint32_t state = 0; state < states; state++) {
        search->starves.items[state] = graph->starving.items[state] >> thread & 1;
        if (search->starves.items[state] && !vector_push(&search->queue, state))
            return false;
    }
    return mark_before(search, thread, search->starves.items);
}

/* Keeps the nearest leak that the thread's calls show. */
static void find_leak_of(struct nodes_search *search, uint32_t thread)
{
    const struct progress_states *graph = search->graph;
    for (size_t e = 0; e < graph->edges.length; e++) {
        const struct progress_edge *edge = &graph->edges.items[e];
        uint32_t state = graph->from.items[e];
        if (search->found && state >= search->shortage->state)
            return;
        if (edge->kind != EDGE_CALL || edge->process != thread ||
            search->returns.items[edge->target] || !search->starves.items[edge->target] ||
            graph->running.items[state])
            continue;
        search->found = search->shortage->leaks = true;
        search->shortage->state = state;
        search->shortage->call = (uint32_t)e;
    }
}

static enum status find_leak(struct nodes_search *search, const struct limits *limits)
{
    const size_t states = search->graph->states.count;
    if (!turn_edges(search) || !vector_reserve(&search->returns, states) ||
        !vector_reserve(&search->starves, states))
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < search->graph->threads; i++) {
        if (limits_reached(limits) != LIMIT_NONE || !mark(search, i))
            return STATUS_LIMIT;
        find_leak_of(search, i);
    }
    return STATUS_OK;
}

/* ---- one operation by itself ---- */

/* Of each pool the most nodes that are taken in an initial state. */
static void count_made(const struct progress_states *graph, uint32_t *made)
{
    const struct lin_steps *steps = graph->model->steps;
    memset(made, 0, steps->pool_count * sizeof *made);
    for (uint32_t s = 0; s < graph->states.count && graph->parents.items[s] == NONE; s++)
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

/* Follows the thread's own steps; the first state in which it waits for a node, or NONE. */
static uint32_t follow_alone(struct nodes_search *search, uint32_t thread)
{
    const struct progress_states *graph = search->graph;
    for (size_t i = 0; i < search->queue.length; i++) {
        uint32_t state = search->queue.items[i];
        if (graph->starving.items[state] >> thread & 1)
            return state;
        for (uint32_t e = graph->first.items[state]; e < graph->first.items[state + 1]; e++) {
            const struct progress_edge *edge = &graph->edges.items[e];
            if (edge->process != thread || edge->kind != EDGE_STEP ||
                search->seen.items[edge->target])
                continue;
            search->seen.items[edge->target] = true;
            search->found_by.items[edge->target] = e;
            search->queue.items[search->queue.length++] = edge->target;
        }
    }
    return NONE;
}

/* The way from the call to where the thread waits. */
static enum status take_way(struct nodes_search *search, uint32_t end)
{
    const struct progress_states *graph = search->graph;
    struct shortage *shortage = search->shortage;
    uint32_t edge = search->found_by.items[end];
    while (graph->edges.items[edge].kind != EDGE_CALL) {
        if (!vector_push(&shortage->alone, edge))
            return STATUS_LIMIT;
        edge = search->found_by.items[graph->from.items[edge]];
    }
    if (!vector_push(&shortage->alone, edge))
        return STATUS_LIMIT;
    for (size_t i = 0, j = shortage->alone.length - 1; i < j; i++, j--) {
        uint32_t swapped = shortage->alone.items[i];
        shortage->alone.items[i] = shortage->alone.items[j];
        shortage->alone.items[j] = swapped;
    }
    shortage->call = edge;
    shortage->state = graph->from.items[edge];
    search->found = true;
    return STATUS_OK;
}

static enum status find_alone(struct nodes_search *search, const struct limits *limits)
{
    const struct progress_states *graph = search->graph;
    const size_t states = graph->states.count;
    uint32_t made[MOST_POOLS];
    count_made(graph, made);
    if (!vector_reserve(&search->seen, states) || !vector_reserve(&search->found_by, states) ||
        !vector_reserve(&search->queue, states))
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < graph->threads && !search->found; i++) {
        if (limits_reached(limits) != LIMIT_NONE)
            return STATUS_LIMIT;
        memset(search->seen.items, 0, states * sizeof *search->seen.items);
        search->queue.length = 0;
        for (uint32_t e = 0; e < graph->edges.length; e++) {
            const struct progress_edge *edge = &graph->edges.items[e];
            uint32_t state = graph->from.items[e];
            if (edge->kind != EDGE_CALL || edge->process != i || search->seen.items[edge->target] ||
                graph->running.items[state] || !has_no_more(graph, state, made))
                continue;
            search->seen.items[edge->target] = true;
            search->found_by.items[edge->target] = e;
            search->queue.items[search->queue.length++] = edge->target;
        }
        uint32_t end = follow_alone(search, i);
        if (end != NONE)
            return take_way(search, end);
    }
    return STATUS_OK;
}

/* ---- both ---- */

void progress_shortage_init(struct shortage *shortage, struct budget *budget)
{
    *shortage = (struct shortage){.state = NONE, .call = NONE};
    vector_init(&shortage->alone, budget);
}

void progress_shortage_release(struct shortage *shortage)
{
    vector_release(&shortage->alone);
}

enum status progress_find_shortage(const struct progress_states *graph, enum lin_property property,
                                   const struct limits *limits, struct shortage *shortage,
                                   bool *found)
{
    const struct lin_setting *setting = &graph->model->steps->setting;
    struct budget *budget = graph->model->model.budget;
    struct nodes_search search = {.graph = graph, .shortage = shortage};
    *found = false;
    if (!graph->nodes_ran_out || setting->operations >= 0 || setting->total)
        return STATUS_OK;
    vector_init(&search.into, budget);
    vector_init(&search.first_into, budget);
    vector_init(&search.returns, budget);
    vector_init(&search.starves, budget);
    vector_init(&search.seen, budget);
    vector_init(&search.queue, budget);
    vector_init(&search.found_by, budget);
    enum status status = find_alone(&search, limits);
    if (status == STATUS_OK && !search.found &&
        (property == LIN_WAIT_FREE || property == LIN_STARVATION_FREE))
        status = find_leak(&search, limits);
    *found = search.found;
    vector_release(&search.into);
    vector_release(&search.first_into);
    vector_release(&search.returns);
    vector_release(&search.starves);
    vector_release(&search.seen);
    vector_release(&search.queue);
    vector_release(&search.found_by);
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

/* The name of the operation that an edge calls. */
static const char *called(const struct progress_states *graph, const struct progress_edge *edge)
{
    const struct lin_steps *steps = graph->model->steps;
    const uint32_t *own = thread_slots_of(steps, slots_of(graph, edge->target), edge->process);
    return entry_at(steps, own[LIN_THREAD_AT] - 1)->operation->name;
}

void progress_say_shortage(struct progress_states *graph, const struct shortage *shortage,
                           struct text *text)
{
    const struct progress_edge *call = &graph->edges.items[shortage->call];
    uint32_t end = shortage->state;
    if (!shortage->leaks)
        end = graph->edges.items[shortage->alone.items[shortage->alone.length - 1]].target;
    text_append(text, "nodes run out: ");
    if (shortage->leaks) {
        text_append(text, "after this run, which has taken ");
        progress_say_nodes(graph, end, text);
        text_format(text,
                    ", no operation is running, and `%s` of thread %u can never complete, for lack "
                    "of nodes alone; what would be with more is not known",
                    called(graph, call), call->process);
        return;
    }
    text_format(text, "`%s` of thread %u, alone, has taken ", called(graph, call), call->process);
    progress_say_nodes(graph, end, text);
    text_append(text, " and waits for another one; whether it would return with more is not known");
}

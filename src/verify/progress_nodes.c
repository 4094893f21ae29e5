/* Which operations can return, and which come to wait for a node, is found backwards from where
 * they do, along the edges between states in which their thread runs. */
#include "verify/progress_nodes.h"

#include <string.h>

#include "base/memory.h"

#define NONE PROGRESS_NONE

struct nodes_search {
    const struct progress_states *graph;
    struct shortage *shortage;
    VECTOR(uint32_t) into;       /* edges by target, see first_into */
    VECTOR(uint32_t) first_into; /* by state, and one more */
    VECTOR(bool) returns, starves;
    VECTOR(uint32_t) queue;
    VECTOR(uint32_t) found_by; /* by state: edge; NONE: not found, or where the way begins */
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

/* ---- ways to where a thread waits ---- */

static bool clear(struct nodes_search *search)
{
    const size_t states = search->graph->states.count;
    search->queue.length = 0;
    if (!vector_reserve(&search->found_by, states) || !vector_reserve(&search->queue, states))
        return false;
    memset(search->found_by.items, 0xff, states * sizeof *search->found_by.items);
    return true;
}

/* Follows the thread's own steps from the states in the queue; with a `root`, which alone is in the
 * queue, the steps of all threads. The first state in which it waits for a node, or NONE. */
static uint32_t follow(struct nodes_search *search, uint32_t thread, uint32_t root)
{
    const struct progress_states *graph = search->graph;
    for (size_t i = 0; i < search->queue.length; i++) {
        uint32_t state = search->queue.items[i];
        if (graph->starving.items[state] >> thread & 1)
            return state;
        for (uint32_t e = graph->first.items[state]; e < graph->first.items[state + 1]; e++) {
            const struct progress_edge *edge = &graph->edges.items[e];
            bool follows = root == NONE ? edge->process == thread && edge->kind == EDGE_STEP
                                        : edge->kind != EDGE_SPIN && edge->target != root;
            if (!follows || search->found_by.items[edge->target] != NONE)
                continue;
            search->found_by.items[edge->target] = e;
            search->queue.items[search->queue.length++] = edge->target;
        }
    }
    return NONE;
}

/* The way that was found to where the thread waits. */
static enum status take_way(struct nodes_search *search, uint32_t thread, uint32_t end)
{
    const struct progress_states *graph = search->graph;
    struct shortage *shortage = search->shortage;
    shortage->thread = thread;
    shortage->end = end;
    for (uint32_t e; (e = search->found_by.items[end]) != NONE; end = graph->from.items[e])
        TRY_MEMORY(vector_push(&shortage->way, e));
    shortage->state = end;
    for (size_t i = 0, j = shortage->way.length; i + 1 < j; i++) {
        uint32_t swapped = shortage->way.items[--j];
        shortage->way.items[j] = shortage->way.items[i];
        shortage->way.items[i] = swapped;
    }
    return STATUS_OK;
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

/* The nearest state in which the thread alone runs an operation, which can return in no run and in
 * some waits for a node; NONE. */
static uint32_t find_lost(const struct nodes_search *search, uint32_t thread)
{
    const struct progress_states *graph = search->graph;
    for (uint32_t state = 0; state < graph->states.count; state++)
        if (graph->running.items[state] == UINT64_C(1) << thread && !search->returns.items[state] &&
            search->starves.items[state])
            return state;
    return NONE;
}

static enum status find_leak(struct nodes_search *search, const struct limits *limits)
{
    const size_t states = search->graph->states.count;
    uint32_t nearest = NONE, thread = 0;
    TRY_MEMORY(turn_edges(search) && vector_reserve(&search->returns, states) &&
               vector_reserve(&search->starves, states));
    for (uint32_t i = 0; i < search->graph->threads; i++) {
        if (limits_reached(limits) != LIMIT_NONE || !mark(search, i))
            return STATUS_LIMIT;
        uint32_t lost = find_lost(search, i);
        if (lost < nearest) {
            nearest = lost;
            thread = i;
        }
    }
    if (nearest == NONE)
        return STATUS_OK;
    TRY_MEMORY(clear(search) && vector_push(&search->queue, nearest));
    search->shortage->leaks = true;
    return take_way(search, thread, follow(search, thread, nearest));
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

static enum status find_alone(struct nodes_search *search, const struct limits *limits)
{
    const struct progress_states *graph = search->graph;
    uint32_t made[MOST_POOLS];
    count_made(graph, made);
    for (uint32_t i = 0; i < graph->threads; i++) {
        if (limits_reached(limits) != LIMIT_NONE || !clear(search))
            return STATUS_LIMIT;
        for (uint32_t e = 0; e < graph->edges.length; e++) {
            const struct progress_edge *edge = &graph->edges.items[e];
            uint32_t state = graph->from.items[e];
            if (edge->kind != EDGE_CALL || edge->process != i ||
                search->found_by.items[edge->target] != NONE || graph->running.items[state] ||
                !has_no_more(graph, state, made))
                continue;
            search->found_by.items[edge->target] = e;
            search->queue.items[search->queue.length++] = edge->target;
        }
        uint32_t end = follow(search, i, NONE);
        if (end != NONE)
            return take_way(search, i, end);
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
    struct nodes_search search = {.graph = graph, .shortage = shortage};
    *found = false;
    if (!graph->nodes_ran_out || setting->operations >= 0 || setting->total)
        return STATUS_OK;
    vectors_init(budget, &search.into, &search.first_into, &search.returns, &search.starves,
                 &search.queue, &search.found_by);
    enum status status = find_alone(&search, limits);
    if (status == STATUS_OK && shortage->end == NONE &&
        (property == LIN_WAIT_FREE || property == LIN_STARVATION_FREE))
        status = find_leak(&search, limits);
    *found = shortage->end != NONE;
    vectors_release(&search.into, &search.first_into, &search.returns, &search.starves,
                    &search.queue, &search.found_by);
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

#include "space/graph.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_EVERY 1024 /* questions for edges between two looks at the limits */

static const struct edge expanded_empty[1]; /* where a state without edges points */

/* Moves a state on to the first in a row that is stored already, *id, or is not skipped. */
static enum status skip_states(struct graph *graph, uint32_t *state, uint64_t *hash, state_id *id,
                               struct error *error)
{
    struct model *model = graph->model;
    bool skips = graph->skips && model->class->skip;
    for (uint32_t i = 0;; i++) {
        uint32_t process = 0;
        *hash = state_table_hash(&graph->states, state);
        *id = state_table_find(&graph->states, state, *hash);
        if (*id != STATE_REFUSED || !skips || i == GRAPH_SKIPS_MOST)
            return STATUS_OK;
        TRY(model->class->skip(model, state, &process, error));
        if (process == UINT32_MAX)
            return STATUS_OK;
    }
}

/* Interns the state that stands for this one, which is overwritten, and makes room for its edges.
 */
static enum status add_state(struct graph *graph, uint32_t *state, state_id *id,
                             struct error *error)
{
    struct model *model = graph->model;
    uint64_t hash = 0;
    if (model->class->represent)
        TRY(model->class->represent(model, state, error));
    TRY(skip_states(graph, state, &hash, id, error));
    if (*id != STATE_REFUSED)
        return STATUS_OK;
    *id = state_table_add(&graph->states, state, hash);
    if (*id == STATE_REFUSED ||
        (!vector_push(&graph->edges, NULL) || !vector_push(&graph->degrees, 0) ||
         !vector_push(&graph->offers, NULL)))
        return STATUS_LIMIT;
    return STATUS_OK;
}

enum status graph_create(struct model *model, struct graph *graph, struct error *error)
{
    struct budget *budget = model->budget;
    *graph = (struct graph){.model = model};
    state_table_init(&graph->states, budget, model->slots, model->identity_slots);
    arena_init(&graph->arena, budget);
    vector_init(&graph->edges, budget);
    vector_init(&graph->offers, budget);
    vector_init(&graph->degrees, budget);
    vector_init(&graph->initial, budget);
    vector_init(&graph->scratch, budget);
    successors_init(&graph->successors, budget);
    TRY(model->class->initial(model, &graph->successors, error));
    for (size_t i = 0; i < graph->successors.steps.length; i++) {
        state_id id = 0;
        TRY(add_state(graph, graph->successors.states.items + i * model->slots, &id, error));
        if (!vector_push(&graph->initial, id))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

void graph_release(struct graph *graph)
{
    state_table_release(&graph->states);
    arena_release(&graph->arena);
    vector_release(&graph->edges);
    vector_release(&graph->offers);
    vector_release(&graph->degrees);
    vector_release(&graph->initial);
    vector_release(&graph->scratch);
    successors_release(&graph->successors);
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->label != right->label)
        return left->label < right->label ? -1 : 1;
    return (left->target > right->target) - (left->target < right->target);
}

/* Interns the states that steps lead to, of one process or (UINT32_MAX) of all, and writes the
 * edges. */
static enum status write_edges(struct graph *graph, uint32_t process, struct error *error)
{
    const struct successors *out = &graph->successors;
    graph->scratch.length = 0;
    for (size_t i = 0; i < out->steps.length; i++) {
        struct edge edge = {.label = out->steps.items[i].label};
        if (process != UINT32_MAX && out->steps.items[i].process != process)
            continue;
        TRY(add_state(graph, out->states.items + i * graph->model->slots, &edge.target, error));
        if (!vector_push(&graph->scratch, edge))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

/* Whether some edge leads to a state that will be expanded later than this one. */
static bool goes_on(const struct graph *graph, state_id state)
{
    for (size_t i = 0; i < graph->scratch.length; i++) {
        state_id target = graph->scratch.items[i].target;
        if (target != state && !graph->edges.items[target])
            return true;
    }
    return false;
}

/* The edges of an ample set that goes on, else all. */
static enum status choose_edges(struct graph *graph, state_id state, struct error *error)
{
    for (size_t i = 0; i < graph->successors.ample.length; i++) {
        TRY(write_edges(graph, graph->successors.ample.items[i], error));
        if (goes_on(graph, state))
            return STATUS_OK;
    }
    return write_edges(graph, UINT32_MAX, error);
}

/* Sorts the edges written, drops repetitions and stores them. */
static enum status store_edges(struct graph *graph, struct offer *stored)
{
    size_t count = graph->scratch.length, kept = 0;
    struct edge *edges = graph->scratch.items;
    if (count > 1)
        qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || compare_edges(&edges[kept - 1], &edges[i]) != 0)
            edges[kept++] = edges[i];
    *stored = (struct offer){expanded_empty, (uint32_t)kept};
    if (kept) {
        struct edge *copy = arena_allocate(&graph->arena, kept * sizeof *copy);
        if (!copy)
            return STATUS_LIMIT;
        memcpy(copy, edges, kept * sizeof *copy);
        stored->edges = copy;
    }
    return STATUS_OK;
}

/* Stores every ample set of the state, and leaves all its edges written. */
static enum status keep_offers(struct graph *graph, state_id state, struct error *error)
{
    size_t count = graph->successors.ample.length;
    struct offer *offers = arena_allocate(&graph->arena, (count + 1) * sizeof *offers);
    if (!offers)
        return STATUS_LIMIT;
    for (size_t i = 0; i < count; i++) {
        TRY(write_edges(graph, graph->successors.ample.items[i], error));
        TRY(store_edges(graph, &offers[i]));
    }
    offers[count] = (struct offer){0};
    graph->offers.items[state] = offers;
    return write_edges(graph, UINT32_MAX, error);
}

static enum status expand(struct graph *graph, state_id state, struct error *error)
{
    struct model *model = graph->model;
    struct successors *out = &graph->successors;
    struct offer stored;
    if (graph->limits && limits_reached(graph->limits) != LIMIT_NONE)
        return STATUS_LIMIT; /* a state may be large: each is looked at */
    successors_clear(out);
    TRY(model->class->successors(model, state_table_get(&graph->states, state), out, error));
    TRY(graph->keeps_offers ? keep_offers(graph, state, error) : choose_edges(graph, state, error));
    TRY(store_edges(graph, &stored));
    graph->edges.items[state] = stored.edges;
    graph->degrees.items[state] = stored.count;
    graph->transitions += stored.count;
    return STATUS_OK;
}

enum status graph_edges(struct graph *graph, state_id state, const struct edge **edges,
                        uint32_t *count, struct error *error)
{
    if (graph->limits && ++graph->asked == LOOK_EVERY) {
        graph->asked = 0;
        if (limits_reached(graph->limits) != LIMIT_NONE)
            return STATUS_LIMIT;
    }
    if (!graph->edges.items[state])
        TRY(expand(graph, state, error));
    *edges = graph->edges.items[state];
    *count = graph->degrees.items[state];
    return STATUS_OK;
}

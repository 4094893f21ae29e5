#include "space/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define EDGE_CHUNK               4096
#define MOST_SORTED_BY_INSERTION 32

static size_t block_size(uint32_t chunks)
{
    return (size_t)chunks * EDGE_CHUNK * sizeof(struct edge);
}

static uint64_t hash_of(const struct graph *graph, const uint32_t *state)
{
    return state_table_hash(&graph->states, state);
}

/* Moves a state on to the first in a row that is stored already, *id, or is not skipped. */
static enum status skip_states(struct graph *graph, uint32_t *state, uint64_t *hash, state_id *id,
                               struct error *error)
{
    const struct model *model = graph->model;
    bool skips = graph->skips && model->class->skip;
    for (uint32_t i = 0;; i++) {
        uint32_t process = 0;
        *id = state_table_find(&graph->states, state, *hash);
        if (*id != STATE_REFUSED || !skips || i == GRAPH_SKIPS_MOST)
            return STATUS_OK;
        TRY(model->class->skip(graph->worker, state, &process, error));
        if (process == UINT32_MAX)
            return STATUS_OK;
        graph->counts.passed++;
        *hash = hash_of(graph, state);
    }
}

/* Interns a state, which is overwritten where it is skipped. */
static enum status add_state(struct graph *graph, uint32_t *state, uint64_t hash, state_id *id,
                             struct error *error)
{
    TRY(skip_states(graph, state, &hash, id, error));
    if (*id == STATE_REFUSED)
        *id = state_table_add(&graph->states, state, hash);
    assert(*id == STATE_REFUSED || *id < graph->states.count);
    return *id == STATE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

enum status graph_add(struct graph *graph, uint32_t *state, state_id *id, struct error *error)
{
    TRY(worker_represent(graph->worker, state, error));
    return add_state(graph, state, hash_of(graph, state), id, error);
}

/* Puts what stands for them in place of the successors that some processes take part in, and has
 * the memory fetched that finding them needs. */
static enum status look_ahead(struct graph *graph, uint64_t processes, struct error *error)
{
    struct successors *out = &graph->successors;
    size_t count = out->steps.length;
    assert(out->states.length == count * graph->model->slots); /* a state for each step */
    TRY_MEMORY(vector_reserve(&graph->hashes, count));
    for (size_t i = 0; i < count; i++) {
        uint32_t *state = out->states.items + i * graph->model->slots;
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        TRY(worker_represent(graph->worker, state, error));
        graph->hashes.items[i] = hash_of(graph, state);
        state_table_prefetch(&graph->states, graph->hashes.items[i]);
    }
    return STATUS_OK;
}

enum status graph_create(const struct model *model, struct graph *graph, struct error *error)
{
    struct budget *budget = model->budget;
    *graph = (struct graph){.model = model};
    state_table_init(&graph->states, budget, model->slots, model->identity_slots);
    arena_init(&graph->arena, budget);
    vectors_init(budget, &graph->rows, &graph->chunks, &graph->offers, &graph->asked_once,
                 &graph->hashes, &graph->initial, &graph->scratch);
    successors_init(&graph->successors, budget);
    graph->worker = worker_create(model);
    TRY_MEMORY(graph->worker);
    TRY(worker_initial(graph->worker, &graph->successors, error));
    graph->exhausted |= graph->successors.exhausted;
    TRY(look_ahead(graph, GRAPH_ALL_STEPS, error));
    for (size_t i = 0; i < graph->successors.steps.length; i++) {
        state_id id = 0;
        TRY(add_state(graph, graph->successors.states.items + i * model->slots,
                      graph->hashes.items[i], &id, error));
        TRY_MEMORY(vector_push(&graph->initial, id));
    }
    return STATUS_OK;
}

void graph_release(struct graph *graph)
{
    state_table_release(&graph->states);
    arena_release(&graph->arena);
    for (size_t i = 0; i < graph->chunks.length; i++)
        if (graph->chunks.items[i].chunks)
            memory_release(graph->chunks.budget, graph->chunks.items[i].edges,
                           block_size(graph->chunks.items[i].chunks));
    vectors_release(&graph->chunks, &graph->rows, &graph->offers, &graph->asked_once,
                    &graph->hashes, &graph->initial, &graph->scratch);
    successors_release(&graph->successors);
    worker_destroy(graph->worker);
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->label != right->label)
        return left->label < right->label ? -1 : 1;
    return (left->target > right->target) - (left->target < right->target);
}

/* Interns the states that steps of some processes lead to, and writes the edges. In the place of
 * these states are then those that were interned. */
static enum status write_edges(struct graph *graph, uint64_t processes, struct error *error)
{
    const struct successors *out = &graph->successors;
    graph->scratch.length = 0;
    TRY(look_ahead(graph, processes, error));
    for (size_t i = 0; i < out->steps.length; i++) {
        struct edge edge = {.label = out->steps.items[i].label};
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        TRY(add_state(graph, out->states.items + i * graph->model->slots, graph->hashes.items[i],
                      &edge.target, error));
        TRY_MEMORY(vector_push(&graph->scratch, edge));
    }
    return STATUS_OK;
}

static const struct edge_row *row_of(const struct graph *graph, state_id state)
{
    static const struct edge_row none;
    return state < graph->rows.length ? &graph->rows.items[state] : &none;
}

/* Whether a state comes behind another in the order of their slots, the first one foremost. */
static bool is_above(const struct graph *graph, const uint32_t *state, const uint32_t *below)
{
    const uint32_t identity = graph->model->identity_slots;
    uint32_t at = 0;
    while (at < identity && state[at] == below[at])
        at++;
    return at < identity && state[at] > below[at];
}

/* The proviso of ample sets: some step of theirs leads to a state above this one, as both are
 * stored. A run that ample steps put off for ever would ascend for ever. The proviso is a matter of
 * the two states alone, not of who expanded what before. */
static bool ascends(const struct graph *graph, const uint32_t *state, uint64_t processes)
{
    const struct successors *out = &graph->successors;
    for (size_t i = 0; i < out->steps.length; i++)
        if (graph_takes(&out->steps.items[i], processes) &&
            is_above(graph, out->states.items + i * graph->model->slots, state))
            return true;
    return false;
}

/* The edges of an ample set that ascends, else all. */
static enum status choose_edges(struct graph *graph, state_id id, struct error *error)
{
    const struct successors *out = &graph->successors;
    const uint32_t *state = out->ample.length ? state_table_get(&graph->states, id) : NULL;
    graph->counts.offered += out->ample.length > 0;
    for (size_t i = 0; i < out->ample.length; i++) {
        TRY(write_edges(graph, out->ample.items[i], error));
        if (out->puts_off || ascends(graph, state, out->ample.items[i])) {
            graph->counts.ample++;
            graph->counts.left_out += out->steps.length - graph->scratch.length;
            return STATUS_OK;
        }
    }
    return write_edges(graph, GRAPH_ALL_STEPS, error);
}

/* Sorts the edges written, and drops repetitions. */
static void sort_edges(struct graph *graph)
{
    size_t count = graph->scratch.length, kept = 0;
    struct edge *edges = graph->scratch.items;
    if (count > MOST_SORTED_BY_INSERTION)
        qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 1; i < count && count <= MOST_SORTED_BY_INSERTION; i++) {
        struct edge edge = edges[i];
        size_t at = i;
        for (; at > 0 && compare_edges(&edges[at - 1], &edge) > 0; at--)
            edges[at] = edges[at - 1];
        edges[at] = edge;
    }
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || compare_edges(&edges[kept - 1], &edges[i]) != 0)
            edges[kept++] = edges[i];
    graph->scratch.length = kept;
}

/* ---- stored edges ---- */

/* A new block for `count` edges. */
static bool add_block(struct graph *graph, uint32_t count)
{
    uint32_t chunks = count / EDGE_CHUNK + 1;
    if ((graph->chunks.length + chunks) >= UINT32_MAX / EDGE_CHUNK ||
        !vector_reserve(&graph->chunks, graph->chunks.length + chunks))
        return false;
    struct edge *edges = memory_allocate(graph->chunks.budget, block_size(chunks));
    if (!edges)
        return false;
    graph->edge_count = (uint32_t)graph->chunks.length * EDGE_CHUNK;
    graph->edge_count += graph->edge_count == 0; /* no edge has the number 0 */
    for (uint32_t i = 0; i < chunks; i++)
        graph->chunks.items[graph->chunks.length++] =
            (struct edge_chunk){edges + (size_t)i * EDGE_CHUNK, i == 0 ? chunks : 0};
    return true;
}

static struct edge *edges_at(const struct graph *graph, uint32_t number)
{
    assert(number / EDGE_CHUNK < graph->chunks.length);
    return graph->chunks.items[number / EDGE_CHUNK].edges + number % EDGE_CHUNK;
}

void graph_bytes(const struct graph *graph, size_t *states, size_t *index, size_t *edges)
{
    *edges = graph->rows.capacity * sizeof *graph->rows.items +
             graph->asked_once.capacity * sizeof *graph->asked_once.items;
    for (size_t i = 0; i < graph->chunks.length; i++)
        *edges += block_size(graph->chunks.items[i].chunks);
    *states = *index = 0;
    state_table_bytes(&graph->states, states, index);
}

const struct edge *graph_kept_edges(const struct graph *graph, state_id state, uint32_t *count)
{
    assert(graph_is_expanded(graph, state));
    *count = graph->rows.items[state].count;
    return edges_at(graph, graph->rows.items[state].first);
}

/* Stores the edges written as those of the state. */
enum status graph_keep_edges(struct graph *graph, state_id state)
{
    uint32_t count = (uint32_t)graph->scratch.length;
    if (graph->edge_count + (uint64_t)count >= (uint64_t)graph->chunks.length * EDGE_CHUNK &&
        !add_block(graph, count))
        return STATUS_LIMIT;
    while (graph->rows.length <= state)
        TRY_MEMORY(vector_push(&graph->rows, ((struct edge_row){0})));
    assert(graph->rows.items[state].first == 0 && graph->edge_count > 0); /* stored once */
    if (count)
        memcpy(edges_at(graph, graph->edge_count), graph->scratch.items,
               count * sizeof *graph->scratch.items);
    graph->rows.items[state] = (struct edge_row){graph->edge_count, count};
    graph->edge_count += count;
    return STATUS_OK;
}

/* Stores the edges of an ample set. */
static enum status keep_offer(struct graph *graph, struct offer *offer)
{
    size_t size = graph->scratch.length * sizeof *graph->scratch.items;
    struct edge *copy = arena_allocate(&graph->arena, size);
    TRY_MEMORY(copy);
    if (size)
        memcpy(copy, graph->scratch.items, size);
    *offer = (struct offer){copy, (uint32_t)graph->scratch.length};
    return STATUS_OK;
}

/* Stores every ample set of the state, and leaves all its edges written. */
static enum status keep_offers(struct graph *graph, state_id state, struct error *error)
{
    size_t count = graph->successors.ample.length;
    struct offer *offers = arena_allocate(&graph->arena, (count + 1) * sizeof *offers);
    TRY_MEMORY(offers);
    for (size_t i = 0; i < count; i++) {
        TRY(write_edges(graph, graph->successors.ample.items[i], error));
        sort_edges(graph);
        TRY(keep_offer(graph, &offers[i]));
    }
    offers[count] = (struct offer){0};
    while (graph->offers.length <= state)
        TRY_MEMORY(vector_push(&graph->offers, NULL));
    graph->offers.items[state] = offers;
    return write_edges(graph, GRAPH_ALL_STEPS, error);
}

/* Leaves all successors of a state in graph->successors, as the model has them. */
static enum status ask_model(struct graph *graph, const uint32_t *state, struct error *error)
{
    struct successors *out = &graph->successors;
    if (graph->limits && limits_reached(graph->limits) != LIMIT_NONE)
        return STATUS_LIMIT; /* a state may be large: each is looked at */
    successors_clear(out);
    TRY(worker_successors(graph->worker, state, out, error));
    graph->exhausted |= out->exhausted;
    graph->counts.expanded++;
    graph->counts.steps += out->steps.length;
    graph->counts.renumbered += out->renumbered;
    graph->counts.passed += out->passed;
    graph->counts.pure += out->pure;
    return STATUS_OK;
}

/* Leaves the edges of the state written. */
static enum status expand(struct graph *graph, state_id state, struct error *error)
{
    TRY(ask_model(graph, state_table_get(&graph->states, state), error));
    TRY(graph->keeps_offers ? keep_offers(graph, state, error) : choose_edges(graph, state, error));
    sort_edges(graph);
    return STATUS_OK;
}

/* What stands for the states that steps of some processes lead to, in their place. */
static enum status move_on(struct graph *graph, uint64_t processes, struct error *error)
{
    struct successors *out = &graph->successors;
    for (size_t i = 0; i < out->steps.length; i++) {
        uint32_t *state = out->states.items + i * graph->model->slots;
        uint64_t hash = 0;
        state_id stored;
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        TRY(worker_represent(graph->worker, state, error));
        if (graph->skips && graph->model->class->skip) {
            hash = hash_of(graph, state);
            TRY(skip_states(graph, state, &hash, &stored, error));
        }
    }
    return STATUS_OK;
}

enum status graph_successors(struct graph *graph, const uint32_t *state, uint64_t *processes,
                             struct error *error)
{
    const struct successors *out = &graph->successors;
    TRY(ask_model(graph, state, error));
    for (size_t i = 0; i < out->ample.length && !graph->keeps_offers; i++) {
        *processes = out->ample.items[i];
        TRY(move_on(graph, *processes, error));
        if (out->puts_off || ascends(graph, state, *processes))
            return STATUS_OK;
    }
    *processes = GRAPH_ALL_STEPS;
    return move_on(graph, *processes, error);
}

/* Whether it is the first time; the second time it is not. */
static enum status ask_once(struct graph *graph, state_id state, bool *first)
{
    while (graph->asked_once.length <= state / 32)
        TRY_MEMORY(vector_push(&graph->asked_once, 0));
    uint32_t bit = UINT32_C(1) << (state % 32), *word = &graph->asked_once.items[state / 32];
    *first = !(*word & bit);
    *word |= bit;
    return STATUS_OK;
}

enum status graph_edges(struct graph *graph, state_id state, const struct edge **edges,
                        uint32_t *count, struct error *error)
{
    if (limits_look(graph->limits, &graph->asked))
        return STATUS_LIMIT;
    assert(state < graph->states.count);
    const struct edge_row *row = row_of(graph, state);
    if (row->first == 0) {
        bool first = false;
        TRY(expand(graph, state, error));
        if (graph->forgets)
            TRY(ask_once(graph, state, &first));
        if (first) {
            *edges = graph->scratch.items;
            *count = (uint32_t)graph->scratch.length;
            return STATUS_OK;
        }
        TRY(graph_keep_edges(graph, state));
        row = row_of(graph, state);
    }
    *edges = edges_at(graph, row->first);
    *count = row->count;
    return STATUS_OK;
}

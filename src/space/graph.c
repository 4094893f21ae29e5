#include "space/graph.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"

static size_t block_size(uint32_t chunks)
{
    return (size_t)chunks * GRAPH_EDGE_CHUNK * sizeof(struct edge);
}

static uint64_t hash_of(const struct graph *graph, const uint32_t *state)
{
    return state_store_hash(&graph->states, state);
}

/* ---- parts ---- */

static struct graph_part *parts_create(struct budget *budget, uint32_t bits)
{
    const uint32_t count = UINT32_C(1) << bits;
    struct graph_part *parts = memory_zeroed(budget, count * sizeof *parts);
    for (uint32_t i = 0; parts && i < count; i++)
        vectors_init(budget, &parts[i].rows, &parts[i].chunks);
    return parts;
}

static void parts_destroy(struct budget *budget, struct graph_part *parts, uint32_t bits)
{
    const uint32_t count = UINT32_C(1) << bits;
    for (uint32_t i = 0; parts && i < count; i++) {
        for (size_t j = 0; j < parts[i].chunks.length; j++)
            if (parts[i].chunks.items[j].chunks)
                memory_release(budget, parts[i].chunks.items[j].edges,
                               block_size(parts[i].chunks.items[j].chunks));
        vectors_release(&parts[i].chunks, &parts[i].rows);
    }
    memory_release(budget, parts, count * sizeof *parts);
}

/* The part of the store that a state is in, to be locked. */
static struct state_part *part_of(const struct graph *graph, state_id state)
{
    return state_store_part(&graph->states, state);
}

uint32_t graph_count(const struct graph *graph)
{
    return state_store_count(&graph->states);
}

const uint32_t *graph_state(const struct graph *graph, state_id state)
{
    return state_store_get(&graph->states, state);
}

state_id graph_find(struct graph *graph, const uint32_t *state)
{
    return state_store_find(&graph->states, &graph->own.adder, state, hash_of(graph, state));
}

enum status graph_divide(struct graph *graph, uint32_t bits, state_id *numbers)
{
    struct budget *budget = graph->model->budget;
    struct graph_part *parts = parts_create(budget, bits);
    assert(graph->states.bits == 0 && !graph->keeps_offers && !graph->skips);
    if (!parts || state_store_divide(&graph->states, bits, numbers) != STATUS_OK) {
        parts_destroy(budget, parts, bits);
        return STATUS_LIMIT;
    }
    parts_destroy(budget, graph->parts, 0);
    graph->parts = parts;
    for (size_t i = 0; i < graph->initial.length; i++)
        graph->initial.items[i] = numbers[graph->initial.items[i]];
    return STATUS_OK;
}

/* ---- states ---- */

/* Moves a state on to the first in a row that is stored already, *id, or is not skipped. */
static enum status skip_states(struct graph *graph, struct expander *by, uint32_t *state,
                               uint64_t *hash, state_id *id, struct error *error)
{
    const struct model *model = graph->model;
    assert(graph->states.bits == 0);
    for (uint32_t i = 0;; i++) {
        uint32_t process = 0;
        *id = state_store_find(&graph->states, &by->adder, state, *hash);
        if (*id != STATE_REFUSED || i == GRAPH_SKIPS_MOST)
            return STATUS_OK;
        TRY(model->class->skip(by->worker, state, &process, error));
        if (process == UINT32_MAX)
            return STATUS_OK;
        by->counts.passed++;
        *hash = hash_of(graph, state);
    }
}

static bool skips(const struct graph *graph)
{
    return graph->skips && graph->model->class->skip;
}

/* Interns a state, which is overwritten where it is skipped. */
static enum status add_state(struct graph *graph, struct expander *by, uint32_t *state,
                             uint64_t hash, state_id *id, struct error *error)
{
    if (!skips(graph)) {
        *id = state_store_intern(&graph->states, &by->adder, state, hash);
    } else {
        TRY(skip_states(graph, by, state, &hash, id, error));
        if (*id == STATE_REFUSED)
            *id = state_store_add(&graph->states, &by->adder, state, hash);
    }
    return granted(*id != STATE_REFUSED);
}

/* Interns a successor, which is overwritten where it is skipped. */
static enum status add_successor(struct graph *graph, struct expander *by, size_t place,
                                 state_id *id, struct error *error)
{
    const struct state_layout *layout = expander_layout(by, place);
    uint32_t *state = expander_state(by, place);
    const uint64_t hash = by->packed.hashes.items[place];
    if (!layout || skips(graph) ||
        layout != state_layouts_last(state_store_layouts(&graph->states)))
        return add_state(graph, by, state, hash, id, error);
    *id = state_store_intern_packed(&graph->states, &by->adder, state, hash, layout,
                                    expander_words(by, place));
    return granted(*id != STATE_REFUSED);
}

enum status graph_add(struct graph *graph, uint32_t *state, state_id *id, struct error *error)
{
    TRY(worker_represent(graph->own.worker, state, error));
    return add_state(graph, &graph->own, state, hash_of(graph, state), id, error);
}

/* Puts what stands for them in place of the successors that some processes take part in, and has
 * the memory fetched that finding them needs. */
static enum status look_ahead(struct graph *graph, struct expander *by, uint64_t processes,
                              struct error *error)
{
    struct successors *out = &by->successors;
    size_t count = out->steps.length;
    assert(out->states.length == count * graph->model->slots); /* a state for each step */
    TRY(expander_prepare(by, &graph->states, count));
    for (size_t i = 0; i < count; i++) {
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        TRY(worker_represent(by->worker, expander_state(by, i), error));
        expander_pack(by, &graph->states, i);
        if (by->waits)
            continue;
        state_store_fetch(&graph->states, by->packed.hashes.items[i]);
        if (expander_layout(by, i) && graph->states.bits == 0)
            state_store_fetch_words(&graph->states, 0, by->layout, expander_words(by, i));
    }
    return STATUS_OK;
}

/* ---- beginning and end ---- */

enum status graph_create(const struct model *model, const struct limits *within,
                         struct graph *graph, struct error *error)
{
    struct budget *budget = model->budget;
    *graph = (struct graph){.model = model, .within = within};
    struct expander *own = &graph->own;
    arena_init(&graph->arena, budget);
    vectors_init(budget, &graph->offers, &graph->initial);
    const bool room = state_store_init(&graph->states, budget, model->slots, model->identity_slots);
    TRY(expander_create(own, model, &graph->states, within));
    graph->parts = parts_create(budget, 0);
    TRY_MEMORY(room && graph->parts);
    TRY(worker_initial(own->worker, &own->successors, error));
    own->exhausted |= own->successors.exhausted;
    TRY(look_ahead(graph, own, GRAPH_ALL_STEPS, error));
    for (size_t i = 0; i < own->successors.steps.length; i++) {
        state_id id = 0;
        TRY(add_successor(graph, own, i, &id, error));
        TRY_MEMORY(vector_push(&graph->initial, id));
    }
    return STATUS_OK;
}

void graph_release(struct graph *graph)
{
    parts_destroy(graph->model->budget, graph->parts, graph->states.bits);
    state_store_release(&graph->states);
    arena_release(&graph->arena);
    vectors_release(&graph->offers, &graph->initial);
    expander_release(&graph->own);
}

/* ---- edges ---- */

/* Interns the states that steps of some processes lead to, and writes the edges. In the place of
 * these states are then those that were interned. */
static enum status write_edges(struct graph *graph, struct expander *by, uint64_t processes,
                               struct error *error)
{
    const struct successors *out = &by->successors;
    by->edges.length = 0;
    TRY(look_ahead(graph, by, processes, error));
    for (size_t i = 0; i < out->steps.length; i++) {
        struct edge edge = {.label = out->steps.items[i].label, .target = (state_id)i};
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        if (!by->waits)
            TRY(add_successor(graph, by, i, &edge.target, error));
        TRY_MEMORY(vector_push(&by->edges, edge));
    }
    return STATUS_OK;
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
static bool ascends(const struct graph *graph, const struct expander *by, const uint32_t *state,
                    uint64_t processes)
{
    const struct successors *out = &by->successors;
    for (size_t i = 0; i < out->steps.length; i++)
        if (graph_takes(&out->steps.items[i], processes) &&
            is_above(graph, out->states.items + i * graph->model->slots, state))
            return true;
    return false;
}

/* The edges of an ample set that ascends, else all. */
static enum status choose_edges(struct graph *graph, struct expander *by, struct error *error)
{
    const struct successors *out = &by->successors;
    by->counts.offered += out->ample.length > 0;
    for (size_t i = 0; i < out->ample.length; i++) {
        TRY(write_edges(graph, by, out->ample.items[i], error));
        if (out->puts_off || ascends(graph, by, by->state.items, out->ample.items[i])) {
            by->counts.ample++;
            by->counts.left_out += out->steps.length - by->edges.length;
            return STATUS_OK;
        }
    }
    return write_edges(graph, by, GRAPH_ALL_STEPS, error);
}

/* ---- stored edges ---- */

/* A new block for `count` edges. */
static bool add_block(struct graph_part *part, uint32_t count)
{
    uint32_t chunks = count / GRAPH_EDGE_CHUNK + 1;
    if ((part->chunks.length + chunks) >= UINT32_MAX / GRAPH_EDGE_CHUNK ||
        !vector_reserve(&part->chunks, part->chunks.length + chunks))
        return false;
    struct edge *edges = memory_allocate(part->chunks.budget, block_size(chunks));
    if (!edges)
        return false;
    part->edge_count = (uint32_t)part->chunks.length * GRAPH_EDGE_CHUNK;
    part->edge_count += part->edge_count == 0; /* no edge has the number 0 */
    for (uint32_t i = 0; i < chunks; i++)
        part->chunks.items[part->chunks.length++] =
            (struct edge_chunk){edges + (size_t)i * GRAPH_EDGE_CHUNK, i == 0 ? chunks : 0};
    return true;
}

void graph_bytes(const struct graph *graph, size_t *states, size_t *index, size_t *edges)
{
    *states = *index = *edges = 0;
    state_store_bytes(&graph->states, states, index);
    for (uint32_t i = 0; i >> graph->states.bits == 0; i++) {
        const struct graph_part *part = &graph->parts[i];
        *edges += part->rows.capacity * sizeof *part->rows.items;
        for (size_t j = 0; j < part->chunks.length; j++)
            *edges += block_size(part->chunks.items[j].chunks);
    }
}

const struct edge *graph_kept_edges(const struct graph *graph, state_id state, uint32_t *count)
{
    const struct edge_row *row = graph_row(graph, state);
    assert(row->first);
    *count = row->count;
    return graph_edges_at(graph_part(graph, state), row->first);
}

/* Stores the edges written as those of the state. */
static enum status keep_edges(struct graph_part *part, state_id within, const struct expander *by)
{
    uint32_t count = (uint32_t)by->edges.length;
    if (part->edge_count + (uint64_t)count >= (uint64_t)part->chunks.length * GRAPH_EDGE_CHUNK &&
        !add_block(part, count))
        return STATUS_LIMIT;
    while (part->rows.length <= within)
        TRY_MEMORY(vector_push(&part->rows, ((struct edge_row){0})));
    assert(part->rows.items[within].first == 0 && part->edge_count > 0); /* stored once */
    if (count)
        memcpy(part->chunks.items[part->edge_count / GRAPH_EDGE_CHUNK].edges +
                   part->edge_count % GRAPH_EDGE_CHUNK,
               by->edges.items, count * sizeof *by->edges.items);
    part->rows.items[within] = (struct edge_row){part->edge_count, count};
    part->edge_count += count;
    return STATUS_OK;
}

enum status graph_keep_edges(struct graph *graph, state_id state)
{
    return keep_edges(graph_part(graph, state), state >> graph->states.bits, &graph->own);
}

/* Stores the edges of an ample set. */
static enum status keep_offer(struct graph *graph, const struct expander *by, struct offer *offer)
{
    size_t size = by->edges.length * sizeof *by->edges.items;
    struct edge *copy = arena_allocate(&graph->arena, size);
    TRY_MEMORY(copy);
    if (size)
        memcpy(copy, by->edges.items, size);
    *offer = (struct offer){copy, (uint32_t)by->edges.length};
    return STATUS_OK;
}

/* Stores every ample set of the state, and leaves all its edges written. */
static enum status keep_offers(struct graph *graph, struct expander *by, state_id state,
                               struct error *error)
{
    size_t count = by->successors.ample.length;
    struct offer *offers = arena_allocate(&graph->arena, (count + 1) * sizeof *offers);
    TRY_MEMORY(offers);
    for (size_t i = 0; i < count; i++) {
        TRY(write_edges(graph, by, by->successors.ample.items[i], error));
        TRY(expander_sort(by));
        TRY(keep_offer(graph, by, &offers[i]));
    }
    offers[count] = (struct offer){0};
    while (graph->offers.length <= state)
        TRY_MEMORY(vector_push(&graph->offers, NULL));
    graph->offers.items[state] = offers;
    return write_edges(graph, by, GRAPH_ALL_STEPS, error);
}

/* Leaves all successors of a state in by->successors, as the model has them. */
static enum status ask_model(struct graph *graph, struct expander *by, const uint32_t *state,
                             struct error *error)
{
    struct successors *out = &by->successors;
    if (graph->limits && limits_reached(graph->limits) != LIMIT_NONE)
        return STATUS_LIMIT; /* a state may be large: each is looked at */
    successors_clear(out);
    TRY(worker_successors(by->worker, state, out, error));
    by->exhausted |= out->exhausted;
    by->counts.expanded++;
    by->counts.steps += out->steps.length;
    by->counts.renumbered += out->renumbered;
    by->counts.passed += out->passed;
    by->counts.pure += out->pure;
    by->counts.stale += out->stale;
    by->counts.ample += out->decided;
    return STATUS_OK;
}

/* Leaves the edges of the state, which by->state has, written. */
static enum status expand(struct graph *graph, struct expander *by, state_id state,
                          struct error *error)
{
    TRY(ask_model(graph, by, by->state.items, error));
    TRY(graph->keeps_offers ? keep_offers(graph, by, state, error)
                            : choose_edges(graph, by, error));
    if (by->waits)
        TRY(expander_unify(by));
    return expander_sort(by);
}

/* What stands for the states that steps of some processes lead to, in their place. */
static enum status move_on(struct graph *graph, uint64_t processes, struct error *error)
{
    struct expander *own = &graph->own;
    struct successors *out = &own->successors;
    for (size_t i = 0; i < out->steps.length; i++) {
        uint32_t *state = out->states.items + i * graph->model->slots;
        uint64_t hash = 0;
        state_id stored;
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        TRY(worker_represent(own->worker, state, error));
        if (skips(graph)) {
            hash = hash_of(graph, state);
            TRY(skip_states(graph, own, state, &hash, &stored, error));
        }
    }
    return STATUS_OK;
}

enum status graph_successors(struct graph *graph, const uint32_t *state, uint64_t *processes,
                             struct error *error)
{
    const struct successors *out = &graph->own.successors;
    TRY(ask_model(graph, &graph->own, state, error));
    for (size_t i = 0; i < out->ample.length && !graph->keeps_offers; i++) {
        *processes = out->ample.items[i];
        TRY(move_on(graph, *processes, error));
        if (out->puts_off || ascends(graph, &graph->own, state, *processes))
            return STATUS_OK;
    }
    *processes = GRAPH_ALL_STEPS;
    return move_on(graph, *processes, error);
}

/* The edges that are stored; *edges is null where none are. */
static void look_up(const struct graph *graph, state_id state, const struct edge **edges,
                    uint32_t *count)
{
    const struct edge_row *row = graph_row(graph, state);
    *edges = NULL;
    if (row->first) {
        *edges = graph_edges_at(graph_part(graph, state), row->first);
        *count = row->count;
    }
}

const uint32_t *graph_state_by(const struct graph *graph, struct expander *by, state_id state)
{
    state_store_read(&graph->states, state, by->state.items);
    return by->state.items;
}

/* Stores the edges written, unless another thread has stored them meanwhile. */
static enum status store(struct graph *graph, const struct expander *by, state_id state,
                         const struct edge **edges, uint32_t *count)
{
    struct graph_part *part = graph_part(graph, state);
    const state_id within = state >> graph->states.bits;
    if (graph_row(graph, state)->first == 0)
        TRY(keep_edges(part, within, by));
    *edges = graph_edges_at(part, graph_row(graph, state)->first);
    *count = graph_row(graph, state)->count;
    return STATUS_OK;
}

/* Leaves the edges written that are there, unless the graph forgets them. */
static enum status leave(struct graph *graph, const struct expander *by, state_id state,
                         const struct edge **edges, uint32_t *count)
{
    struct state_part *part = part_of(graph, state);
    *edges = by->edges.items;
    *count = (uint32_t)by->edges.length;
    if (graph->forgets)
        return STATUS_OK;
    state_store_lock(&graph->states, part);
    enum status status = store(graph, by, state, edges, count);
    state_store_unlock(&graph->states, part);
    return status;
}

enum status graph_edges_singly(struct graph *graph, struct expander *by, state_id state,
                               const struct edge **edges, uint32_t *count, struct error *error)
{
    struct state_part *part = part_of(graph, state);
    state_store_lock(&graph->states, part);
    state_table_read(&part->states, state >> graph->states.bits, by->state.items);
    state_store_unlock(&graph->states, part);
    TRY(expand(graph, by, state, error));
    return leave(graph, by, state, edges, count);
}

enum status graph_ask_packed(const struct graph *graph, struct expander *by, state_id state,
                             uint32_t condition)
{
    struct state_part *part = part_of(graph, state);
    const struct state_layout *stored = NULL;
    uint64_t scratch[STATE_WORDS_MOST];
    by->packed.done = 0;
    if (!graph_may_ask_packed(graph))
        return STATUS_OK;
    state_store_lock(&graph->states, part);
    const uint64_t *words =
        state_table_words(&part->states, state >> graph->states.bits, scratch, &stored);
    bool room = true;
    if (graph->states.bits && stored) { /* other threads may move them */
        room = vector_reserve(&by->gathered, stored->words);
        for (uint32_t i = 0; room && i < stored->words; i++)
            by->gathered.items[i] = words[i];
        words = by->gathered.items;
    }
    state_store_unlock(&graph->states, part);
    TRY_MEMORY(room);
    by->packed.states = words;
    by->packed.count = 1;
    by->packed.condition = condition;
    by->packed.unhashed = false;
    return expander_ask_packed(by, &graph->states, stored);
}

/* Interns the states that packed steps lead to, and writes the edges. */
static enum status take_packed(struct graph *graph, struct expander *by)
{
    const struct packed_steps *steps = &by->packed;
    const size_t count = steps->labels.length;
    if (by->waits)
        return expander_take_packed(by);
    expander_count_packed(by, 1, count);
    TRY_MEMORY(vector_reserve(&by->edges, count));
    for (size_t i = 0; i < count; i++) {
        state_store_fetch(&graph->states, steps->hashes.items[i]);
        if (graph->states.bits == 0)
            state_store_fetch_words(&graph->states, 0, by->layout, expander_words(by, i));
    }
    for (size_t i = 0; i < count; i++) {
        const state_id id =
            state_store_intern_packed(&graph->states, &by->adder, NULL, steps->hashes.items[i],
                                      by->layout, expander_words(by, i));
        TRY_MEMORY(id != STATE_REFUSED);
        by->edges.items[i] = (struct edge){steps->labels.items[i], id};
    }
    by->edges.length = count;
    return expander_sort(by);
}

enum status graph_edges_by(struct graph *graph, struct expander *by, state_id state,
                           const struct edge **edges, uint32_t *count, struct error *error)
{
    struct state_part *part = part_of(graph, state);
    if (limits_look(graph->limits, &by->asked))
        return STATUS_LIMIT;
    state_store_lock(&graph->states, part);
    look_up(graph, state, edges, count);
    state_store_unlock(&graph->states, part);
    assert(!by->waits || (graph->forgets && !*edges));
    if (*edges)
        return STATUS_OK;
    TRY(graph_ask_packed(graph, by, state, UINT32_MAX));
    if (!by->packed.done)
        return graph_edges_singly(graph, by, state, edges, count, error);
    TRY(take_packed(graph, by));
    return leave(graph, by, state, edges, count);
}

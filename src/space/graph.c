#include "space/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

#define EDGE_CHUNK               4096
#define MOST_SORTED_BY_INSERTION 32

static size_t block_size(uint32_t chunks)
{
    return (size_t)chunks * EDGE_CHUNK * sizeof(struct edge);
}

static uint64_t hash_of(const struct graph *graph, const uint32_t *state)
{
    return state_table_hash(&graph->parts[0].states, state);
}

/* ---- parts ---- */

static void lock(const struct graph *graph, struct graph_part *part)
{
    if (graph->part_bits)
        lock_briefly(&part->lock);
}

static void unlock(const struct graph *graph, struct graph_part *part)
{
    if (graph->part_bits)
        pthread_mutex_unlock(&part->lock);
}

/* Says where the table is now. */
static void tell_place(struct graph_part *part)
{
    const struct table *numbers = &part->states.numbers;
    if (atomic_load_explicit(&part->capacity, memory_order_relaxed) == numbers->capacity)
        return;
    atomic_store_explicit(&part->entries, (uintptr_t)numbers->entries, memory_order_relaxed);
    atomic_store_explicit(&part->capacity, numbers->capacity, memory_order_relaxed);
}

/* Has what finds a state fetched. Another thread may be moving the table: what is fetched is then
 * of no use. */
static void fetch(const struct graph_part *part, uint64_t hash)
{
    const size_t capacity = atomic_load_explicit(&part->capacity, memory_order_relaxed);
    const uintptr_t entries = atomic_load_explicit(&part->entries, memory_order_relaxed);
    __builtin_prefetch(
        (const void *)(entries + table_place(capacity, (uint32_t)(hash >> 32)) * sizeof(uint64_t)));
}

/* The table of a hash is laid out by its upper half. */
static struct graph_part *part_of_hash(const struct graph *graph, uint64_t hash)
{
    return graph_part(graph, (state_id)hash);
}

/* The number that a state of a part has; STATE_REFUSED where there is none. */
static state_id number_of(const struct graph *graph, const struct graph_part *part, state_id within)
{
    if (within > (STATE_REFUSED - 1) >> graph->part_bits)
        return STATE_REFUSED;
    return within << graph->part_bits | (state_id)(part - graph->parts);
}

/* `layouts`: those that it shares; or null. */
static void part_init(struct graph_part *part, const struct model *model,
                      struct state_layouts *layouts)
{
    *part = (struct graph_part){0};
    pthread_mutex_init(&part->lock, NULL);
    if (layouts)
        state_table_init_shared(&part->states, layouts);
    else
        state_table_init(&part->states, model->budget, model->slots, model->identity_slots);
    vectors_init(model->budget, &part->rows, &part->chunks);
}

static void part_release(struct graph_part *part)
{
    pthread_mutex_destroy(&part->lock);
    state_table_release(&part->states);
    for (size_t i = 0; i < part->chunks.length; i++)
        if (part->chunks.items[i].chunks)
            memory_release(part->chunks.budget, part->chunks.items[i].edges,
                           block_size(part->chunks.items[i].chunks));
    vectors_release(&part->chunks, &part->rows);
}

static struct graph_part *parts_create(const struct model *model, uint32_t bits,
                                       struct state_layouts *layouts)
{
    const uint32_t count = UINT32_C(1) << bits;
    struct graph_part *parts = memory_allocate(model->budget, count * sizeof *parts);
    for (uint32_t i = 0; parts && i < count; i++)
        part_init(&parts[i], model, layouts);
    return parts;
}

static void parts_destroy(struct budget *budget, struct graph_part *parts, uint32_t bits)
{
    const uint32_t count = UINT32_C(1) << bits;
    for (uint32_t i = 0; parts && i < count; i++)
        part_release(&parts[i]);
    memory_release(budget, parts, count * sizeof *parts);
}

static void layouts_destroy(struct budget *budget, struct state_layouts *layouts)
{
    if (!layouts)
        return;
    state_layouts_release(layouts);
    memory_release(budget, layouts, sizeof *layouts);
}

uint32_t graph_count(const struct graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i >> graph->part_bits == 0; i++)
        count += graph->parts[i].states.count;
    return count;
}

const uint32_t *graph_state(const struct graph *graph, state_id state)
{
    return state_table_get(&graph_part(graph, state)->states, state >> graph->part_bits);
}

state_id graph_find(const struct graph *graph, const uint32_t *state)
{
    const uint64_t hash = hash_of(graph, state);
    struct graph_part *part = part_of_hash(graph, hash);
    const state_id within = state_table_find(&part->states, state, hash);
    return within == STATE_REFUSED ? STATE_REFUSED : number_of(graph, part, within);
}

/* Moves a state to the part that it belongs to. */
static state_id move_state(struct graph *divided, const uint32_t *state)
{
    const uint64_t hash = hash_of(divided, state);
    struct graph_part *part = part_of_hash(divided, hash);
    const state_id within = state_table_add(&part->states, state, hash);
    tell_place(part);
    return within == STATE_REFUSED ? STATE_REFUSED : number_of(divided, part, within);
}

/* Layouts for the parts of a divided graph, which begin with what its states have taught. */
static struct state_layouts *layouts_create(const struct graph *graph)
{
    const struct model *model = graph->model;
    struct state_layouts *layouts = memory_allocate(model->budget, sizeof *layouts);
    if (!layouts)
        return NULL;
    state_table_init_layouts(layouts, model->budget, model->slots, model->identity_slots);
    if (graph_count(graph) == 0 ||
        state_layouts_begin_like(layouts, &graph->parts[0].states.own, graph_state(graph, 0)))
        return layouts;
    layouts_destroy(model->budget, layouts);
    return NULL;
}

enum status graph_divide(struct graph *graph, uint32_t bits, state_id *numbers)
{
    struct budget *budget = graph->model->budget;
    const uint32_t count = graph_count(graph);
    struct graph divided = {.layouts = layouts_create(graph), .part_bits = bits};
    assert(graph->part_bits == 0 && !graph->keeps_offers && !graph->skips);
    if (divided.layouts)
        divided.parts = parts_create(graph->model, bits, divided.layouts);
    bool room = divided.parts;
    for (state_id id = 0; id < count && room; id++) {
        numbers[id] = move_state(&divided, graph_state(graph, id));
        room = numbers[id] != STATE_REFUSED;
    }
    if (!room) {
        parts_destroy(budget, divided.parts, bits);
        layouts_destroy(budget, divided.layouts);
        return STATUS_LIMIT;
    }
    parts_destroy(budget, graph->parts, 0);
    graph->layouts = divided.layouts;
    graph->parts = divided.parts;
    graph->part_bits = bits;
    for (size_t i = 0; i < graph->initial.length; i++)
        graph->initial.items[i] = numbers[graph->initial.items[i]];
    return STATUS_OK;
}

/* ---- states ---- */

/* Packs a state in the layouts of all parts, before one of them is locked. */
static void pack(const struct graph *graph, struct expander *by, const uint32_t *state)
{
    const struct state_layouts *layouts =
        graph->layouts ? graph->layouts : &graph->parts[0].states.own;
    by->packed.words = by->words.items;
    state_layouts_pack(layouts, state, &by->packed);
}

/* Moves a state on to the first in a row that is stored already, *within, or is not skipped. */
static enum status skip_states(struct graph *graph, struct expander *by, uint32_t *state,
                               uint64_t *hash, state_id *within, struct error *error)
{
    const struct model *model = graph->model;
    bool skips = graph->skips && model->class->skip;
    assert(!skips || graph->part_bits == 0);
    for (uint32_t i = 0;; i++) {
        uint32_t process = 0;
        *within =
            state_table_find_packed(&part_of_hash(graph, *hash)->states, state, *hash, &by->packed);
        if (*within != STATE_REFUSED || !skips || i == GRAPH_SKIPS_MOST)
            return STATUS_OK;
        TRY(model->class->skip(by->worker, state, &process, error));
        if (process == UINT32_MAX)
            return STATUS_OK;
        by->counts.passed++;
        *hash = hash_of(graph, state);
        pack(graph, by, state);
    }
}

/* Interns a state, which is overwritten where it is skipped. */
static enum status add_state(struct graph *graph, struct expander *by, uint32_t *state,
                             uint64_t hash, state_id *id, struct error *error)
{
    struct graph_part *part = part_of_hash(graph, hash);
    state_id within;
    pack(graph, by, state);
    lock(graph, part);
    enum status status = skip_states(graph, by, state, &hash, &within, error);
    if (status == STATUS_OK && within == STATE_REFUSED)
        within = state_table_add_packed(&part->states, state, hash, &by->packed);
    tell_place(part);
    assert(status != STATUS_OK || within == STATE_REFUSED || within < part->states.count);
    unlock(graph, part);
    TRY(status);
    *id = within == STATE_REFUSED ? STATE_REFUSED : number_of(graph, part, within);
    return *id == STATE_REFUSED ? STATUS_LIMIT : STATUS_OK;
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
    TRY_MEMORY(vector_reserve(&by->hashes, count));
    for (size_t i = 0; i < count; i++) {
        uint32_t *state = out->states.items + i * graph->model->slots;
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        TRY(worker_represent(by->worker, state, error));
        by->hashes.items[i] = hash_of(graph, state);
        fetch(part_of_hash(graph, by->hashes.items[i]), by->hashes.items[i]);
    }
    return STATUS_OK;
}

/* ---- beginning and end ---- */

enum status expander_create(const struct graph *graph, struct expander *expander)
{
    const struct model *model = graph->model;
    *expander = (struct expander){0};
    vectors_init(model->budget, &expander->hashes, &expander->words, &expander->edges,
                 &expander->placed, &expander->state);
    successors_init(&expander->successors, model->budget);
    expander->worker = worker_create(model);
    return granted(expander->worker && vector_reserve(&expander->state, model->slots + (size_t)1) &&
                   vector_reserve(&expander->words, model->slots + (size_t)1));
}

void expander_release(struct expander *expander)
{
    vectors_release(&expander->hashes, &expander->words, &expander->edges, &expander->placed,
                    &expander->state);
    successors_release(&expander->successors);
    worker_destroy(expander->worker);
}

enum status graph_create(const struct model *model, struct graph *graph, struct error *error)
{
    struct budget *budget = model->budget;
    *graph = (struct graph){.model = model};
    struct expander *own = &graph->own;
    arena_init(&graph->arena, budget);
    vectors_init(budget, &graph->offers, &graph->initial);
    TRY(expander_create(graph, own));
    graph->parts = parts_create(model, 0, NULL);
    TRY_MEMORY(graph->parts);
    TRY(worker_initial(own->worker, &own->successors, error));
    own->exhausted |= own->successors.exhausted;
    TRY(look_ahead(graph, own, GRAPH_ALL_STEPS, error));
    for (size_t i = 0; i < own->successors.steps.length; i++) {
        state_id id = 0;
        TRY(add_state(graph, own, own->successors.states.items + i * model->slots,
                      own->hashes.items[i], &id, error));
        TRY_MEMORY(vector_push(&graph->initial, id));
    }
    return STATUS_OK;
}

void graph_release(struct graph *graph)
{
    parts_destroy(graph->model->budget, graph->parts, graph->part_bits);
    layouts_destroy(graph->model->budget, graph->layouts);
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
        struct edge edge = {.label = out->steps.items[i].label};
        if (!graph_takes(&out->steps.items[i], processes))
            continue;
        TRY(add_state(graph, by, out->states.items + i * graph->model->slots, by->hashes.items[i],
                      &edge.target, error));
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

static int compare_targets(const void *a, const void *b)
{
    const struct placed_edge *left = a, *right = b;
    if (left->edge.label != right->edge.label)
        return left->edge.label < right->edge.label ? -1 : 1;
    if (left->edge.target != right->edge.target)
        return left->edge.target < right->edge.target ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

static int compare_places(const void *a, const void *b)
{
    const struct placed_edge *left = a, *right = b;
    if (left->edge.label != right->edge.label)
        return left->edge.label < right->edge.label ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

/* Of many edges. */
static enum status sort_many(struct expander *by)
{
    const size_t count = by->edges.length;
    size_t kept = 0;
    TRY_MEMORY(vector_reserve(&by->placed, count));
    struct placed_edge *placed = by->placed.items;
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed_edge){by->edges.items[i], (uint32_t)i};
    qsort(placed, count, sizeof *placed, compare_targets);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || placed[kept - 1].edge.label != placed[i].edge.label ||
            placed[kept - 1].edge.target != placed[i].edge.target)
            placed[kept++] = placed[i];
    qsort(placed, kept, sizeof *placed, compare_places);
    for (size_t i = 0; i < kept; i++)
        by->edges.items[i] = placed[i].edge;
    by->edges.length = kept;
    return STATUS_OK;
}

/* Whether an edge of this label, the last of which is at `end - 1`, is there. */
static bool is_among(const struct edge *edges, size_t end, const struct edge *edge)
{
    while (end > 0 && edges[end - 1].label == edge->label)
        if (edges[--end].target == edge->target)
            return true;
    return false;
}

/* Sorts the edges written, and drops repetitions. Those of one label stay in the order in which the
 * model has them: the numbers of their targets are those in which they were found, which may be
 * another order, of threads any. */
static enum status sort_edges(struct expander *by)
{
    const size_t count = by->edges.length;
    size_t kept = 0;
    struct edge *edges = by->edges.items;
    if (count > MOST_SORTED_BY_INSERTION)
        return sort_many(by);
    for (size_t i = 1; i < count; i++) {
        struct edge edge = edges[i];
        size_t at = i;
        for (; at > 0 && edges[at - 1].label > edge.label; at--)
            edges[at] = edges[at - 1];
        edges[at] = edge;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_among(edges, kept, &edges[i]))
            edges[kept++] = edges[i];
    by->edges.length = kept;
    return STATUS_OK;
}

/* ---- stored edges ---- */

/* A new block for `count` edges. */
static bool add_block(struct graph_part *part, uint32_t count)
{
    uint32_t chunks = count / EDGE_CHUNK + 1;
    if ((part->chunks.length + chunks) >= UINT32_MAX / EDGE_CHUNK ||
        !vector_reserve(&part->chunks, part->chunks.length + chunks))
        return false;
    struct edge *edges = memory_allocate(part->chunks.budget, block_size(chunks));
    if (!edges)
        return false;
    part->edge_count = (uint32_t)part->chunks.length * EDGE_CHUNK;
    part->edge_count += part->edge_count == 0; /* no edge has the number 0 */
    for (uint32_t i = 0; i < chunks; i++)
        part->chunks.items[part->chunks.length++] =
            (struct edge_chunk){edges + (size_t)i * EDGE_CHUNK, i == 0 ? chunks : 0};
    return true;
}

static struct edge *edges_at(const struct graph_part *part, uint32_t number)
{
    assert(number / EDGE_CHUNK < part->chunks.length);
    return part->chunks.items[number / EDGE_CHUNK].edges + number % EDGE_CHUNK;
}

void graph_bytes(const struct graph *graph, size_t *states, size_t *index, size_t *edges)
{
    *states = *index = *edges = 0;
    for (uint32_t i = 0; i >> graph->part_bits == 0; i++) {
        const struct graph_part *part = &graph->parts[i];
        size_t own = 0, found = 0;
        *edges += part->rows.capacity * sizeof *part->rows.items;
        for (size_t j = 0; j < part->chunks.length; j++)
            *edges += block_size(part->chunks.items[j].chunks);
        state_table_bytes(&part->states, &own, &found);
        *states += own;
        *index += found;
    }
}

void graph_counts_add(struct graph_counts *sum, const struct graph_counts *more)
{
    sum->expanded += more->expanded;
    sum->steps += more->steps;
    sum->ample += more->ample;
    sum->offered += more->offered;
    sum->left_out += more->left_out;
    sum->passed += more->passed;
    sum->renumbered += more->renumbered;
    sum->pure += more->pure;
    sum->stale += more->stale;
}

const struct edge *graph_kept_edges(const struct graph *graph, state_id state, uint32_t *count)
{
    const struct edge_row *row = graph_row(graph, state);
    assert(row->first);
    *count = row->count;
    return edges_at(graph_part(graph, state), row->first);
}

/* Stores the edges written as those of the state. */
static enum status keep_edges(struct graph_part *part, state_id within, const struct expander *by)
{
    uint32_t count = (uint32_t)by->edges.length;
    if (part->edge_count + (uint64_t)count >= (uint64_t)part->chunks.length * EDGE_CHUNK &&
        !add_block(part, count))
        return STATUS_LIMIT;
    while (part->rows.length <= within)
        TRY_MEMORY(vector_push(&part->rows, ((struct edge_row){0})));
    assert(part->rows.items[within].first == 0 && part->edge_count > 0); /* stored once */
    if (count)
        memcpy(edges_at(part, part->edge_count), by->edges.items, count * sizeof *by->edges.items);
    part->rows.items[within] = (struct edge_row){part->edge_count, count};
    part->edge_count += count;
    return STATUS_OK;
}

enum status graph_keep_edges(struct graph *graph, state_id state)
{
    return keep_edges(graph_part(graph, state), state >> graph->part_bits, &graph->own);
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
        TRY(sort_edges(by));
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
    return sort_edges(by);
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
        if (graph->skips && graph->model->class->skip) {
            hash = hash_of(graph, state);
            pack(graph, own, state);
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

/* The edges that are stored; *edges is null where none are, and the state is read, to be expanded.
 */
static void look_up(const struct graph *graph, struct expander *by, state_id state,
                    const struct edge **edges, uint32_t *count)
{
    const struct graph_part *part = graph_part(graph, state);
    const state_id within = state >> graph->part_bits;
    const struct edge_row *row = graph_row(graph, state);
    assert(within < part->states.count);
    *edges = NULL;
    if (row->first) {
        *edges = edges_at(part, row->first);
        *count = row->count;
        return;
    }
    state_table_read(&part->states, within, by->state.items);
}

const uint32_t *graph_state_by(const struct graph *graph, struct expander *by, state_id state)
{
    struct graph_part *part = graph_part(graph, state);
    lock(graph, part);
    state_table_read(&part->states, state >> graph->part_bits, by->state.items);
    unlock(graph, part);
    return by->state.items;
}

/* Stores the edges written, unless another thread has stored them meanwhile. */
static enum status store(struct graph *graph, const struct expander *by, state_id state,
                         const struct edge **edges, uint32_t *count)
{
    struct graph_part *part = graph_part(graph, state);
    const state_id within = state >> graph->part_bits;
    if (graph_row(graph, state)->first == 0)
        TRY(keep_edges(part, within, by));
    *edges = edges_at(part, graph_row(graph, state)->first);
    *count = graph_row(graph, state)->count;
    return STATUS_OK;
}

enum status graph_edges_by(struct graph *graph, struct expander *by, state_id state,
                           const struct edge **edges, uint32_t *count, struct error *error)
{
    struct graph_part *part = graph_part(graph, state);
    if (limits_look(graph->limits, &by->asked))
        return STATUS_LIMIT;
    lock(graph, part);
    look_up(graph, by, state, edges, count);
    unlock(graph, part);
    if (*edges)
        return STATUS_OK;
    TRY(expand(graph, by, state, error));
    *edges = by->edges.items;
    *count = (uint32_t)by->edges.length;
    if (graph->forgets)
        return STATUS_OK;
    lock(graph, part);
    enum status status = store(graph, by, state, edges, count);
    unlock(graph, part);
    return status;
}

enum status graph_edges(struct graph *graph, state_id state, const struct edge **edges,
                        uint32_t *count, struct error *error)
{
    return graph_edges_by(graph, &graph->own, state, edges, count, error);
}

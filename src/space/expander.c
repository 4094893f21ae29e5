#include "space/expander.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"

#define MOST_SORTED_BY_INSERTION SIZE_OR_SMALL(32, 2)

/* ---- beginning and end ---- */

enum status expander_create(struct expander *expander, const struct model *model,
                            const struct state_store *states, const struct limits *within)
{
    *expander = (struct expander){0};
    vectors_init(model->budget, &expander->packed.hashes, &expander->packed.words,
                 &expander->packed.labels, &expander->packed.ends, &expander->gathered,
                 &expander->edges, &expander->placed, &expander->state);
    successors_init(&expander->successors, model->budget);
    expander->successors.limits = within;
    expander->worker = worker_create(model);
    const bool room = state_adder_init(&expander->adder, states);
    return granted(room && expander->worker &&
                   vector_reserve(&expander->state, model->slots + (size_t)1));
}

void expander_release(struct expander *expander)
{
    vectors_release(&expander->packed.hashes, &expander->packed.words, &expander->packed.labels,
                    &expander->packed.ends, &expander->gathered, &expander->edges,
                    &expander->placed, &expander->state);
    state_adder_release(&expander->adder);
    successors_release(&expander->successors);
    worker_destroy(expander->worker);
}

void expander_counts_add(struct expander_counts *sum, const struct expander_counts *more)
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

/* ---- states that are packed ahead ---- */

enum status expander_prepare(struct expander *by, const struct state_store *states, size_t count)
{
    state_store_settle(states);
    by->layout = state_layouts_last(state_store_layouts(states));
    if (by->layout && !by->layout->groups)
        by->layout = NULL;
    by->stride = by->layout ? by->layout->words + 1 : 0;
    return granted(vector_reserve(&by->packed.hashes, count) &&
                   vector_reserve(&by->packed.words, count * by->stride));
}

void expander_pack(const struct expander *by, const struct state_store *states, size_t place)
{
    const uint32_t *state = expander_state(by, place);
    if (!by->layout) {
        by->packed.hashes.items[place] = state_store_hash(states, state);
        return;
    }
    uint64_t *words = expander_words(by, place);
    words[by->layout->words] =
        state_groups_pack_hashed(by->layout->groups, state, words, &by->packed.hashes.items[place]);
}

/* ---- edges ---- */

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

/* ---- what is not stored yet ---- */

static bool are_same(const struct expander *by, state_id a, state_id b)
{
    if (by->packed.hashes.items[a] != by->packed.hashes.items[b])
        return false;
    if (expander_layout(by, a) && expander_layout(by, b))
        return memcmp(expander_words(by, a), expander_words(by, b),
                      by->layout->words * sizeof(uint64_t)) == 0;
    return memcmp(expander_state(by, a), expander_state(by, b),
                  by->worker->model->identity_slots * sizeof(uint32_t)) == 0;
}

/* Of many edges: those whose hashes are the same in half of their bits stand together. */
static enum status unify_many(struct expander *by)
{
    const size_t count = by->edges.length;
    TRY_MEMORY(vector_reserve(&by->placed, count));
    struct placed_edge *placed = by->placed.items;
    for (uint32_t i = 0; i < count; i++) {
        const state_id target = by->edges.items[i].target;
        placed[i] = (struct placed_edge){{(label)by->packed.hashes.items[target], target}, i};
    }
    qsort(placed, count, sizeof *placed, compare_places);
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j-- > 0 && placed[j].edge.label == placed[i].edge.label;)
            if (are_same(by, placed[j].edge.target, placed[i].edge.target))
                placed[i].edge.target = placed[j].edge.target;
    for (size_t i = 0; i < count; i++)
        by->edges.items[placed[i].place].target = placed[i].edge.target;
    return STATUS_OK;
}

enum status expander_unify(struct expander *by)
{
    struct edge *edges = by->edges.items;
    if (by->edges.length > MOST_SORTED_BY_INSERTION)
        return unify_many(by);
    for (size_t i = 1; i < by->edges.length; i++)
        for (size_t j = 0; j < i; j++)
            if (edges[j].label == edges[i].label &&
                are_same(by, edges[j].target, edges[i].target)) {
                edges[i].target = edges[j].target;
                break;
            }
    return STATUS_OK;
}

enum status expander_sort(struct expander *by)
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

/* Puts an edge among so many, which are in order, behind those of its label; one of that label that
 * leads to the same state stays alone. Returns how many there are then. */
static inline size_t insert_edge(const struct expander *by, struct edge *edges, label of,
                                 state_id target, size_t count)
{
    const uint64_t *hashes = by->packed.hashes.items;
    size_t at = count;
    while (at > 0 && edges[at - 1].label > of)
        at--;
    for (size_t i = at; i > 0 && edges[i - 1].label == of; i--)
        if (UNLIKELY(hashes[edges[i - 1].target] == hashes[target]) &&
            are_same(by, edges[i - 1].target, target))
            return count;
    for (size_t i = count; i > at; i--)
        edges[i] = edges[i - 1];
    edges[at].label = of;
    edges[at].target = target;
    return count + 1;
}

/* ---- states whose steps the model finds packed ---- */

static const struct packing *packing_of(const struct state_layout *layout)
{
    return layout && layout->groups ? state_groups_packing(layout->groups) : NULL;
}

enum status expander_ask_packed(struct expander *by, const struct state_store *states,
                                const struct state_layout *stored)
{
    struct packed_steps *steps = &by->packed;
    steps->done = 0;
    by->layout = state_layouts_last(state_store_layouts(states));
    steps->from = packing_of(stored);
    steps->to = packing_of(by->layout);
    if (!steps->from || !steps->to)
        return STATUS_OK;
    by->stride = by->layout->words;
    return by->worker->model->class->expand(by->worker, steps);
}

void expander_count_packed(struct expander *by, uint32_t states, size_t steps)
{
    by->exhausted |= by->packed.exhausted;
    by->counts.expanded += states;
    by->counts.steps += steps;
    by->counts.renumbered += by->packed.renumbered;
    by->counts.pure += by->packed.pure;
    by->counts.stale += by->packed.stale;
    by->counts.ample += by->packed.decided;
}

enum status expander_take_packed(struct expander *by)
{
    const struct packed_steps *steps = &by->packed;
    const size_t count = steps->labels.length;
    const label *labels = steps->labels.items;
    struct edge *edges;
    size_t kept = 0;
    TRY_MEMORY(vector_reserve(&by->edges, count));
    edges = by->edges.items;
    expander_count_packed(by, 1, count);
    for (uint32_t i = 0; i < count && count <= MOST_SORTED_BY_INSERTION; i++)
        kept = insert_edge(by, edges, labels[i], i, kept);
    for (; kept < count && count > MOST_SORTED_BY_INSERTION; kept++)
        edges[kept] = (struct edge){labels[kept], (state_id)kept};
    by->edges.length = kept;
    if (count <= MOST_SORTED_BY_INSERTION)
        return STATUS_OK;
    TRY(expander_unify(by));
    return expander_sort(by);
}

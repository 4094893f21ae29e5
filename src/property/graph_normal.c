/* The subset construction on the fly: the targets of a label's edges, closed under τ by the
 * explorer (depth first, where ample sets are followed), sorted and interned. Steps that are known
 * are looked up by label first. Invariant: a normalised state is an ascending array of states,
 * τ-closed, not empty. */
#include "property/graph_normal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void graph_normal_release(struct graph_normal *normal)
{
    normal_steps_release(&normal->far);
    vector_release(&normal->near);
    word_arrays_release(&normal->sets);
    arena_release(&normal->arena);
    vectors_release(&normal->edges, &normal->degrees, &normal->marks, &normal->stacked);
    depth_first_release(&normal->search);
    vectors_release(&normal->chosen, &normal->closure, &normal->seeds, &normal->visible,
                    &normal->scratch, &normal->slots);
}

const uint32_t *graph_normal_members(const struct graph_normal *normal, normal_id id, size_t *count)
{
    return word_arrays_get(&normal->sets, id, count);
}

/* ---- closure ---- */

static enum status closure_start(struct graph_normal *normal)
{
    normal->closure.length = 0;
    if (++normal->mark == 0) { /* wrapped round: forget all marks */
        memset(normal->marks.items, 0, normal->marks.length * sizeof *normal->marks.items);
        memset(normal->stacked.items, 0, normal->stacked.length * sizeof *normal->stacked.items);
        normal->mark = 1;
    }
    return STATUS_OK;
}

static enum status closure_add(struct graph_normal *normal, state_id state)
{
    while (normal->marks.length <= state)
        TRY_MEMORY(vector_push(&normal->marks, 0) && vector_push(&normal->stacked, 0));
    if (normal->marks.items[state] == normal->mark)
        return STATUS_OK;
    normal->marks.items[state] = normal->mark;
    return granted(vector_push(&normal->closure, state));
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Whether an ample set is invisible and none of its steps returns to the path. */
static bool is_ample(const struct graph_normal *normal, const struct offer *offer)
{
    for (uint32_t i = 0; i < offer->count; i++) {
        state_id target = offer->edges[i].target;
        if (offer->edges[i].label != LABEL_TAU ||
            (target < normal->stacked.length && normal->stacked.items[target] == normal->mark))
            return false;
    }
    return true;
}

/* The state's ample set if it has one, else all its edges. */
static enum status choose(struct graph_normal *normal, state_id state)
{
    struct closure_step step;
    TRY(graph_edges(normal->specification, state, &step.edges, &step.count, normal->error));
    normal->stacked.items[state] = normal->mark;
    for (const struct offer *offer = graph_offers(normal->specification, state); offer->count;
         offer++) {
        if (is_ample(normal, offer)) {
            step = (struct closure_step){offer->edges, offer->count};
            break;
        }
    }
    return granted(vector_push(&normal->chosen, step));
}

/* Adds a state unless it was, and goes on from there. */
static enum status meet(void *self, uint32_t state, bool *enter)
{
    struct graph_normal *normal = self;
    size_t before = normal->closure.length;
    TRY(closure_add(normal, state));
    *enter = normal->closure.length > before;
    return *enter ? choose(normal, state) : STATUS_OK;
}

static enum status tau_edge(void *self, uint32_t state, uint32_t number, uint32_t *target)
{
    const struct graph_normal *normal = self;
    const struct closure_step *step = &normal->chosen.items[normal->chosen.length - 1];
    (void)state;
    if (number < step->count && step->edges[number].label == LABEL_TAU) /* τ is the least label */
        *target = step->edges[number].target;
    return STATUS_OK;
}

static enum status leave(void *self, uint32_t state)
{
    struct graph_normal *normal = self;
    normal->stacked.items[state] = 0;
    normal->chosen.length--;
    assert(normal->chosen.length == normal->search.path.length); /* one for each on the path */
    return STATUS_OK;
}

/* Follows τ from what is in the closure depth first, by ample sets where there are any. What the
 * search starts with counts as met only when it is entered: else two such states whose ample sets
 * lead to each other would both be taken for finished. */
static enum status follow_offers(struct graph_normal *normal)
{
    static const struct depth_visitor visitor = {meet, tau_edge, leave};
    normal->seeds.length = 0;
    for (size_t i = 0; i < normal->closure.length; i++)
        TRY_MEMORY(vector_push(&normal->seeds, normal->closure.items[i]));
    TRY(closure_start(normal));
    normal->chosen.length = 0;
    for (size_t i = 0; i < normal->seeds.length; i++)
        TRY(depth_first_from(&normal->search, &visitor, normal, normal->seeds.items[i]));
    return STATUS_OK;
}

/* A node is an index into the closure. */
static enum status visit(void *self, uint32_t node, bool *stop)
{
    struct graph_normal *normal = self;
    const struct edge *edges;
    uint32_t count;
    (void)stop; /* all are wanted */
    TRY(graph_edges(normal->specification, normal->closure.items[node], &edges, &count,
                    normal->error));
    for (uint32_t i = 0; i < count && edges[i].label == LABEL_TAU; i++)
        TRY(closure_add(normal, edges[i].target));
    return STATUS_OK;
}

static enum status found(void *self, uint32_t *count)
{
    *count = (uint32_t)((struct graph_normal *)self)->closure.length;
    return STATUS_OK;
}

/* Follows every τ from what is in the closure. */
static enum status follow_all(struct graph_normal *normal)
{
    static const struct visitor visitor = {.visit = visit, .found = found};
    return explore_oldest_first(NULL, NULL, NULL, &visitor, normal);
}

/* Follows τ from what is in the closure, then interns it. */
static enum status closure_finish(struct graph_normal *normal, normal_id *id, struct error *error)
{
    normal->error = error;
    TRY(normal->specification->keeps_offers ? follow_offers(normal) : follow_all(normal));
    bool fresh = false;
    qsort(normal->closure.items, normal->closure.length, sizeof *normal->closure.items,
          compare_ids);
    *id = word_arrays_intern(&normal->sets, normal->closure.items, normal->closure.length, &fresh);
    TRY_MEMORY(*id != UINT32_MAX);
    assert(fresh == (*id == normal->edges.length)); /* equal sets have one number */
    if (fresh && (!vector_push(&normal->edges, NULL) || !vector_push(&normal->degrees, 0)))
        return STATUS_LIMIT;
    return STATUS_OK;
}

static enum status initial(struct normal *base, normal_id *initial, struct error *error)
{
    struct graph_normal *normal = (struct graph_normal *)base;
    TRY(closure_start(normal));
    for (size_t i = 0; i < normal->specification->initial.length; i++)
        TRY(closure_add(normal, normal->specification->initial.items[i]));
    return closure_finish(normal, initial, error);
}

/* ---- expansion ---- */

static int compare_edges(const void *a, const void *b)
{
    return compare_ids(&((const struct edge *)a)->label, &((const struct edge *)b)->label);
}

/* All visible edges of the members, by label. */
static enum status gather_visible(struct graph_normal *normal, normal_id from, struct error *error)
{
    size_t members;
    const uint32_t *states = graph_normal_members(normal, from, &members);
    assert(members > 0); /* some trace leads there */
    normal->visible.length = 0;
    for (size_t i = 0; i < members; i++) {
        const struct edge *edges;
        uint32_t count;
        TRY(graph_edges(normal->specification, states[i], &edges, &count, error));
        for (uint32_t j = 0; j < count; j++)
            if (edges[j].label != LABEL_TAU && !vector_push(&normal->visible, edges[j]))
                return STATUS_LIMIT;
    }
    if (normal->visible.length)
        qsort(normal->visible.items, normal->visible.length, sizeof *normal->visible.items,
              compare_edges);
    return STATUS_OK;
}

static enum status expand(struct graph_normal *normal, normal_id from, struct error *error)
{
    TRY(gather_visible(normal, from, error));
    normal->scratch.length = 0;
    for (size_t i = 0; i < normal->visible.length;) {
        struct normal_edge edge = {.label = normal->visible.items[i].label};
        TRY(closure_start(normal));
        for (; i < normal->visible.length && normal->visible.items[i].label == edge.label; i++)
            TRY(closure_add(normal, normal->visible.items[i].target));
        assert(normal->scratch.length == 0 ||
               normal->scratch.items[normal->scratch.length - 1].label < edge.label);
        TRY(closure_finish(normal, &edge.target, error));
        TRY_MEMORY(vector_push(&normal->scratch, edge));
    }
    size_t count = normal->scratch.length;
    struct normal_edge *copy = arena_allocate(&normal->arena, (count + 1) * sizeof *copy);
    TRY_MEMORY(copy);
    if (count)
        memcpy(copy, normal->scratch.items, count * sizeof *copy);
    normal->edges.items[from] = copy;
    normal->degrees.items[from] = (uint32_t)count;
    return STATUS_OK;
}

static enum status edges(struct normal *base, normal_id from, const struct normal_edge **found,
                         uint32_t *count, struct error *error)
{
    struct graph_normal *normal = (struct graph_normal *)base;
    assert(from < normal->edges.length);
    if (!normal->edges.items[from])
        TRY(expand(normal, from, error));
    *found = normal->edges.items[from];
    *count = normal->degrees.items[from];
    return STATUS_OK;
}

/* ---- single steps ---- */

/* Adds the targets of the state's edges with this label to the closure. */
static enum status add_targets(struct graph_normal *normal, state_id state, label l,
                               struct error *error)
{
    const struct edge *edges;
    uint32_t high, low = 0;
    TRY(graph_edges(normal->specification, state, &edges, &high, error));
    uint32_t count = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edges[middle].label < l)
            low = middle + 1;
        else
            high = middle;
    }
    assert((low == 0 || edges[low - 1].label < l) && (low == count || edges[low].label >= l));
    for (; low < count && edges[low].label == l; low++)
        TRY(closure_add(normal, edges[low].target));
    return STATUS_OK;
}

static enum status step(struct normal *base, normal_id from, label l, normal_id *to,
                        struct error *error);

/* What members become when they are renumbered after a step. */
static enum status step_turn(struct graph_normal *normal, normal_id from, label l,
                             struct renumbering by, normal_id *to, struct error *error)
{
    struct graph *graph = normal->specification;
    size_t members, size = graph->model->slots;
    *to = from;
    if (l != LABEL_TAU)
        TRY(step(&normal->normal, from, l, to, error));
    if (*to == NORMAL_NONE)
        return STATUS_OK;
    TRY_MEMORY(vector_reserve(&normal->slots, size));
    const uint32_t *states = graph_normal_members(normal, *to, &members);
    TRY(closure_start(normal));
    for (size_t i = 0; i < members; i++) {
        state_id turned = 0;
        memcpy(normal->slots.items, graph_state(graph, states[i]), size * sizeof *states);
        TRY(symmetry_turn(normal->specification->own.worker, normal->slots.items, by, error));
        TRY(graph_add(graph, normal->slots.items, &turned, error));
        TRY(closure_add(normal, turned));
    }
    return closure_finish(normal, to, error);
}

/* Where a step leads, worked out. */
static enum status step_afresh(struct graph_normal *normal, normal_id from, label l, normal_id *to,
                               struct error *error)
{
    size_t members;
    const uint32_t *states = graph_normal_members(normal, from, &members);
    struct renumbering by = RENUMBERING_NONE;
    if (normal->symmetric)
        l = labels_own(normal->specification->model->labels, l, &by);
    if (!renumbering_is_none(by))
        return step_turn(normal, from, l, by, to, error);
    TRY(closure_start(normal));
    for (size_t i = 0; i < members; i++)
        TRY(add_targets(normal, states[i], l, error));
    *to = NORMAL_NONE;
    return normal->closure.length ? closure_finish(normal, to, error) : STATUS_OK;
}

/* Makes room for the step of `from` by `l`, and rows wide enough for it. */
static enum status widen_near(struct graph_normal *normal, normal_id from, label l)
{
    uint32_t old = normal->near_width, width = old ? old : GRAPH_NORMAL_NEAR / 4;
    assert(l < GRAPH_NORMAL_NEAR && (old == 0 || normal->near.length % old == 0));
    while (width <= l)
        width *= 2;
    size_t rows = old ? normal->near.length / old : 0, wanted = (size_t)from + 1;
    if (wanted < rows)
        wanted = rows;
    TRY_MEMORY(vector_reserve(&normal->near, wanted * width));
    uint32_t *cells = normal->near.items;
    for (size_t row = width > old ? rows : 0; row-- > 0;) { /* from the last: they move up */
        memmove(cells + row * width, cells + row * old, old * sizeof *cells);
        memset(cells + row * width + old, 0, (width - old) * sizeof *cells);
    }
    memset(cells + rows * width, 0, (wanted - rows) * width * sizeof *cells);
    normal->near.length = wanted * width;
    normal->near_width = width;
    return STATUS_OK;
}

static enum status step_near(struct graph_normal *normal, normal_id from, label l, normal_id *to,
                             struct error *error)
{
    TRY(step_afresh(normal, from, l, to, error));
    size_t at = (size_t)from * normal->near_width + l;
    normal->worked_out++;
    if (l >= normal->near_width || at >= normal->near.length)
        TRY(widen_near(normal, from, l));
    normal->near.items[(size_t)from * normal->near_width + l] = *to == NORMAL_NONE ? 1 : *to + 2;
    return STATUS_OK;
}

static enum status step_far(struct graph_normal *normal, normal_id from, label l, normal_id *to,
                            struct error *error)
{
    if (normal_steps_find(&normal->far, from, l, to))
        return STATUS_OK;
    TRY(step_afresh(normal, from, l, to, error));
    normal->worked_out++;
    return granted(normal_steps_add(&normal->far, from, l, *to));
}

static enum status step(struct normal *base, normal_id from, label l, normal_id *to,
                        struct error *error)
{
    struct graph_normal *normal = (struct graph_normal *)base;
    assert(from < normal->edges.length && l != LABEL_TAU); /* τ is in the sets */
    if (l >= GRAPH_NORMAL_NEAR)
        return step_far(normal, from, l, to, error);
    size_t at = (size_t)from * normal->near_width + l;
    uint32_t cell = l < normal->near_width && at < normal->near.length ? normal->near.items[at] : 0;
    if (cell == 0)
        return step_near(normal, from, l, to, error);
    *to = cell == 1 ? NORMAL_NONE : cell - 2;
    return STATUS_OK;
}

static bool includes(struct normal *base, normal_id whole, normal_id part, bool *includes)
{
    const struct graph_normal *normal = (const struct graph_normal *)base;
    *includes = word_arrays_includes(&normal->sets, whole, part);
    return true;
}

static bool signature(struct normal *base, normal_id id, uint64_t *signature)
{
    *signature = word_arrays_signature(&((const struct graph_normal *)base)->sets, id);
    return true;
}

static uint64_t known(const struct normal *base)
{
    const struct graph_normal *normal = (const struct graph_normal *)base;
    const struct graph *specification = normal->specification;
    return normal->sets.items.length + graph_count(specification) +
           specification->model->class->known(specification->model);
}

static void sizes(const struct normal *base, struct normal_sizes *sizes)
{
    const struct graph_normal *normal = (const struct graph_normal *)base;
    *sizes =
        (struct normal_sizes){.sets = normal->sets.items.length, .worked_out = normal->worked_out};
}

static const struct normal_class graph_class = {
    .initial = initial,
    .step = step,
    .edges = edges,
    .includes = includes,
    .signature = signature,
    .known = known,
    .sizes = sizes,
};

void graph_normal_init(struct graph_normal *normal, struct graph *specification, bool symmetric)
{
    struct budget *budget = specification->model->budget;
    *normal = (struct graph_normal){
        .normal.class = &graph_class, .specification = specification, .symmetric = symmetric};
    vector_init(&normal->near, budget);
    normal_steps_init(&normal->far, budget);
    word_arrays_init(&normal->sets, budget);
    arena_init(&normal->arena, budget);
    vectors_init(budget, &normal->edges, &normal->degrees, &normal->marks, &normal->stacked);
    depth_first_init(&normal->search, budget);
    vectors_init(budget, &normal->chosen, &normal->closure, &normal->seeds, &normal->visible,
                 &normal->scratch, &normal->slots);
}

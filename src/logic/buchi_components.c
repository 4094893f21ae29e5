/* What the strongly connected components of an automaton say: which states are dead, and which
 * acceptance sets are of no use. A run stays in one component from some point on, so acceptance
 * matters only on edges within components, and each component may number its sets by itself. */
#include <string.h>

#include "logic/buchi_simplify.h"

/* ---- components ---- */

static enum status edge(void *self, uint32_t state, uint32_t number, uint32_t *target)
{
    const struct buchi *buchi = ((struct buchi_components *)self)->buchi;
    const uint32_t at = buchi->first.items[state] + number;
    *target = at < buchi->first.items[state + 1] ? buchi->edges.items[at].target : NODE_NONE;
    return STATUS_OK;
}

static enum status complete(void *self, const uint32_t *members, uint32_t count, bool *stop)
{
    struct buchi_components *components = self;
    (void)stop; /* all are wanted */
    for (uint32_t i = 0; i < count; i++)
        TRY_MEMORY(vector_push(&components->order, members[i]));
    return STATUS_OK;
}

bool buchi_components_find(const struct buchi *buchi, struct budget *budget,
                           struct buchi_components *components)
{
    static const struct components_of of = {.edge = edge, .complete = complete};
    components->buchi = buchi;
    vector_init(&components->order, budget);
    bool made = components_init(&components->found, &of, components, buchi->state_count, budget);
    for (size_t i = 0; i < buchi->initial.length && made; i++)
        made = components_from(&components->found, buchi->initial.items[i]) == STATUS_OK;
    if (!made)
        buchi_components_release(components);
    return made;
}

void buchi_components_release(struct buchi_components *components)
{
    components_release(&components->found);
    vector_release(&components->order);
}

/* ---- keeping a part ---- */

bool buchi_keep(struct buchi *buchi, const bool *keep)
{
    size_t states = buchi->state_count;
    uint32_t *number = memory_allocate(buchi->budget, states * sizeof *number);
    if (!number)
        return false;
    uint32_t kept = 0;
    size_t edges = 0, initial = 0;
    for (uint32_t i = 0; i < states; i++)
        number[i] = keep[i] ? kept++ : UINT32_MAX;
    for (uint32_t i = 0; i < states; i++) {
        uint32_t from = buchi->first.items[i], to = buchi->first.items[i + 1];
        if (keep[i]) /* number[i] <= i: what is overwritten was read */
            buchi->first.items[number[i]] = (uint32_t)edges;
        for (uint32_t k = from; k < to && keep[i]; k++) {
            struct buchi_edge edge = buchi->edges.items[k];
            if (edge.target == UINT32_MAX || number[edge.target] == UINT32_MAX)
                continue;
            edge.target = number[edge.target];
            buchi->edges.items[edges++] = edge;
        }
    }
    for (size_t i = 0; i < buchi->initial.length; i++)
        if (number[buchi->initial.items[i]] != UINT32_MAX)
            buchi->initial.items[initial++] = number[buchi->initial.items[i]];
    buchi->first.items[kept] = (uint32_t)edges;
    buchi->first.length = kept + 1;
    buchi->edges.length = edges;
    buchi->initial.length = initial;
    buchi->state_count = kept;
    memory_release(buchi->budget, number, states * sizeof *number);
    return true;
}

/* ---- dead states ---- */

/* Of the component order[from .. to): whether it is accepting, or an edge leaves it for a state
 * that is kept. */
static bool is_alive(const struct buchi *buchi, const struct buchi_components *components,
                     uint32_t from, uint32_t to, const bool *keep)
{
    uint64_t sets = 0;
    bool cyclic = false;
    for (uint32_t i = from; i < to; i++) {
        uint32_t state = components->order.items[i];
        for (uint32_t k = buchi->first.items[state]; k < buchi->first.items[state + 1]; k++) {
            const struct buchi_edge *edge = &buchi->edges.items[k];
            if (buchi_component(components, edge->target) != buchi_component(components, state)) {
                if (keep[edge->target])
                    return true;
                continue;
            }
            cyclic = true;
            sets |= edge->acceptance;
        }
    }
    return cyclic && sets == buchi_all_sets(buchi);
}

bool buchi_trim(struct buchi *buchi)
{
    struct buchi_components components;
    size_t states = buchi->state_count;
    bool *keep = memory_zeroed(buchi->budget, states * sizeof *keep);
    bool made = keep && buchi_components_find(buchi, buchi->budget, &components);
    if (made) {
        for (uint32_t from = 0, to; from < components.order.length; from = to) {
            uint32_t component = buchi_component(&components, components.order.items[from]);
            for (to = from; to < components.order.length; to++)
                if (buchi_component(&components, components.order.items[to]) != component)
                    break;
            bool alive = is_alive(buchi, &components, from, to, keep);
            for (uint32_t i = from; i < to; i++)
                keep[components.order.items[i]] = alive;
        }
        made = buchi_keep(buchi, keep);
        buchi_components_release(&components);
    }
    memory_release(buchi->budget, keep, states * sizeof *keep);
    return made;
}

/* ---- acceptance sets ---- */

/* What is known of the marks within one component. */
struct marks {
    bool cyclic;
    uint64_t some, every; /* sets that some edge is in, that all are in */
    uint64_t implied[64]; /* of set j: the sets that every edge of j is in */
    uint64_t needed;      /* the others follow from these */
};

static void add_edge(struct marks *marks, uint64_t acceptance)
{
    marks->cyclic = true;
    marks->some |= acceptance;
    marks->every &= acceptance;
    for (uint64_t rest = acceptance; rest; rest &= rest - 1)
        marks->implied[__builtin_ctzll(rest)] &= acceptance;
}

/* Which sets an accepting component needs: not those that hold all edges, nor those that hold all
 * edges of another set that is needed. */
static void find_needed(struct marks *marks, uint64_t all)
{
    marks->needed = all & ~marks->every;
    for (uint64_t rest = marks->needed; rest; rest &= rest - 1) {
        unsigned j = (unsigned)__builtin_ctzll(rest);
        if (marks->needed >> j & 1)
            marks->needed &= ~marks->implied[j] | UINT64_C(1) << j;
    }
}

static void find_marks(const struct buchi *buchi, const struct buchi_components *components,
                       struct marks *marks)
{
    for (uint32_t i = 0; i < components->found.count; i++) {
        marks[i] = (struct marks){.every = UINT64_MAX};
        memset(marks[i].implied, 0xff, sizeof marks[i].implied);
    }
    for (uint32_t state = 0; state < buchi->state_count; state++) {
        uint32_t component = buchi_component(components, state);
        for (uint32_t k = buchi->first.items[state]; k < buchi->first.items[state + 1]; k++)
            if (buchi_component(components, buchi->edges.items[k].target) == component)
                add_edge(&marks[component], buchi->edges.items[k].acceptance);
    }
    for (uint32_t i = 0; i < components->found.count; i++)
        if (marks[i].cyclic && marks[i].some == buchi_all_sets(buchi))
            find_needed(&marks[i], buchi_all_sets(buchi));
}

static bool is_accepting(const struct marks *marks, uint64_t all)
{
    return marks->cyclic && marks->some == all;
}

/* The bits of `acceptance` at the places of `needed`, moved together; above them all bits. */
static uint64_t renumber(uint64_t acceptance, uint64_t needed)
{
    uint64_t moved = UINT64_MAX;
    unsigned to = 0;
    for (uint64_t rest = needed; rest; rest &= rest - 1, to++)
        if (!(acceptance >> __builtin_ctzll(rest) & 1))
            moved &= ~(UINT64_C(1) << to);
    return moved;
}

static void put_marks(struct buchi *buchi, const struct buchi_components *components,
                      const struct marks *marks, enum buchi_passing passing, uint32_t sets)
{
    uint64_t old = buchi_all_sets(buchi);
    buchi->acceptance_count = sets;
    uint64_t all = buchi_all_sets(buchi);
    for (uint32_t state = 0; state < buchi->state_count; state++) {
        uint32_t component = buchi_component(components, state);
        for (uint32_t k = buchi->first.items[state]; k < buchi->first.items[state + 1]; k++) {
            struct buchi_edge *edge = &buchi->edges.items[k];
            if (buchi_component(components, edge->target) != component)
                edge->acceptance = passing == PASSING_IN_ALL ? all : 0;
            else if (!is_accepting(&marks[component], old))
                edge->acceptance = 0;
            else
                edge->acceptance = all & renumber(edge->acceptance, marks[component].needed);
        }
    }
}

bool buchi_tidy_acceptance(struct buchi *buchi, enum buchi_passing passing, uint32_t least)
{
    struct buchi_components components;
    if (!buchi_components_find(buchi, buchi->budget, &components))
        return false;
    size_t size = components.found.count * sizeof(struct marks);
    struct marks *marks = memory_allocate(buchi->budget, size);
    if (marks) {
        uint32_t sets = least;
        find_marks(buchi, &components, marks);
        for (uint32_t i = 0; i < components.found.count; i++) {
            bool accepting = is_accepting(&marks[i], buchi_all_sets(buchi));
            uint32_t needed =
                accepting ? (uint32_t)__builtin_popcountll(marks[i].needed) : marks[i].cyclic;
            sets = needed > sets ? needed : sets;
        }
        put_marks(buchi, &components, marks, passing, sets);
    }
    memory_release(buchi->budget, marks, size);
    buchi_components_release(&components);
    return marks != NULL;
}

/* Direct simulation: a state simulates another if for every edge of the other it has one that reads
 * whatever that reads, is in all its acceptance sets, and leads to a state that simulates that
 * edge's target. What the other accepts it then accepts too, so that
 *   - states that simulate one another may be joined (Etessami and Holzmann 2000; Somenzi and Bloem
 *     2000),
 *   - of two edges of a state one may go if the other reads as much, is in as many sets and leads
 * to a state that simulates its target,
 *   - an edge that does not read letters with x may read them where another edge, as good, does. */
#include "logic/buchi_simplify.h"

/* A table of the pairs of more states would be large. */
#define MOST_STATES 10000

/* Of one state, for comparing all with all. */
#define MOST_EDGES 1000

/* After so many comparisons of edges states stay as they are: more time than it saves. */
#define MOST_COMPARISONS ((uint64_t)100000000)

struct simulation {
    size_t states;
    uint64_t *rows; /* t is in row s: t simulates s */
    bool *keep;
    uint64_t comparisons; /* of edges */
};

static struct bits simulators(const struct simulation *simulation, uint32_t state)
{
    size_t states = simulation->states;
    return (struct bits){simulation->rows + state * bits_words(states), states};
}

static bool simulates(const struct simulation *simulation, uint32_t state, uint32_t other)
{
    return bits_get(simulators(simulation, state), other);
}

/* Whether `other` can be taken wherever `edge` can, and is as good. */
static bool stands_for(const struct simulation *simulation, const struct buchi_edge *edge,
                       const struct buchi_edge *other)
{
    return !(other->positive & ~edge->positive) && !(other->negative & ~edge->negative) &&
           !(edge->acceptance & ~other->acceptance) &&
           simulates(simulation, edge->target, other->target);
}

static bool follows(const struct buchi *buchi, struct simulation *simulation, uint32_t state,
                    uint32_t other)
{
    const struct buchi_edge *edges = buchi->edges.items;
    for (uint32_t i = buchi->first.items[state]; i < buchi->first.items[state + 1]; i++) {
        uint32_t k = buchi->first.items[other], end = buchi->first.items[other + 1];
        while (k < end && !stands_for(simulation, &edges[i], &edges[k]))
            k++;
        simulation->comparisons += k - buchi->first.items[other] + 1;
        if (k == end)
            return false;
    }
    return true;
}

/* The greatest relation with that property: from all pairs, those are taken out that do not have
 * it, until all have. States that are found late come first, so that one pass goes far. False when
 * a limit is reached, or when it takes too long. */
static bool refine(const struct buchi *buchi, struct simulation *simulation,
                   const struct limits *limits)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t state = buchi->state_count; state-- > 0;) {
            if (limits_reached(limits) || simulation->comparisons > MOST_COMPARISONS)
                return false;
            for (uint32_t other = buchi->state_count; other-- > 0;) {
                if (state == other || !simulates(simulation, state, other) ||
                    follows(buchi, simulation, state, other))
                    continue;
                bits_clear(simulators(simulation, state), other);
                changed = true;
            }
        }
    }
    return true;
}

/* ---- what follows ---- */

/* All states that simulate one another become the first of them. */
static bool join_states(struct buchi *buchi, const struct simulation *simulation)
{
    size_t size = buchi->state_count * sizeof(uint32_t);
    uint32_t *first = memory_allocate(buchi->budget, size);
    for (uint32_t state = 0; first && state < buchi->state_count; state++) {
        uint32_t other = 0;
        while (other < state &&
               !(simulates(simulation, state, other) && simulates(simulation, other, state)))
            other++;
        first[state] = other;
        simulation->keep[state] = other == state;
    }
    for (size_t i = 0; first && i < buchi->edges.length; i++)
        buchi->edges.items[i].target = first[buchi->edges.items[i].target];
    for (size_t i = 0; first && i < buchi->initial.length; i++)
        buchi->initial.items[i] = first[buchi->initial.items[i]];
    memory_release(buchi->budget, first, size);
    return first != NULL;
}

/* Of the initial states only those are kept that no other one simulates. */
static void drop_initial(struct buchi *buchi, const struct simulation *simulation)
{
    size_t kept = 0;
    uint32_t *initial = buchi->initial.items;
    for (size_t i = 0; i < buchi->initial.length; i++) {
        bool covered = false;
        for (size_t k = 0; k < buchi->initial.length && !covered; k++)
            covered =
                initial[k] == initial[i] ? k < i : simulates(simulation, initial[i], initial[k]);
        if (!covered)
            initial[kept++] = initial[i];
    }
    buchi->initial.length = kept;
}

/* Takes a literal out of an edge if another edge reads the letters that this adds. */
static bool widen(const struct simulation *simulation, struct buchi_edge *edge,
                  const struct buchi_edge *other)
{
    uint64_t up = edge->positive & other->negative, down = edge->negative & other->positive;
    if (__builtin_popcountll(up | down) != 1)
        return false;
    struct buchi_edge wide = *edge, rest = *other;
    wide.positive &= ~up;
    wide.negative &= ~down;
    rest.negative &= ~up;
    rest.positive &= ~down;
    if (!stands_for(simulation, &wide, &rest))
        return false;
    *edge = wide;
    return true;
}

static bool is_dropped(const struct buchi_edge *edge)
{
    return edge->target == UINT32_MAX;
}

static void simplify_edges(struct buchi *buchi, const struct simulation *simulation, uint32_t state)
{
    struct buchi_edge *edges = buchi->edges.items;
    uint32_t from = buchi->first.items[state], to = buchi->first.items[state + 1];
    if (to - from > MOST_EDGES)
        return;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = from; i < to; i++)
            for (uint32_t k = from; k < to; k++)
                changed |= i != k && widen(simulation, &edges[i], &edges[k]);
    }
    for (uint32_t i = from; i < to; i++) {
        for (uint32_t k = from; k < to; k++) {
            if (i == k || is_dropped(&edges[k]) || !stands_for(simulation, &edges[i], &edges[k]))
                continue;
            edges[i].target = UINT32_MAX;
            break;
        }
    }
}

bool buchi_join(struct buchi *buchi, const struct limits *limits)
{
    struct budget *budget = buchi->budget;
    size_t states = buchi->state_count, size = states * bits_words(states) * sizeof(uint64_t);
    struct simulation simulation = {.states = states};
    if (states > MOST_STATES)
        return true;
    simulation.rows = memory_allocate(budget, size);
    simulation.keep = memory_allocate(budget, states * sizeof *simulation.keep);
    bool made = simulation.rows && simulation.keep;
    if (made)
        memset(simulation.rows, 0xff, size);
    if (made && refine(buchi, &simulation, limits)) {
        made = join_states(buchi, &simulation);
        drop_initial(buchi, &simulation);
        for (uint32_t state = 0; state < states && made; state++)
            simplify_edges(buchi, &simulation, state);
        made = made && buchi_keep(buchi, simulation.keep);
    }
    memory_release(budget, simulation.rows, size);
    memory_release(budget, simulation.keep, states * sizeof *simulation.keep);
    return made && !limits_reached(limits);
}

bool buchi_simplify(struct buchi *buchi, bool keep_acceptance, uint32_t least,
                    const struct limits *limits)
{
    for (unsigned round = 0;; round++) {
        size_t size = buchi->state_count + buchi->edges.length + buchi->acceptance_count;
        enum buchi_passing passing = round % 2 ? PASSING_IN_NONE : PASSING_IN_ALL;
        if (!buchi_trim(buchi) ||
            (!keep_acceptance && !buchi_tidy_acceptance(buchi, passing, least)) ||
            !buchi_join(buchi, limits))
            return false;
        bool same = size == buchi->state_count + buchi->edges.length + buchi->acceptance_count;
        if (same && (round % 2 || keep_acceptance))
            return buchi_trim(buchi);
    }
}

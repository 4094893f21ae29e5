/* Computes place invariants by Farkas' elimination, for inequalities (double description): the
 * weights y >= 0 with y C <= 0 form a cone, whose generators are kept while one step after another
 * is demanded not to raise the sum. At first they are single places; of those that a step raises
 * each is added to each that it lowers, so that the step leaves the sum as it is. Their number may
 * explode: work and room are bounded, and a generator that finds none is forgotten, for any that is
 * left is an invariant by itself. */
#include "petri/invariants.h"

#include <assert.h>
#include <string.h>

#define MOST_WEIGHT 1000000 /* so that weighted sums stay far below 2^64 */
#define MOST_RAYS   400
#define MOST_ROOM   ((size_t)2 << 20) /* numbers in all rays */
#define MOST_WORK   ((uint64_t)8 << 20)
#define MOST_KEPT   32
#define MOST_PLACES 64

struct elimination {
    struct problem *problem;
    size_t places, steps; /* of the problem; closed or not */
    size_t width;         /* of a ray: its weights, then what each step does to the sum */
    int64_t *rays;
    size_t count, room;
    uint64_t work;
    const struct limits *limits; /* may be null */
    bool *done;                  /* steps */
};

static int64_t *ray(const struct elimination *elimination, size_t at)
{
    return elimination->rays + at * elimination->width;
}

/* ---- the first generators ---- */

static uint32_t place_of(const struct problem *problem, size_t at)
{
    return at < problem->control_count ? problem->controls[at]
                                       : problem->counters[at - problem->control_count];
}

static void begin_ray(struct elimination *elimination, size_t at)
{
    const struct problem *problem = elimination->problem;
    int64_t *row = ray(elimination, elimination->count++);
    memset(row, 0, elimination->width * sizeof *row);
    row[at] = 1;
    for (size_t s = 0; s < elimination->steps; s++) {
        const struct problem_step *step = &problem->steps.items[s];
        int64_t *effect = &row[elimination->places + s];
        if (at < problem->control_count)
            *effect = (step->to == at) - (step->from == at);
        for (uint32_t i = 0; i < step->change_count; i++)
            if (step->changes[i].counter + problem->control_count == at)
                *effect = step->changes[i].delta;
    }
}

/* ---- elimination ---- */

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Makes the last row from two others; false if its weights become too large. */
static bool combine(struct elimination *elimination, const int64_t *raised, const int64_t *lowered,
                    size_t column, int64_t *row)
{
    int64_t by = -lowered[column], divisor = 0, with = raised[column];
    assert(by > 0 && with > 0);
    for (size_t i = 0; i < elimination->width; i++) {
        row[i] = raised[i] * by + lowered[i] * with;
        if (i < elimination->places)
            divisor = greatest_divisor(row[i], divisor);
        if (row[i] > (int64_t)MOST_WEIGHT * MOST_WEIGHT ||
            row[i] < -(int64_t)MOST_WEIGHT * MOST_WEIGHT)
            return false;
    }
    bool good = divisor > 0;
    for (size_t i = 0; good && i < elimination->width; i++) {
        row[i] /= divisor; /* of weights, and so of their sums too */
        good = row[i] <= MOST_WEIGHT && row[i] >= -MOST_WEIGHT;
    }
    assert(!good || row[column] == 0);
    elimination->work += 2 * elimination->width;
    return good;
}

/* Whether every place of `small` has a weight in `large`, and every step that is done and lowers
 * the sum of `small` lowers that of `large`: the latter are the slack of the inequalities, and
 * count like weights. */
static bool within(const struct elimination *elimination, const int64_t *small,
                   const int64_t *large)
{
    for (size_t i = 0; i < elimination->places; i++)
        if (small[i] && !large[i])
            return false;
    for (size_t s = 0; s < elimination->steps; s++)
        if (elimination->done[s] && small[elimination->places + s] &&
            !large[elimination->places + s])
            return false;
    return true;
}

/* The step in question, of which the new ray has no slack, counts as done. */
static bool is_minimal(struct elimination *elimination, const int64_t *row, size_t column)
{
    for (size_t i = 0; i < elimination->count; i++) {
        const int64_t *other = ray(elimination, i);
        elimination->work += 8;
        if (other[column] == 0 && within(elimination, other, row))
            return false;
    }
    return true;
}

/* Adds what can be made of one ray that the step raises. */
static void combine_with_all(struct elimination *elimination, size_t raised, size_t first_new,
                             size_t column)
{
    for (size_t i = 0; i < first_new && elimination->work < MOST_WORK; i++) {
        int64_t *row = ray(elimination, elimination->count);
        if (ray(elimination, i)[column] >= 0 || elimination->count == elimination->room)
            continue;
        if (combine(elimination, ray(elimination, raised), ray(elimination, i), column, row) &&
            is_minimal(elimination, row, column))
            elimination->count++;
    }
}

static void eliminate(struct elimination *elimination, size_t column)
{
    size_t before = elimination->count, kept = 0;
    for (size_t i = 0; i < before; i++)
        if (ray(elimination, i)[column] > 0)
            combine_with_all(elimination, i, before, column);
    for (size_t i = 0; i < elimination->count; i++) {
        if (ray(elimination, i)[column] > 0)
            continue;
        if (kept != i)
            memcpy(ray(elimination, kept), ray(elimination, i),
                   elimination->width * sizeof *elimination->rays);
        kept++;
    }
    assert(kept <= elimination->count && elimination->count <= elimination->room);
    elimination->count = kept;
}

/* The step for which the fewest rays have to be made, or NET_NONE. */
static size_t next_column(struct elimination *elimination)
{
    size_t best = NET_NONE, least = SIZE_MAX;
    for (size_t s = 0; s < elimination->steps; s++) {
        size_t raised = 0, lowered = 0, column = elimination->places + s;
        if (elimination->done[s])
            continue;
        for (size_t i = 0; i < elimination->count; i++) {
            raised += ray(elimination, i)[column] > 0;
            lowered += ray(elimination, i)[column] < 0;
        }
        elimination->work += elimination->count;
        elimination->done[s] = raised == 0;
        if (raised && raised * lowered < least) {
            least = raised * lowered;
            best = s;
        }
    }
    return best;
}

/* ---- what is kept ---- */

static bool keep(struct elimination *elimination, const int64_t *row)
{
    struct problem *problem = elimination->problem;
    struct arc arcs[MOST_PLACES];
    size_t count = 0;
    for (size_t i = 0; i < elimination->places; i++)
        if (row[i] && count < MOST_PLACES)
            arcs[count++] = (struct arc){place_of(problem, i), (uint32_t)row[i]};
    struct arc *items = arena_allocate(&problem->arena, count * sizeof *items);
    if (!items)
        return false;
    memcpy(items, arcs, count * sizeof *items);
    struct arcs weights = {items, (uint32_t)arcs_normalise(items, count)};
    return vector_push(&problem->invariants, weights);
}

static bool keep_some(struct elimination *elimination)
{
    size_t kept = 0;
    for (size_t size = 1; size <= MOST_PLACES; size++)
        for (size_t i = 0; i < elimination->count && kept < MOST_KEPT; i++) {
            const int64_t *row = ray(elimination, i);
            size_t places = 0;
            for (size_t p = 0; p < elimination->places; p++)
                places += row[p] > 0;
            if (places != size)
                continue;
            kept++;
            if (!keep(elimination, row))
                return false;
        }
    return true;
}

/* ---- finding them ---- */

static bool eliminate_all(struct elimination *elimination)
{
    struct problem *problem = elimination->problem;
    for (size_t at = 0; at < elimination->places; at++) {
        uint32_t place = place_of(problem, at);
        if (!problem->net->places.items[place].open)
            begin_ray(elimination, at);
    }
    for (size_t s; (s = next_column(elimination)) != NET_NONE;) {
        eliminate(elimination, elimination->places + s);
        elimination->done[s] = true;
        if (elimination->limits && limits_reached(elimination->limits) != LIMIT_NONE)
            return false;
    }
    return keep_some(elimination);
}

static bool find_invariants(struct problem *problem, struct budget *budget,
                            const struct limits *limits)
{
    struct elimination elimination = {.problem = problem,
                                      .places = problem->control_count + problem->counter_count,
                                      .steps = problem->steps.length,
                                      .limits = limits};
    elimination.width = elimination.places + elimination.steps;
    elimination.room = elimination.width ? MOST_ROOM / elimination.width : 0;
    if (elimination.room > MOST_RAYS)
        elimination.room = MOST_RAYS;
    if (elimination.places >= elimination.room)
        return true; /* too large */
    size_t bytes = (elimination.room + 1) * elimination.width * sizeof *elimination.rays;
    elimination.rays = memory_allocate(budget, bytes);
    elimination.done = memory_zeroed(budget, elimination.steps * sizeof *elimination.done);
    bool good = elimination.rays && elimination.done && eliminate_all(&elimination);
    memory_release(budget, elimination.rays, bytes);
    memory_release(budget, elimination.done, elimination.steps * sizeof *elimination.done);
    return good;
}

/* ---- those that hold ---- */

static uint64_t weigh(struct arcs weights, struct arcs tokens)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < tokens.count; i++)
        sum += (uint64_t)tokens.items[i].count * arcs_count(weights, tokens.items[i].place);
    return sum;
}

/* Whether it is one; no open place may count, or there is no bound. */
static bool holds(const struct problem *problem, struct arcs weights, uint64_t *most)
{
    const struct net *net = problem->net;
    *most = 0;
    for (uint32_t i = 0; i < weights.count; i++) {
        const struct net_place *place = &net->places.items[weights.items[i].place];
        if (place->open || weights.items[i].count > MOST_WEIGHT)
            return false;
        *most += (uint64_t)weights.items[i].count * place->initial;
    }
    for (size_t t = 0; t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        if (weigh(weights, transition->gives) > weigh(weights, transition->takes) &&
            concurrency_allow(&problem->pairs, transition->takes))
            return false;
    }
    return true;
}

static bool add_bound(struct problem *problem, struct arcs weights)
{
    struct arena *arena = &problem->arena;
    struct bound bound = {.weights = weights};
    if (!holds(problem, weights, &bound.most))
        return true;
    uint32_t *controls = arena_allocate(arena, problem->control_count * sizeof *controls);
    uint32_t *counters = arena_allocate(arena, problem->counter_count * sizeof *counters);
    if (!controls || !counters)
        return false;
    for (size_t c = 0; c < problem->control_count; c++)
        controls[c] = arcs_count(weights, problem->controls[c]);
    for (size_t c = 0; c < problem->counter_count; c++)
        counters[c] = arcs_count(weights, problem->counters[c]);
    bound.control_weights = controls;
    bound.counter_weights = counters;
    return vector_push(&problem->bounds, bound);
}

enum status invariants_bound(struct problem *problem, bool find, struct budget *budget,
                             const struct limits *limits)
{
    const struct net *net = problem->net;
    for (size_t i = 0; i < net->invariants.length; i++)
        TRY_MEMORY(vector_push(&problem->invariants, net->invariants.items[i].weights));
    if (find && problem->targets.length && !find_invariants(problem, budget, limits))
        return STATUS_LIMIT;
    for (size_t i = 0; i < problem->invariants.length; i++)
        TRY_MEMORY(add_bound(problem, problem->invariants.items[i]));
    return STATUS_OK;
}

#include "petri/problem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "petri/relevance.h"

struct making {
    struct problem *problem;
    const struct net *net;
    struct budget *budget;
    struct bits relevant; /* places */
    struct bits kept;     /* transitions */
};

/* ---- controls ---- */

static bool excludes_itself(const struct making *making, uint32_t place)
{
    const struct concurrency *pairs = &making->problem->pairs;
    return bits_get(making->relevant, place) && bits_get(pairs->live, place) &&
           !concurrency_has(pairs, place, place);
}

struct candidate {
    uint32_t place;
    uint32_t excluded; /* so many of the candidates */
};

static int by_excluded(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->excluded != b->excluded)
        return a->excluded < b->excluded ? 1 : -1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Of those among, `count`, the ones that cannot hold a token together with this place. */
static uint32_t count_excluded(const struct concurrency *pairs, struct bits among, size_t count,
                               uint32_t place)
{
    const struct symmetric_bits *rows = &pairs->rows;
    for (size_t word = 0; (word = symmetric_bits_next(rows, place / TILE, word)) < rows->words;
         word++)
        count -= (size_t)__builtin_popcountll(among.words[word] &
                                              symmetric_bits_word(rows, place, word));
    return (uint32_t)count;
}

static void remove_related(const struct concurrency *pairs, struct bits among, uint32_t place)
{
    const struct symmetric_bits *rows = &pairs->rows;
    for (size_t word = 0; (word = symmetric_bits_next(rows, place / TILE, word)) < rows->words;
         word++)
        among.words[word] &= ~symmetric_bits_word(rows, place, word);
}

/* Greedily, those first that exclude most of the others. Marks them in control_of; `among` is empty
 * and is used up. */
static void choose_controls(struct making *making, struct bits among, struct candidate *candidates)
{
    struct problem *problem = making->problem;
    const struct concurrency *pairs = &problem->pairs;
    size_t count = 0;
    for (uint32_t p = 0; p < pairs->places; p++) {
        if (!excludes_itself(making, p))
            continue;
        bits_set(among, p);
        candidates[count++].place = p;
    }
    for (size_t i = 0; i < count; i++)
        candidates[i].excluded = count_excluded(pairs, among, count, candidates[i].place);
    if (count)
        qsort(candidates, count, sizeof *candidates, by_excluded);
    for (size_t i = 0; i < count; i++) {
        uint32_t p = candidates[i].place;
        if (!bits_get(among, p))
            continue;
        remove_related(pairs, among, p);
        problem->control_of[p] = 0;
    }
}

static bool number_places(struct making *making)
{
    struct problem *problem = making->problem;
    size_t places = making->net->places.length;
    struct arena *arena = &problem->arena;
    size_t bytes = (places ? places : 1) * sizeof(uint32_t);
    problem->control_of = arena_allocate(arena, bytes);
    problem->counter_of = arena_allocate(arena, bytes);
    problem->controls = arena_allocate(arena, bytes);
    problem->counters = arena_allocate(arena, bytes);
    problem->initial = arena_allocate(arena, bytes);
    struct bits among = bits_allocate(making->budget, places);
    struct candidate *candidates = memory_allocate(making->budget, places * sizeof *candidates);
    bool good = among.words && candidates && problem->control_of && problem->counter_of &&
                problem->controls && problem->counters && problem->initial;
    if (good) {
        memset(problem->control_of, 0xff, bytes);
        memset(problem->counter_of, 0xff, bytes);
        choose_controls(making, among, candidates);
    }
    bits_release(making->budget, among);
    memory_release(making->budget, candidates, places * sizeof *candidates);
    for (uint32_t p = 0; good && p < places; p++) {
        if (!bits_get(making->relevant, p) || !bits_get(problem->pairs.live, p))
            continue;
        if (problem->control_of[p] != NET_NONE) {
            problem->control_of[p] = (uint32_t)problem->control_count;
            problem->controls[problem->control_count++] = p;
        } else {
            problem->counter_of[p] = (uint32_t)problem->counter_count;
            problem->counters[problem->counter_count++] = p;
        }
    }
    assert(problem->control_count + problem->counter_count <= places);
    return good;
}

/* ---- steps ---- */

/* The control among the arcs, and the counters; no other place matters. */
static bool translate(struct problem *problem, struct arcs arcs, struct demand *demand)
{
    struct counter_count *items = arena_allocate(&problem->arena, arcs.count * sizeof *items);
    if (!items)
        return false;
    *demand = (struct demand){NET_NONE, 0, items};
    for (uint32_t i = 0; i < arcs.count; i++) {
        uint32_t place = arcs.items[i].place;
        if (problem->control_of[place] != NET_NONE)
            demand->control = problem->control_of[place];
        else if (problem->counter_of[place] != NET_NONE)
            items[demand->count++] =
                (struct counter_count){problem->counter_of[place], arcs.items[i].count};
    }
    return true;
}

/* What is given less what is taken; both ascending. */
static bool find_changes(struct problem *problem, const struct demand *takes,
                         const struct demand *gives, struct problem_step *step)
{
    struct change *changes =
        arena_allocate(&problem->arena, (takes->count + gives->count) * sizeof *changes);
    uint32_t i = 0, j = 0;
    if (!changes)
        return false;
    while (i < takes->count || j < gives->count) {
        uint32_t take = i < takes->count ? takes->items[i].counter : NET_NONE;
        uint32_t given = j < gives->count ? gives->items[j].counter : NET_NONE;
        int32_t delta = 0;
        uint32_t counter = take < given ? take : given;
        if (given == counter)
            delta += (int32_t)gives->items[j++].count;
        if (take == counter)
            delta -= (int32_t)takes->items[i++].count;
        if (delta)
            changes[step->change_count++] = (struct change){counter, delta};
    }
    assert(step->change_count <= takes->count + gives->count);
    step->changes = changes;
    return true;
}

static bool add_step(struct making *making, uint32_t t)
{
    struct problem *problem = making->problem;
    const struct net_transition *transition = &making->net->transitions.items[t];
    struct demand takes, gives;
    struct problem_step step = {.transition = t};
    if (!translate(problem, transition->takes, &takes) ||
        !translate(problem, transition->gives, &gives) ||
        !find_changes(problem, &takes, &gives, &step))
        return false;
    step.from = takes.control;
    step.to = gives.control;
    step.takes = takes.items;
    step.take_count = takes.count;
    return vector_push(&problem->steps, step);
}

static bool add_targets(struct problem *problem)
{
    const struct net *net = problem->net;
    for (size_t i = 0; i < net->targets.length; i++) {
        struct demand target;
        if (!concurrency_allow(&problem->pairs, net->targets.items[i]))
            continue;
        if (!translate(problem, net->targets.items[i], &target) ||
            !vector_push(&problem->targets, target))
            return false;
    }
    return true;
}

static void set_initial(struct problem *problem)
{
    problem->initial_control = NET_NONE;
    for (uint32_t i = 0; i < problem->control_count; i++)
        if (problem->net->places.items[problem->controls[i]].initial)
            problem->initial_control = i;
    for (size_t i = 0; i < problem->counter_count; i++) {
        const struct net_place *place = &problem->net->places.items[problem->counters[i]];
        problem->initial[i] = place->open ? OMEGA : place->initial;
    }
}

/* ---- groups ---- */

static void put_from(const struct problem *problem, struct groups *groups, uint32_t s)
{
    uint32_t from = problem->steps.items[s].from;
    groups_put(groups, from == NET_NONE ? (uint32_t)problem->control_count : from, s);
}

static void put_to(const struct problem *problem, struct groups *groups, uint32_t s)
{
    const struct problem_step *step = &problem->steps.items[s];
    if (step->to != step->from)
        groups_put(groups, step->to == NET_NONE ? (uint32_t)problem->control_count : step->to, s);
}

static void put_raises(const struct problem *problem, struct groups *groups, uint32_t s)
{
    const struct problem_step *step = &problem->steps.items[s];
    for (uint32_t i = 0; i < step->change_count; i++)
        if (step->changes[i].delta > 0)
            groups_put(groups, step->changes[i].counter, s);
}

static void put_takes(const struct problem *problem, struct groups *groups, uint32_t s)
{
    const struct problem_step *step = &problem->steps.items[s];
    for (uint32_t i = 0; i < step->take_count; i++)
        groups_put(groups, step->takes[i].counter, s);
}

typedef void put_step(const struct problem *problem, struct groups *groups, uint32_t s);

static bool group(struct problem *problem, size_t count, put_step *by, struct groups *groups)
{
    if (!groups_begin(groups, count, &problem->arena))
        return false;
    while (groups_pass(groups, &problem->arena))
        for (uint32_t s = 0; s < problem->steps.length; s++)
            by(problem, groups, s);
    return groups_made(groups);
}

/* ---- the whole ---- */

static bool make_steps(struct making *making)
{
    struct problem *problem = making->problem;
    if (!number_places(making))
        return false;
    for (uint32_t t = 0; t < making->net->transitions.length; t++)
        if (bits_get(making->kept, t) && !add_step(making, t))
            return false;
    set_initial(problem);
    return add_targets(problem) &&
           group(problem, problem->control_count + 1, put_from, &problem->from) &&
           group(problem, problem->control_count + 1, put_to, &problem->to) &&
           group(problem, problem->counter_count, put_raises, &problem->raises) &&
           group(problem, problem->counter_count, put_takes, &problem->takes);
}

enum status problem_make(const struct net *net, struct budget *budget, const struct limits *limits,
                         struct problem *problem)
{
    *problem = (struct problem){.net = net};
    struct making making = {.problem = problem, .net = net, .budget = budget};
    arena_init(&problem->arena, budget);
    vectors_init(budget, &problem->steps, &problem->targets, &problem->invariants,
                 &problem->bounds);
    TRY(concurrency_find(net, budget, limits, &problem->pairs));
    making.relevant = bits_allocate(budget, net->places.length);
    making.kept = bits_allocate(budget, net->transitions.length);
    bool good = making.relevant.words && making.kept.words &&
                relevance_find(net, &problem->pairs, budget, making.relevant, making.kept) &&
                make_steps(&making);
    bits_release(budget, making.relevant);
    bits_release(budget, making.kept);
    return granted(good);
}

void problem_release(struct problem *problem)
{
    concurrency_release(&problem->pairs);
    vectors_release(&problem->steps, &problem->targets, &problem->invariants, &problem->bounds);
    arena_release(&problem->arena);
}

/* Makes a run shorter, in three ways: a backward search guided by estimates finds a short run soon,
 * most of all when it is given no other transitions than those of a long one; one guided by lower
 * bounds, given time, finds the shortest (A*); else pieces are left out as long as what is left is
 * a run, first half of it, in the end single transitions. */
#include "petri/shorten.h"

#include <string.h>

#include "base/faults.h"
#include "petri/backward.h"
#include "petri/invariants.h"

#define SEARCH_WORK (UINT64_C(20) << 20) /* for each search: some tenths of a second */
#define SEARCH_TURN SIZE_OR_SMALL(UINT64_C(1) << 18, UINT64_C(4096))
#define CUT_WORK    (UINT64_C(100) << 20) /* transitions fired while pieces are left out */

/* Replaces the run if the search finds one that is no longer. */
static enum status search(const struct problem *problem, enum backward_order order,
                          struct budget *budget, const struct limits *limits, struct run *run,
                          bool *found)
{
    struct backward *backward = backward_create(problem, order, budget);
    enum engine_state state = backward ? ENGINE_RUNNING : ENGINE_REFUSED;
    for (uint64_t work = 0; state == ENGINE_RUNNING && work < SEARCH_WORK; work += SEARCH_TURN) {
        state = backward_work(backward, SEARCH_TURN);
        if (limits_reached(limits) != LIMIT_NONE)
            break;
    }
    enum status status = STATUS_OK;
    *found = state == ENGINE_UNSAFE && backward_length(backward) <= run->transitions.length;
    if (*found) {
        status = backward_run(backward, budget, run);
        *found = status == STATUS_OK; /* else the run is as it was */
    }
    backward_destroy(backward);
    return status;
}

/* The net with the run's transitions only; `numbers` (of the net's length) gets theirs in the net.
 */
static bool restrict_net(const struct net *net, const struct run *run, struct net *small,
                         uint32_t *numbers)
{
    uint32_t count = 0;
    uint32_t *used = numbers; /* first whether it is used, then the numbers, never behind */
    memset(used, 0, net->transitions.length * sizeof *used);
    for (size_t i = 0; i < run->transitions.length; i++)
        used[run->transitions.items[i]] = 1;
    for (size_t p = 0; p < net->places.length; p++)
        net_add_place(small, "", net->places.items[p].initial, net->places.items[p].open);
    for (uint32_t t = 0; t < net->transitions.length; t++) {
        const struct net_transition *transition = &net->transitions.items[t];
        if (!used[t])
            continue;
        net_add_transition(small, NULL, 0, transition->takes.items, transition->takes.count,
                           transition->gives.items, transition->gives.count);
        numbers[count++] = t;
    }
    for (size_t i = 0; i < net->targets.length; i++)
        net_add_target(small, net->targets.items[i].items, net->targets.items[i].count);
    return !small->refused;
}

static enum status search_within(const struct net *net, struct budget *budget,
                                 const struct limits *limits, struct run *run)
{
    bool found = false;
    struct net small;
    struct problem problem = {0};
    size_t bytes = net->transitions.length * sizeof(uint32_t);
    uint32_t *numbers = memory_allocate(budget, bytes);
    enum status status = STATUS_LIMIT;
    net_init(&small, budget);
    if (numbers && restrict_net(net, run, &small, numbers))
        status = problem_make(&small, budget, limits, &problem);
    if (status == STATUS_OK)
        status = invariants_bound(&problem, true, budget, limits);
    if (status == STATUS_OK)
        status = search(&problem, BACKWARD_GUIDED, budget, limits, run, &found);
    for (size_t i = 0; found && i < run->transitions.length; i++)
        run->transitions.items[i] = numbers[run->transitions.items[i]];
    problem_release(&problem);
    net_release(&small);
    memory_release(budget, numbers, bytes);
    return status;
}

/* What must be there so that the transitions can fire one after the other, for some target; into
 * `counts`, by place. False if the initial marking, open places aside, does not have it. */
static bool fit(const struct net *net, const struct run *run, struct arcs target, uint32_t *counts)
{
    memset(counts, 0, net->places.length * sizeof *counts);
    for (uint32_t i = 0; i < target.count; i++)
        counts[target.items[i].place] = target.items[i].count;
    for (size_t t = run->transitions.length; t-- > 0;) {
        const struct net_transition *transition =
            &net->transitions.items[run->transitions.items[t]];
        for (uint32_t i = 0; i < transition->gives.count; i++) {
            uint32_t *count = &counts[transition->gives.items[i].place];
            uint32_t given = transition->gives.items[i].count;
            *count = *count > given ? *count - given : 0;
        }
        for (uint32_t i = 0; i < transition->takes.count; i++)
            counts[transition->takes.items[i].place] += transition->takes.items[i].count;
    }
    for (size_t p = 0; p < net->places.length; p++) {
        const struct net_place *place = &net->places.items[p];
        if (!place->open && counts[p] > place->initial)
            return false;
    }
    return true;
}

/* Lets the run begin with no more tokens than it needs; false if it is none. */
static bool refit(const struct net *net, struct run *run, uint32_t *counts)
{
    bool good = false;
    for (size_t i = 0; i < net->targets.length && !good; i++)
        good = fit(net, run, net->targets.items[i], counts);
    for (size_t p = 0; good && p < net->places.length; p++) {
        uint32_t least = net->places.items[p].initial;
        run->initial[p] = counts[p] > least ? counts[p] : least;
    }
    return good;
}

/* Leaves out what can be, pieces of this size. The room is for a copy of the transitions. */
static void cut(const struct net *net, struct run *run, size_t size, struct run *trial,
                uint32_t *counts, const struct limits *limits, uint64_t *work)
{
    for (size_t at = run->transitions.length; at > 0;) {
        size_t begin = at > size ? at - size : 0, length = run->transitions.length;
        uint32_t *items = trial->transitions.items;
        *work += length + net->places.length;
        if (*work > CUT_WORK || limits_reached(limits) != LIMIT_NONE)
            return;
        memcpy(items, run->transitions.items, begin * sizeof *items);
        memcpy(items + begin, run->transitions.items + at, (length - at) * sizeof *items);
        trial->transitions.length = length - (at - begin);
        if (refit(net, trial, counts)) {
            memcpy(run->transitions.items, items, trial->transitions.length * sizeof *items);
            run->transitions.length = trial->transitions.length;
        }
        at = begin;
    }
}

static enum status leave_out(const struct net *net, struct budget *budget,
                             const struct limits *limits, struct run *run)
{
    uint64_t work = 0;
    size_t bytes = net->places.length * sizeof(uint32_t);
    uint32_t *counts = memory_allocate(budget, bytes);
    struct run trial = {.initial = run->initial};
    vector_init(&trial.transitions, budget);
    bool good = counts && vector_reserve(&trial.transitions, run->transitions.length + 1);
    for (size_t size = run->transitions.length / 2; good && size > 0; size /= 2)
        cut(net, run, size, &trial, counts, limits, &work);
    if (good && !refit(net, run, counts))
        good = false; /* cannot be */
    vector_release(&trial.transitions);
    memory_release(budget, counts, bytes);
    return granted(good);
}

enum status run_shorten(const struct problem *problem, struct budget *budget,
                        const struct limits *limits, struct run *run, bool *shortest)
{
    TRY(search_within(problem->net, budget, limits, run));
    TRY(search(problem, BACKWARD_SHORTEST, budget, limits, run, shortest));
    return *shortest ? STATUS_OK : leave_out(problem->net, budget, limits, run);
}

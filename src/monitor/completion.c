/* Which values the pending pops of a stack took, if the history is linearizable only so.
 *
 * A pending pop invoked at moment x can take, at x or later, any value that nobody else popped; or
 * nothing, and then it does not matter. Nor does it matter which pop takes which value: values can
 * be gone from moments d1 <= d2 <= ... on exactly when, for every moment, no more of them are due
 * by then than pops have been invoked. So what is looked for is a due moment for some values, from
 * which on they are not critical any more; only invocations of pending pops need be considered.
 *
 * At first nothing is due. When the elimination is stuck, every solution has to free some moment m
 * next at which only values that are never popped are critical; these are due by m, that is, by the
 * last invocation x of a pending pop up to m. Of the moments that share an x the first one makes
 * the fewest values due, so it is enough to try that: there is at most one way out for each x, and
 * following it frees an operation. An empty pop without an empty moment is treated alike, before
 * anything is eliminated. The ways out are tried in depth, starting over at a dead end.
 *
 * No polynomial algorithm is known to us, so the work of starting over is bounded by a constant and
 * a multiple of one elimination; where the bound is reached, the history is left to the general
 * search. That the ways out are complete is checked against the definition by the tests. */
#include "monitor/stacking.h"

#include <assert.h>
#include <string.h>

#define TAKER_NONE UINT32_MAX

/* Work that may be wasted, in elements looked at by tries that failed, and tries allowed anyway. */
static const uint64_t most_work = 20 * 1000 * 1000;
static const uint64_t least_tries = 16;

/* The pending pops that are invoked at one moment. */
struct taker {
    uint32_t moment;
    uint32_t invoked; /* pending pops up to here */
};

/* A way out that was taken. */
struct way {
    uint32_t taker;
    bool dead; /* it led nowhere: take the next one */
};

struct search {
    struct stacking *stacking;
    struct arena arena;
    struct taker *takers; /* by moment */
    uint32_t taker_count;
    struct segment_tree spare; /* by taker: pops invoked less elements due, both up to here; all are
                                  0 or more if and only if there are enough pops */
    uint32_t *kept;            /* elements that are never popped, by add_last */
    uint32_t kept_count;
    uint32_t *skip; /* by index in kept: one behind it, with none left between */
    uint32_t *due;  /* by index in kept: a taker, or TAKER_NONE */
    VECTOR(struct way) ways;
    uint32_t depth; /* ways followed in this try */
};

static bool collect_takers(struct search *search)
{
    const struct stacking *stacking = search->stacking;
    const struct values *values = &stacking->values;
    search->takers =
        arena_allocate(&search->arena, values->pending_remove_count * sizeof *search->takers);
    if (!search->takers)
        return false;
    for (uint32_t i = 0; i < values->pending_remove_count; i++) {
        const struct interval *interval = &values->part->intervals[values->pending_removes[i]];
        uint32_t moment = moments_first(&stacking->moments, values->base + interval->invoke);
        if (moment == stacking->moments.count - 1)
            break; /* at the end everything is popped anyway */
        if (search->taker_count == 0 || search->takers[search->taker_count - 1].moment != moment)
            search->takers[search->taker_count++].moment = moment;
        search->takers[search->taker_count - 1].invoked = i + 1;
    }
    return search->taker_count == 0 ||
           segment_tree_init(&search->spare, search->taker_count, values->limits->budget);
}

/* The end of a push is a position of its own, so walking over the positions sorts them. */
static bool collect_kept(struct search *search)
{
    const struct values *values = &search->stacking->values;
    uint32_t most = 0;
    for (uint32_t i = 0; i < values->elements.length; i++)
        most += !piece_is_removed(values, i);
    search->kept = arena_allocate(&search->arena, most * sizeof *search->kept);
    search->due = arena_allocate(&search->arena, most * sizeof *search->due);
    search->skip = arena_allocate(&search->arena, ((size_t)most + 1) * sizeof *search->skip);
    if (!search->kept || !search->due || !search->skip)
        return false;
    for (uint32_t position = 0; position < values->positions; position++) {
        uint32_t owner = values->at[position];
        if (owner != ELEMENT_NONE && !piece_is_removed(values, owner) &&
            values->elements.items[owner].add_response == position)
            search->kept[search->kept_count++] = owner;
    }
    assert(search->kept_count == most);
    return true;
}

static struct piece *kept_piece(const struct search *search, uint32_t i)
{
    return &search->stacking->elimination.pieces[search->kept[i]];
}

/* The first index in kept from `i` on that is left; kept_count if none is. What is not left now
 * will not be so later, so the way there is shortened for the next time. */
static uint32_t next_left(struct search *search, uint32_t i)
{
    uint32_t found = i;
    while (found < search->kept_count && !piece_is_left(kept_piece(search, found)))
        found = search->skip[found];
    while (i < found) {
        uint32_t next = search->skip[i];
        search->skip[i] = found;
        i = next;
    }
    return found;
}

/* Counts what is critical at `moment`, never popped, and due later than `taker` as due there, or
 * (with change = 1 instead of -1) again as it was. How many these are: at most `most` + 1. */
static uint32_t change_spare(struct search *search, uint32_t taker, uint32_t moment, uint32_t most,
                             int32_t change)
{
    uint32_t count = 0;
    for (uint32_t i = next_left(search, 0); i < search->kept_count && count <= most;
         i = next_left(search, i + 1)) {
        if (kept_piece(search, i)->stay.add_last >= moment)
            break;
        uint32_t due = search->due[i];
        if (due <= taker)
            continue;
        segment_tree_add(&search->spare, taker,
                         due < search->taker_count ? due - 1 : search->taker_count - 1, change);
        count++;
    }
    return count;
}

/* Whether everything that is critical at `moment` and never popped can be due at `taker`. */
static bool is_feasible(struct search *search, uint32_t taker, uint32_t moment)
{
    uint32_t most = search->takers[taker].invoked;
    bool feasible = change_spare(search, taker, moment, most, -1) <= most &&
                    segment_tree_minimum(&search->spare) >= 0;
    change_spare(search, taker, moment, most, 1);
    return feasible;
}

static void make_due(struct search *search, uint32_t taker, uint32_t moment)
{
    struct elimination *elimination = &search->stacking->elimination;
    change_spare(search, taker, moment, search->kept_count, -1);
    for (uint32_t i = next_left(search, 0);
         i < search->kept_count && kept_piece(search, i)->stay.add_last < moment;
         i = next_left(search, i + 1)) {
        if (search->due[i] <= taker)
            continue;
        search->due[i] = taker;
        elimination_shorten(elimination, search->kept[i], search->takers[taker].moment);
    }
}

/* Where a way out is looked for. */
struct window {
    uint32_t first, last; /* moments */
    bool awaited;         /* some operation that waits must contain it */
};

/* The first moment from `from` on, within the window, at which only values that are never popped
 * are critical; MOMENT_NONE if there is none. */
static uint32_t find_moment(const struct search *search, uint32_t from, const struct window *window)
{
    struct elimination *elimination = &search->stacking->elimination;
    while ((from = segment_tree_find(&elimination->removed_cover, from, 0)) <= window->last) {
        if (!window->awaited || elimination_awaits(elimination, from))
            return from;
        /* Nobody waits for it any more, and nobody will. */
        segment_tree_add(&elimination->removed_cover, from, from, SEGMENT_TREE_INFINITY);
    }
    return MOMENT_NONE;
}

/* The last taker invoked at `moment` or before; there is one. */
static uint32_t taker_at(const struct search *search, uint32_t moment)
{
    uint32_t low = 0, high = search->taker_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (search->takers[middle].moment <= moment)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first way out from `taker` on, and its moment; TAKER_NONE if there is none. */
static uint32_t find_way(struct search *search, uint32_t taker, const struct window *window,
                         uint32_t *moment)
{
    for (; taker < search->taker_count; taker++) {
        uint32_t from = search->takers[taker].moment;
        *moment = find_moment(search, from > window->first ? from : window->first, window);
        if (*moment == MOMENT_NONE)
            break;
        taker = taker_at(search, *moment);
        if (is_feasible(search, taker, *moment))
            return taker;
    }
    return TAKER_NONE;
}

/* Takes the next way of this try; ATTEMPT_DEAD if there is none. */
enum attempt {
    ATTEMPT_GOES_ON,
    ATTEMPT_DEAD,
    ATTEMPT_REFUSED,
};

static enum attempt take_way(struct search *search, const struct window *window)
{
    uint32_t moment;
    if (search->depth == search->ways.length) {
        const struct way way = {.taker = find_way(search, 0, window, &moment)};
        if (way.taker == TAKER_NONE)
            return ATTEMPT_DEAD;
        if (!vector_push(&search->ways, way))
            return ATTEMPT_REFUSED;
    } else {
        struct way *way = &search->ways.items[search->depth];
        way->taker = find_way(search, way->taker + way->dead, window, &moment);
        if (way->taker == TAKER_NONE) {
            assert(search->depth + 1 == search->ways.length);
            search->ways.length--;
            return ATTEMPT_DEAD;
        }
        way->dead = false;
    }
    make_due(search, search->ways.items[search->depth++].taker, moment);
    return ATTEMPT_GOES_ON;
}

static enum attempt place_empties(struct search *search)
{
    struct stacking *stacking = search->stacking;
    const struct values *values = &stacking->values;
    for (uint32_t i = 0; i < values->empty_count; i++) {
        const struct interval *interval = &values->part->intervals[values->empties[i]];
        const struct window window = {
            .first = moments_first(&stacking->moments, values->base + interval->invoke),
            .last = moments_last(&stacking->moments, values->base + interval->response)};
        if (elimination_find_empty(&stacking->elimination, window.first) > window.last) {
            enum attempt attempt = take_way(search, &window);
            if (attempt != ATTEMPT_GOES_ON)
                return attempt;
        }
        stacking->empty_at[i] = elimination_find_empty(&stacking->elimination, window.first);
        assert(stacking->empty_at[i] <= window.last);
    }
    return ATTEMPT_GOES_ON;
}

/* Back to where nothing is due and nothing eliminated. */
static bool start_over(struct search *search)
{
    struct stacking *stacking = search->stacking;
    elimination_release(&stacking->elimination);
    if (!elimination_init(&stacking->elimination, &stacking->values, &stacking->moments, true))
        return false;
    search->depth = 0;
    for (uint32_t i = 0; i < search->taker_count; i++)
        search->spare.nodes[i] = (int32_t)search->takers[i].invoked;
    if (search->taker_count > 0)
        segment_tree_build(&search->spare);
    for (uint32_t i = 0; i < search->kept_count; i++) {
        search->due[i] = TAKER_NONE;
        search->skip[i] = i + 1;
    }
    search->skip[search->kept_count] = search->kept_count;
    return true;
}

/* Follows the ways to the end. ATTEMPT_GOES_ON: everything is eliminated. */
static enum attempt attempt_all(struct search *search)
{
    struct stacking *stacking = search->stacking;
    const struct window anywhere = {.last = stacking->moments.count - 2, .awaited = true};
    if (!start_over(search))
        return ATTEMPT_REFUSED;
    enum attempt attempt = place_empties(search);
    while (attempt == ATTEMPT_GOES_ON) {
        if (!elimination_run(&stacking->elimination, stacking->limits))
            return ATTEMPT_REFUSED;
        if (stacking->elimination.left == 0)
            return ATTEMPT_GOES_ON;
        attempt = take_way(search, &anywhere);
    }
    return attempt;
}

/* Whether it would work if every value that is never popped could be popped by the first of the
 * pending pops. */
static enum attempt attempt_unbounded(struct search *search)
{
    struct stacking *stacking = search->stacking;
    if (!start_over(search))
        return ATTEMPT_REFUSED;
    for (uint32_t i = 0; i < search->kept_count && search->taker_count > 0; i++)
        if (piece_is_left(kept_piece(search, i)))
            elimination_shorten(&stacking->elimination, search->kept[i], search->takers[0].moment);
    if (!elimination_run(&stacking->elimination, stacking->limits))
        return ATTEMPT_REFUSED;
    return stacking->elimination.left == 0 ? ATTEMPT_GOES_ON : ATTEMPT_DEAD;
}

/* Hands out the pops: the earlier an element is due, the earlier its pop. */
static bool hand_out(struct search *search)
{
    struct values *values = &search->stacking->values;
    uint32_t *next = arena_allocate(&search->arena, (search->taker_count + 1) * sizeof *next);
    if (!next)
        return false;
    memset(next, 0, (search->taker_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < search->kept_count; i++)
        if (search->due[i] != TAKER_NONE)
            next[search->due[i] + 1]++;
    for (uint32_t i = 1; i < search->taker_count; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < search->kept_count; i++)
        if (search->due[i] != TAKER_NONE)
            values->elements.items[search->kept[i]].remove =
                values->pending_removes[next[search->due[i]]++];
    return true;
}

static enum completion search_run(struct search *search)
{
    struct stacking *stacking = search->stacking;
    uint64_t cost = stacking->values.part->count, tries = 0;
    enum attempt attempt = attempt_unbounded(search);
    if (attempt != ATTEMPT_GOES_ON)
        return attempt == ATTEMPT_DEAD ? COMPLETION_STUCK : COMPLETION_REFUSED;
    while ((attempt = attempt_all(search)) == ATTEMPT_DEAD) {
        if (search->ways.length == 0)
            return COMPLETION_NONE;
        search->ways.items[search->ways.length - 1].dead = true;
        stacking->decision->explored += cost;
        if (++tries >= least_tries && tries * cost > most_work)
            return COMPLETION_UNKNOWN;
    }
    return attempt == ATTEMPT_GOES_ON && hand_out(search) ? COMPLETION_FOUND : COMPLETION_REFUSED;
}

enum completion stacking_complete(struct stacking *stacking)
{
    struct search search = {.stacking = stacking};
    arena_init(&search.arena, stacking->limits->budget);
    vector_init(&search.ways, stacking->limits->budget);
    enum completion completion = COMPLETION_REFUSED;
    if (collect_takers(&search) && collect_kept(&search))
        completion = search_run(&search);
    vector_release(&search.ways);
    segment_tree_release(&search.spare);
    arena_release(&search.arena);
    return completion;
}

/* Decides a stack's history in which pending pops must have taken something. pending_removals.h has
 * the search; this says what it is to look for.
 *
 * Where the elimination cannot go on, something can be eliminated again only if a moment is freed
 * that some waiting operation contains. An empty pop without an empty moment asks for one of its
 * own, before anything is eliminated. */
#include "monitor/stack.h"

#include <assert.h>

#include "monitor/pending_removals.h"

struct search {
    struct stacking *stacking;
    struct pending_removals removals;
    uint32_t closed; /* of those eliminated: the takers know */
    bool running;    /* the empty pops have their moments */
};

static uint32_t find_moment(void *context, uint32_t first, uint32_t last)
{
    const struct search *search = context;
    struct elimination *elimination = &search->stacking->elimination;
    while (first <= last) {
        first = segment_tree_find(&elimination->removed_cover, first, 0);
        if (first > last)
            break;
        if (!search->running || elimination_awaits(elimination, first))
            return first;
        /* Nobody waits for it any more, and nobody will. */
        segment_tree_add(&elimination->removed_cover, first, first, SEGMENT_TREE_INFINITY);
    }
    return MOMENT_NONE;
}

static bool shorten(void *context, uint32_t element, uint32_t moment)
{
    const struct search *search = context;
    struct elimination *elimination = &search->stacking->elimination;
    elimination_shorten(elimination, element, moment);
    return stay_is_critical(&elimination->pieces[element].stay);
}

static const struct taking taking = {find_moment, shorten};

/* Back to where nothing is due and nothing eliminated. */
static bool start_over(struct search *search)
{
    struct stacking *stacking = search->stacking;
    elimination_release(&stacking->elimination);
    search->closed = 0;
    search->running = false;
    pending_removals_start(&search->removals);
    for (uint32_t i = 0; i < search->removals.kept_count; i++)
        pending_removals_open(&search->removals, search->removals.kept[i]);
    return elimination_init(&stacking->elimination, &stacking->values, &stacking->moments, true);
}

static enum attempt place_empties(struct search *search)
{
    struct stacking *stacking = search->stacking;
    const struct values *values = &stacking->values;
    for (uint32_t i = 0; i < values->empty_count; i++) {
        uint32_t first, last;
        moments_of_empty(&stacking->moments, values, i, &first, &last);
        if (elimination_find_empty(&stacking->elimination, first) > last) {
            enum attempt attempt = pending_removals_take(&search->removals, first, last);
            if (attempt != ATTEMPT_GOES_ON)
                return attempt;
        }
        stacking->empty_at[i] = elimination_find_empty(&stacking->elimination, first);
        assert(stacking->empty_at[i] <= last);
    }
    search->running = true;
    return ATTEMPT_GOES_ON;
}

/* Follows the ways to the end. ATTEMPT_GOES_ON: everything is eliminated. */
static enum attempt attempt_all(struct search *search)
{
    struct stacking *stacking = search->stacking;
    struct elimination *elimination = &stacking->elimination;
    if (!start_over(search))
        return ATTEMPT_REFUSED;
    enum attempt attempt = place_empties(search);
    while (attempt == ATTEMPT_GOES_ON) {
        if (!elimination_run(elimination, stacking->limits))
            return ATTEMPT_REFUSED;
        if (elimination->left == 0)
            return ATTEMPT_GOES_ON;
        for (; search->closed < elimination->eliminated; search->closed++) {
            uint32_t element = elimination->order[search->closed];
            if (!piece_is_removed(&stacking->values, element))
                pending_removals_close(&search->removals, element);
        }
        attempt = pending_removals_take(&search->removals, 0, stacking->moments.count - 2);
    }
    return attempt;
}

/* Whether it would work if every value that is never popped could be popped by the first of the
 * pending pops. */
static enum attempt attempt_unbounded(struct search *search)
{
    struct stacking *stacking = search->stacking;
    const struct pending_removals *removals = &search->removals;
    if (!start_over(search))
        return ATTEMPT_REFUSED;
    for (uint32_t i = 0; i < removals->kept_count && removals->count > 0; i++)
        elimination_shorten(&stacking->elimination, removals->kept[i], removals->items[0].moment);
    if (!elimination_run(&stacking->elimination, stacking->limits))
        return ATTEMPT_REFUSED;
    return stacking->elimination.left == 0 ? ATTEMPT_GOES_ON : ATTEMPT_DEAD;
}

static enum pending_pops search_run(struct search *search)
{
    uint32_t cost = search->stacking->values.part->count;
    enum attempt attempt = attempt_unbounded(search);
    if (attempt == ATTEMPT_DEAD)
        return PENDING_POPS_STUCK;
    while (attempt != ATTEMPT_REFUSED && (attempt = attempt_all(search)) == ATTEMPT_DEAD) {
        search->stacking->decision->explored += cost;
        switch (pending_removals_retry(&search->removals, cost)) {
        case RETRY_NO:
            return PENDING_POPS_NONE;
        case RETRY_TOO_MANY:
            return PENDING_POPS_UNKNOWN;
        case RETRY_YES:
            break;
        }
    }
    return attempt == ATTEMPT_GOES_ON && pending_removals_hand_out(&search->removals)
               ? PENDING_POPS_FOUND
               : PENDING_POPS_REFUSED;
}

enum pending_pops stacking_complete(struct stacking *stacking)
{
    struct search search = {.stacking = stacking};
    bool good = pending_removals_init(&search.removals, &stacking->values, &stacking->moments,
                                      &taking, &search);
    enum pending_pops completion = good ? search_run(&search) : PENDING_POPS_REFUSED;
    pending_removals_release(&search.removals);
    return completion;
}

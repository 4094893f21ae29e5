/* Decides a priority queue's history in which pending removals must have taken something, and
 * explains why numbers cannot leave in order.
 *
 * The first drives the search of pending_removals.h: values are placed from the least on, and a
 * removal without a moment asks for one to be freed. The second finds a chain of smaller values,
 * each critical from where the one before it ends, that together cover the whole removal: the one
 * that reaches farthest is taken each time. */
#include "monitor/pending_removals.h"
#include "monitor/priority_order.h"

#include <assert.h>

/* ---- Pending removals ---- */

struct search {
    struct priority_order *ranking;
    struct pending_removals removals;
    struct segment_tree removed_cover; /* as ranking->cover, of elements that are removed */
};

static uint32_t find_moment(void *context, uint32_t first, uint32_t last)
{
    const struct search *search = context;
    uint32_t found = segment_tree_find(&search->removed_cover, first, 0);
    return found <= last ? found : MOMENT_NONE;
}

/* Lets a kept element be removed from `moment` on. */
static bool shorten(void *context, uint32_t element, uint32_t moment)
{
    struct priority_order *ranking = ((const struct search *)context)->ranking;
    priority_order_cover(ranking, &ranking->cover, element, -1);
    ranking->stays[element].remove_first = moment;
    priority_order_cover(ranking, &ranking->cover, element, 1);
    return stay_is_critical(&ranking->stays[element]);
}

static const struct taking taking = {find_moment, shorten};

/* Lets every kept element be removed from `moment` on. */
static void shorten_all(struct search *search, uint32_t moment)
{
    for (uint32_t i = 0; i < search->removals.kept_count; i++)
        search->ranking->stays[search->removals.kept[i]].remove_first = moment;
}

/* Sees to it that there is a moment from `first` to `last` at which nothing placed is critical. */
static enum attempt make_moment(struct search *search, uint32_t first, uint32_t last)
{
    if (segment_tree_find(&search->ranking->cover, first, 0) <= last)
        return ATTEMPT_GOES_ON;
    return pending_removals_take(&search->removals, first, last);
}

static enum attempt attempt_elements(struct search *search)
{
    struct priority_order *ranking = search->ranking;
    const struct values *values = &ranking->values;
    for (uint32_t looked = 0, i = 0; i < values->elements.length; i++) {
        uint32_t element = ranking->order[i];
        const struct stay *stay = &ranking->stays[element];
        if (limits_look(ranking->limits, &looked))
            return ATTEMPT_REFUSED;
        if (values->elements.items[element].remove == INTERVAL_NONE) {
            pending_removals_open(&search->removals, element);
        } else {
            enum attempt attempt = make_moment(search, stay->remove_first, stay->remove_last);
            if (attempt != ATTEMPT_GOES_ON)
                return attempt;
            priority_order_cover(ranking, &search->removed_cover, element, 1);
        }
        priority_order_cover(ranking, &ranking->cover, element, 1);
    }
    return ATTEMPT_GOES_ON;
}

static enum attempt attempt_all(struct search *search)
{
    struct priority_order *ranking = search->ranking;
    const struct values *values = &ranking->values;
    pending_removals_start(&search->removals);
    shorten_all(search, ranking->moments.count - 1);
    priority_order_clear_cover(ranking, &ranking->cover);
    priority_order_clear_cover(ranking, &search->removed_cover);
    enum attempt attempt = attempt_elements(search);
    for (uint32_t i = 0; i < values->empty_count && attempt == ATTEMPT_GOES_ON; i++) {
        uint32_t first, last;
        moments_of_empty(&ranking->moments, values, i, &first, &last);
        attempt = make_moment(search, first, last);
    }
    return attempt;
}

static enum step search_run(struct search *search)
{
    struct priority_order *ranking = search->ranking;
    const struct pending_removals *removals = &search->removals;
    uint32_t cost = ranking->values.part->count;
    /* Not even if every kept value could be taken by the first of the pending removals? */
    if (removals->count > 0)
        shorten_all(search, removals->items[0].moment);
    enum step step = priority_order_place(ranking);
    if (step != STEP_READY)
        return step == STEP_VIOLATION ? priority_order_explain(ranking) : step;
    enum attempt attempt;
    while ((attempt = attempt_all(search)) == ATTEMPT_DEAD) {
        ranking->decision->explored += cost;
        enum retry retry = pending_removals_retry(&search->removals, cost);
        if (retry != RETRY_YES)
            return retry == RETRY_NO
                       ? values_explain_pending(&ranking->values, ranking->decision,
                                                ", some value was deleted, or the priority queue "
                                                "found empty, while smaller ones were in it")
                       : STEP_UNDECIDED;
    }
    if (attempt == ATTEMPT_REFUSED || !pending_removals_hand_out(&search->removals))
        return STEP_REFUSED;
    step = priority_order_place(ranking);
    assert(step != STEP_VIOLATION);
    return step;
}

enum step priority_order_place_pending(struct priority_order *ranking)
{
    struct search search = {.ranking = ranking};
    bool good =
        pending_removals_init(&search.removals, &ranking->values, &ranking->moments, &taking,
                              &search) &&
        segment_tree_init(&search.removed_cover, ranking->moments.count, ranking->limits->budget);
    enum step step = good ? search_run(&search) : STEP_REFUSED;
    segment_tree_release(&search.removed_cover);
    pending_removals_release(&search.removals);
    return step;
}

/* ---- Reasons ---- */

/* The smaller values that are critical throughout a removal, one after the other, each the one that
 * is so the longest of those that are so at the end of the one before. */
struct chain {
    struct priority_order *ranking;
    uint32_t first, last; /* the removal's moments */
    uint32_t *longest;    /* for each of these: of the smaller values critical there or before, the
                             one that is so the longest; ELEMENT_NONE */
};

static bool ends_later(const struct priority_order *ranking, uint32_t element, uint32_t other)
{
    return element != ELEMENT_NONE &&
           (other == ELEMENT_NONE ||
            ranking->stays[element].remove_first > ranking->stays[other].remove_first);
}

static bool chain_init(struct chain *chain)
{
    struct priority_order *ranking = chain->ranking;
    size_t length = (size_t)chain->last - chain->first + 1;
    chain->longest = arena_allocate(&ranking->values.arena, length * sizeof *chain->longest);
    if (!chain->longest)
        return false;
    for (size_t i = 0; i < length; i++)
        chain->longest[i] = ELEMENT_NONE;
    for (uint32_t i = 0; i < ranking->blocked; i++) {
        const struct stay *stay = &ranking->stays[ranking->order[i]];
        if (stay->add_last >= chain->last || stay->remove_first <= chain->first)
            continue;
        uint32_t from = stay->add_last < chain->first ? 0 : stay->add_last + 1 - chain->first;
        if (ends_later(ranking, ranking->order[i], chain->longest[from]))
            chain->longest[from] = ranking->order[i];
    }
    for (size_t i = 1; i < length; i++)
        if (ends_later(ranking, chain->longest[i - 1], chain->longest[i]))
            chain->longest[i] = chain->longest[i - 1];
    return true;
}

/* Names the chain and shows its operations; `*kept`: one of them is never removed. */
static bool chain_show(const struct chain *chain, bool *kept)
{
    static const uint32_t most_named = 4;
    struct priority_order *ranking = chain->ranking;
    struct text *reason = &ranking->decision->reason;
    uint32_t shown = 0;
    for (uint32_t moment = chain->first; moment <= chain->last; shown++) {
        uint32_t link = chain->longest[moment - chain->first];
        const struct element *element = &ranking->values.elements.items[link];
        moment = ranking->stays[link].remove_first;
        if (shown == most_named) {
            text_append(reason, ", then others");
        } else if (shown < most_named) {
            bool single = shown == 0 && moment > chain->last;
            text_append(reason, single ? "" : shown == 0 ? "the smaller values " : ", then ");
            text_append(reason, single ? "the smaller value " : "");
            values_print(&ranking->values, element, reason);
        }
        *kept |= element->remove == INTERVAL_NONE;
        if (!values_show(element, ranking->decision))
            return false;
    }
    text_append(reason, shown == 1 ? " was in the priority queue throughout"
                                   : " were in the priority queue");
    return true;
}

enum step priority_order_explain(struct priority_order *ranking)
{
    const struct values *values = &ranking->values;
    struct text *reason = &ranking->decision->reason;
    /* values_place_empties has explained those that found nothing, but for pending removals. */
    assert(ranking->blocked < values->elements.length);
    uint32_t blocked = ranking->order[ranking->blocked];
    const struct element *element = &values->elements.items[blocked];
    struct chain chain = {.ranking = ranking,
                          .first = ranking->stays[blocked].remove_first,
                          .last = ranking->stays[blocked].remove_last};
    text_append(reason, "value ");
    values_print(values, element, reason);
    text_append(reason, " was deleted though ");
    bool kept = false;
    if (!chain_init(&chain) || !chain_show(&chain, &kept) ||
        !values_show(element, ranking->decision))
        return STEP_REFUSED;
    if (kept && values->pending_remove_count > 0)
        text_append(reason, ", whatever the pending delete-mins took");
    if (kept && !values_show_removals(values, element->remove_response, ranking->decision))
        return STEP_REFUSED;
    return STEP_VIOLATION;
}

/* Places the removals that found a container empty: each needs a point of time within it at which
 * the container can be empty. A sweep over the positions, linear.
 *
 * At a point p the container can be empty when no critical interval covers p and the values that
 * are never removed can be gone: those added for certain before p, N(p) of them, each need one of
 * the Q(p) removals that are pending and were invoked by then. Both are running sums over the
 * positions. Points between two positions need not be tried: a critical interval that covers such
 * a point covers both neighbours or ends at one of them, which then is free as well. Each removal
 * takes the first free point from its invocation on; it is a violation if that lies behind its
 * response. */
#include "monitor/values.h"

#include <assert.h>

/* Walks over the positions, keeping what stands in the way of emptiness. */
struct sweep {
    const struct values *values;
    uint32_t cover;   /* critical intervals around the position */
    uint32_t kept;    /* N: added for certain before it, never removed */
    uint32_t takers;  /* Q: pending removals invoked by then */
    uint32_t pending; /* index into pending_removes */
};

static bool is_critical(const struct element *element)
{
    return element->add_response < element->remove_invoke;
}

/* Moves on to `position`: whether the container can be empty there. */
static bool sweep_enter(struct sweep *sweep, uint32_t position)
{
    const struct values *values = sweep->values;
    const struct interval *intervals = values->part->intervals;
    uint32_t owner = values->at[position];
    if (owner == ELEMENT_NONE) {
        if (sweep->pending < values->pending_remove_count &&
            intervals[values->pending_removes[sweep->pending]].invoke + values->base == position) {
            sweep->takers++;
            sweep->pending++;
        }
    } else {
        const struct element *element = &values->elements.items[owner];
        if (is_critical(element) && element->remove_invoke == position)
            sweep->cover--;
    }
    return sweep->cover == 0 && sweep->kept <= sweep->takers;
}

static void sweep_leave(struct sweep *sweep, uint32_t position)
{
    uint32_t owner = sweep->values->at[position];
    if (owner == ELEMENT_NONE)
        return;
    const struct element *element = &sweep->values->elements.items[owner];
    if (!is_critical(element) || element->add_response != position)
        return;
    if (element->remove_invoke == POSITION_NEVER)
        sweep->kept++;
    else
        sweep->cover++;
}

/* What keeps the container filled throughout [from, to]: critical intervals, each the one that
 * reaches farthest among those around the end of the one before; and values never removed. */
struct cover {
    const struct values *values;
    struct decision *decision;
    uint32_t from, to;
    uint32_t shown;
    bool needs_kept; /* values that are never removed are part of it */
};

static bool cover_add(struct cover *cover, uint32_t element)
{
    static const uint32_t most_named = 4;
    const struct element *added = &cover->values->elements.items[element];
    struct text *reason = &cover->decision->reason;
    if (cover->shown < most_named) {
        text_append(reason, cover->shown ? ", then " : "value ");
        values_print(cover->values, added, reason);
    } else if (cover->shown == most_named) {
        text_append(reason, ", then others");
    }
    cover->shown++;
    return values_show(added, cover->decision);
}

/* Values that are never removed and were added for certain before the end: all of them, since
 * together they are more than the pending removals, or one that was there from the beginning. */
static bool cover_add_kept(struct cover *cover, uint32_t first)
{
    const struct values *values = cover->values;
    cover->needs_kept = true;
    if (values->pending_remove_count == 0)
        return cover_add(cover, first);
    for (uint32_t i = 0; i < values->elements.length; i++) {
        const struct element *element = &values->elements.items[i];
        if (element->remove_invoke == POSITION_NEVER && element->add_response < cover->to &&
            !cover_add(cover, i))
            return false;
    }
    return true;
}

static bool cover_find(struct cover *cover)
{
    const struct values *values = cover->values;
    const struct element *elements = values->elements.items;
    struct sweep sweep = {.values = values};
    uint32_t farthest = ELEMENT_NONE, kept = ELEMENT_NONE;
    bool needs_kept = false;
    for (uint32_t position = 0, reached = cover->from; reached <= cover->to; position++) {
        sweep_enter(&sweep, position);
        uint32_t end = farthest == ELEMENT_NONE ? 0 : elements[farthest].remove_invoke;
        if (position == reached && end > reached) {
            if (!cover_add(cover, farthest))
                return false;
            reached = end;
        } else if (position == reached) {
            /* Nothing that is removed covers this. */
            assert(sweep.kept > sweep.takers);
            needs_kept = true;
            reached = values->pending_remove_count ? position + 1 : POSITION_NEVER;
        }
        uint32_t owner = values->at[position];
        sweep_leave(&sweep, position);
        if (owner == ELEMENT_NONE || elements[owner].add_response != position ||
            !is_critical(&elements[owner]))
            continue;
        if (elements[owner].remove_invoke == POSITION_NEVER)
            kept = kept == ELEMENT_NONE ? owner : kept;
        else if (farthest == ELEMENT_NONE ||
                 elements[owner].remove_invoke > elements[farthest].remove_invoke)
            farthest = owner;
    }
    return !needs_kept || cover_add_kept(cover, kept);
}

static enum step not_empty(const struct values *values, uint32_t empty, struct decision *decision)
{
    const struct interval *interval = &values->part->intervals[empty];
    struct cover cover = {.values = values,
                          .decision = decision,
                          .from = values->base + interval->invoke,
                          .to = values->base + interval->response};
    text_format(&decision->reason, "%s found the %s empty though ", values->container->remove,
                values->container->object);
    if (!vector_push(&decision->evidence, empty) || !cover_find(&cover))
        return STEP_REFUSED;
    text_append(&decision->reason, cover.shown == 1 ? " was in it throughout" : " were in it");
    if (cover.needs_kept && !values_show_removals(values, cover.to, decision))
        return STEP_REFUSED;
    return STEP_VIOLATION;
}

bool values_show_removals(const struct values *values, uint32_t position, struct decision *decision)
{
    const struct interval *intervals = values->part->intervals;
    decision_spoken(decision);
    for (uint32_t i = 0; i < values->elements.length; i++) {
        const struct element *element = &values->elements.items[i];
        if (element->remove != INTERVAL_NONE && element->remove_response != POSITION_NEVER &&
            intervals[element->remove].invoke + values->base < position &&
            !vector_push(&decision->evidence, element->remove))
            return false;
    }
    for (uint32_t i = 0; i < values->empty_count; i++)
        if (intervals[values->empties[i]].invoke + values->base < position &&
            !vector_push(&decision->evidence, values->empties[i]))
            return false;
    return true;
}

enum step values_place_empties(struct values *values, struct decision *decision)
{
    uint32_t count = values->empty_count, base = values->base;
    if (count == 0)
        return STEP_READY;
    const struct interval *intervals = values->part->intervals;
    values->cuts = arena_allocate(&values->arena, count * sizeof *values->cuts);
    values->empty_cut = arena_allocate(&values->arena, count * sizeof *values->empty_cut);
    if (!values->cuts || !values->empty_cut)
        return STEP_REFUSED;
    struct sweep sweep = {.values = values};
    uint32_t begun = 0, placed = 0; /* empties invoked by now, and those that have their point */
    for (uint32_t looked = LOOK_FIRST, position = 0; position < values->positions && placed < count;
         position++) {
        if (limits_look(values->limits, &looked))
            return STEP_REFUSED;
        bool free = sweep_enter(&sweep, position);
        if (begun < count && base + intervals[values->empties[begun]].invoke == position)
            begun++;
        if (free && placed < begun)
            values->cuts[values->cut_count++] = position;
        for (; free && placed < begun; placed++) {
            if (base + intervals[values->empties[placed]].response < position)
                return not_empty(values, values->empties[placed], decision);
            values->empty_cut[placed] = values->cut_count - 1;
        }
        sweep_leave(&sweep, position);
    }
    return placed == count ? STEP_READY : not_empty(values, values->empties[placed], decision);
}

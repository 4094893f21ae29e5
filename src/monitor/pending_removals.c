#include "monitor/pending_removals.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "base/groups.h"

/* Work that may be wasted, in operations looked at by tries that failed, and tries allowed anyway.
 */
static const uint64_t most_work = 5 * 1000 * 1000;
static const uint64_t least_tries = 8;

static bool collect_pending(struct pending_removals *removals, const struct moments *moments)
{
    const struct values *values = removals->values;
    removals->items =
        arena_allocate(&removals->arena, values->pending_remove_count * sizeof *removals->items);
    if (!removals->items)
        return false;
    for (uint32_t i = 0; i < values->pending_remove_count; i++) {
        const struct interval *interval = &values->part->intervals[values->pending_removes[i]];
        uint32_t moment = moments_first(moments, values->base + interval->invoke);
        if (moment == moments->count - 1)
            break; /* at the end everything may be removed anyway */
        if (removals->count == 0 || removals->items[removals->count - 1].moment != moment)
            removals->items[removals->count++].moment = moment;
        removals->items[removals->count - 1].invoked = i + 1;
    }
    return removals->count == 0 ||
           segment_tree_init(&removals->spare, removals->count, values->limits->budget);
}

/* The end of an add is a position of its own, so walking over the positions sorts them. */
static bool collect_kept(struct pending_removals *removals, const struct moments *moments)
{
    const struct values *values = removals->values;
    const struct element *elements = values->elements.items;
    uint32_t most = 0;
    for (uint32_t i = 0; i < values->elements.length; i++)
        most += elements[i].remove_response == POSITION_NEVER;
    removals->kept = arena_allocate(&removals->arena, most * sizeof *removals->kept);
    removals->due = arena_allocate(&removals->arena, most * sizeof *removals->due);
    removals->add_last = arena_allocate(&removals->arena, most * sizeof *removals->add_last);
    removals->kept_of =
        arena_allocate(&removals->arena, values->elements.length * sizeof *removals->kept_of);
    if (!removals->kept || !removals->due || !removals->add_last || !removals->kept_of)
        return false;
    for (uint32_t position = 0; position < values->positions; position++) {
        uint32_t owner = values->at[position];
        if (owner == ELEMENT_NONE || elements[owner].remove_response != POSITION_NEVER ||
            elements[owner].add_response != position)
            continue;
        removals->add_last[removals->kept_count] = moments_last(moments, position);
        removals->kept_of[owner] = removals->kept_count;
        removals->kept[removals->kept_count++] = owner;
    }
    assert(removals->kept_count == most);
    return maximum_tree_init(&removals->open, most, values->limits->budget);
}

bool pending_removals_init(struct pending_removals *removals, struct values *values,
                           const struct moments *moments, const struct taking *how, void *context)
{
    *removals = (struct pending_removals){.values = values, .how = how, .context = context};
    arena_init(&removals->arena, values->limits->budget);
    vector_init(&removals->ways, values->limits->budget);
    return collect_pending(removals, moments) && collect_kept(removals, moments);
}

void pending_removals_release(struct pending_removals *removals)
{
    vector_release(&removals->ways);
    maximum_tree_release(&removals->open);
    segment_tree_release(&removals->spare);
    arena_release(&removals->arena);
}

void pending_removals_start(struct pending_removals *removals)
{
    removals->depth = 0;
    for (uint32_t i = 0; i < removals->count; i++)
        removals->spare.nodes[i] = (int32_t)removals->items[i].invoked;
    if (removals->count > 0)
        segment_tree_build(&removals->spare);
    memset(removals->due, 0xff, removals->kept_count * sizeof *removals->due);
    memset(removals->open.nodes, 0, removals->kept_count * sizeof *removals->open.nodes);
    maximum_tree_build(&removals->open);
}

/* As `open` wants it: later than any taker if there is none. */
static uint32_t due_number(const struct pending_removals *removals, uint32_t kept)
{
    uint32_t due = removals->due[kept];
    return due == TAKER_NONE ? TAKER_NONE : due + 1;
}

void pending_removals_open(struct pending_removals *removals, uint32_t element)
{
    uint32_t kept = removals->kept_of[element];
    assert(kept < removals->kept_count && removals->kept[kept] == element);
    maximum_tree_set(&removals->open, kept, due_number(removals, kept));
}

void pending_removals_close(struct pending_removals *removals, uint32_t element)
{
    maximum_tree_set(&removals->open, removals->kept_of[element], 0);
}

/* How many of kept have ended their adds before `moment`: they can be critical there, and one is,
 * for else the moment would be free. */
static uint32_t added_before(const struct pending_removals *removals, uint32_t moment)
{
    uint32_t low = 0, high = removals->kept_count;
    BISECT(low, high, middle, removals->add_last[middle] < moment);
    assert(low > 0);
    return low;
}

/* The last index in kept below `end` that is open and due later than `taker`; kept_count if there
 * is none. */
static uint32_t previous_later(const struct pending_removals *removals, uint32_t end,
                               uint32_t taker)
{
    if (end == 0)
        return removals->kept_count;
    uint32_t found = maximum_tree_find(&removals->open, end - 1, taker + 2);
    return found == MAXIMUM_TREE_NONE ? removals->kept_count : found;
}

/* Counts what is in the way at `moment` as due at `taker` (with change = 1 instead of -1: again as
 * it is). How many these are: at most `most` + 1. */
static uint32_t change_spare(struct pending_removals *removals, uint32_t taker, uint32_t moment,
                             uint32_t most, int32_t change)
{
    uint32_t changed = 0;
    for (uint32_t i = previous_later(removals, added_before(removals, moment), taker);
         i < removals->kept_count && changed <= most; i = previous_later(removals, i, taker)) {
        uint32_t due = removals->due[i] == TAKER_NONE ? removals->count : removals->due[i];
        segment_tree_add(&removals->spare, taker, due - 1, change);
        changed++;
    }
    return changed;
}

static bool is_feasible(struct pending_removals *removals, uint32_t taker, uint32_t moment)
{
    uint32_t most = removals->items[taker].invoked;
    bool feasible = change_spare(removals, taker, moment, most, -1) <= most &&
                    segment_tree_minimum(&removals->spare) >= 0;
    change_spare(removals, taker, moment, most, 1);
    return feasible;
}

static void make_due(struct pending_removals *removals, uint32_t taker, uint32_t moment)
{
    change_spare(removals, taker, moment, removals->kept_count, -1);
    for (uint32_t i = previous_later(removals, added_before(removals, moment), taker);
         i < removals->kept_count; i = previous_later(removals, i, taker)) {
        removals->due[i] = taker;
        bool open = removals->how->shorten(removals->context, removals->kept[i],
                                           removals->items[taker].moment);
        maximum_tree_set(&removals->open, i, open ? due_number(removals, i) : 0);
    }
}

/* The last taker invoked at `moment` or before; there is one. */
static uint32_t taker_at(const struct pending_removals *removals, uint32_t moment)
{
    uint32_t low = 0, high = removals->count;
    BISECT(low, high, middle, removals->items[middle].moment <= moment);
    assert(low > 0);
    return low - 1;
}

/* The first way out from `taker` on, and its moment; TAKER_NONE if there is none. */
static uint32_t find_way(struct pending_removals *removals, uint32_t taker, uint32_t first,
                         uint32_t last, uint32_t *moment)
{
    for (; taker < removals->count; taker++) {
        uint32_t from = removals->items[taker].moment;
        *moment = removals->how->find(removals->context, from > first ? from : first, last);
        if (*moment == MOMENT_NONE)
            break;
        taker = taker_at(removals, *moment);
        if (is_feasible(removals, taker, *moment))
            return taker;
    }
    return TAKER_NONE;
}

enum attempt pending_removals_take(struct pending_removals *removals, uint32_t first, uint32_t last)
{
    uint32_t moment;
    if (removals->depth == removals->ways.length) {
        const struct way way = {.taker = find_way(removals, 0, first, last, &moment)};
        if (way.taker == TAKER_NONE)
            return ATTEMPT_DEAD;
        if (!vector_push(&removals->ways, way))
            return ATTEMPT_REFUSED;
    } else {
        struct way *way = &removals->ways.items[removals->depth];
        way->taker = find_way(removals, way->taker + way->dead, first, last, &moment);
        if (way->taker == TAKER_NONE) {
            assert(removals->depth + 1 == removals->ways.length);
            removals->ways.length--;
            return ATTEMPT_DEAD;
        }
        way->dead = false;
    }
    make_due(removals, removals->ways.items[removals->depth++].taker, moment);
    return ATTEMPT_GOES_ON;
}

enum retry pending_removals_retry(struct pending_removals *removals, uint64_t cost)
{
    if (removals->ways.length == 0)
        return RETRY_NO;
    removals->ways.items[removals->ways.length - 1].dead = true;
    removals->tries++;
    return removals->tries >= least_tries && removals->tries * cost > most_work ? RETRY_TOO_MANY
                                                                                : RETRY_YES;
}

bool pending_removals_hand_out(struct pending_removals *removals)
{
    struct values *values = removals->values;
    struct groups by_due;
    if (!groups_begin(&by_due, removals->count, &removals->arena))
        return false;
    while (groups_pass(&by_due, &removals->arena))
        for (uint32_t i = 0; i < removals->kept_count; i++)
            if (removals->due[i] != TAKER_NONE)
                groups_put(&by_due, removals->due[i], removals->kept[i]);
    if (!groups_made(&by_due))
        return false;
    uint32_t count = by_due.first[removals->count];
    assert(count <= values->pending_remove_count);
    for (uint32_t i = 0; i < count; i++)
        values->elements.items[by_due.items[i]].remove = values->pending_removes[i];
    return true;
}

#include "monitor/takers.h"

#include <assert.h>
#include <string.h>

/* Work that may be wasted, in operations looked at by tries that failed, and tries allowed anyway.
 */
static const uint64_t most_work = 5 * 1000 * 1000;
static const uint64_t least_tries = 8;

static bool collect_takers(struct takers *takers, const struct moments *moments)
{
    const struct values *values = takers->values;
    takers->items =
        arena_allocate(&takers->arena, values->pending_remove_count * sizeof *takers->items);
    if (!takers->items)
        return false;
    for (uint32_t i = 0; i < values->pending_remove_count; i++) {
        const struct interval *interval = &values->part->intervals[values->pending_removes[i]];
        uint32_t moment = moments_first(moments, values->base + interval->invoke);
        if (moment == moments->count - 1)
            break; /* at the end everything may be removed anyway */
        if (takers->count == 0 || takers->items[takers->count - 1].moment != moment)
            takers->items[takers->count++].moment = moment;
        takers->items[takers->count - 1].invoked = i + 1;
    }
    return takers->count == 0 ||
           segment_tree_init(&takers->spare, takers->count, values->limits->budget);
}

/* The end of an add is a position of its own, so walking over the positions sorts them. */
static bool collect_kept(struct takers *takers, const struct moments *moments)
{
    const struct values *values = takers->values;
    const struct element *elements = values->elements.items;
    uint32_t most = 0;
    for (uint32_t i = 0; i < values->elements.length; i++)
        most += elements[i].remove_response == POSITION_NEVER;
    takers->kept = arena_allocate(&takers->arena, most * sizeof *takers->kept);
    takers->due = arena_allocate(&takers->arena, most * sizeof *takers->due);
    takers->add_last = arena_allocate(&takers->arena, most * sizeof *takers->add_last);
    if (!takers->kept || !takers->due || !takers->add_last)
        return false;
    for (uint32_t position = 0; position < values->positions; position++) {
        uint32_t owner = values->at[position];
        if (owner == ELEMENT_NONE || elements[owner].remove_response != POSITION_NEVER ||
            elements[owner].add_response != position)
            continue;
        takers->add_last[takers->kept_count] = moments_last(moments, position);
        takers->kept[takers->kept_count++] = owner;
    }
    assert(takers->kept_count == most);
    return maximum_tree_init(&takers->open, most, values->limits->budget);
}

bool takers_init(struct takers *takers, struct values *values, const struct moments *moments,
                 const struct taking *how, void *context)
{
    *takers = (struct takers){.values = values, .how = how, .context = context};
    arena_init(&takers->arena, values->limits->budget);
    vector_init(&takers->ways, values->limits->budget);
    return collect_takers(takers, moments) && collect_kept(takers, moments);
}

void takers_release(struct takers *takers)
{
    vector_release(&takers->ways);
    maximum_tree_release(&takers->open);
    segment_tree_release(&takers->spare);
    arena_release(&takers->arena);
}

void takers_start(struct takers *takers)
{
    takers->depth = 0;
    for (uint32_t i = 0; i < takers->count; i++)
        takers->spare.nodes[i] = (int32_t)takers->items[i].invoked;
    if (takers->count > 0)
        segment_tree_build(&takers->spare);
    memset(takers->due, 0xff, takers->kept_count * sizeof *takers->due);
    memset(takers->open.nodes, 0, takers->kept_count * sizeof *takers->open.nodes);
    maximum_tree_build(&takers->open);
}

/* As `open` wants it: later than any taker if there is none. */
static uint32_t due_number(const struct takers *takers, uint32_t kept)
{
    uint32_t due = takers->due[kept];
    return due == TAKER_NONE ? TAKER_NONE : due + 1;
}

void takers_open(struct takers *takers, uint32_t kept)
{
    maximum_tree_set(&takers->open, kept, due_number(takers, kept));
}

void takers_close(struct takers *takers, uint32_t kept)
{
    maximum_tree_set(&takers->open, kept, 0);
}

/* How many of kept have ended their adds before `moment`: they can be critical there. */
static uint32_t added_before(const struct takers *takers, uint32_t moment)
{
    uint32_t low = 0, high = takers->kept_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (takers->add_last[middle] < moment)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The last index in kept below `end` that is open and due later than `taker`; kept_count if there
 * is none. */
static uint32_t previous_later(const struct takers *takers, uint32_t end, uint32_t taker)
{
    if (end == 0)
        return takers->kept_count;
    uint32_t found = maximum_tree_find(&takers->open, end - 1, taker + 2);
    return found == MAXIMUM_TREE_NONE ? takers->kept_count : found;
}

/* Counts what is in the way at `moment` as due at `taker` (with change = 1 instead of -1: again as
 * it is). How many these are: at most `most` + 1. */
static uint32_t change_spare(struct takers *takers, uint32_t taker, uint32_t moment, uint32_t most,
                             int32_t change)
{
    uint32_t changed = 0;
    for (uint32_t i = previous_later(takers, added_before(takers, moment), taker);
         i < takers->kept_count && changed <= most; i = previous_later(takers, i, taker)) {
        uint32_t due = takers->due[i] == TAKER_NONE ? takers->count : takers->due[i];
        segment_tree_add(&takers->spare, taker, due - 1, change);
        changed++;
    }
    return changed;
}

static bool is_feasible(struct takers *takers, uint32_t taker, uint32_t moment)
{
    uint32_t most = takers->items[taker].invoked;
    bool feasible = change_spare(takers, taker, moment, most, -1) <= most &&
                    segment_tree_minimum(&takers->spare) >= 0;
    change_spare(takers, taker, moment, most, 1);
    return feasible;
}

static void make_due(struct takers *takers, uint32_t taker, uint32_t moment)
{
    change_spare(takers, taker, moment, takers->kept_count, -1);
    for (uint32_t i = previous_later(takers, added_before(takers, moment), taker);
         i < takers->kept_count; i = previous_later(takers, i, taker)) {
        takers->due[i] = taker;
        bool open =
            takers->how->shorten(takers->context, takers->kept[i], takers->items[taker].moment);
        maximum_tree_set(&takers->open, i, open ? due_number(takers, i) : 0);
    }
}

/* The last taker invoked at `moment` or before; there is one. */
static uint32_t taker_at(const struct takers *takers, uint32_t moment)
{
    uint32_t low = 0, high = takers->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (takers->items[middle].moment <= moment)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first way out from `taker` on, and its moment; TAKER_NONE if there is none. */
static uint32_t find_way(struct takers *takers, uint32_t taker, uint32_t first, uint32_t last,
                         uint32_t *moment)
{
    for (; taker < takers->count; taker++) {
        uint32_t from = takers->items[taker].moment;
        *moment = takers->how->find(takers->context, from > first ? from : first, last);
        if (*moment == MOMENT_NONE)
            break;
        taker = taker_at(takers, *moment);
        if (is_feasible(takers, taker, *moment))
            return taker;
    }
    return TAKER_NONE;
}

enum attempt takers_take(struct takers *takers, uint32_t first, uint32_t last)
{
    uint32_t moment;
    if (takers->depth == takers->ways.length) {
        const struct way way = {.taker = find_way(takers, 0, first, last, &moment)};
        if (way.taker == TAKER_NONE)
            return ATTEMPT_DEAD;
        if (!vector_push(&takers->ways, way))
            return ATTEMPT_REFUSED;
    } else {
        struct way *way = &takers->ways.items[takers->depth];
        way->taker = find_way(takers, way->taker + way->dead, first, last, &moment);
        if (way->taker == TAKER_NONE) {
            assert(takers->depth + 1 == takers->ways.length);
            takers->ways.length--;
            return ATTEMPT_DEAD;
        }
        way->dead = false;
    }
    make_due(takers, takers->ways.items[takers->depth++].taker, moment);
    return ATTEMPT_GOES_ON;
}

enum retry takers_retry(struct takers *takers, uint64_t cost)
{
    if (takers->ways.length == 0)
        return RETRY_NO;
    takers->ways.items[takers->ways.length - 1].dead = true;
    takers->tries++;
    return takers->tries >= least_tries && takers->tries * cost > most_work ? RETRY_TOO_MANY
                                                                            : RETRY_YES;
}

bool takers_hand_out(struct takers *takers)
{
    struct values *values = takers->values;
    size_t size = ((size_t)takers->count + 1) * sizeof(uint32_t);
    uint32_t *next = arena_allocate(&takers->arena, size);
    if (!next)
        return false;
    memset(next, 0, size);
    for (uint32_t i = 0; i < takers->kept_count; i++)
        if (takers->due[i] != TAKER_NONE)
            next[takers->due[i] + 1]++;
    for (uint32_t i = 1; i < takers->count; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < takers->kept_count; i++)
        if (takers->due[i] != TAKER_NONE)
            values->elements.items[takers->kept[i]].remove =
                values->pending_removes[next[takers->due[i]]++];
    return true;
}

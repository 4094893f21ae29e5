/* What a priority queue need not keep of values that were removed.
 *
 * Let `since` be when the oldest removal was invoked that runs, or is not certain
 * (online_priority.c). The removals that are open have no moments before it, so what is in the way
 * only there is dropped.
 *
 * Of the moments behind it many are of no use to them, since there is a later one that does for
 * whatever the earlier one does. Let g be a gap between two events, and g' a later one, such that
 *
 *     each value inside that was added between the two is due by g' (online_priority.c), and the
 *     least of the removed values that are certainly inside at g' is no smaller than at g, or there
 *     is none.
 *
 * Whatever an open removal takes in the end at g it may take at g', too: it had been invoked at g,
 * so it had at g', and has not answered by then; what was removed is less in the way there; and of
 * the values that are inside now, from whichever moment on somebody may turn out to have taken
 * each, those that are in the way at g' are so at g. So what has to be in the way at g is as large
 * as the greatest least value at g or such a g', its *bound*: instead of the least value that is
 * inside at g any other will do that is inside then and not above the bound. Behind the last event
 * nothing that was removed is in the way, so where all that was added since is due there is no
 * bound at all.
 *
 * A removal that is not certain has its own moments only. If it took a value that is greater than
 * the least one at such a moment something smaller than that has to stay in its way there: the
 * bound is less than that value, too; if it found nothing, anything has to.
 *
 * Values are chosen from the first moment on, always the one that is inside for longest of those
 * that will do, unless one will do that was chosen before. */
#include <assert.h>
#include <string.h>

#include "base/maximum_tree.h"
#include "stream/online_priority.h"

#define NONE  RUNNING_NONE
#define NEVER CONTAINER_NEVER

static uint64_t needed_since(struct container_online *container)
{
    uint64_t since = running_since(&container->removals);
    since = since < container->now ? since : container->now;
    for (size_t i = 0; i < container->removed.length; i++) {
        const struct stay_of *stay = &container->stays.items[container->removed.items[i]];
        if (!stay->certain && stay->remove_begun < since)
            since = stay->remove_begun;
    }
    for (size_t i = 0; i < container->empties.length; i++)
        if (!container->empties.items[i].certain && container->empties.items[i].begun < since)
            since = container->empties.items[i].begun;
    return since;
}

/* Gaps are numbered by the events in front of them, values by their places in the order, from 1. */
struct dropper {
    struct priority *priority;
    uint32_t gaps, values;
    uint32_t *least;  /* of each gap: a value; NONE: nothing is in the way there */
    uint32_t *bounds; /* a value; NONE: there is none */
    uint32_t *latest; /* the first gap behind the last addition of what is not due there */
    uint32_t *next;   /* the next gap of which something is not known yet */
    uint32_t *link;   /* the next gap with the same least value; NONE */
    uint32_t *added;  /* which value is inside from there on; 0: none */
    uint32_t *doubts, *answers; /* whose removal, that is not certain, was invoked in front of it,
                                   or answered */
    uint32_t *empties;          /* how many more removals that are not certain found nothing */
    uint32_t *first;   /* by values, 0 in place of NONE: the first gap where it is the least */
    uint32_t *longest; /* of values up to one: which is inside for longest, as a binary tree that
                          is indexed (P. Fenwick: A new data structure for cumulative frequency
                          tables, 1994) */
    uint32_t *chosen;  /* the same, of those that were chosen */
    uint32_t *stays;   /* whether it was */
    struct maximum_tree open; /* of values, from the greatest on: whether there is a doubt now */
};

#define GAP_ARRAYS   9
#define VALUE_ARRAYS 4

static size_t room_of(const struct dropper *dropper)
{
    return ((size_t)(dropper->gaps + 1) * GAP_ARRAYS +
            (size_t)(dropper->values + 1) * VALUE_ARRAYS) *
           sizeof(uint32_t);
}

static bool open_dropper(struct dropper *dropper, struct priority *priority)
{
    struct budget *budget = priority->container.online.budget;
    *dropper = (struct dropper){.priority = priority,
                                .gaps = (uint32_t)priority->times.length,
                                .values = (uint32_t)priority->order.length};
    uint32_t **const arrays[GAP_ARRAYS + VALUE_ARRAYS] = {
        &dropper->least,   &dropper->bounds, &dropper->latest,  &dropper->next,    &dropper->link,
        &dropper->added,   &dropper->doubts, &dropper->answers, &dropper->empties, &dropper->first,
        &dropper->longest, &dropper->chosen, &dropper->stays};
    uint32_t *room = memory_zeroed(budget, room_of(dropper));
    if (!room || !maximum_tree_init(&dropper->open, dropper->values + 1, budget)) {
        memory_release(budget, room, room ? room_of(dropper) : 0);
        return false;
    }
    memset(dropper->open.nodes, 0, (dropper->values + 1) * sizeof *dropper->open.nodes);
    maximum_tree_build(&dropper->open);
    for (size_t i = 0; i < GAP_ARRAYS + VALUE_ARRAYS; i++) {
        *arrays[i] = room;
        room += (i < GAP_ARRAYS ? dropper->gaps : dropper->values) + 1;
    }
    return true;
}

static void close_dropper(struct dropper *dropper)
{
    maximum_tree_release(&dropper->open);
    memory_release(dropper->priority->container.online.budget, dropper->least, room_of(dropper));
}

static const struct stay_of *stay_of_value(const struct dropper *dropper, uint32_t place)
{
    return priority_stay(dropper->priority, dropper->priority->order.items[place - 1]);
}

/* Whether a value was removed; others are inside, or have been handed out meanwhile. */
static bool is_removed(const struct stay_of *stay)
{
    return stay->used && stay->remove_ended != NEVER;
}

/* The gap from which on it is inside no more. */
static uint32_t end_of(const struct dropper *dropper, uint32_t place)
{
    return place ? priority_rank(dropper->priority, stay_of_value(dropper, place)->remove_begun)
                 : 0;
}

/* ---- bounds ---- */

/* All gaps are to be known. */
static void begin_gaps(struct dropper *dropper)
{
    for (uint32_t gap = 0; gap <= dropper->gaps; gap++)
        dropper->next[gap] = gap;
}

/* The first gap from that one on that is not known. */
static uint32_t next_gap(struct dropper *dropper, uint32_t gap)
{
    uint32_t *next = dropper->next;
    while (next[gap] != gap) {
        next[gap] = next[next[gap]];
        gap = next[gap];
    }
    return gap;
}

/* Says what is known of gaps, up to `end`, of which it was not known. */
static void fill_gaps(struct dropper *dropper, uint32_t first, uint32_t end, uint32_t *of,
                      uint32_t known)
{
    for (uint32_t gap = next_gap(dropper, first); gap < end; gap = next_gap(dropper, gap)) {
        of[gap] = known;
        dropper->next[gap] = gap + 1;
    }
}

static void find_least(struct dropper *dropper)
{
    begin_gaps(dropper);
    memset(dropper->least, 0xff, (dropper->gaps + (size_t)1) * sizeof *dropper->least); /* NONE */
    for (uint32_t place = 1; place <= dropper->values; place++) {
        const struct stay_of *stay = stay_of_value(dropper, place);
        if (!is_removed(stay))
            continue;
        if (!stay->certain) {
            dropper->doubts[priority_rank(dropper->priority, stay->remove_begun)] = place;
            dropper->answers[priority_rank(dropper->priority, stay->remove_ended)] = place;
        }
        if (!stay_covers(stay))
            continue;
        const uint32_t first = priority_rank(dropper->priority, stay->add_ended);
        dropper->added[first] = place;
        fill_gaps(dropper, first, end_of(dropper, place), dropper->least, place);
    }
}

/* Values that were added behind the first event, the last one first. */
static void find_latest(struct dropper *dropper)
{
    const struct priority *priority = dropper->priority;
    const struct stay_of *stays = priority->container.stays.items;
    begin_gaps(dropper);
    for (uint32_t i = priority->container.last;
         i != NONE && stays[i].add_ended > priority->times.items[0]; i = stays[i].before) {
        const uint32_t first = priority_rank(priority, stays[i].add_ended);
        fill_gaps(dropper, first, priority_rank(priority, stays[i].due), dropper->latest, first);
    }
}

/* The bounds of removals that are open: of the gaps those with the greatest least value first. */
static void find_open_bounds(struct dropper *dropper)
{
    begin_gaps(dropper);
    memset(dropper->first, 0xff, (dropper->values + (size_t)1) * sizeof *dropper->first); /* NONE */
    for (uint32_t gap = 0; gap < dropper->gaps; gap++) {
        uint32_t *first = &dropper->first[dropper->least[gap] == NONE ? 0 : dropper->least[gap]];
        dropper->link[gap] = *first;
        *first = gap;
    }
    for (uint32_t i = 0; i <= dropper->values; i++) {
        const uint32_t place = i ? dropper->values + 1 - i : 0;
        for (uint32_t gap = dropper->first[place]; gap != NONE; gap = dropper->link[gap])
            fill_gaps(dropper, dropper->latest[gap], gap + 1, dropper->bounds,
                      place ? place : NONE);
    }
}

static void note_empties(struct dropper *dropper)
{
    const struct container_online *container = &dropper->priority->container;
    for (size_t i = 0; i < container->empties.length; i++) {
        const struct found_empty *empty = &container->empties.items[i];
        if (empty->certain)
            continue;
        dropper->empties[priority_rank(dropper->priority, empty->begun)]++;
        dropper->empties[priority_rank(dropper->priority, empty->ended)]--;
    }
}

/* The bounds of those that are not certain. */
static void find_doubtful_bounds(struct dropper *dropper)
{
    const uint32_t values = dropper->values;
    uint32_t empties = 0;
    note_empties(dropper);
    for (uint32_t gap = 0; gap < dropper->gaps; gap++) {
        uint32_t *bound = &dropper->bounds[gap], least = dropper->least[gap];
        empties += dropper->empties[gap];
        if (dropper->doubts[gap])
            maximum_tree_set(&dropper->open, values - dropper->doubts[gap], 1);
        if (dropper->answers[gap])
            maximum_tree_set(&dropper->open, values - dropper->answers[gap], 0);
        if (least == NONE)
            continue;
        if (empties && *bound > values)
            *bound = values;
        const uint32_t found = least < values
                                   ? maximum_tree_find(&dropper->open, values - least - 1, 1)
                                   : MAXIMUM_TREE_NONE;
        if (found != MAXIMUM_TREE_NONE && *bound > values - found - 1)
            *bound = values - found - 1;
    }
}

/* ---- choosing ---- */

static void note(struct dropper *dropper, uint32_t *tree, uint32_t place)
{
    const uint32_t end = end_of(dropper, place);
    for (uint32_t at = place; at <= dropper->values; at += at & -at)
        if (end_of(dropper, tree[at]) < end)
            tree[at] = place;
}

/* Of the values up to that one that are in the tree the one that is inside for longest. */
static uint32_t longest(const struct dropper *dropper, const uint32_t *tree, uint32_t place)
{
    uint32_t found = 0, end = 0;
    for (uint32_t at = place; at > 0; at -= at & -at) {
        const uint32_t other = end_of(dropper, tree[at]);
        if (other > end) {
            found = tree[at];
            end = other;
        }
    }
    return found;
}

static void choose(struct dropper *dropper, uint32_t place)
{
    assert(place > 0); /* the least value of the gap is in the tree */
    dropper->stays[place] = true;
    note(dropper, dropper->chosen, place);
}

static void choose_all(struct dropper *dropper, uint64_t since)
{
    const uint64_t *times = dropper->priority->times.items;
    for (uint32_t gap = 0; gap + 1 < dropper->gaps; gap++) {
        const uint32_t bound = dropper->bounds[gap], added = dropper->added[gap];
        if (added) {
            note(dropper, dropper->longest, added);
            if (!stay_of_value(dropper, added)->certain)
                choose(dropper, added);
        }
        if (times[gap + 1] <= since || bound == NONE ||
            end_of(dropper, longest(dropper, dropper->chosen, bound)) > gap)
            continue;
        choose(dropper, longest(dropper, dropper->longest, bound));
    }
}

/* ---- dropping ---- */

static void drop_empties(struct container_online *container)
{
    size_t kept = 0;
    for (size_t i = 0; i < container->empties.length; i++)
        if (!container->empties.items[i].certain)
            container->empties.items[kept++] = container->empties.items[i];
    container->empties.length = kept;
}

bool priority_drop(struct priority *priority)
{
    struct container_online *container = &priority->container;
    const uint64_t since = container->since = needed_since(container);
    struct dropper dropper;
    if (!open_dropper(&dropper, priority))
        return false;
    find_least(&dropper);
    find_latest(&dropper);
    find_open_bounds(&dropper);
    find_doubtful_bounds(&dropper);
    choose_all(&dropper, since);
    drop_empties(container);
    container->removed.length = 0;
    for (uint32_t place = 1; place <= dropper.values; place++) {
        const uint32_t number = priority->order.items[place - 1];
        const struct stay_of *stay = priority_stay(priority, number);
        if (!is_removed(stay))
            continue;
        if (stay->certain && !dropper.stays[place])
            container_online_drop(container, number);
        else
            container->removed.items[container->removed.length++] = number; /* as there were */
    }
    close_dropper(&dropper);
    return true;
}

#include "monitor/stack_elimination.h"

#include <assert.h>
#include <string.h>

/* A cover tree's leaves, first as differences, then as sums. The end is
 * covered for ever: what takes effect there is known from the beginning. */
static void fill_cover(struct segment_tree *tree, const struct elimination *elimination,
                       bool removed_only)
{
    int32_t *leaves = tree->nodes;
    uint32_t moments = elimination->moments->count;
    memset(leaves, 0, moments * sizeof *leaves);
    for (uint32_t i = 0; i < elimination->count; i++) {
        const struct stay *stay = &elimination->pieces[i].stay;
        if (!stay_is_critical(stay) || (removed_only && !piece_is_removed(elimination->values, i)))
            continue;
        leaves[stay->add_last + 1]++;
        leaves[stay->remove_first]--;
    }
    for (uint32_t moment = 1; moment < moments; moment++)
        leaves[moment] += leaves[moment - 1];
    assert(leaves[moments - 1] == 0);
    leaves[moments - 1] = SEGMENT_TREE_INFINITY;
    segment_tree_build(tree);
}

static void fill_waiting(struct elimination *elimination)
{
    const struct element *elements = elimination->values->elements.items;
    uint32_t *leaves = elimination->waiting.nodes;
    memset(leaves, 0, elimination->waiting.leaves * sizeof *leaves);
    for (uint32_t i = 0; i < elimination->count; i++) {
        struct piece *piece = &elimination->pieces[i];
        if (!stay_is_critical(&piece->stay))
            continue;
        elimination->left++;
        if (elements[i].add != INTERVAL_NONE)
            leaves[elements[i].add] = piece->stay.add_last + 1;
        if (piece_is_removed(elimination->values, i))
            leaves[elements[i].remove] = piece->stay.remove_last + 1;
        else
            piece->remove_at = elimination->moments->count - 1;
    }
    maximum_tree_build(&elimination->waiting);
}

bool elimination_init(struct elimination *elimination, const struct values *values,
                      const struct moments *moments, bool tracks_removed)
{
    struct budget *budget = values->limits->budget;
    uint32_t count = (uint32_t)values->elements.length;
    *elimination = (struct elimination){.values = values,
                                        .moments = moments,
                                        .budget = budget,
                                        .count = count,
                                        .tracks_removed = tracks_removed};
    elimination->pieces = memory_allocate(budget, count * sizeof *elimination->pieces);
    elimination->order = memory_allocate(budget, count * sizeof *elimination->order);
    if (!elimination->pieces || !elimination->order ||
        !segment_tree_init(&elimination->cover, moments->count, budget) ||
        !maximum_tree_init(&elimination->waiting, values->part->count, budget) ||
        (tracks_removed && !segment_tree_init(&elimination->removed_cover, moments->count, budget)))
        return false;
    for (uint32_t i = 0; i < count; i++)
        elimination->pieces[i] =
            (struct piece){.stay = moments_stay(moments, &values->elements.items[i]),
                           .add_at = MOMENT_NONE,
                           .remove_at = MOMENT_NONE};
    fill_cover(&elimination->cover, elimination, false);
    if (tracks_removed)
        fill_cover(&elimination->removed_cover, elimination, true);
    fill_waiting(elimination);
    return true;
}

void elimination_release(struct elimination *elimination)
{
    struct budget *budget = elimination->budget;
    if (!budget)
        return;
    memory_release(budget, elimination->pieces, elimination->count * sizeof(struct piece));
    memory_release(budget, elimination->order, elimination->count * sizeof(uint32_t));
    segment_tree_release(&elimination->cover);
    segment_tree_release(&elimination->removed_cover);
    maximum_tree_release(&elimination->waiting);
    *elimination = (struct elimination){0};
}

/* Takes away what an element covers from `first` to `last`. */
static void uncover(struct elimination *elimination, uint32_t element, uint32_t first,
                    uint32_t last)
{
    segment_tree_add(&elimination->cover, first, last, -1);
    if (elimination->tracks_removed && piece_is_removed(elimination->values, element))
        segment_tree_add(&elimination->removed_cover, first, last, -1);
}

/* An operation of an element meets a free moment. */
static void meet(struct elimination *elimination, uint32_t element, bool add, uint32_t moment)
{
    struct piece *piece = &elimination->pieces[element];
    assert(add ? piece->stay.add_first <= moment && moment <= piece->stay.add_last
               : piece->stay.remove_first <= moment && moment <= piece->stay.remove_last);
    *(add ? &piece->add_at : &piece->remove_at) = moment;
    if (!piece_is_left(piece)) {
        elimination->order[elimination->eliminated++] = element;
        elimination->left--;
    }
}

/* The waiting operation with the latest invocation among those around `moment`. */
static uint32_t find_waiting(const struct elimination *elimination, uint32_t moment)
{
    uint32_t invoked = elimination->moments->invoked[moment];
    if (invoked == 0)
        return MAXIMUM_TREE_NONE;
    return maximum_tree_find(&elimination->waiting, invoked - 1, moment + 1);
}

bool elimination_awaits(const struct elimination *elimination, uint32_t moment)
{
    const struct values *values = elimination->values;
    if (moment >= values->base)
        return find_waiting(elimination, moment) != MAXIMUM_TREE_NONE;
    return piece_is_left(&elimination->pieces[values->at[moment]]);
}

static void free_moment(struct elimination *elimination, uint32_t moment)
{
    const struct values *values = elimination->values;
    segment_tree_add(&elimination->cover, moment, moment, SEGMENT_TREE_INFINITY);
    if (elimination->tracks_removed)
        segment_tree_add(&elimination->removed_cover, moment, moment, SEGMENT_TREE_INFINITY);
    if (moment < values->base) {
        if (piece_is_left(&elimination->pieces[values->at[moment]]))
            meet(elimination, values->at[moment], true, moment);
        return;
    }
    uint32_t interval;
    while ((interval = find_waiting(elimination, moment)) != MAXIMUM_TREE_NONE) {
        uint32_t element = values->at[values->base + values->part->intervals[interval].invoke];
        maximum_tree_set(&elimination->waiting, interval, 0);
        meet(elimination, element, values->elements.items[element].add == interval, moment);
    }
}

bool elimination_run(struct elimination *elimination, struct limits *limits)
{
    for (uint32_t looked = 0; elimination->left > 0;) {
        if (limits_look(limits, &looked))
            return false;
        assert(elimination->uncovered <= elimination->eliminated &&
               elimination->eliminated + elimination->left <= elimination->count);
        if (elimination->uncovered < elimination->eliminated) {
            uint32_t element = elimination->order[elimination->uncovered++];
            const struct stay *stay = &elimination->pieces[element].stay;
            uncover(elimination, element, stay->add_last + 1, stay->remove_first - 1);
        } else if (segment_tree_minimum(&elimination->cover) == 0) {
            free_moment(elimination, segment_tree_least(&elimination->cover));
        } else {
            break;
        }
    }
    return true;
}

void elimination_shorten(struct elimination *elimination, uint32_t element, uint32_t moment)
{
    struct piece *piece = &elimination->pieces[element];
    struct stay *stay = &piece->stay;
    assert(piece_is_left(piece) && moment < stay->remove_first);
    uint32_t first = moment > stay->add_last ? moment : stay->add_last + 1;
    uncover(elimination, element, first, stay->remove_first - 1);
    stay->remove_first = moment;
    if (stay_is_critical(stay))
        return;
    uint32_t add = elimination->values->elements.items[element].add;
    if (add != INTERVAL_NONE)
        maximum_tree_set(&elimination->waiting, add, 0);
    elimination->left--;
}

uint32_t elimination_find_empty(const struct elimination *elimination, uint32_t from)
{
    uint32_t end = elimination->moments->count - 1;
    uint32_t found = segment_tree_find(&elimination->cover, from < end ? from : end, 0);
    return found == SEGMENT_TREE_NONE ? end : found;
}

/* Numbers by group, made by counting: those of group g are items[first[g]] to items[first[g + 1] -
 * 1], in the order in which they were put there. The same are put twice, first to be counted:
 *
 *     if (!groups_begin(&groups, count, arena))
 *         return false;
 *     while (groups_pass(&groups, arena))
 *         for (...)
 *             groups_put(&groups, group, number);
 *     return groups_made(&groups);
 */
#ifndef BASE_GROUPS_H
#define BASE_GROUPS_H

#include <assert.h>

#include "base/arena.h"

struct groups {
    uint32_t *first, *items; /* the arena's */
    uint32_t count;          /* of groups */
    unsigned pass;           /* 1: counting; 2: placing, with first[g + 1] where the next goes */
};

/* False when refused. */
static inline MUST_CHECK bool groups_begin(struct groups *groups, size_t count, struct arena *arena)
{
    *groups = (struct groups){.count = (uint32_t)count};
    groups->first = arena_zeroed(arena, (count + 2) * sizeof *groups->first);
    return groups->first;
}

/* Whether everything is to be put, once more; false in the end, or when refused. */
static inline bool groups_pass(struct groups *groups, struct arena *arena)
{
    if (++groups->pass != 2)
        return groups->pass == 1;
    for (uint32_t g = 0; g < groups->count; g++)
        groups->first[g + 2] += groups->first[g + 1];
    groups->items = arena_allocate(arena, groups->first[groups->count + 1] * sizeof(uint32_t));
    return groups->items;
}

static inline bool groups_made(const struct groups *groups)
{
    return groups->items;
}

static inline void groups_put(struct groups *groups, uint32_t group, uint32_t number)
{
    assert(group < groups->count);
    if (groups->pass == 1)
        groups->first[group + 2]++;
    else
        groups->items[groups->first[group + 1]++] = number;
}

#endif

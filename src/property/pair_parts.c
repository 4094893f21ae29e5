#include "property/pair_parts.h"

#include <assert.h>

static uint32_t count_of(uint32_t bits)
{
    return UINT32_C(1) << bits;
}

static uint32_t part_of(const struct pair_parts *parts, uint32_t state)
{
    return state & (count_of(parts->bits) - 1);
}

static void destroy(struct pair_parts *parts)
{
    const uint32_t count = count_of(parts->bits);
    for (uint32_t i = 0; parts->antichains && i < count; i++)
        antichain_release(&parts->antichains[i]);
    for (uint32_t i = 0; parts->pairs && i < count; i++)
        pairs_release(&parts->pairs[i]);
    memory_release(parts->budget, parts->antichains, count * sizeof *parts->antichains);
    memory_release(parts->budget, parts->pairs, count * sizeof *parts->pairs);
}

static bool create(struct pair_parts *parts, struct normal *normal, bool minimal)
{
    const uint32_t count = count_of(parts->bits);
    if (minimal)
        parts->antichains = memory_allocate(parts->budget, count * sizeof *parts->antichains);
    else
        parts->pairs = memory_allocate(parts->budget, count * sizeof *parts->pairs);
    for (uint32_t i = 0; parts->antichains && i < count; i++) {
        antichain_init(&parts->antichains[i], normal, parts->budget);
        if (parts->bits)
            antichain_share(&parts->antichains[i], &parts->antichains[0]);
    }
    for (uint32_t i = 0; parts->pairs && i < count; i++)
        pairs_init(&parts->pairs[i], parts->budget);
    return parts->antichains || parts->pairs;
}

bool pair_parts_init(struct pair_parts *parts, struct normal *normal, bool minimal,
                     struct budget *budget)
{
    *parts = (struct pair_parts){.budget = budget};
    return create(parts, normal, minimal);
}

void pair_parts_release(struct pair_parts *parts)
{
    destroy(parts);
    *parts = (struct pair_parts){.budget = parts->budget};
}

bool pair_parts_divide(struct pair_parts *parts, struct normal *normal, uint32_t bits)
{
    struct pair_parts divided = {.budget = parts->budget, .bits = bits};
    assert(parts->bits == 0);
    if (!create(&divided, normal, parts->antichains != NULL))
        return false;
    destroy(parts);
    *parts = divided;
    return true;
}

void pair_parts_ask(struct pair_parts *parts, struct normal *const *normals, unsigned count)
{
    for (uint32_t i = 0; parts->antichains && i < count_of(parts->bits); i++)
        antichain_ask(&parts->antichains[i], normals[i % count]);
}

bool pair_parts_expect(struct pair_parts *parts, uint32_t last)
{
    return !parts->antichains || antichain_sign(parts->antichains[0].signer, last);
}

bool pair_parts_add(struct pair_parts *parts, uint32_t state, uint32_t normal, bool *fresh)
{
    const uint32_t part = part_of(parts, state), within = state >> parts->bits;
    return parts->antichains ? antichain_add(&parts->antichains[part], within, normal, fresh)
                             : pairs_add(&parts->pairs[part], within, normal, fresh);
}

void pair_parts_prefetch(const struct pair_parts *parts, uint32_t state)
{
    const uint32_t part = part_of(parts, state), within = state >> parts->bits;
    if (parts->antichains)
        antichain_prefetch(&parts->antichains[part], within);
    else
        pairs_prefetch_row(&parts->pairs[part], within);
}

bool pair_parts_has(const struct pair_parts *parts, uint32_t state, uint32_t normal)
{
    return antichain_has(&parts->antichains[part_of(parts, state)], state >> parts->bits, normal);
}

void pair_parts_tell(const struct pair_parts *parts, size_t *bytes, uint64_t *covered,
                     uint64_t *replaced)
{
    *bytes = 0;
    *covered = *replaced = 0;
    for (uint32_t i = 0; i < count_of(parts->bits) && (parts->antichains || parts->pairs); i++) {
        *bytes += parts->antichains ? antichain_bytes(&parts->antichains[i])
                                    : pairs_bytes(&parts->pairs[i]);
        *covered += parts->antichains ? parts->antichains[i].covered : 0;
        *replaced += parts->antichains ? parts->antichains[i].replaced : 0;
    }
}

void pair_parts_recount(struct pair_parts *parts, uint64_t covered, uint64_t replaced)
{
    for (uint32_t i = 0; parts->antichains && i < count_of(parts->bits); i++) {
        parts->antichains[i].covered = i == 0 ? covered : 0;
        parts->antichains[i].replaced = i == 0 ? replaced : 0;
    }
}

uint64_t pair_parts_count(const struct pair_parts *parts)
{
    const uint32_t parts_count = count_of(parts->bits);
    uint64_t count = 0;
    for (uint32_t i = 0; i < parts_count && (parts->antichains || parts->pairs); i++)
        count += parts->antichains ? parts->antichains[i].count : parts->pairs[i].count;
    return count;
}

static bool add(void *parts, uint32_t state, uint32_t with, bool *fresh)
{
    return pair_parts_add(parts, state, with, fresh);
}

static void prefetch(const void *parts, uint32_t state)
{
    pair_parts_prefetch(parts, state);
}

const struct node_set nodes_are_in_parts = {.add = add, .prefetch = prefetch};

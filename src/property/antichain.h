/* Pairs (implementation state, normalised state) of which only the minimal are kept: whatever a
 * larger normalised state can fail to follow, a smaller one with the same implementation state
 * fails to follow too (Wang and others 2012; Laveaux, Groote and Willemse 2021: insert when a pair
 * is found, not when it is taken up). */
#ifndef PROPERTY_ANTICHAIN_H
#define PROPERTY_ANTICHAIN_H

#include "property/normal.h"
#include "space/state_table.h"

/* A normalised state, with what tells cheaply that one is no part of another. */
struct antichain_item {
    uint64_t signature;
    normal_id normal;
    uint32_t size;
};

struct antichain_row {
    struct antichain_item *items;
    uint32_t count, capacity;
};

struct antichain {
    struct budget *budget;
    const struct normal *normal;
    VECTOR(struct antichain_row) rows;
    uint64_t count; /* pairs kept */
    uint64_t tests; /* inclusions tested */
};

void antichain_init(struct antichain *antichain, const struct normal *normal,
                    struct budget *budget);
void antichain_release(struct antichain *antichain);

/* Adds a pair unless a smaller or equal one is kept; drops the larger ones. *fresh: it was added.
 * False when refused. */
bool antichain_add(struct antichain *antichain, state_id state, normal_id normal,
                   bool *fresh) MUST_CHECK;

/* Whether the pair is kept still. */
bool antichain_has(const struct antichain *antichain, state_id state, normal_id normal);

#endif

/* The set of pairs (implementation state, normalised state) that a product has reached, grouped by
 * implementation state: a short list first, then a hash table of 32-bit numbers, then, where many
 * of the normalised states are there, a bit each. A pair so costs between one bit and eight bytes,
 * and the bits of one implementation state lie together. There are as many rows as states: one
 * takes 16 bytes, and 4 for a number, where base/table.h takes 32, and 8. */
#ifndef SPACE_PAIRS_H
#define SPACE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct pair_row {
    uint32_t *items;
    uint32_t count;
    uint32_t capacity : 30; /* words of `items` */
    uint32_t shape : 2;     /* enum row_shape, in pairs.c */
};

struct pairs {
    struct budget *budget;
    VECTOR(struct pair_row) rows; /* by implementation state */
    uint64_t count;
};

void pairs_init(struct pairs *pairs, struct budget *budget);
void pairs_release(struct pairs *pairs);

size_t pairs_bytes(const struct pairs *pairs);

/* Adds a pair; *fresh: it was not there. False when refused. */
bool pairs_add(struct pairs *pairs, uint32_t state, uint32_t normal, bool *fresh) MUST_CHECK;

/* Bring the memory that pairs_add will look at closer: first the row, then, once that is there,
 * what is in it. */
static inline void pairs_prefetch_row(const struct pairs *pairs, uint32_t state)
{
    if (state < pairs->rows.length)
        __builtin_prefetch(&pairs->rows.items[state]);
}
void pairs_prefetch(const struct pairs *pairs, uint32_t state, uint32_t normal);

#endif

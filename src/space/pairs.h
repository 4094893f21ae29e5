/* The set of pairs (implementation state, normalised state) that a product has reached, grouped by
 * implementation state: a short list first, then a hash table of 32-bit numbers, then, where many
 * of the normalised states are there, a bit each. A pair so costs between one bit and eight bytes,
 * and the bits of one implementation state lie together. There are as many rows as states: one
 * takes 16 bytes, and 4 for a number, where base/table.h takes 32, and 8. */
#ifndef SPACE_PAIRS_H
#define SPACE_PAIRS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/faults.h"
#include "base/vector.h"

enum row_shape {
    ROW_LIST,  /* items[0 .. count-1] */
    ROW_TABLE, /* open addressing, capacity a power of two; number + 1, 0 is free */
    ROW_BITS,
};

struct pair_row {
    uint32_t *items;
    uint32_t count;
    uint32_t capacity : 30; /* words of `items` */
    uint32_t shape : 2;     /* enum row_shape */
};

struct pairs {
    struct budget *budget;
    VECTOR(struct pair_row) rows; /* by implementation state */
    uint64_t count;
};

void pairs_init(struct pairs *pairs, struct budget *budget);
void pairs_release(struct pairs *pairs);

size_t pairs_bytes(const struct pairs *pairs);

/* Adds a pair; *fresh: it was not there. False when refused. The second is for where the row has to
 * change its shape or size, or is a list. */
static inline bool pairs_add(struct pairs *pairs, uint32_t state, uint32_t normal,
                             bool *fresh) MUST_CHECK;
bool pairs_add_otherwise(struct pairs *pairs, uint32_t state, uint32_t normal,
                         bool *fresh) MUST_CHECK;

/* Where a number would like to be in a table; a capacity is a power of two from 2 on. */
static inline uint32_t pair_row_place(uint32_t normal, uint32_t capacity)
{
    return (normal * UINT32_C(0x9e3779b1)) >> (__builtin_clz(capacity) + 1);
}

/* Whether a table has room for one more. */
static inline bool pair_row_has_room(const struct pair_row *row)
{
    return row->count * UINT64_C(8) < row->capacity * UINT64_C(5);
}

/* Puts a number into a table with room; false: it is there. */
static inline bool pair_row_put(uint32_t *items, uint32_t capacity, uint32_t normal)
{
    uint32_t at = pair_row_place(normal, capacity);
    assert(at < capacity);
    for (; items[at]; at = (at + 1) & (capacity - 1))
        if (items[at] == normal + 1)
            return false;
    items[at] = normal + 1;
    return true;
}

static inline bool pairs_add(struct pairs *pairs, uint32_t state, uint32_t normal, bool *fresh)
{
    if (UNLIKELY(state >= pairs->rows.length))
        return pairs_add_otherwise(pairs, state, normal, fresh);
    struct pair_row *row = &pairs->rows.items[state];
    const uint32_t word = normal / 32, bit = UINT32_C(1) << normal % 32, capacity = row->capacity;
    if (row->shape == ROW_BITS && LIKELY(word < capacity)) {
        *fresh = !(row->items[word] & bit);
        row->items[word] |= bit;
    } else if (row->shape == ROW_TABLE && LIKELY(pair_row_has_room(row))) {
        *fresh = pair_row_put(row->items, capacity, normal);
    } else {
        return pairs_add_otherwise(pairs, state, normal, fresh);
    }
    row->count += *fresh;
    pairs->count += *fresh;
    return true;
}

/* Bring the memory that pairs_add will look at closer: first the row, then, once that is there,
 * what is in it. (GCC leaves out a call of a function that does nothing else: so, inlined always.)
 */
__attribute__((always_inline)) static inline void pairs_prefetch_row(const struct pairs *pairs,
                                                                     uint32_t state)
{
    if (state < pairs->rows.length)
        __builtin_prefetch(&pairs->rows.items[state]);
}

__attribute__((always_inline)) static inline void pairs_prefetch(const struct pairs *pairs,
                                                                 uint32_t state, uint32_t normal)
{
    if (state >= pairs->rows.length)
        return;
    const struct pair_row *row = &pairs->rows.items[state];
    const uint32_t at = row->shape == ROW_BITS    ? normal / 32
                        : row->shape == ROW_TABLE ? pair_row_place(normal, row->capacity)
                                                  : 0;
    if (at < row->capacity)
        __builtin_prefetch(&row->items[at]);
}

#endif

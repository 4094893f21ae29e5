/* An array that grows while threads read it: entries never move, and are found without a lock.
 * Of four blocks at a time each holds twice as many as of the four before, so that no more than a
 * quarter or so is there for nothing:
 *
 *     number  0 .. 15 | 16 .. 31 | 32 .. 47 | 48 .. 63 | 64 .. 95 | 96 .. 127 | ...
 *     block       0   |     1    |     2    |     3    |     4    |     5     |
 *
 * Who writes an entry, and how others come to know of it, is up to the owner: entries that others
 * may look at are atomic, or are published by something that is. */
#ifndef BASE_BLOCKS_H
#define BASE_BLOCKS_H

#include <assert.h>
#include <stdatomic.h>

#include "base/faults.h"
#include "base/memory.h"

/* The first four blocks hold 1 << BLOCKS_FIRST_BITS entries. */
#define BLOCKS_FIRST_BITS SIZE_OR_SMALL(6, 2)
#define BLOCKS_MOST       (4 * (32 - BLOCKS_FIRST_BITS))

struct blocks {
    struct budget *budget;
    size_t size;                           /* of an entry */
    _Atomic(uintptr_t) items[BLOCKS_MOST]; /* where the number 0 would be; 0: there is no block */
};

void blocks_init(struct blocks *blocks, struct budget *budget, size_t size);
void blocks_release(struct blocks *blocks);

size_t blocks_bytes(const struct blocks *blocks);

/* The entry of this number, whose block is made if need be; null when refused. Thread-safe. */
void *blocks_reach(struct blocks *blocks, uint32_t number) MUST_CHECK;

/* Which block it is in. */
static inline unsigned blocks_block(uint32_t number)
{
    const uint32_t from = number + (1u << BLOCKS_FIRST_BITS);
    const unsigned bits = 29 - (unsigned)__builtin_clz(from); /* those of numbers within it */
    assert(number <= UINT32_MAX - (1u << BLOCKS_FIRST_BITS));
    return 4 * bits + (from >> bits) - 4 * (BLOCKS_FIRST_BITS - 1);
}

/* The entry of this number; null where its block was never reached. */
static inline void *blocks_at(const struct blocks *blocks, uint32_t number)
{
    const uintptr_t items =
        atomic_load_explicit(&blocks->items[blocks_block(number)], memory_order_acquire);
    return items ? (void *)(items + (size_t)number * blocks->size) : NULL;
}

#endif

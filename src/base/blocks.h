/* An array that grows while threads read it: entries never move, and are found without a lock.
 * Block i holds twice as many as block i - 1, and is 0 at first:
 *
 *     number  0 ... 63 | 64 ... 191 | 192 ... 447 | ...
 *     block       0    |     1      |      2      |
 *
 * Who writes an entry, and how others come to know of it, is up to the owner: entries that others
 * may look at are atomic, or are published by something that is. */
#ifndef BASE_BLOCKS_H
#define BASE_BLOCKS_H

#include <assert.h>
#include <stdatomic.h>

#include "base/faults.h"
#include "base/memory.h"

/* The first block holds 1 << BLOCKS_FIRST_BITS entries. */
#define BLOCKS_FIRST_BITS SIZE_OR_SMALL(6, 1)
#define BLOCKS_MOST       (32 - BLOCKS_FIRST_BITS)

struct blocks {
    struct budget *budget;
    size_t size; /* of an entry */
    _Atomic(unsigned char *) items[BLOCKS_MOST];
};

void blocks_init(struct blocks *blocks, struct budget *budget, size_t size);
void blocks_release(struct blocks *blocks);

size_t blocks_bytes(const struct blocks *blocks);

/* The entry of this number, whose block is made if need be; null when refused. Thread-safe. */
void *blocks_reach(struct blocks *blocks, uint32_t number) MUST_CHECK;

static inline unsigned blocks_block(uint32_t number)
{
    assert(number <= UINT32_MAX - (1u << BLOCKS_FIRST_BITS));
    return 31 - BLOCKS_FIRST_BITS - (unsigned)__builtin_clz(number + (1u << BLOCKS_FIRST_BITS));
}

/* The entry of this number; null where its block was never reached. */
static inline void *blocks_at(const struct blocks *blocks, uint32_t number)
{
    const unsigned block = blocks_block(number);
    unsigned char *items = atomic_load_explicit(&blocks->items[block], memory_order_acquire);
    const uint32_t first = (1u << (BLOCKS_FIRST_BITS + block)) - (1u << BLOCKS_FIRST_BITS);
    assert(number >= first);
    return items ? items + (size_t)(number - first) * blocks->size : NULL;
}

#endif

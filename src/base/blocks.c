#include "base/blocks.h"

static size_t block_size(const struct blocks *blocks, unsigned block)
{
    return ((size_t)1 << (BLOCKS_FIRST_BITS - 2 + block / 4)) * blocks->size;
}

/* The bytes of the entries in front of a block. */
static size_t bytes_before(const struct blocks *blocks, unsigned block)
{
    return (4 + block % 4) * block_size(blocks, block) -
           ((size_t)1 << BLOCKS_FIRST_BITS) * blocks->size;
}

void blocks_init(struct blocks *blocks, struct budget *budget, size_t size)
{
    *blocks = (struct blocks){.budget = budget, .size = size};
}

void blocks_release(struct blocks *blocks)
{
    for (unsigned i = 0; i < BLOCKS_MOST; i++) {
        const uintptr_t items = atomic_load(&blocks->items[i]);
        if (items)
            memory_release(blocks->budget, (void *)(items + bytes_before(blocks, i)),
                           block_size(blocks, i));
    }
    blocks_init(blocks, blocks->budget, blocks->size);
}

size_t blocks_bytes(const struct blocks *blocks)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < BLOCKS_MOST; i++)
        bytes += atomic_load(&blocks->items[i]) ? block_size(blocks, i) : 0;
    return bytes;
}

/* Of two threads that make one block the first wins. */
void *blocks_reach(struct blocks *blocks, uint32_t number)
{
    const unsigned block = blocks_block(number);
    if (!atomic_load_explicit(&blocks->items[block], memory_order_acquire)) {
        uintptr_t none = 0;
        unsigned char *made = memory_zeroed(blocks->budget, block_size(blocks, block));
        if (!made)
            return NULL;
        if (!atomic_compare_exchange_strong(&blocks->items[block], &none,
                                            (uintptr_t)made - bytes_before(blocks, block)))
            memory_release(blocks->budget, made, block_size(blocks, block));
    }
    return blocks_at(blocks, number);
}

#include "base/blocks.h"

static size_t block_size(const struct blocks *blocks, unsigned block)
{
    return ((size_t)1 << (BLOCKS_FIRST_BITS + block)) * blocks->size;
}

void blocks_init(struct blocks *blocks, struct budget *budget, size_t size)
{
    *blocks = (struct blocks){.budget = budget, .size = size};
}

void blocks_release(struct blocks *blocks)
{
    for (unsigned i = 0; i < BLOCKS_MOST; i++)
        memory_release(blocks->budget, atomic_load(&blocks->items[i]), block_size(blocks, i));
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
        unsigned char *none = NULL;
        unsigned char *made = memory_zeroed(blocks->budget, block_size(blocks, block));
        if (!made)
            return NULL;
        if (!atomic_compare_exchange_strong(&blocks->items[block], &none, made))
            memory_release(blocks->budget, made, block_size(blocks, block));
    }
    return blocks_at(blocks, number);
}

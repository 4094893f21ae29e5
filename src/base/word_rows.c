#include "base/word_rows.h"

#include <string.h>

#include "base/faults.h"

#define FIRST_CHUNK ((uint32_t)SIZE_OR_SMALL(1 << 10, 8)) /* words */
#define LAST_CHUNK  ((uint32_t)SIZE_OR_SMALL(1 << WORD_ROWS_HERE_BITS, 1 << 10))
#define MOST_CHUNKS ((UINT32_C(1) << (32 - WORD_ROWS_HERE_BITS)) - 1)
#define MOST_LENGTH (UINT32_MAX - 2)

void word_rows_init(struct word_rows *rows, struct budget *budget)
{
    *rows = (struct word_rows){0};
    blocks_init(&rows->chunks, budget, sizeof(uint32_t *));
}

void word_rows_release(struct word_rows *rows)
{
    struct budget *budget = rows->chunks.budget;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t *chunk = *(uint32_t **)blocks_at(&rows->chunks, i);
        memory_release(budget, chunk, chunk[0] * sizeof *chunk);
    }
    blocks_release(&rows->chunks);
    word_rows_init(rows, budget);
}

/* Makes a chunk with room for so many words. */
static bool add_chunk(struct word_rows *rows, uint32_t words)
{
    uint32_t size = rows->count == 0               ? FIRST_CHUNK
                    : rows->size >= LAST_CHUNK / 2 ? LAST_CHUNK
                                                   : 2 * rows->size;
    if (size < words + 1)
        size = words + 1;
    uint32_t **place = rows->count < MOST_CHUNKS ? blocks_reach(&rows->chunks, rows->count) : NULL;
    uint32_t *chunk = place ? memory_allocate(rows->chunks.budget, size * sizeof *chunk) : NULL;
    if (!chunk)
        return false;
    chunk[0] = size;
    *place = chunk;
    rows->count++;
    rows->used = 1;
    rows->size = size;
    return true;
}

uint32_t word_rows_add(struct word_rows *rows, const uint32_t *words, size_t length)
{
    if (length > MOST_LENGTH - 1)
        return WORD_ROWS_NONE;
    const uint32_t needed = (uint32_t)length + 1;
    if (rows->size - rows->used < needed && !add_chunk(rows, needed))
        return WORD_ROWS_NONE;
    uint32_t *chunk = *(uint32_t **)blocks_at(&rows->chunks, rows->count - 1);
    const uint32_t row = (rows->count - 1) << WORD_ROWS_HERE_BITS | rows->used;
    assert(rows->used >> WORD_ROWS_HERE_BITS == 0); /* only a chunk of one row is larger */
    chunk[rows->used] = (uint32_t)length;
    if (length)
        memcpy(chunk + rows->used + 1, words, length * sizeof *words);
    rows->used += needed;
    return row;
}

#include "petri/symmetric_bits.h"

#include <assert.h>
#include <string.h>

bool symmetric_bits_init(struct symmetric_bits *bits, size_t size, struct budget *budget)
{
    size_t words = (size + TILE - 1) / TILE;
    *bits = (struct symmetric_bits){
        .budget = budget, .size = size, .words = words, .masks = bits_words(words)};
    vector_init(&bits->fresh, budget);
    bits->tiles = memory_zeroed(budget, words * words * sizeof(struct tile *));
    bits->occupied = memory_zeroed(budget, words * bits->masks * sizeof *bits->occupied);
    bits->full = memory_zeroed(budget, sizeof *bits->full);
    if (bits->full)
        memset(bits->full->rows, 0xff, sizeof bits->full->rows);
    return bits->tiles && bits->occupied && bits->full;
}

static void release_tiles(struct symmetric_bits *bits, size_t row)
{
    for (size_t at = 0; (at = symmetric_bits_next(bits, row, at)) < bits->words; at++) {
        struct tile *tile = bits->tiles[row * bits->words + at];
        if (tile != bits->full)
            memory_release(bits->budget, tile, sizeof *tile);
    }
}

void symmetric_bits_release(struct symmetric_bits *bits)
{
    size_t words = bits->words;
    for (size_t row = 0; bits->tiles && bits->occupied && row < words; row++)
        release_tiles(bits, row);
    memory_release(bits->budget, bits->tiles, words * words * sizeof(struct tile *));
    memory_release(bits->budget, bits->occupied, words * bits->masks * sizeof *bits->occupied);
    memory_release(bits->budget, bits->full, sizeof *bits->full);
    vector_release(&bits->fresh);
    *bits = (struct symmetric_bits){.budget = bits->budget};
}

/* ---- putting in ---- */

static struct tile *own_tile(struct symmetric_bits *bits, size_t row, size_t column)
{
    struct tile **tile = &bits->tiles[row * bits->words + column];
    if (*tile)
        return *tile;
    *tile = memory_zeroed(bits->budget, sizeof **tile);
    if (*tile)
        bits_set(symmetric_bits_occupied(bits, row), column);
    return *tile;
}

bool symmetric_bits_put(struct symmetric_bits *bits, uint32_t row, size_t word, uint64_t some,
                        uint64_t *added)
{
    assert(row < bits->size && word < bits->words);
    *added = some & ~symmetric_bits_word(bits, row, word);
    if (!*added)
        return true;
    struct tile *tile = own_tile(bits, row / TILE, word);
    if (!tile)
        return false;
    tile->rows[row % TILE] |= *added;
    struct tile_place at = {row / TILE, (uint32_t)word};
    if (!tile->fresh && !vector_push(&bits->fresh, at))
        return false;
    tile->fresh = true;
    return true;
}

/* ---- mirroring ---- */

/* Swaps, for ever smaller squares, the upper right with the lower left (Warren, Hacker's Delight,
 * 7-3, with the least bit as the first column). */
static void transpose(const struct tile *tile, uint64_t *rows)
{
    uint64_t low = UINT64_C(0xffffffff);
    memcpy(rows, tile->rows, sizeof tile->rows);
    for (unsigned width = 32; width; width /= 2, low ^= low << width)
        for (unsigned k = 0; k < TILE; k = ((k | width) + 1) & ~width) {
            uint64_t swapped = (rows[k] >> width ^ rows[k | width]) & low;
            rows[k] ^= swapped << width;
            rows[k | width] ^= swapped;
        }
}

static void share_if_full(struct symmetric_bits *bits, struct tile_place at)
{
    struct tile **tile = &bits->tiles[at.row * bits->words + at.column];
    uint64_t all = UINT64_MAX;
    for (size_t i = 0; i < TILE; i++)
        all &= (*tile)->rows[i];
    if (all != UINT64_MAX || *tile == bits->full || (*tile)->fresh)
        return;
    memory_release(bits->budget, *tile, sizeof **tile);
    *tile = bits->full;
}

bool symmetric_bits_mirror(struct symmetric_bits *bits, void (*changed)(void *user, uint32_t row),
                           void *user)
{
    uint64_t rows[TILE];
    for (size_t i = 0; i < bits->fresh.length; i++) {
        struct tile_place at = bits->fresh.items[i], other = {at.column, at.row};
        struct tile *tile = bits->tiles[at.row * bits->words + at.column];
        struct tile *mirrored = own_tile(bits, other.row, other.column);
        if (!mirrored)
            return false;
        transpose(tile, rows);
        for (uint32_t row = 0; row < TILE; row++) {
            if (!(rows[row] & ~mirrored->rows[row]))
                continue;
            mirrored->rows[row] |= rows[row];
            changed(user, other.row * TILE + row);
        }
        tile->fresh = false;
        share_if_full(bits, at);
        share_if_full(bits, other);
    }
    bits->fresh.length = 0;
    return true;
}

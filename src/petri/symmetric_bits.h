/* A symmetric matrix of bits, mostly 0 or mostly 1 in places: cut into tiles of 64 by 64, of which
 * those without a 1 take no memory, and those without a 0 share theirs.
 *
 * A row is read in words of 64 columns, one for each tile of its row of tiles. What is put in goes
 * to one row only; symmetric_bits_mirror puts the same into the columns, tile by tile. */
#ifndef PETRI_SYMMETRIC_BITS_H
#define PETRI_SYMMETRIC_BITS_H

#include "base/bits.h"
#include "base/vector.h"

#define TILE WORD_BITS

struct tile {
    uint64_t rows[TILE];
    bool fresh; /* in the list of those to be mirrored */
};

struct tile_place {
    uint32_t row, column; /* of tiles */
};

struct symmetric_bits {
    struct budget *budget;
    size_t size, words;  /* rows; words of a row, which is also the rows of tiles */
    struct tile **tiles; /* words * words; null: all 0 */
    uint64_t *occupied;  /* by row of tiles, `masks` words each: which tiles are not null */
    size_t masks;
    struct tile *full; /* the one for all that have no 0 */
    VECTOR(struct tile_place) fresh;
};

/* All 0. False when memory is refused; release anyway. */
bool symmetric_bits_init(struct symmetric_bits *bits, size_t size,
                         struct budget *budget) MUST_CHECK;
void symmetric_bits_release(struct symmetric_bits *bits);

/* Columns 64 * word to 64 * word + 63 of a row. */
static inline uint64_t symmetric_bits_word(const struct symmetric_bits *bits, uint32_t row,
                                           size_t word)
{
    const struct tile *tile = bits->tiles[row / TILE * bits->words + word];
    return tile ? tile->rows[row % TILE] : 0;
}

static inline bool symmetric_bits_get(const struct symmetric_bits *bits, uint32_t row,
                                      uint32_t column)
{
    return symmetric_bits_word(bits, row, column / TILE) & bit_of(column);
}

/* The tiles of a row that are not null. */
static inline struct bits symmetric_bits_occupied(const struct symmetric_bits *bits,
                                                  size_t tile_row)
{
    return (struct bits){bits->occupied + tile_row * bits->masks, bits->words};
}

/* The first word from `from` on that a row of these tiles may have a 1 in; bits->words: none. */
static inline size_t symmetric_bits_next(const struct symmetric_bits *bits, size_t tile_row,
                                         size_t from)
{
    return bits_next(symmetric_bits_occupied(bits, tile_row), from);
}

/* Adds to the word of a row; *added gets those that were 0. False when memory is refused. */
bool symmetric_bits_put(struct symmetric_bits *bits, uint32_t row, size_t word, uint64_t some,
                        uint64_t *added) MUST_CHECK;

/* Makes the matrix symmetric again; calls `changed` with each row that got more by it. False when
 * memory is refused. */
bool symmetric_bits_mirror(struct symmetric_bits *bits, void (*changed)(void *user, uint32_t row),
                           void *user) MUST_CHECK;

#endif

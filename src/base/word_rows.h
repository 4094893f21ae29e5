/* Rows of words, of any lengths, that threads read while others are added. A row never moves, and
 * is known by where it stands, in 32 bits: a number of a chunk, then of a word in it. It so takes a
 * word more than it holds, where a pointer to it, and what keeps one aligned, would take three.
 *
 *     chunk   its size | length, words | length, words | ...       2^10 words, twice as many in the
 *                                                                  next, up to 2^16
 *
 * One thread adds at a time. Others may read a row once they have come to know of it by something
 * that was published behind. */
#ifndef BASE_WORD_ROWS_H
#define BASE_WORD_ROWS_H

#include "base/blocks.h"

#define WORD_ROWS_NONE      UINT32_MAX
#define WORD_ROWS_HERE_BITS 16 /* of a word in its chunk */

struct word_rows {
    struct blocks chunks; /* uint32_t * */
    uint32_t count;       /* of chunks */
    uint32_t used, size;  /* words of the last one */
};

void word_rows_init(struct word_rows *rows, struct budget *budget);
void word_rows_release(struct word_rows *rows);

/* Adds a row with these words and answers where it stands; WORD_ROWS_NONE when refused, or where
 * there are 16 GB already. */
uint32_t word_rows_add(struct word_rows *rows, const uint32_t *words, size_t length) MUST_CHECK;

/* The words of a row. */
static inline const uint32_t *word_rows_get(const struct word_rows *rows, uint32_t row,
                                            size_t *length)
{
    const uint32_t *chunk =
        *(uint32_t *const *)blocks_at(&rows->chunks, row >> WORD_ROWS_HERE_BITS);
    const uint32_t *words = chunk + (row & ((1u << WORD_ROWS_HERE_BITS) - 1));
    *length = words[0];
    return words + 1;
}

#endif

/* An array of numbers that grows, in chunks, each with as many bits for a number as its greatest
 * needs: for many that are mostly small beside what 32 bits hold. What was never set is 0.
 *
 *     packed_numbers_set(&numbers, 70000, 5)
 *     packed_numbers_get(&numbers, 70000) == 5, packed_numbers_get(&numbers, 90000) == 0
 */
#ifndef BASE_PACKED_NUMBERS_H
#define BASE_PACKED_NUMBERS_H

#include "base/attributes.h"
#include "base/bits.h"
#include "base/faults.h"
#include "base/vector.h"

#define PACKED_NUMBERS_CHUNK SIZE_OR_SMALL(1024, 4)

struct packed_chunk {
    uint64_t *words;
    uint32_t bits; /* of a number, 1 to 32 */
    uint32_t mask; /* these */
};

struct packed_numbers {
    VECTOR(struct packed_chunk) chunks;
};

void packed_numbers_init(struct packed_numbers *numbers, struct budget *budget);
void packed_numbers_release(struct packed_numbers *numbers);

size_t packed_numbers_bytes(const struct packed_numbers *numbers);

/* Whether there has been any number at this place or behind. */
static inline bool packed_numbers_reach(const struct packed_numbers *numbers, uint32_t at)
{
    return at / PACKED_NUMBERS_CHUNK < numbers->chunks.length;
}

static inline uint32_t packed_numbers_get(const struct packed_numbers *numbers, uint32_t at)
{
    if (UNLIKELY(!packed_numbers_reach(numbers, at)))
        return 0;
    const struct packed_chunk *chunk = &numbers->chunks.items[at / PACKED_NUMBERS_CHUNK];
    const uint32_t first = at % PACKED_NUMBERS_CHUNK * chunk->bits;
    return (uint32_t)bits_from(chunk->words, first) & chunk->mask; /* a word is behind the last */
}

/* Makes the chunks up to that of a place, and that wide enough for a number. False when refused. */
bool packed_numbers_widen(struct packed_numbers *numbers, uint32_t at, uint32_t number) MUST_CHECK;

/* Puts a number there. False when refused: all is as it was. */
static inline MUST_CHECK bool packed_numbers_set(struct packed_numbers *numbers, uint32_t at,
                                                 uint32_t number)
{
    if (UNLIKELY(!packed_numbers_reach(numbers, at) ||
                 number & ~numbers->chunks.items[at / PACKED_NUMBERS_CHUNK].mask) &&
        !packed_numbers_widen(numbers, at, number))
        return false;
    const struct packed_chunk *chunk = &numbers->chunks.items[at / PACKED_NUMBERS_CHUNK];
    bits_write(chunk->words, (size_t)(at % PACKED_NUMBERS_CHUNK) * chunk->bits, chunk->bits,
               number);
    return true;
}

/* Has one fetched. */
static inline void packed_numbers_fetch(const struct packed_numbers *numbers, uint32_t at)
{
    if (!packed_numbers_reach(numbers, at))
        return;
    const struct packed_chunk *chunk = &numbers->chunks.items[at / PACKED_NUMBERS_CHUNK];
    __builtin_prefetch(chunk->words +
                       (size_t)(at % PACKED_NUMBERS_CHUNK) * chunk->bits / WORD_BITS);
}

#endif

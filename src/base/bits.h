/* Sets of numbers below `size`: a bit each, in words of 64. The bits of the last word from `size`
 * on are 0. The words are of whoever made the set; a set is handed on as a value.
 *
 *     struct bits seen = bits_allocate(budget, 1000);
 *     if (!seen.words)
 *         return STATUS_LIMIT;
 *     bits_set(seen, 7);
 *     for (size_t at = 0; (at = bits_next(seen, at)) < seen.size; at++)
 *         ...
 *     bits_release(budget, seen);
 *
 * Loops that go through several sets at once work on `words`, with bit_of and bits_take.
 *
 * bits_read and bits_write are of numbers that stand one behind the other in such words, each in as
 * many bits as it needs; one may begin in one word and end in the next. bits_append writes many in
 * a row. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <assert.h>
#include <string.h>

#include "base/arena.h"

#define WORD_BITS 64

struct bits {
    uint64_t *words; /* bits_words(size) of them */
    size_t size;
};

static inline size_t bits_words(size_t size)
{
    return (size + WORD_BITS - 1) / WORD_BITS;
}

/* In its word. */
static inline uint64_t bit_of(size_t at)
{
    return UINT64_C(1) << at % WORD_BITS;
}

/* The empty set; its words are null when refused. */
static inline MUST_CHECK struct bits bits_allocate(struct budget *budget, size_t size)
{
    return (struct bits){memory_zeroed(budget, bits_words(size) * sizeof(uint64_t)), size};
}

static inline MUST_CHECK struct bits bits_in_arena(struct arena *arena, size_t size)
{
    size_t bytes = bits_words(size) * sizeof(uint64_t);
    struct bits bits = {arena_allocate(arena, bytes), size};
    if (bits.words)
        memset(bits.words, 0, bytes);
    return bits;
}

static inline void bits_release(struct budget *budget, struct bits bits)
{
    memory_release(budget, bits.words, bits_words(bits.size) * sizeof *bits.words);
}

static inline bool bits_get(struct bits bits, size_t at)
{
    assert(at < bits.size);
    return bits.words[at / WORD_BITS] >> at % WORD_BITS & 1;
}

static inline void bits_set(struct bits bits, size_t at)
{
    assert(at < bits.size);
    bits.words[at / WORD_BITS] |= bit_of(at);
}

static inline void bits_clear(struct bits bits, size_t at)
{
    assert(at < bits.size);
    bits.words[at / WORD_BITS] &= ~bit_of(at);
}

static inline void bits_clear_all(struct bits bits)
{
    memset(bits.words, 0, bits_words(bits.size) * sizeof *bits.words);
}

/* The least number of a word that is not 0; it is taken out of it. */
static inline uint32_t bits_take(uint64_t *word)
{
    assert(*word);
    uint32_t least = (uint32_t)__builtin_ctzll(*word);
    *word &= *word - 1;
    return least;
}

/* The least member that is not below `from`; `size`: there is none. */
static inline size_t bits_next(struct bits bits, size_t from)
{
    size_t at = from / WORD_BITS;
    for (uint64_t keep = UINT64_MAX << from % WORD_BITS; at < bits_words(bits.size); at++) {
        uint64_t word = bits.words[at] & keep;
        if (word)
            return at * WORD_BITS + bits_take(&word);
        keep = UINT64_MAX;
    }
    return bits.size;
}

/* Of two sets of one size: whether the one has all of the other. */
static inline bool bits_include(struct bits whole, struct bits part)
{
    assert(whole.size == part.size);
    for (size_t i = 0; i < bits_words(part.size); i++)
        if (part.words[i] & ~whole.words[i])
            return false;
    return true;
}

/* Adds another set of this size; whether there are more now. */
static inline bool bits_add(struct bits bits, struct bits more)
{
    uint64_t fresh = 0;
    assert(bits.size == more.size);
    for (size_t i = 0; i < bits_words(bits.size); i++) {
        fresh |= more.words[i] & ~bits.words[i];
        bits.words[i] |= more.words[i];
    }
    return fresh;
}

/* Adds what two other sets of this size both have; whether there are more now. */
static inline bool bits_add_common(struct bits bits, struct bits one, struct bits other)
{
    uint64_t fresh = 0;
    assert(bits.size == one.size && bits.size == other.size);
    for (size_t i = 0; i < bits_words(bits.size); i++) {
        uint64_t more = one.words[i] & other.words[i];
        fresh |= more & ~bits.words[i];
        bits.words[i] |= more;
    }
    return fresh;
}

/* Adds the members of a set of this size, which may be this one, each with so much more, as far as
 * they are below the size, which is one of whole words. */
static inline void bits_add_shifted(struct bits bits, struct bits from, uint64_t by)
{
    const uint64_t whole = by / WORD_BITS;
    const uint32_t shift = by % WORD_BITS;
    assert(bits.size == from.size && bits.size % WORD_BITS == 0);
    for (size_t i = bits_words(bits.size); i-- > whole;) {
        const size_t at = i - (size_t)whole;
        bits.words[i] |= from.words[at] << shift;
        if (shift && at > 0)
            bits.words[i] |= from.words[at - 1] >> (WORD_BITS - shift);
    }
}

/* Whether two sets of this size have a member in common. */
static inline bool bits_meet(struct bits one, struct bits other)
{
    uint64_t common = 0;
    assert(one.size == other.size);
    for (size_t i = 0; i < bits_words(one.size); i++)
        common |= one.words[i] & other.words[i];
    return common;
}

/* In how many bits a number can be written; 0 needs none. */
static inline uint8_t bits_needed(uint32_t number)
{
    return number ? (uint8_t)(32 - __builtin_clz(number)) : 0;
}

/* A difference of either sign as a number that is small where it is, and back. */
static inline uint32_t bits_fold(uint32_t difference)
{
    return difference << 1 ^ (0 - (difference >> 31));
}

static inline uint32_t bits_unfold(uint32_t folded)
{
    return folded >> 1 ^ (0 - (folded & 1));
}

/* The lowest `count` bits of a word, up to 64. */
static inline uint64_t bits_below(uint32_t count)
{
    return count < WORD_BITS ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/* The number of so many bits, up to 64, from a bit on. */
static inline uint64_t bits_read(const uint64_t *words, size_t at, uint32_t count)
{
    const uint32_t shift = at % WORD_BITS;
    uint64_t number = words[at / WORD_BITS] >> shift;
    if (shift + count > WORD_BITS)
        number |= words[at / WORD_BITS + 1] << (WORD_BITS - shift);
    return number & bits_below(count);
}

/* The next 64 bits from one on; the word behind is looked at, too. */
static inline uint64_t bits_from(const uint64_t *words, size_t at)
{
    const uint32_t shift = at % WORD_BITS;
    const uint64_t *word = words + at / WORD_BITS;
    return word[0] >> shift | word[1] << 1 << (WORD_BITS - 1 - shift);
}

/* Puts a number there, in place of what was. */
static inline void bits_write(uint64_t *words, size_t at, uint32_t count, uint64_t number)
{
    const uint32_t shift = at % WORD_BITS;
    const uint64_t mask = bits_below(count);
    uint64_t *to = words + at / WORD_BITS;
    assert(!(number & ~mask));
    to[0] = (to[0] & ~(mask << shift)) | number << shift;
    if (shift + count > WORD_BITS)
        to[1] = (to[1] & ~(mask >> (WORD_BITS - shift))) | number >> (WORD_BITS - shift);
}

/* Where numbers are written one behind the other; what is behind the last is 0 in its word. */
struct bits_end {
    uint64_t *to;
    uint64_t word;   /* what it has so far */
    uint32_t filled; /* of its bits */
};

/* Puts a number of so many bits, up to 64, behind the others. */
static inline void bits_append(struct bits_end *end, uint32_t count, uint64_t number)
{
    assert(!(number & ~bits_below(count)));
    end->word |= number << end->filled;
    end->filled += count;
    *end->to = end->word;
    if (end->filled >= WORD_BITS) {
        end->filled -= WORD_BITS;
        end->word = end->filled ? number >> (count - end->filled) : 0;
        *++end->to = end->word;
    }
}

static inline void bits_copy(struct bits to, struct bits from)
{
    assert(to.size == from.size);
    memcpy(to.words, from.words, bits_words(from.size) * sizeof *from.words);
}

#endif

/* Numbers of states that are one word, by the word itself, so that nothing else is looked at to
 * find one. A line is what the processor fetches at once:
 *
 *     | 5 words, 8 bytes each | 5 numbers, 4 bytes each | how many |     64 bytes
 *
 * A state is in the line that a hash of its word says, or where that is full in the first one
 * behind it that is not: who looks for one that is not there stops at a line that is not full. The
 * hash is a fraction of the capacity, as in base/table.h: to grow is to copy from front to back,
 * and the capacity may be any number. What has no place in front of the end stands beyond it. */
#ifndef SPACE_WORD_INDEX_H
#define SPACE_WORD_INDEX_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/packing.h"

#define WORD_INDEX_NONE UINT32_MAX
#define WORD_LINE_MOST  5 /* words */

struct word_line {
    uint64_t words[WORD_LINE_MOST];
    uint32_t numbers[WORD_LINE_MOST];
    uint32_t count;
};

struct word_index {
    struct budget *budget;
    void *block;             /* that the lines are in; null: there are none */
    struct word_line *lines; /* each where a line of the caches begins */
    size_t capacity, beyond; /* lines; the last one beyond is always free */
    size_t count;            /* of words, */
    size_t most;             /* and with how many it grows */
};

void word_index_init(struct word_index *index, struct budget *budget);
void word_index_release(struct word_index *index);

bool word_index_grow(struct word_index *index, size_t more) MUST_CHECK;

/* Makes room for so many words more: until these are put lines stay where they are, but for
 * word_index_put_beyond. False when refused: the index is as it was. */
static inline MUST_CHECK bool word_index_reserve(struct word_index *index, size_t more)
{
    return index->count + more <= index->most || word_index_grow(index, more);
}

size_t word_index_bytes(const struct word_index *index);

/* The line at which one looks first, of an index with room. */
static inline struct word_line *word_index_line(const struct word_index *index, uint64_t word)
{
    const uint64_t hash = packing_hash_add(UINT64_C(0x2545f4914f6cdd1d), word);
    return index->lines + (size_t)(((packing_product)hash * index->capacity) >> 64);
}

/* The number of a word, from the line on at which one looks first; WORD_INDEX_NONE: it is not
 * there, and *line is then where it is to be put. */
static inline uint32_t word_index_find(struct word_line **line, uint64_t word)
{
    for (;; ++*line) {
        const struct word_line *at = *line;
        uint32_t same = 0;
        for (uint32_t i = 0; i < WORD_LINE_MOST; i++)
            same |= (uint32_t)(at->words[i] == word) << i;
        same &= (UINT32_C(1) << at->count) - 1;
        if (same)
            return at->numbers[__builtin_ctz(same)];
        if (at->count < WORD_LINE_MOST)
            return WORD_INDEX_NONE;
    }
}

/* Puts a word that is not there, where it is to be, for which room was reserved. False: there is
 * none beyond the end; then word_index_put_beyond does. */
static inline MUST_CHECK bool word_index_put(struct word_index *index, struct word_line *line,
                                             uint64_t word, uint32_t number)
{
    assert(line->count < WORD_LINE_MOST);
    if (line + 1 == index->lines + index->capacity + index->beyond)
        return false;
    line->words[line->count] = word;
    line->numbers[line->count++] = number;
    index->count++;
    return true;
}

/* The same with more room beyond the end. False when refused. */
bool word_index_put_beyond(struct word_index *index, uint64_t word, uint32_t number) MUST_CHECK;

#endif

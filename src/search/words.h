/* Arrays of words as small numbers: equal arrays have the same number, and only then. The states of
 * an object are kept so, and the loads of configurations that do not fit one word.
 *
 * Long arrays are kept in pieces, each once: the states that a search meets differ little from each
 * other, in one place or by what went in or out at an end. Where a piece ends is decided by the
 * last words before its end (content-defined chunking, as in Muthitacharoen, Chen and Mazieres,
 * SOSP 2001), so that what is equal is cut alike wherever it stands. The numbers of the pieces are
 * an array again. */
#ifndef SEARCH_WORDS_H
#define SEARCH_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/vector.h"

/* No array has this number. At most 2^31 arrays are kept, so that the upper bit is the user's. */
#define WORDS_REFUSED UINT32_MAX

#define WORDS_LENGTH_BITS 28

struct words_entry {
    const uint64_t *words; /* in the arena */
    uint32_t length : WORDS_LENGTH_BITS;
    uint32_t level : 32 - WORDS_LENGTH_BITS; /* 0: the words themselves; else two numbers of
                                                entries of the level below in each, and
                                                WORDS_REFUSED where there is none */
};

/* Room for the words of a long array, to be initialised with vector_init and released likewise. */
struct words_room {
    VECTOR(uint64_t) words;
};

struct words_table {
    struct arena arena;
    VECTOR(struct words_entry) entries; /* by number */
    struct table numbers;
    struct words_room lists[2]; /* of pieces, while they are made */
    struct budget *budget;
};

void words_init(struct words_table *table, struct budget *budget);
void words_release(struct words_table *table);

/* The number of an array, which is copied if it is new; WORDS_REFUSED when a budget refuses. */
uint32_t words_intern(struct words_table *table, const uint64_t *words, size_t length) MUST_CHECK;

/* The same, long arrays in pieces. Its words come back by words_expand. */
uint32_t words_intern_pieces(struct words_table *table, const uint64_t *words,
                             size_t length) MUST_CHECK;

/* The words of an array from words_intern_pieces: in the table, or put together in `room` and valid
 * until it is used again. Null when a budget refuses. */
const uint64_t *words_expand(const struct words_table *table, uint32_t number,
                             struct words_room *room, size_t *length) MUST_CHECK;

/* The words of an array from words_intern. */
static inline const uint64_t *words_get(const struct words_table *table, uint32_t number)
{
    return table->entries.items[number].words;
}

#endif

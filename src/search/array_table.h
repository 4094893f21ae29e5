/* Numbers arrays of words: equal arrays have the same number, and only then (hash consing). The
 * states of an object are kept so, and the loads of configurations that do not fit one word.
 *
 * Long arrays are kept in pieces, each once: the states that a search meets differ little from each
 * other, in one place or by what went in or out at an end. Where a piece ends is decided by the
 * last words before its end (content-defined chunking, as in Muthitacharoen, Chen and Mazieres,
 * SOSP 2001), so that what is equal is cut alike wherever it stands. The numbers of the pieces are
 * an array again. */
#ifndef SEARCH_ARRAY_TABLE_H
#define SEARCH_ARRAY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/vector.h"

/* No array has this number. At most 2^31 arrays are kept, so that the upper bit is the user's. */
#define ARRAY_REFUSED UINT32_MAX

#define ARRAY_LENGTH_BITS 28

struct array_entry {
    const uint64_t *words; /* in the arena */
    uint32_t length : ARRAY_LENGTH_BITS;
    uint32_t level : 32 - ARRAY_LENGTH_BITS; /* 0: the words themselves; else two numbers of
                                                entries of the level below in each, and
                                                ARRAY_REFUSED where there is none */
};

/* Room for the words of a long array, to be initialised with vector_init and released likewise. */
struct array_room {
    VECTOR(uint64_t) words;
};

struct array_table {
    struct arena arena;
    VECTOR(struct array_entry) entries; /* by number */
    struct table numbers;
    struct array_room lists[2]; /* of pieces, while they are made */
    struct budget *budget;
};

void arrays_init(struct array_table *table, struct budget *budget);
void arrays_release(struct array_table *table);

/* The number of an array, which is copied if it is new; ARRAY_REFUSED when a budget refuses. */
uint32_t arrays_intern(struct array_table *table, const uint64_t *words, size_t length) MUST_CHECK;

/* The same, long arrays in pieces. Its words come back by arrays_expand. */
uint32_t arrays_intern_pieces(struct array_table *table, const uint64_t *words,
                              size_t length) MUST_CHECK;

/* The words of an array from arrays_intern_pieces: in the table, or put together in `room` and
 * valid until it is used again. Null when a budget refuses. */
const uint64_t *arrays_expand(const struct array_table *table, uint32_t number,
                              struct array_room *room, size_t *length) MUST_CHECK;

/* The words of an array from arrays_intern. */
static inline const uint64_t *arrays_get(const struct array_table *table, uint32_t number)
{
    return table->entries.items[number].words;
}

#endif

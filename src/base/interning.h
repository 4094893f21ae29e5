/* Interning: equal contents, equal numbers, counted from 0. */
#ifndef BASE_INTERNING_H
#define BASE_INTERNING_H

#include "base/arena.h"
#include "base/table.h"
#include "base/vector.h"

/* Interned arrays of words, by number. */
struct word_arrays {
    struct arena arena;
    VECTOR(const uint32_t *) items; /* the length, then the words */
    struct table numbers;
};

void word_arrays_init(struct word_arrays *arrays, struct budget *budget);
void word_arrays_release(struct word_arrays *arrays);
/* UINT32_MAX when refused; *fresh (may be null) says whether it is new. */
uint32_t word_arrays_intern(struct word_arrays *arrays, const uint32_t *words, size_t length,
                            bool *fresh) MUST_CHECK;
/* The number of an array that is there; UINT32_MAX if it is not. */
uint32_t word_arrays_find(const struct word_arrays *arrays, const uint32_t *words, size_t length);

static inline const uint32_t *word_arrays_get(const struct word_arrays *arrays, uint32_t number,
                                              size_t *length)
{
    const uint32_t *words = arrays->items.items[number];
    *length = words[0];
    return words + 1;
}

/* A bit for a word. */
static inline uint64_t word_signature(uint32_t word)
{
    return UINT64_C(1) << ((word * UINT32_C(0x9e3779b1)) >> 26);
}

/* Of a set of words, the bits of all: what a part has, the whole has too. */
uint64_t words_signature(const uint32_t *words, size_t count);

/* Whether every word of `part` is one of `whole`; both ascending. */
bool words_include(const uint32_t *whole, size_t whole_count, const uint32_t *part,
                   size_t part_count);

/* The same of sets that are interned. */
uint64_t word_arrays_signature(const struct word_arrays *arrays, uint32_t number);
bool word_arrays_includes(const struct word_arrays *arrays, uint32_t whole, uint32_t part);

#endif

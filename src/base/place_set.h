/* A growing set of places 0 .. size-1 that finds the nearest member to the left.
 *
 * Bit maps with 64 children a bit: a bit of a level says whether its word in the level below has
 * any. An eighth of a byte a place, and a handful of words to look at. */
#ifndef BASE_PLACE_SET_H
#define BASE_PLACE_SET_H

#include "base/memory.h"

#define PLACE_SET_NONE       UINT32_MAX
#define PLACE_SET_MAX_LEVELS 6

struct place_set {
    struct budget *budget;
    uint64_t *words;
    size_t word_count;
    size_t starts[PLACE_SET_MAX_LEVELS]; /* of each level in `words` */
    uint32_t levels;                     /* the last one is a single word */
};

/* The empty set; false when refused. */
static inline MUST_CHECK bool place_set_init(struct place_set *set, uint32_t size,
                                             struct budget *budget)
{
    *set = (struct place_set){.budget = budget};
    size_t width = size;
    do {
        width = (width + 63) / 64;
        set->starts[set->levels++] = set->word_count;
        set->word_count += width ? width : 1;
    } while (width > 1);
    set->words = memory_zeroed(budget, set->word_count * sizeof *set->words);
    return set->words;
}

static inline void place_set_release(struct place_set *set)
{
    memory_release(set->budget, set->words, set->word_count * sizeof *set->words);
    *set = (struct place_set){0};
}

static inline void place_set_insert(struct place_set *set, uint32_t place)
{
    for (uint32_t level = 0; level < set->levels; level++, place /= 64)
        set->words[set->starts[level] + place / 64] |= UINT64_C(1) << (place % 64);
}

/* The last member up to `from` (included); PLACE_SET_NONE if there is none. */
static inline uint32_t place_set_last(const struct place_set *set, uint32_t from)
{
    uint64_t keep = UINT64_MAX >> (63 - from % 64); /* the bits up to `from` in its word */
    for (uint32_t level = 0; level < set->levels; level++) {
        uint64_t word = set->words[set->starts[level] + from / 64] & keep;
        if (word) {
            from = from / 64 * 64 + (63 - (uint32_t)__builtin_clzll(word));
            while (level-- > 0)
                from = from * 64 + 63 -
                       (uint32_t)__builtin_clzll(set->words[set->starts[level] + from]);
            return from;
        }
        from /= 64; /* and in the words before this one */
        keep = (UINT64_C(1) << (from % 64)) - 1;
    }
    return PLACE_SET_NONE;
}

#endif

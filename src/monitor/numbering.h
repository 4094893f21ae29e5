/* Numbers distinct values 0, 1, 2, ... in the order in which they are first met.
 *
 * Small integers of a narrow range, the usual case, index an array, which has a place for nil as
 * well: what a register holds at first. All other values go through a hash table with linear
 * probing. Both are sized once, from a span that the caller has shown every value, and lie in the
 * caller's arena, so adding never allocates and nothing is released (base/table.h grows, and is).
 *
 *     struct span span = SPAN_EMPTY;
 *     for (each value) span_include(&span, v);
 *     if (!numbering_init(&numbering, &span, &arena)) return STATUS_LIMIT;
 *     numbering_add(&numbering, v) == 0, numbering_find(&numbering, w) == NUMBER_NONE */
#ifndef MONITOR_NUMBERING_H
#define MONITOR_NUMBERING_H

#include <string.h>

#include <assert.h>

#include "base/arena.h"
#include "base/hash.h"
#include "value/value.h"

#define NUMBER_NONE UINT32_MAX

struct span {
    uint32_t count; /* values shown, repeated ones counted again */
    bool wide;      /* some value is neither a small integer nor nil */
    int64_t least, greatest;
};

#define SPAN_EMPTY ((struct span){.least = INT64_MAX, .greatest = INT64_MIN})

static inline void span_include(struct span *span, value v)
{
    span->count++;
    if (!value_is_small(v)) {
        span->wide |= v != VALUE_NIL;
        return;
    }
    int64_t integer = value_small_get(v);
    if (integer < span->least)
        span->least = integer;
    if (integer > span->greatest)
        span->greatest = integer;
}

struct numbering {
    uint32_t *places; /* number + 1; 0: free */
    value *values;    /* by number; null when dense */
    uint64_t mask;    /* hash: places - 1; dense: the greatest index of an integer, nil's is next */
    int64_t least;    /* dense: what index 0 stands for */
    uint32_t count;
};

/* Storage comes from `arena`; false when refused. */
static inline MUST_CHECK bool numbering_init(struct numbering *numbering, const struct span *span,
                                             struct arena *arena)
{
    *numbering = (struct numbering){.least = span->least};
    uint64_t range = span->count ? (uint64_t)span->greatest - (uint64_t)span->least : 0;
    uint64_t places = 1;
    if (!span->wide && range <= (uint64_t)span->count * 4 + 64) {
        places = range + 2;
        numbering->mask = range;
    } else {
        while (places < (uint64_t)span->count * 2)
            places *= 2;
        numbering->values = arena_allocate(arena, ((size_t)span->count + 1) * sizeof(value));
        if (!numbering->values)
            return false;
        numbering->mask = places - 1;
    }
    numbering->places = arena_allocate(arena, places * sizeof *numbering->places);
    if (!numbering->places)
        return false;
    memset(numbering->places, 0, places * sizeof *numbering->places);
    return true;
}

/* Where v is, or would be put; null if v is outside the span that was shown. */
static inline uint32_t *numbering_place(const struct numbering *numbering, value v)
{
    if (!numbering->values) {
        if (v == VALUE_NIL)
            return &numbering->places[numbering->mask + 1];
        uint64_t index = (uint64_t)value_small_get(v) - (uint64_t)numbering->least;
        return value_is_small(v) && index <= numbering->mask ? &numbering->places[index] : NULL;
    }
    uint64_t index = hash_word(v) & numbering->mask;
    while (numbering->places[index] && numbering->values[numbering->places[index] - 1] != v)
        index = (index + 1) & numbering->mask;
    return &numbering->places[index];
}

/* The number of v, NUMBER_NONE if it has none. */
static inline uint32_t numbering_find(const struct numbering *numbering, value v)
{
    const uint32_t *place = numbering_place(numbering, v);
    return place ? *place - 1 : NUMBER_NONE;
}

/* The number of v, which gets the next one (the old numbering->count) if it had none. */
static inline uint32_t numbering_add(struct numbering *numbering, value v)
{
    uint32_t *place = numbering_place(numbering, v);
    if (*place == 0) {
        if (numbering->values)
            numbering->values[numbering->count] = v;
        *place = ++numbering->count;
        assert(numbering->count <= numbering->mask + 2);
    }
    return *place - 1;
}

#endif

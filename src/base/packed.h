/* Numbers that differ little from others that are known, in few bytes: the difference, seven bits a
 * byte, the least first; its lowest bit says that it is negative.
 *
 *     packed_push(&packed, number, known)            number == known takes one byte, which is 0
 *     const uint8_t *at = packed.items;
 *     number = packed_take(&at, known);
 *
 * A list of numbers is packed by packed_append, and read by packed_next: each stands as the
 * difference from the one that is `stride` in front of it. */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vector.h"

#define PACKED_MOST   10 /* bytes of one number */
#define PACKED_STRIDE 4  /* the greatest */

/* A VECTOR(uint8_t) that has a name. */
struct packed {
    uint8_t *items;
    size_t length, capacity;
    struct budget *budget;
};

#define PACKED_MOVED ((size_t)64 << 10) /* bytes, at most */

/* Gives back room behind the end, if the system has other. What is not large is moved, so that its
 * room can be used again as a whole. */
static inline void packed_trim(struct packed *packed)
{
    const size_t length = packed->length;
    uint8_t *moved = NULL;
    if (length > PACKED_MOVED) {
        moved = memory_resize(packed->budget, packed->items, packed->capacity, length);
    } else if (length && length < packed->capacity) {
        moved = memory_allocate(packed->budget, length);
        if (moved) {
            memcpy(moved, packed->items, length);
            memory_release(packed->budget, packed->items, packed->capacity);
        }
    }
    if (moved) {
        packed->items = moved;
        packed->capacity = length;
    }
}

/* A difference, modulo 2^64, as a number that is small where it is near 0 on either side; and back.
 */
static inline uint64_t packed_fold(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t packed_unfold(uint64_t folded)
{
    return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

/* The number itself, seven bits a byte. Where there is room for PACKED_MOST; what is behind it. */
static inline uint8_t *packed_put_whole(uint8_t *at, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

/* Its difference from one that is known, likewise. */
static inline uint8_t *packed_put(uint8_t *at, uint64_t number, uint64_t known)
{
    return packed_put_whole(at, packed_fold(number - known));
}

/* The number itself, at the end. False when refused. */
static inline MUST_CHECK bool packed_push_whole(struct packed *packed, uint64_t number)
{
    if (!vector_reserve(packed, packed->length + PACKED_MOST))
        return false;
    packed->length =
        (size_t)(packed_put_whole(packed->items + packed->length, number) - packed->items);
    return true;
}

static inline uint64_t packed_take_whole(const uint8_t **at)
{
    uint64_t found = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*at)++;
        found |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return found;
    }
}

/* Its difference from one that is known. False when refused. */
static inline MUST_CHECK bool packed_push(struct packed *packed, uint64_t number, uint64_t known)
{
    if (!vector_reserve(packed, packed->length + PACKED_MOST))
        return false;
    packed->length =
        (size_t)(packed_put(packed->items + packed->length, number, known) - packed->items);
    return true;
}

static inline uint64_t packed_take(const uint8_t **at, uint64_t known)
{
    return known + packed_unfold(packed_take_whole(at));
}

/* Where a list of numbers is written, or read; 0 but for `stride`, from 1 to PACKED_STRIDE. */
struct packed_place {
    uint64_t before[PACKED_STRIDE];
    size_t at; /* in the bytes; only where it is read */
    uint32_t stride, next;
};

static inline void packed_pass(struct packed_place *place, uint64_t number)
{
    place->before[place->next] = number;
    place->next = place->next + 1 < place->stride ? place->next + 1 : 0;
}

/* False when refused. */
static inline MUST_CHECK bool packed_append(struct packed *packed, struct packed_place *place,
                                            uint64_t number)
{
    if (!packed_push(packed, number, place->before[place->next]))
        return false;
    packed_pass(place, number);
    return true;
}

/* The next number; false: there is none any more. */
static inline bool packed_next(const struct packed *packed, struct packed_place *place,
                               uint64_t *number)
{
    if (place->at >= packed->length)
        return false;
    const uint8_t *at = packed->items + place->at;
    *number = packed_take(&at, place->before[place->next]);
    place->at = (size_t)(at - packed->items);
    packed_pass(place, *number);
    return true;
}

#endif

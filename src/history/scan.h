/* Pieces of the fast scanners: what most lines of a history consist of, read without looking back
 * and without the pool's locks. Each returns the place behind what it read, or null when that is
 * anything but the plainest form; the caller then leaves the whole line to the general parser.
 *
 * The scanned text has 16 readable bytes behind it and, in front of those, a byte that is in no
 * number, name or string: nothing here needs to know where it ends. */
#ifndef HISTORY_SCAN_H
#define HISTORY_SCAN_H

#include <string.h>

#include "value/value.h"

/* Short texts that were interned lately: names of functions, keys, repeated values. */
#define SCAN_NAME_LENGTH 16
#define SCAN_NAMES       256

struct scan_name {
    uint64_t letters[2]; /* 0 behind the end */
    uint32_t length;
    uint32_t kind; /* 0: an empty place (KIND_NIL is no text) */
    value value;
};

struct scan_names {
    struct scan_name places[SCAN_NAMES];
};

/* The text as a value; at[0 .. length-1], and 16 bytes from `at` readable. VALUE_REFUSED. */
static inline value scan_name(struct scan_names *names, struct value_pool *pool,
                              enum value_kind kind, const char *at, size_t length)
{
    if (length > SCAN_NAME_LENGTH)
        return value_text(pool, kind, at, length);
    uint64_t letters[2];
    memcpy(letters, at, sizeof letters);
    if (length < 8) {
        letters[0] &= (UINT64_C(1) << (8 * length)) - 1;
        letters[1] = 0;
    } else if (length < 16) {
        letters[1] &= (UINT64_C(1) << (8 * (length - 8))) - 1;
    }
    uint64_t mix = (letters[0] ^ (letters[1] + kind) * UINT64_C(0xff51afd7ed558ccd)) *
                   UINT64_C(0x9e3779b97f4a7c15);
    struct scan_name *name = &names->places[mix >> 56];
    if (LIKELY(name->letters[0] == letters[0] && name->letters[1] == letters[1] &&
               name->length == length && name->kind == kind))
        return name->value;
    value v = value_text(pool, kind, at, length);
    if (v != VALUE_REFUSED)
        *name = (struct scan_name){{letters[0], letters[1]}, (uint32_t)length, kind, v};
    return v;
}

/* An integer of at most 18 digits, so that it fits whatever they are. The caller looks at what
 * follows. No leading zeros. */
static inline const char *scan_integer(const char *at, int64_t *integer)
{
    bool negative = *at == '-';
    at += negative;
    const char *start = at;
    uint64_t magnitude = 0;
    for (unsigned digit; (digit = (unsigned)(unsigned char)*at - '0') <= 9; at++)
        magnitude = magnitude * 10 + digit;
    if (at == start || at - start > 18 || (*start == '0' && at - start > 1))
        return NULL;
    *integer = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return at;
}

/* True if the text at `at` begins with the letters of `word`, of a length the compiler knows. */
#define scan_is(at, word) (memcmp((at), (word), sizeof(word) - 1) == 0)

#endif

/* States of objects that hold a value per key: what map and multi-register have in common.
 *
 * A cell is what one key holds: its value and a stamp, the map's knowledge of revisions (0: none).
 * A state has one of two forms:
 *
 *     of one key only:  [key, value]            where the stamp is 0
 *                       [key, value, stamp]     elsewhere
 *     of any keys:      [nil, key, value, stamp, key, value, stamp, ...]
 *                       ascending by key; keys whose cell is the initial one are left out
 *
 * so each state has one form, and the one-key form, that of every history split by key, is small
 * and is read without a search. `spec->initial` is the initial value of every key, or an EDN map of
 * initial values, nil elsewhere. */
#ifndef SPEC_KEYED_H
#define SPEC_KEYED_H

#include "spec/spec.h"

struct cell {
    value value;
    uint64_t stamp;
};

/* The initial value of a key. Texts of the same letters are one key to an initial map: `x` on the
 * command line is :x in EDN histories and "x" in JSON. */
value keyed_initial(const struct spec *spec, value key);

bool keyed_init(const struct spec *spec, value key, struct outcomes *state);
struct cell keyed_get(const struct spec *spec, const uint64_t *words, size_t length, value key);

/* The most words that keyed_set adds to a state. */
#define KEYED_ENTRY 3

/* Sets `key` in a state that has room for KEYED_ENTRY more words; the new length. */
size_t keyed_set(const struct spec *spec, uint64_t *words, size_t length, value key,
                 struct cell cell) MUST_CHECK;

/* {x 0 y 1}; a key that holds nil is shown only in the one-key form. */
void keyed_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                       struct text *text);

/* As spec_class.find_values: all but the stamps. */
void keyed_find_values(const struct spec *spec, const uint64_t *words, size_t length, bool *values);

#endif

/* States of one word a value, ascending by value_compare, so that each content has one form: what
 * sets and queues without an order of their own have in common. */
#ifndef SPEC_SORTED_H
#define SPEC_SORTED_H

#include "spec/spec.h"

/* Where v is, the first of several; or where it belongs. `present` may be null. */
size_t sorted_find(const uint64_t *words, size_t length, value v, bool *present);

/* The outcome in which v has come to this place. */
bool sorted_step_insert(const uint64_t *words, size_t length, size_t place, value v, value result,
                        struct outcomes *outcomes) MUST_CHECK;

void sorted_sort(uint64_t *words, size_t length);

/* The items in ascending order as a list; VALUE_REFUSED. */
value sorted_list(const struct spec *spec, const value *items, size_t length);

/* As `rename` of a spec_class. */
bool sorted_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                   size_t length) MUST_CHECK;

#endif

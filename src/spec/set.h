/* A set: add, remove, contains. */
#ifndef SPEC_SET_H
#define SPEC_SET_H

#include "spec/spec.h"

enum {
    SET_ADD,
    SET_REMOVE,
    SET_CONTAINS,
};

extern const struct spec_class set_class;

/* What every object does whose state has one word for each element, ascending: see spec_class. */
bool set_rename_elements(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                         size_t length) MUST_CHECK;
void set_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                     struct text *text);

#endif

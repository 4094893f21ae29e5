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

/* What grow-set has in common with it: the initial value becomes a set; a state is shown as one. */
enum status set_create(struct spec *spec, struct error *error) MUST_CHECK;
void set_print_state(const struct spec *spec, const uint64_t *words, size_t length,
                     struct text *text);

#endif

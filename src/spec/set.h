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

#endif

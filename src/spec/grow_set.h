/* A set that only grows and is read as a whole: Jepsen's workload `set`. */
#ifndef SPEC_GROW_SET_H
#define SPEC_GROW_SET_H

#include "spec/spec.h"

enum {
    GROW_SET_ADD,
    GROW_SET_READ,
};

extern const struct spec_class grow_set_class;

#endif

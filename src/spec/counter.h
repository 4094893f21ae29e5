/* A counter: add, inc, read. */
#ifndef SPEC_COUNTER_H
#define SPEC_COUNTER_H

#include "spec/spec.h"

enum {
    COUNTER_ADD,
    COUNTER_INC,
    COUNTER_READ,
};

extern const struct spec_class counter_class;

#endif

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

/* Appends a count, which may be beyond 64 bits. */
__extension__ void counter_print_count(__int128 count, struct text *text);

#endif

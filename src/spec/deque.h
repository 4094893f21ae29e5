/* A double-ended queue. */
#ifndef SPEC_DEQUE_H
#define SPEC_DEQUE_H

#include "spec/spec.h"

enum {
    DEQUE_PUSH_FRONT,
    DEQUE_PUSH_BACK,
    DEQUE_POP_FRONT,
    DEQUE_POP_BACK,
};

extern const struct spec_class deque_class;
extern const struct spec_class bounded_deque_class; /* deque(n), with the same operations */

#endif

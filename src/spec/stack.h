/* A stack: push, pop. */
#ifndef SPEC_STACK_H
#define SPEC_STACK_H

#include "spec/spec.h"

enum {
    STACK_PUSH,
    STACK_POP,
};

extern const struct spec_class stack_class;
extern const struct spec_class bounded_stack_class; /* stack(n), with the same operations */

#endif

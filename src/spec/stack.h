/* A stack: push, pop. */
#ifndef SPEC_STACK_H
#define SPEC_STACK_H

#include "spec/spec.h"

enum {
    STACK_PUSH,
    STACK_POP,
};

extern const struct spec_class stack_class;

#endif

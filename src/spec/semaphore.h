/* A semaphore of n permits (parameters[0]): acquire, release. */
#ifndef SPEC_SEMAPHORE_H
#define SPEC_SEMAPHORE_H

#include "spec/spec.h"

enum {
    SEMAPHORE_ACQUIRE,
    SEMAPHORE_RELEASE,
};

extern const struct spec_class semaphore_class;

#endif

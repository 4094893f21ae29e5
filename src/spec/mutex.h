/* A mutex: acquire, release. */
#ifndef SPEC_MUTEX_H
#define SPEC_MUTEX_H

#include "spec/spec.h"

enum {
    MUTEX_ACQUIRE,
    MUTEX_RELEASE,
};

extern const struct spec_class mutex_class;

#endif

/* A mutex: acquire, release, try-acquire. */
#ifndef SPEC_MUTEX_H
#define SPEC_MUTEX_H

#include "spec/spec.h"

enum {
    MUTEX_ACQUIRE,
    MUTEX_RELEASE,
    MUTEX_TRY_ACQUIRE,
};

extern const struct spec_class mutex_class;

#endif

/* A queue: enqueue, dequeue. */
#ifndef SPEC_QUEUE_H
#define SPEC_QUEUE_H

#include "spec/spec.h"

enum {
    QUEUE_ENQUEUE,
    QUEUE_DEQUEUE,
};

extern const struct spec_class queue_class;

#endif

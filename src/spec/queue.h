/* A queue: enqueue, dequeue. */
#ifndef SPEC_QUEUE_H
#define SPEC_QUEUE_H

#include "spec/spec.h"

enum {
    QUEUE_ENQUEUE,
    QUEUE_DEQUEUE,
};

extern const struct spec_class queue_class;
extern const struct spec_class bounded_queue_class; /* queue(n), with the same operations */

#endif

/* A priority queue of numbers: insert, delete-min. */
#ifndef SPEC_PRIORITY_QUEUE_H
#define SPEC_PRIORITY_QUEUE_H

#include "spec/spec.h"

enum {
    PRIORITY_QUEUE_INSERT,
    PRIORITY_QUEUE_DELETE_MIN,
};

extern const struct spec_class priority_queue_class;

#endif

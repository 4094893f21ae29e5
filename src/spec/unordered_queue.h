/* A queue from which values come out in any order: Knossos's unordered-queue, with Jepsen's drain.
 */
#ifndef SPEC_UNORDERED_QUEUE_H
#define SPEC_UNORDERED_QUEUE_H

#include "spec/spec.h"

enum {
    UNORDERED_QUEUE_ENQUEUE,
    UNORDERED_QUEUE_DEQUEUE,
    UNORDERED_QUEUE_DRAIN,
};

extern const struct spec_class unordered_queue_class;

#endif

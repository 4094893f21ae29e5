/* The steps of a normal form that have been worked out: from a normalised state with a label to
 * another. Threads find them without a lock, and add others. */
#ifndef PROPERTY_NORMAL_STEPS_H
#define PROPERTY_NORMAL_STEPS_H

#include <pthread.h>

#include "base/blocks.h"
#include "base/shared_table.h"
#include "property/normal.h"

struct normal_step {
    normal_id from;
    label label;
    normal_id to;
};

struct normal_steps {
    struct blocks items; /* struct normal_step */
    struct shared_table numbers;
    pthread_mutex_t lock; /* of all that is added */
    uint32_t count;
};

void normal_steps_init(struct normal_steps *steps, struct budget *budget);
void normal_steps_release(struct normal_steps *steps);

/* Whether the step is there, with where it leads. */
bool normal_steps_find(const struct normal_steps *steps, normal_id from, label l, normal_id *to);

/* Adds a step, unless another thread has done so since it was not found. False when refused. */
bool normal_steps_add(struct normal_steps *steps, normal_id from, label l, normal_id to) MUST_CHECK;

#endif

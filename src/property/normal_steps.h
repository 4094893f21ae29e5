/* The steps of a normal form that have been worked out: from a normalised state with a label to
 * another. Threads find them without a lock, and add others.
 *
 * Most normalised states have few. The first stands where the state's number says; up to
 * NORMAL_STEPS_IN_ROW others are linked behind it, and any further ones found by their hash. */
#ifndef PROPERTY_NORMAL_STEPS_H
#define PROPERTY_NORMAL_STEPS_H

#include <pthread.h>

#include "base/blocks.h"
#include "base/shared_table.h"
#include "property/normal.h"

#define NORMAL_STEPS_IN_ROW 6

struct normal_step {
    label label;
    normal_id to;
    _Atomic uint32_t next; /* 0: no step; 1: none behind it; else 2 + the number of the next */
};

struct normal_far_step {
    normal_id from, to;
    label label;
};

struct normal_steps {
    struct blocks firsts;        /* struct normal_step, by normalised state */
    struct blocks others;        /* likewise, linked behind these */
    struct blocks far;           /* struct normal_far_step */
    struct shared_table numbers; /* of the far ones */
    pthread_mutex_t lock;        /* of all that is added */
    uint32_t count;              /* of all steps */
    uint32_t other_count, far_count;
};

void normal_steps_init(struct normal_steps *steps, struct budget *budget);
void normal_steps_release(struct normal_steps *steps);

/* Whether the step is there, with where it leads. */
bool normal_steps_find(const struct normal_steps *steps, normal_id from, label l, normal_id *to);

/* Adds a step, unless another thread has done so since it was not found. False when refused. */
bool normal_steps_add(struct normal_steps *steps, normal_id from, label l, normal_id to) MUST_CHECK;

#endif

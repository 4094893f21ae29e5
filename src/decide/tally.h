/* A table of counts by operation and value, for irrelevant_pending.h. It keeps its memory from one
 * use to the next. */
#ifndef DECIDE_TALLY_H
#define DECIDE_TALLY_H

#include "base/table.h"
#include "base/vector.h"
#include "value/value.h"

struct tally_row {
    value value;
    uint32_t operation; /* or a mark of the user's */
    uint32_t count;
};

struct tally {
    VECTOR(struct tally_row) rows;
    struct table table; /* of rows */
};

void tally_init(struct tally *tally, struct budget *budget);
void tally_release(struct tally *tally);
void tally_clear(struct tally *tally); /* keeps the room */

/* Counts one more; how many there were before, `refused` when there is no memory for it. */
uint32_t tally_add(struct tally *tally, uint32_t operation, value v, uint32_t refused);

/* How often it was counted. */
uint32_t tally_get(const struct tally *tally, uint32_t operation, value v);

#endif

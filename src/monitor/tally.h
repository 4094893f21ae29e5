/* Counting by (operation, value): a growing hash table, kept from one use to the next for its room.
 */
#ifndef MONITOR_TALLY_H
#define MONITOR_TALLY_H

#include "base/attributes.h"
#include "base/limits.h"
#include "value/value.h"

struct tally_row {
    value value;
    uint32_t operation; /* or a mark of the user's */
    uint32_t count;     /* 0: a free row */
};

struct tally {
    struct budget *budget;
    struct tally_row *rows;
    size_t capacity, used; /* capacity: 0 or a power of two */
};

void tally_init(struct tally *tally, struct budget *budget);
void tally_release(struct tally *tally);
void tally_clear(struct tally *tally); /* keeps the room */

/* Counts one more; how many there were before, `refused` when there is no memory for it. */
uint32_t tally_add(struct tally *tally, uint32_t operation, value v, uint32_t refused);

/* How often it was counted. */
uint32_t tally_get(const struct tally *tally, uint32_t operation, value v);

#endif

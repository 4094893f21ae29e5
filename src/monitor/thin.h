/* Leaving out pending operations that no linearization needs, on objects that hold one value. */
#ifndef MONITOR_THIN_H
#define MONITOR_THIN_H

#include "monitor/one_value.h"

/* Counts by (operation, value); also which values are needed. A growing hash table, kept from one
 * use to the next for its room. */
struct tally_row {
    value value;
    uint32_t operation; /* or a mark; see thin.c */
    uint32_t count;     /* 0: a free row */
};

struct tally {
    struct budget *budget;
    struct tally_row *rows;
    size_t capacity, used; /* capacity: 0 or a power of two */
};

void tally_init(struct tally *tally, struct budget *budget);
void tally_release(struct tally *tally);

/* Sets `useless[i]` for pending operations of `part`, which holds one value, that need not be
 * looked at: it is linearizable exactly if it is without them all. Linear, but for long chains of
 * pending swaps. What memory refuses is not called useless. */
void find_useless(const struct part *part, struct tally *tally, bool *useless);

#endif

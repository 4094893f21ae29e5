/* Leaving out pending operations that no linearization needs. */
#ifndef DECIDE_THIN_H
#define DECIDE_THIN_H

#include "decide/one_value.h"
#include "decide/tally.h"

/* Sets `useless[i]` for pending operations of `part` that need not be looked at: it is linearizable
 * exactly if it is without them all; false for all others. Linear, but for long chains of pending
 * swaps. What memory refuses is not called useless. No pending operation has a result. */
typedef void find_useless(const struct part *part, struct tally *tally, bool *useless);

find_useless thin_one_value; /* thin.c: for parts that hold one value */
find_useless thin_container; /* thin_container.c: queue, stack, deque, priority queue */
find_useless thin_registers; /* thin_registers.c: several registers */

/* What there is for parts like this one; null if nothing is. */
find_useless *thin_for(const struct part *part);

#endif

/* Finds irrelevant pending operations: those that can be left out of a part, which is linearizable
 * exactly if it is without them. A file for each kind of object has the argument. */
#ifndef DECIDE_IRRELEVANT_PENDING_H
#define DECIDE_IRRELEVANT_PENDING_H

#include "decide/one_value.h"
#include "decide/tally.h"

/* Sets `irrelevant[i]` for pending operations of `part` that need not be looked at: it is
 * linearizable exactly if it is without them all; false for all others. Linear, but for long chains
 * of pending swaps. What memory refuses is not called irrelevant. No pending operation has a
 * result. */
typedef void find_irrelevant(const struct part *part, struct tally *tally, bool *irrelevant);

find_irrelevant irrelevant_in_one_value; /* irrelevant_pending.c: for parts that hold one value */
find_irrelevant irrelevant_in_container; /* irrelevant_pending_container.c: queue, stack, deque,
                                            priority queue */
find_irrelevant irrelevant_in_registers; /* irrelevant_pending_registers.c: several registers */

/* What there is for parts like this one; null if nothing is. */
find_irrelevant *irrelevant_finder_of(const struct part *part);

#endif

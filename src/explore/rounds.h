/* Nodes that are due, taken up by several threads at once. */
#ifndef EXPLORE_ROUNDS_H
#define EXPLORE_ROUNDS_H

#include "base/faults.h"
#include "explore/explore.h"

#define ROUND_BATCHES 1024 /* of a round at most */
#define ROUND_MOST                                                                                 \
    SIZE_OR_SMALL(32768, 64) /* nodes: what waits to be added is short against what is stored */

/* Nodes that make the next round where so many are due; 1: they are visited one by one. */
uint32_t rounds_most(const struct explorer *explorer, uint32_t due);

/* Takes up explorer->round, if several threads may; else, and where one of its nodes ends the
 * search, `*taken` is false, and nothing has been taken up. */
enum status rounds_take(struct explorer *explorer, void *self, bool *taken) MUST_CHECK;

#endif

/* Where the states of a table are to be cut in two, so that their halves can be kept once each
 * (space/state_table.h). */
#ifndef SPACE_STATE_SPLIT_H
#define SPACE_STATE_SPLIT_H

#include "space/state_layout.h"

/* The states that are looked at, and how they are packed. */
struct state_sample {
    struct budget *budget;
    const struct state_layout *layout;
    uint32_t count;
    const uint32_t *(*state)(const void *table, uint32_t number); /* its slots, for a short time */
    const void *table;
};

/* The first slot of the right half, where different halves are fewer than so many in a hundred
 * states; 0: nowhere. */
uint32_t state_split_choose(const struct state_sample *sample, uint32_t most) MUST_CHECK;

/* A budget for what may be refused without harm: of what is left, so that nobody else's is. */
void state_split_budget(struct budget *budget, struct budget *parent);

#endif

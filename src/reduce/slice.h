/* Dead variables as a decorator: a slot whose value nobody reads before it is written again goes
 * back to what it was at first, so that states which differ in such slots only are one. */
#ifndef REDUCE_SLICE_H
#define REDUCE_SLICE_H

#include "reduce/decorator.h"

struct slice {
    struct decorator decorator; /* first */
    uint32_t *kept;   /* slots that are never reset; what conditions touch is among them */
    uint32_t *values; /* what dead slots become */
    uint32_t words;
};

/* Whether the front end of the model tells what is needed. */
bool slice_possible(const struct model *model);

/* STATUS_LIMIT, STATUS_INPUT (a fault of the model). Release whatever the status. */
enum status slice_create(const struct model *inner, struct slice *slice,
                         struct error *error) MUST_CHECK;
void slice_release(struct slice *slice);

/* The value of a condition is to be kept. */
void slice_keep(struct slice *slice, uint32_t condition);

#endif

/* The steps of the execution that an answer has, with their places in files: for those who show
 * them beside the source. */
#ifndef REPORT_PLACES_H
#define REPORT_PLACES_H

#include "report/result.h"

/* Of a model `step` is what it does; of real code `access`, a row of the trace. The other one is
 * null. */
struct placed_step {
    uint32_t thread;
    const char *file;
    uint32_t line; /* 1-based */
    const lp_step *step;
    const struct node *access;
};

/* Visits those that have a place, in their order. */
void places_visit(const struct result *result,
                  void (*visit)(void *user, const struct placed_step *step), void *user);

#endif

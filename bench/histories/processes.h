/* Processes that call an object at the same time, in an order drawn at random. */
#ifndef BENCH_PROCESSES_H
#define BENCH_PROCESSES_H

#include <stdio.h>

#include "objects.h"

struct plan {
    uint64_t seed, operations;
    uint32_t processes;
    double pending; /* the chance that a call never answers */
    bool lies;      /* the last hundredth holds the object's lie; operations >= LIE_MOST_CALLS */
};

/* Writes the history, one event a line. Every process calls again as soon as its call has been
 * answered, each call takes effect at one moment between the two, so the history is linearizable
 * unless the plan says otherwise. Neither the history nor anything of its length is kept. */
void processes_run(const struct plan *plan, struct object *object, FILE *out);

#endif

/* Estimates how far places are from the initial markings, were tokens never taken away: the least
 * number of transitions, or more. As in planning (Bonet and Geffner 2001, h_max and h_add). It
 * guides the backward engine. */
#ifndef PETRI_DISTANCE_H
#define PETRI_DISTANCE_H

#include "petri/problem.h"

enum distance_kind {
    DISTANCE_MAXIMUM, /* a transition is as far as the farthest place it takes from: never too much
                       */
    DISTANCE_SUM,     /* as all of them together: nearer to the truth, and not a bound */
};

struct distances {
    uint32_t *controls, *counters;
};

/* Into the arena; false when it refuses. */
bool distances_find(const struct problem *problem, enum distance_kind kind, struct arena *arena,
                    struct distances *distances) MUST_CHECK;

/* From the initial markings to one with at least these. */
uint64_t distance_of(const struct distances *distances, enum distance_kind kind, uint32_t control,
                     const struct counter_count *items, uint32_t count);

#endif

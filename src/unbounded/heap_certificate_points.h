/* What has to be so of a placement and an automaton for a certificate to be one, whatever views it
 * has. */
#ifndef UNBOUNDED_HEAP_CERTIFICATE_POINTS_H
#define UNBOUNDED_HEAP_CERTIFICATE_POINTS_H

#include "unbounded/heap_placement.h"
#include "unbounded/heap_view.h"
#include "unbounded/prophecy.h"

/* Null; else what is wrong. Sets of which values, from 1, the automaton reads one call at most, and
 * whether it forbids that a value is taken twice. */
const char *certificate_look_at_points(const struct heap_shape *shape,
                                       const struct alphabet *alphabet,
                                       const struct heap_placement *placement, bool watches,
                                       bool once[VIOLATION_COLOURS + 1], bool *forbids_repeats);

/* What a read that takes effect at some moment has seen written last, with what a state of what is
 * watched says. */
uint32_t certificate_see_written(const struct heap_point *point, uint32_t state, uint32_t promise);

/* Null; else what is wrong with the answer of such a read, if it has one. */
const char *certificate_look_back(const struct alphabet *alphabet, const struct thread_move *move,
                                  uint32_t promise);

#endif

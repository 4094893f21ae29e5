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

#endif

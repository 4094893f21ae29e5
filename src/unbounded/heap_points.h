/* Looks for steps at which the operations of an implementation take effect, such that a proof for
 * any number of threads and a heap without bound succeeds (unbounded/heap_proof.h). Those that
 * change something come in the order in which they were met; one placement has to do for all
 * automata. Before these the steps are tried that the text gives (`linearize`), for the operations
 * that have some. Where none do, operations meet, or span; last, no points are asked for at all. */
#ifndef UNBOUNDED_HEAP_POINTS_H
#define UNBOUNDED_HEAP_POINTS_H

#include "unbounded/heap_answer.h"

/* STATUS_LIMIT when out of memory. */
enum status heap_points_find(const struct heap_points *points,
                             struct heap_answer *answer) MUST_CHECK;

#endif

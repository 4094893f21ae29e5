/* The initial states of a `.lin` model: `init` runs once, before all threads, in one step. */
#ifndef IMPLEMENTATION_INITIAL_H
#define IMPLEMENTATION_INITIAL_H

#include "implementation/state.h"

/* Appends them. STATUS_INPUT: `init` goes wrong, or comes to no end, with its place. */
enum status lin_initial_states(struct lin_worker *worker, struct successors *out,
                               struct error *error) MUST_CHECK;

/* How many nodes of each pool `init` makes, at most where it has choices; `*enough`: there were as
 * many as it asked for. The model must keep nodes (lin_setting) and their names (lin_options).
 * STATUS_INPUT as above. STATUS_LIMIT also once the limits (null: none) are reached. */
enum status lin_initial_nodes(struct lin_worker *worker, const struct limits *limits,
                              uint32_t *made, bool *enough, struct error *error) MUST_CHECK;

#endif

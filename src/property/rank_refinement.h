/* Refinement by several ranks: each has the pairs whose implementation states it owns, by their
 * hash. */
#ifndef PROPERTY_RANK_REFINEMENT_H
#define PROPERTY_RANK_REFINEMENT_H

#include "base/transport.h"
#include "property/refinement.h"

/* What it took, of all ranks together. */
struct rank_figures {
    uint64_t states, largest; /* stored; those of the rank with most */
    uint64_t bytes;           /* sent */
};

/* As refine, breadth first, without failures. Collective, on the same graph and normal form: states
 * must be the same words on each rank. All ranks find the same answer and counts; the execution is
 * rank 0's alone. UNDECIDED if some rank does not come to the meeting, or reaches a limit. */
enum status refine_among_ranks(struct graph *implementation, struct normal *specification,
                               const struct refinement_options *options,
                               struct transport_meeting *meeting, struct refinement *result,
                               struct rank_figures *figures, struct error *error) MUST_CHECK;

#endif

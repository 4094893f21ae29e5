/* Refinement of traces with the partial order reduction of Liu, Chen, Liu and Sun (2009) as their
 * figures have it: depth first over pairs, an ample set only if none of its steps leads back to the
 * search's path. */
#ifndef PROPERTY_PAPER_REFINEMENT_H
#define PROPERTY_PAPER_REFINEMENT_H

#include "property/refinement.h"

/* As `refine`, without antichain and failures; the implementation's graph keeps its ample sets. */
enum status refine_as_in_paper(struct graph *implementation, struct normal *specification,
                               struct limits *limits, struct refinement *result,
                               struct error *error) MUST_CHECK;

#endif

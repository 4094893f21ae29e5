/* Backward data flow over what references lead to: the fields of a node that nobody will read
 * before they are written are no part of a state. */
#ifndef IMPLEMENTATION_STEP_FIELDS_H
#define IMPLEMENTATION_STEP_FIELDS_H

#include "implementation/step_compiler.h"

/* Fills in steps->shared_reads, steps->reads and what pools have of that, once steps->stale
 * and steps->decided are there; or leaves it all empty, where nodes are given back, are few, or
 * more is not known. */
enum status lin_step_find_fields(struct lin_steps *steps) MUST_CHECK;

#endif

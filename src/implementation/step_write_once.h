/* Write-once fields: those of nodes that are written only while nobody but the writer can have come
 * by a reference to the node. Who reads such a field reads what it will always be. */
#ifndef IMPLEMENTATION_STEP_WRITE_ONCE_H
#define IMPLEMENTATION_STEP_WRITE_ONCE_H

#include "implementation/steps.h"

/* Fills in pool->write_once, marks each DEREFERENCE that only reads such a field with `small` 1,
 * and says in steps->reads_write_once whether there are any. Once all operations are there; what
 * `init` does is of no matter. */
enum status lin_step_find_write_once(struct lin_steps *steps) MUST_CHECK;

#endif

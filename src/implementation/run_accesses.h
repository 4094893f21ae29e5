/* Accesses that tell when they run whether others notice them (implementation/step_accesses.h). */
#ifndef IMPLEMENTATION_RUN_ACCESSES_H
#define IMPLEMENTATION_RUN_ACCESSES_H

#include "implementation/run.h"

/* Before an instruction whose `small` is 1 runs, with its words on the stack: notes in the worker
 * what it touches, and which suppositions it shows to be wrong. RAN_ON, RAN_OUT_OF_MEMORY. */
enum ran lin_run_note_access(struct lin_run *run, const struct instruction *i);

#endif

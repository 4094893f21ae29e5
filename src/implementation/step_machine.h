/* What the code of an implementation (implementation/steps.h) runs on: a state of the model, of
 * which a thread takes steps. */
#ifndef IMPLEMENTATION_STEP_MACHINE_H
#define IMPLEMENTATION_STEP_MACHINE_H

#include "implementation/run.h"

/* A thread that stands at an instruction of a state. */
struct lin_run lin_run_make(struct lin_worker *worker, uint32_t *slots, uint32_t thread,
                            uint32_t at, struct error *error);

/* Runs from there to where the thread stops next, which is at a STEP, an ANSWER or an END where it
 * ran well, and leaves it there. */
enum ran lin_run_on(struct lin_run *run) MUST_CHECK;

#endif

/* The stack machine (lin/steps.h) that runs a thread of a `.lin` model on a state, from where
 * it stands to where its step ends. */
#ifndef LIN_INTERPRETER_H
#define LIN_INTERPRETER_H

#include "lin/run.h"

/* Runs from `run->at` to where the thread stops next, and leaves it there. */
enum lin_halt lin_run_on(struct lin_run *run);

#endif

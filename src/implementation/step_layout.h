/* The words of a state: the shared variables, the nodes of each pool, the threads. */
#ifndef IMPLEMENTATION_STEP_LAYOUT_H
#define IMPLEMENTATION_STEP_LAYOUT_H

#include "implementation/step_compiler.h"

/* All but the locals, which are known when all operations are compiled. */
enum status lin_step_lay_out(struct lin_step_compiler *compiler) MUST_CHECK;

/* The state's words, once it is known how many locals there are. */
enum status lin_step_size_state(struct lin_step_compiler *compiler) MUST_CHECK;

#endif

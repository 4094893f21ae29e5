/* Whether threads access one another's stacks. As long as none does, what a thread has on its own
 * is part of its state alone: volatile variables there are accessed as plain ones, without events,
 * and who does the same again may be left out whatever it has read there. Once a thread is seen to
 * access the stack of another one, all stacks are memory like other, and the scenario is begun anew
 * if that makes a difference. (What was found until then is an execution, but that a race may be
 * none.) */
#ifndef RUNTIME_STACKS_H
#define RUNTIME_STACKS_H

#include "runtime/region.h"

/* A scenario begins: nothing was seen. */
void stacks_open(void);

/* A thread accesses memory. */
void stacks_see_other(unsigned thread, const void *address);
static inline void stacks_see(unsigned thread, const void *address)
{
    if (!region_is_own(thread, address))
        stacks_see_other(thread, address);
}

/* Whether stacks are memory like other. */
bool stacks_are_memory(void);

/* Whether a volatile access of a thread is to its own stack, and made as a plain one. */
bool stacks_have_volatile(unsigned thread, const void *address);

/* After a run: whether stacks are memory from now on, and were not before: they were accessed by
 * others, or (`always`) that is asked for. Whether volatile accesses were made as plain ones. */
bool stacks_become_memory(bool always);
bool stacks_had_volatile(void);

/* The address is in a frame that is gone: on the stack of the thread that runs, below the stack
 * pointer of the user's code that has called the runtime. */
bool stacks_have_lost(const void *address);

/* The address is in the program's code, and not in the runtime's or a library's. */
bool stacks_is_tested_code(const void *address);

#endif

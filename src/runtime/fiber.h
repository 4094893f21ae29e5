/* Threads of the program under test as fibers of one thread of the system: a stack each, and one
 * switch between them. Each has the thread-local storage of a parked thread, which exists for that
 * alone, if the program has any. */
#ifndef RUNTIME_FIBER_H
#define RUNTIME_FIBER_H

#include "runtime/region.h"

struct fiber {
    void *stack_pointer;
    char *lowest;         /* that its stack pointer has been at a switch */
    void *thread_pointer; /* where its thread-local storage is */
};

/* Finds the thread-local storage of the fibers 0 to `count` - 1. False when the system refuses. The
 * last of the region has that of the caller. */
bool fibers_open(struct fiber *fibers, unsigned count);

/* Makes the fiber begin with `entry`, which never returns, on a stack of zeros, and with its
 * thread-local variables as they are at first. */
void fiber_prepare(struct fiber *fiber, unsigned thread, void (*entry)(void));

/* Its thread-local variables. */
const char *fiber_storage(const struct fiber *fiber, size_t *size);

/* Goes on with `to`; returns when somebody goes on with `from`. */
void fiber_switch(struct fiber *from, const struct fiber *to);

#endif

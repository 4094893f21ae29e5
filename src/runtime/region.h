/* The memory of the threads under test: a stack and an arena for each, at the same addresses in
 * every execution and every process, so that what a thread does is a function of what it reads.
 *
 *     | guard | stack 0 | arena 0 | guard | stack 1 | arena 1 | ...
 */
#ifndef RUNTIME_REGION_H
#define RUNTIME_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario/exchange.h"

enum {
    REGION_THREADS = EXECUTION_THREADS + 1, /* and who is alone: setup, teardown */
    REGION_STACK = 1 << 23,                 /* as threads of the system have it */
    REGION_ARENA = 1 << 22,
    REGION_GUARD = 20 << 20, /* frames that are too large end in it, and not in what is below */
};

#define REGION_STRIDE ((size_t)REGION_GUARD + REGION_STACK + REGION_ARENA)
#define REGION_BASE   ((uintptr_t)0x200000000000)
#define REGION_SIZE   (REGION_THREADS * REGION_STRIDE)

/* Maps it; false when the system refuses. */
bool region_open(void);

static inline char *region_stack(unsigned thread)
{
    return (char *)(REGION_BASE + thread * REGION_STRIDE + REGION_GUARD);
}

static inline char *region_stack_end(unsigned thread)
{
    return region_stack(thread) + REGION_STACK;
}

static inline char *region_arena(unsigned thread)
{
    return region_stack_end(thread);
}

static inline bool region_holds(const void *address)
{
    return (uintptr_t)address - REGION_BASE < REGION_SIZE;
}

/* Whether an address of the region is in an arena. */
static inline bool region_is_heap(const void *address)
{
    return ((uintptr_t)address - REGION_BASE) % REGION_STRIDE >=
           (size_t)REGION_GUARD + REGION_STACK;
}

static inline bool region_is_own_stack(unsigned thread, const void *address)
{
    return (uintptr_t)address - (uintptr_t)region_stack(thread) < REGION_STACK;
}

/* Whether a stack that is too small would go on there. */
static inline bool region_is_guard(unsigned thread, const void *address)
{
    return (uintptr_t)region_stack(thread) - (uintptr_t)address - 1 < REGION_GUARD;
}

/* Whether it is in the stack or the arena of a thread. */
static inline bool region_is_own(unsigned thread, const void *address)
{
    return (uintptr_t)address - (uintptr_t)region_stack(thread) <
           (size_t)REGION_STACK + REGION_ARENA;
}

#endif

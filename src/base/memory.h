/* Allocation against a budget. Every block that may grow with the input comes from here; what is
 * small and fixed may use memory_small, which never fails (the process ends instead). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#include "base/limits.h"

/* `size` bytes, uninitialised (memory_zeroed: zero), charged to `budget`; null when the budget or
 * the system refuses (the budget then has `refused` set). Size 0 gives a unique block. Release with
 * memory_release and the same size. What the allocator takes beside it is charged as well. */
void *memory_allocate(struct budget *budget, size_t size) MUST_CHECK;
void *memory_zeroed(struct budget *budget, size_t size) MUST_CHECK;

/* memory_zeroed for a table that is read in no order: large, it is put in large pages, where the
 * system has them, so that fewer addresses need be looked up. */
void *memory_scattered(struct budget *budget, size_t size) MUST_CHECK;

/* As realloc: on refusal the old block stays as it was and null is returned. */
void *memory_resize(struct budget *budget, void *block, size_t old_size,
                    size_t new_size) MUST_CHECK;

/* What a block has in front of `end` is of no use any more, and is only to be released; of what is
 * in front of `begin` that was said before. The system may take back pages that lie there. */
void memory_pass(void *block, size_t begin, size_t end);

/* A null block is allowed. */
void memory_release(struct budget *budget, void *block, size_t size);

/* For small fixed things: never null, not counted, released with free(). */
void *memory_small(size_t size) __attribute__((returns_nonnull, malloc));

/* Of a program of which several threads will grow large: the system is asked for megabytes at once,
 * which are kept. Each change of the mappings would interrupt all threads. */
void memory_ask_for_much(void);

#endif

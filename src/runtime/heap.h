/* The heap of the program under test: an arena for each thread, in which no address is used twice
 * in an execution. What a thread gets depends on what it has asked for itself, and on nothing else;
 * what was freed is never handed out again, so that whoever still uses it is found. */
#ifndef RUNTIME_HEAP_H
#define RUNTIME_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/region.h"

/* Of each thread; only heap.c writes it. */
extern struct heap_arena {
    size_t used, kept_used;
    char *kept;
} heap_arenas[REGION_THREADS];

/* What was allocated so far, and its contents, is how every execution begins; false when memory is
 * short. */
bool heap_keep(void);

/* Puts the heap back. */
void heap_begin(void);

/* By what a block was asked for: it may be freed by its like alone. */
enum heap_family {
    HEAP_MALLOC,
    HEAP_NEW,
    HEAP_NEW_ARRAY,
    HEAP_FAMILIES
};

/* A block for a thread, of zeros; null when its arena is full. `align` is a power of two, `from`
 * where it was asked for. */
void *heap_allocate(unsigned thread, size_t size, size_t align, enum heap_family family,
                    const void *from);

/* How many bytes of a thread's arena have been handed out so far. */
static inline size_t heap_used(unsigned thread)
{
    return heap_arenas[thread].used;
}

/* Whether an address is the beginning of a block, freed or not. */
bool heap_is_block(const void *address);
size_t heap_block_size(const void *block);
enum heap_family heap_block_family(const void *block);

/* The first block of a thread behind another one (null: of all), and where it was asked for; null:
 * there is none. */
const void *heap_next_block(unsigned thread, const void *behind, const void **from);

#endif

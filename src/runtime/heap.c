/* In front of each block stand its size, who asked for it, and a mark that is derived from its
 * address and family: what is between blocks belongs to none, so that an access there is found
 * (runtime/shadow.h). */
#include "runtime/heap.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ALIGN = 16
};

struct head {
    const void *from;
    size_t size;
    uintptr_t mark;
};

static const uintptr_t mark_key = UINT64_C(0x6c696e636870696e);

struct heap_arena heap_arenas[REGION_THREADS];

bool heap_keep(void)
{
    for (unsigned thread = 0; thread < REGION_THREADS; thread++) {
        heap_arenas[thread].kept_used = heap_arenas[thread].used;
        free(heap_arenas[thread].kept);
        heap_arenas[thread].kept = malloc(heap_arenas[thread].used + 1);
        if (!heap_arenas[thread].kept)
            return false;
        memcpy(heap_arenas[thread].kept, region_arena(thread), heap_arenas[thread].used);
    }
    return true;
}

void heap_begin(void)
{
    for (unsigned thread = 0; thread < REGION_THREADS; thread++) {
        size_t kept = heap_arenas[thread].kept_used, used = heap_arenas[thread].used;
        if (kept)
            memcpy(region_arena(thread), heap_arenas[thread].kept, kept);
        if (used > kept)
            memset(region_arena(thread) + kept, 0, used - kept);
        heap_arenas[thread].used = kept;
    }
}

void *heap_allocate(unsigned thread, size_t size, size_t align, enum heap_family family,
                    const void *from)
{
    size_t at = heap_arenas[thread].used + sizeof(struct head);
    if (align < LEAST_ALIGN)
        align = LEAST_ALIGN;
    at = (at + align - 1) & ~(align - 1);
    size_t end = at + (size ? size : 1);
    if (end < at || end > REGION_ARENA - sizeof(struct head))
        return NULL;
    char *block = region_arena(thread) + at;
    ((struct head *)block)[-1] =
        (struct head){.from = from, .size = size, .mark = ((uintptr_t)block ^ mark_key) + family};
    heap_arenas[thread].used = (end + LEAST_ALIGN - 1) & ~(size_t)(LEAST_ALIGN - 1);
    return block;
}

static uintptr_t family_of(const void *block)
{
    return ((const struct head *)block)[-1].mark - ((uintptr_t)block ^ mark_key);
}

bool heap_is_block(const void *address)
{
    return region_holds(address) && region_is_heap(address) &&
           (uintptr_t)address % LEAST_ALIGN == 0 && family_of(address) < HEAP_FAMILIES;
}

enum heap_family heap_block_family(const void *block)
{
    return (enum heap_family)family_of(block);
}

size_t heap_block_size(const void *block)
{
    return ((const struct head *)block)[-1].size;
}

const void *heap_next_block(unsigned thread, const void *behind, const void **from)
{
    const char *end = region_arena(thread) + heap_arenas[thread].used;
    const char *block = behind ? (const char *)behind + LEAST_ALIGN
                               : (const char *)region_arena(thread) + LEAST_ALIGN;
    while (block < end && !heap_is_block(block))
        block += LEAST_ALIGN;
    if (block >= end)
        return NULL;
    *from = ((const struct head *)block)[-1].from;
    return block;
}

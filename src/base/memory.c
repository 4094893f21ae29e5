#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The system itself refused: the same to the caller as a limit. */
static void *refused(struct budget *budget, size_t charged)
{
    budget_refund(budget, charged);
    atomic_store(&budget->refused, true);
    return NULL;
}

/* What the allocator takes for a block: GNU's has a word beside it, and blocks of 32, 48, 64 ...
 * bytes. Where there are many small ones that is a part of the memory that shows. */
static size_t taken_by(size_t size)
{
    const size_t unit = 2 * sizeof(size_t), own = sizeof(size_t), least = 2 * unit;
    if (size > SIZE_MAX - least)
        return SIZE_MAX;
    const size_t taken = (size + own + unit - 1) & ~(unit - 1);
    return size == 0 ? 0 : taken < least ? least : taken;
}

void *memory_allocate(struct budget *budget, size_t size)
{
    if (!budget_charge(budget, taken_by(size)))
        return NULL;
    void *block = malloc(size ? size : 1);
    return block ? block : refused(budget, taken_by(size));
}

void *memory_zeroed(struct budget *budget, size_t size)
{
    if (!budget_charge(budget, taken_by(size)))
        return NULL;
    void *block = calloc(1, size ? size : 1);
    return block ? block : refused(budget, taken_by(size));
}

#define LARGE_PAGE ((size_t)2 << 20)

void *memory_scattered(struct budget *budget, size_t size)
{
    void *block = memory_zeroed(budget, size);
#ifdef MADV_HUGEPAGE
    if (block && size >= 2 * LARGE_PAGE) {
        size_t skipped = -(uintptr_t)block & (LARGE_PAGE - 1);
        /* A refusal is nothing that matters: the pages stay small. */
        (void)madvise((char *)block + skipped, (size - skipped) & ~(LARGE_PAGE - 1), MADV_HUGEPAGE);
    }
#endif
    return block;
}

#define PAGE_MOST ((uintptr_t)64 << 10) /* of small ones */

void memory_pass(void *block, size_t begin, size_t end)
{
#ifdef MADV_DONTNEED
    const uintptr_t at = (uintptr_t)block, mask = ~(PAGE_MOST - 1);
    const uintptr_t least = (at + PAGE_MOST - 1) & mask, passed = (at + begin) & mask;
    const uintptr_t first = passed < least ? least : passed, last = (at + end) & mask;
    if (first < last)
        (void)madvise((void *)first, last - first, MADV_DONTNEED); /* a refusal does not matter */
#endif
}

void *memory_resize(struct budget *budget, void *block, size_t old_size, size_t new_size)
{
    const size_t old = taken_by(old_size), new = taken_by(new_size);
    const size_t growth = new > old ? new - old : 0;
    if (growth && !budget_charge(budget, growth))
        return NULL;
    void *moved = realloc(block, new_size ? new_size : 1);
    if (!moved)
        return refused(budget, growth);
    if (new < old)
        budget_refund(budget, old - new);
    return moved;
}

void memory_release(struct budget *budget, void *block, size_t size)
{
    if (!block)
        return;
    free(block);
    budget_refund(budget, taken_by(size));
}

void *memory_small(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block) {
        fputs("linchpin: out of memory\n", stderr);
        abort();
    }
    return block;
}

void memory_ask_for_much(void)
{
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, 8 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* as large as it may be */
#endif
}

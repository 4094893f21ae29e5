#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The system itself refused: the same to the caller as a limit. */
static void *refused(struct budget *budget, size_t charged)
{
    budget_refund(budget, charged);
    atomic_store(&budget->refused, true);
    return NULL;
}

void *memory_allocate(struct budget *budget, size_t size)
{
    if (!budget_charge(budget, size))
        return NULL;
    void *block = malloc(size ? size : 1);
    return block ? block : refused(budget, size);
}

void *memory_zeroed(struct budget *budget, size_t size)
{
    if (!budget_charge(budget, size))
        return NULL;
    void *block = calloc(1, size ? size : 1);
    return block ? block : refused(budget, size);
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

void *memory_resize(struct budget *budget, void *block, size_t old_size, size_t new_size)
{
    size_t growth = new_size > old_size ? new_size - old_size : 0;
    if (!budget_charge(budget, growth))
        return NULL;
    void *moved = realloc(block, new_size ? new_size : 1);
    if (!moved)
        return refused(budget, growth);
    if (new_size < old_size)
        budget_refund(budget, old_size - new_size);
    return moved;
}

void memory_release(struct budget *budget, void *block, size_t size)
{
    if (!block)
        return;
    free(block);
    budget_refund(budget, size);
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

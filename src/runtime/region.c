#include "runtime/region.h"

#include <sys/mman.h>

bool region_open(void)
{
    void *wanted = (void *)REGION_BASE;
    void *got = mmap(wanted, REGION_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted)
        return false;
    for (unsigned thread = 0; thread < REGION_THREADS; thread++)
        if (mprotect(region_stack(thread) - REGION_GUARD, REGION_GUARD, PROT_NONE) != 0)
            return false;
    return true;
}

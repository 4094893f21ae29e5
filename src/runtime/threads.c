#include "runtime/threads.h"

#include <string.h>

struct execution execution = {.current = THREAD_ALONE};

memory_value memory_load(const void *address, unsigned size)
{
    memory_value value = 0;
    memcpy(&value, address, size);
    return value;
}

void memory_store(void *address, unsigned size, memory_value value)
{
    memcpy(address, &value, size);
}

void execution_end(enum exchange_end end, const void *at)
{
    if (execution.over)
        return;
    execution.over = true;
    execution.end = end;
    execution.place = at;
}

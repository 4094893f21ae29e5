#include "runtime/threads.h"

struct execution execution = {.current = THREAD_ALONE};

void execution_end(enum exchange_end end, const void *at)
{
    if (execution.over)
        return;
    execution.over = true;
    execution.end = end;
    execution.place = at;
}

#include "runtime/stacks.h"

#include <string.h>

#include "runtime/threads.h"

static struct {
    bool shared;       /* a thread has accessed the stack of another one */
    bool memory;       /* so that stacks are memory like other */
    bool has_volatile; /* accesses were made as plain ones */
} all;

void stacks_open(void)
{
    memset(&all, 0, sizeof all);
}

void stacks_see_other(unsigned thread, const void *address)
{
    all.shared |=
        region_holds(address) && !region_is_heap(address) && !region_is_own_stack(thread, address);
}

bool stacks_are_memory(void)
{
    return all.memory;
}

bool stacks_have_volatile(unsigned thread, const void *address)
{
    bool has = !all.memory && region_is_own_stack(thread, address);
    all.has_volatile |= has;
    return has;
}

bool stacks_become_memory(bool always)
{
    bool were = all.memory;
    all.memory |= all.shared || always;
    return all.memory && !were;
}

bool stacks_had_volatile(void)
{
    return all.has_volatile;
}

/* The code of the runtime (cmake/runtime.cmake). */
extern const char __start_linchpin_text[], __stop_linchpin_text[];

static bool is_runtime(const char *address)
{
    return address >= __start_linchpin_text && address < __stop_linchpin_text;
}

bool stacks_is_tested_code(const void *address)
{
    extern const char __executable_start[], etext[]; /* of the linker */
    const char *at = address;
    return at >= __executable_start && at < etext && !is_runtime(at);
}

/* The runtime is compiled with frame pointers: its frames are gone through up to who called it. */
bool stacks_have_lost(const void *address)
{
    const void *const *frame = __builtin_frame_address(0);
    while (frame && is_runtime(frame[1]))
        frame = frame[0];
    return region_is_own_stack(execution.current, address) &&
           (!frame || (const char *)address < (const char *)(frame + 2));
}

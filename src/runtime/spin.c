#include "runtime/spin.h"

#include <string.h>

bool spin_repeats(struct spin *spin, const struct spin_call *call, const char *frame,
                  const char *end, unsigned *events)
{
    size_t size = (size_t)(end - frame);
    for (unsigned i = 0; i < spin->count; i++)
        if (spin->kept[i].size == size && spin_is_same_call(&spin->kept[i].call, call) &&
            memcmp(spin->bytes + spin->kept[i].start, frame, size) == 0) {
            *events = spin->kept[i].events;
            return true;
        }
    if (size > SPIN_BYTES)
        return false;
    if (spin->count == SPIN_KEPT || spin->used + size > SPIN_BYTES)
        spin_forget(spin);
    spin->kept[spin->count].start = spin->used;
    spin->kept[spin->count].events = *events;
    spin->kept[spin->count].call = *call;
    spin->kept[spin->count++].size = size;
    memcpy(spin->bytes + spin->used, frame, size);
    spin->used += size;
    return false;
}

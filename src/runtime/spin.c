#include "runtime/spin.h"

#include <string.h>

/* Where it is kept, `count` if it is not. */
static unsigned find(const struct spin *spin, const struct spin_call *call, const char *state,
                     size_t size)
{
    unsigned i = 0;
    while (i < spin->count &&
           !(spin->kept[i].size == size && spin_is_same_call(&spin->kept[i].call, call) &&
             memcmp(spin->bytes + spin->kept[i].start, state, size) == 0))
        i++;
    return i;
}

bool spin_holds(const struct spin *spin, const struct spin_call *call, const char *state,
                size_t size)
{
    return find(spin, call, state, size) < spin->count;
}

bool spin_repeats(struct spin *spin, const struct spin_call *call, const char *frame,
                  const char *end, struct spin_time *time)
{
    size_t size = (size_t)(end - frame);
    unsigned at = find(spin, call, frame, size);
    if (at < spin->count) {
        *time = spin->kept[at].time;
        return true;
    }
    if (size > SPIN_BYTES)
        return false;
    if (spin->count == SPIN_KEPT || spin->used + size > SPIN_BYTES)
        spin_forget(spin);
    spin->kept[spin->count].start = spin->used;
    spin->kept[spin->count].time = *time;
    spin->kept[spin->count].call = *call;
    spin->kept[spin->count++].size = size;
    memcpy(spin->bytes + spin->used, frame, size);
    spin->used += size;
    return false;
}

#include "runtime/spin.h"

#include <string.h>

static uint64_t hash_of(const char *frame, size_t size)
{
    uint64_t hash = size;
    for (size_t i = 0; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, frame + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

bool spin_repeats(struct spin *spin, const char *frame, const char *end, unsigned *events)
{
    size_t size = (size_t)(end - frame);
    uint64_t hash = hash_of(frame, size);
    for (unsigned i = 0; i < spin->count; i++)
        if (spin->kept[i].hash == hash && spin->kept[i].size == size &&
            memcmp(spin->bytes + spin->kept[i].start, frame, size) == 0) {
            *events = spin->kept[i].events;
            return true;
        }
    if (size > SPIN_BYTES)
        return false;
    if (spin->count == SPIN_KEPT || spin->used + size > SPIN_BYTES)
        spin_forget(spin);
    spin->kept[spin->count].hash = hash;
    spin->kept[spin->count].start = spin->used;
    spin->kept[spin->count].events = *events;
    spin->kept[spin->count++].size = size;
    memcpy(spin->bytes + spin->used, frame, size);
    spin->used += size;
    return false;
}

#include "base/interning.h"

#include <string.h>

#include "base/hash.h"

void word_arrays_init(struct word_arrays *arrays, struct budget *budget)
{
    *arrays = (struct word_arrays){.budget = budget};
    arena_init(&arrays->arena, budget);
    vector_init(&arrays->items, budget);
}

void word_arrays_release(struct word_arrays *arrays)
{
    memory_release(arrays->budget, arrays->slots, arrays->capacity * sizeof *arrays->slots);
    vector_release(&arrays->items);
    arena_release(&arrays->arena);
}

static uint64_t words_hash(const uint32_t *words, size_t length)
{
    return hash_bytes(words, length * sizeof *words, length);
}

#define UPPER_HALF UINT64_C(0xffffffff00000000)

static bool word_arrays_grow(struct word_arrays *arrays)
{
    size_t capacity = arrays->capacity ? arrays->capacity * 2 : 256;
    uint64_t *slots = memory_scattered(arrays->budget, capacity * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < arrays->items.length; i++) {
        const uint32_t *words = arrays->items.items[i];
        uint64_t hash = words_hash(words + 1, words[0]);
        size_t at = hash & (capacity - 1);
        while (slots[at])
            at = (at + 1) & (capacity - 1);
        slots[at] = (hash & UPPER_HALF) | (i + 1);
    }
    memory_release(arrays->budget, arrays->slots, arrays->capacity * sizeof *arrays->slots);
    arrays->slots = slots;
    arrays->capacity = capacity;
    return true;
}

uint32_t word_arrays_intern(struct word_arrays *arrays, const uint32_t *words, size_t length,
                            bool *fresh)
{
    if (arrays->items.length * 2 >= arrays->capacity && !word_arrays_grow(arrays))
        return UINT32_MAX;
    size_t size = length * sizeof *words;
    uint64_t hash = words_hash(words, length);
    size_t at = hash & (arrays->capacity - 1);
    if (fresh)
        *fresh = false;
    for (uint64_t slot; (slot = arrays->slots[at]); at = (at + 1) & (arrays->capacity - 1)) {
        if ((slot ^ hash) & UPPER_HALF)
            continue;
        const uint32_t *kept = arrays->items.items[(uint32_t)slot - 1];
        if (kept[0] == length && (size == 0 || memcmp(kept + 1, words, size) == 0))
            return (uint32_t)slot - 1;
    }
    uint32_t *kept = arena_allocate(&arrays->arena, size + sizeof *kept);
    if (!kept || !vector_push(&arrays->items, kept))
        return UINT32_MAX;
    kept[0] = (uint32_t)length;
    if (size)
        memcpy(kept + 1, words, size);
    arrays->slots[at] = (hash & UPPER_HALF) | arrays->items.length;
    if (fresh)
        *fresh = true;
    return (uint32_t)arrays->items.length - 1;
}

uint64_t word_arrays_signature(const struct word_arrays *arrays, uint32_t number)
{
    size_t count;
    const uint32_t *words = word_arrays_get(arrays, number, &count);
    uint64_t signature = 0;
    for (size_t i = 0; i < count; i++)
        signature |= UINT64_C(1) << ((words[i] * UINT32_C(0x9e3779b1)) >> 26);
    return signature;
}

bool word_arrays_includes(const struct word_arrays *arrays, uint32_t whole, uint32_t part)
{
    size_t whole_count, part_count, j = 0;
    const uint32_t *all = word_arrays_get(arrays, whole, &whole_count);
    const uint32_t *some = word_arrays_get(arrays, part, &part_count);
    if (part_count > whole_count)
        return false;
    for (size_t i = 0; i < part_count; i++, j++) {
        while (j < whole_count && all[j] < some[i])
            j++;
        if (j == whole_count || all[j] != some[i])
            return false;
    }
    return true;
}

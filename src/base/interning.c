#include "base/interning.h"

#include <string.h>

#include "base/hash.h"

void word_arrays_init(struct word_arrays *arrays, struct budget *budget)
{
    arena_init(&arrays->arena, budget);
    vector_init(&arrays->items, budget);
    table_init(&arrays->numbers, budget);
}

void word_arrays_release(struct word_arrays *arrays)
{
    table_release(&arrays->numbers);
    vector_release(&arrays->items);
    arena_release(&arrays->arena);
}

static uint32_t find(const struct word_arrays *arrays, uint64_t hash, const uint32_t *words,
                     size_t length)
{
    const size_t size = length * sizeof *words;
    for (struct table_search search = table_search(&arrays->numbers, hash); table_next(&search);) {
        const uint32_t *kept = arrays->items.items[search.number];
        if (kept[0] == length && (size == 0 || memcmp(kept + 1, words, size) == 0))
            return search.number;
    }
    return UINT32_MAX;
}

uint32_t word_arrays_find(const struct word_arrays *arrays, const uint32_t *words, size_t length)
{
    return find(arrays, hash_bytes(words, length * sizeof *words, length), words, length);
}

uint32_t word_arrays_intern(struct word_arrays *arrays, const uint32_t *words, size_t length,
                            bool *fresh)
{
    size_t size = length * sizeof *words;
    uint64_t hash = hash_bytes(words, size, length);
    if (fresh)
        *fresh = false;
    const uint32_t known = find(arrays, hash, words, length);
    if (known != UINT32_MAX)
        return known;
    uint32_t *kept = arena_allocate(&arrays->arena, size + sizeof *kept);
    uint32_t number = (uint32_t)arrays->items.length;
    if (!kept || !vector_reserve(&arrays->items, arrays->items.length + 1) ||
        !table_add(&arrays->numbers, hash, number))
        return UINT32_MAX;
    kept[0] = (uint32_t)length;
    if (size)
        memcpy(kept + 1, words, size);
    arrays->items.items[arrays->items.length++] = kept;
    if (fresh)
        *fresh = true;
    return number;
}

uint64_t words_signature(const uint32_t *words, size_t count)
{
    uint64_t signature = 0;
    for (size_t i = 0; i < count; i++)
        signature |= word_signature(words[i]);
    return signature;
}

bool words_include(const uint32_t *whole, size_t whole_count, const uint32_t *part,
                   size_t part_count)
{
    if (part_count > whole_count)
        return false;
    for (size_t i = 0, j = 0; i < part_count; i++, j++) {
        while (j < whole_count && whole[j] < part[i])
            j++;
        if (j == whole_count || whole[j] != part[i])
            return false;
    }
    return true;
}

uint64_t word_arrays_signature(const struct word_arrays *arrays, uint32_t number)
{
    size_t count;
    const uint32_t *words = word_arrays_get(arrays, number, &count);
    return words_signature(words, count);
}

bool word_arrays_includes(const struct word_arrays *arrays, uint32_t whole, uint32_t part)
{
    size_t whole_count, part_count;
    const uint32_t *all = word_arrays_get(arrays, whole, &whole_count);
    const uint32_t *some = word_arrays_get(arrays, part, &part_count);
    return words_include(all, whole_count, some, part_count);
}

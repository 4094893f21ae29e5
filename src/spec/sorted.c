/* Places are found by halving: O(log n) comparisons, and one move of what is behind. */
#include "spec/sorted.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "spec/sequence.h"

size_t sorted_find(const uint64_t *words, size_t length, value v, bool *present)
{
    size_t low = 0, high = length;
    while (low < high) { /* what is before low is less than v; what is at high is not */
        size_t middle = low + (high - low) / 2;
        if (value_compare(words[middle], v) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (present)
        *present = low < length && words[low] == v;
    return low;
}

bool sorted_step_insert(const uint64_t *words, size_t length, size_t place, value v, value result,
                        struct outcomes *outcomes)
{
    uint64_t *room = outcomes_add_room(outcomes, length + 1, result);
    assert(place <= length);
    if (!room)
        return false;
    if (place)
        memcpy(room, words, place * sizeof *words);
    room[place] = v;
    if (place < length)
        memcpy(room + place + 1, words + place, (length - place) * sizeof *words);
    return true;
}

static int compare_values(const void *a, const void *b)
{
    return value_compare(*(const value *)a, *(const value *)b);
}

void sorted_sort(uint64_t *words, size_t length)
{
    if (length > 1)
        qsort(words, length, sizeof *words, compare_values);
}

value sorted_list(const struct spec *spec, const value *items, size_t length)
{
    size_t size = length * sizeof *items;
    value *sorted = memory_allocate(spec->budget, size);
    if (!sorted)
        return VALUE_REFUSED;
    if (length)
        memcpy(sorted, items, size);
    sorted_sort(sorted, length);
    value list = value_list(spec->pool, sorted, length);
    memory_release(spec->budget, sorted, size);
    return list;
}

bool sorted_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                   size_t length)
{
    if (!sequence_rename(spec, renaming, words, length))
        return false;
    sorted_sort(words, length);
    return true;
}

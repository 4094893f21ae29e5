#include "stream/serials.h"

#include <stdlib.h>
#include <string.h>

#include "base/faults.h"

#define DIGITS_LEAST SIZE_OR_SMALL(512, 2) /* serials, from which they are sorted by digits */
#define DIGIT_BITS   8
#define DIGIT_MASK   UINT64_C(0xff)

static bool list_serial(void *context, uint64_t serial)
{
    struct numbers *list = context;
    return vector_push(list, serial);
}

static int compare_serials(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

/* By digits, the least first, where there is room for that; digits in which all agree are passed
 * over. */
void serials_sort(struct numbers *list)
{
    uint64_t differ = 0, *from = list->items, *to = NULL;
    size_t bytes = list->length * sizeof *from;
    if (list->length >= DIGITS_LEAST)
        to = memory_allocate(list->budget, bytes);
    if (!to) {
        if (list->length)
            qsort(from, list->length, sizeof *from, compare_serials);
        return;
    }
    for (size_t i = 0; i < list->length; i++)
        differ |= from[i] ^ from[0];
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        size_t starts[(1 << DIGIT_BITS) + 1] = {0};
        if (!(differ >> shift & DIGIT_MASK))
            continue;
        for (size_t i = 0; i < list->length; i++)
            starts[(from[i] >> shift & DIGIT_MASK) + 1]++;
        for (size_t digit = 0; digit < DIGIT_MASK; digit++)
            starts[digit + 1] += starts[digit];
        for (size_t i = 0; i < list->length; i++)
            to[starts[from[i] >> shift & DIGIT_MASK]++] = from[i];
        uint64_t *exchanged = from;
        from = to;
        to = exchanged;
    }
    if (from != list->items) {
        memcpy(list->items, from, bytes);
        to = from;
    }
    memory_release(list->budget, to, bytes);
}

bool serials_list(const struct online *online, struct numbers *list)
{
    struct online_visitor visitor = {.visit = list_serial, .context = list};
    bool done = online->class->each(online, &visitor);
    size_t kept = 0;
    serials_sort(list);
    for (size_t i = 0; i < list->length; i++)
        if (i == 0 || list->items[i] != list->items[i - 1])
            list->items[kept++] = list->items[i];
    list->length = kept;
    return done;
}

struct packer {
    struct packed *packed;
    struct packed_place place;
};

static bool pack_serial(void *context, uint64_t serial)
{
    struct packer *packer = context;
    return packed_append(packer->packed, &packer->place, serial);
}

bool serials_pack(const struct online *online, struct packed *packed)
{
    struct packer packer = {packed, {.stride = SERIALS_STRIDE}};
    struct online_visitor visitor = {.visit = pack_serial, .context = &packer};
    return online->class->each(online, &visitor);
}

bool serials_unpack(const struct packed *packed, struct numbers *list)
{
    bool done = numbers_unpack(list, packed, SERIALS_STRIDE);
    serials_sort(list);
    return done;
}

#include "history/labels.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"

#define FIRST_BITS SIZE_OR_SMALL(5, 1)
#define LAST_BITS  31

void labels_init(struct labels *labels, struct budget *budget)
{
    *labels = (struct labels){.budget = budget};
}

static size_t places_size(const struct labels *labels)
{
    return labels->bits ? sizeof(struct label) << labels->bits : 0;
}

void labels_release(struct labels *labels)
{
    memory_release(labels->budget, labels->places, places_size(labels));
    labels_init(labels, labels->budget);
}

static void put(struct labels *labels, value v, uint32_t number)
{
    uint32_t mask = ((uint32_t)1 << labels->bits) - 1, at = labels_place(labels, v);
    while (labels->places[at].number != LABEL_NONE)
        at = (at + 1) & mask;
    labels->places[at] = (struct label){v, number};
}

static bool grow(struct labels *labels)
{
    struct labels larger = {.budget = labels->budget,
                            .bits = labels->bits ? labels->bits + 1 : FIRST_BITS,
                            .used = labels->used};
    if (larger.bits > LAST_BITS)
        return false;
    larger.places = memory_allocate(labels->budget, places_size(&larger));
    if (!larger.places)
        return false;
    memset(larger.places, 0xff, places_size(&larger)); /* LABEL_NONE everywhere */
    for (size_t i = 0; labels->bits && i < (size_t)1 << labels->bits; i++)
        if (labels->places[i].number != LABEL_NONE)
            put(&larger, labels->places[i].value, labels->places[i].number);
    labels_release(labels);
    *labels = larger;
    return true;
}

bool labels_add(struct labels *labels, value v, uint32_t number)
{
    assert(labels_find(labels, v) == LABEL_NONE);
    if (labels->bits == 0 || labels->used >= ((uint32_t)1 << labels->bits) / 2)
        if (!grow(labels))
            return false;
    put(labels, v, number);
    labels->used++;
    return true;
}

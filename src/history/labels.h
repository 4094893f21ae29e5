/* Numbers for values, handed out from 0 in the order in which the values first appear: processes,
 * functions and objects of a history. Open addressing, the value beside its number: every event
 * consults it, and with base/table.h the value would be a cache line away. */
#ifndef HISTORY_LABELS_H
#define HISTORY_LABELS_H

#include <stdint.h>

#include "base/memory.h"
#include "value/value.h"

#define LABEL_NONE UINT32_MAX

struct label {
    value value;
    uint32_t number; /* LABEL_NONE: an empty place */
};

struct labels {
    struct budget *budget;
    struct label *places;
    uint32_t bits; /* 1 << bits places; 0: none yet */
    uint32_t used;
};

void labels_init(struct labels *labels, struct budget *budget);
void labels_release(struct labels *labels);

/* Gives `v`, which has no number yet, this one; false when refused. */
bool labels_add(struct labels *labels, value v, uint32_t number) MUST_CHECK;

static inline uint32_t labels_place(const struct labels *labels, value v)
{
    return (uint32_t)((v * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - labels->bits));
}

/* The number of `v`, LABEL_NONE if it has none. */
static inline uint32_t labels_find(const struct labels *labels, value v)
{
    if (UNLIKELY(labels->bits == 0))
        return LABEL_NONE;
    uint32_t mask = ((uint32_t)1 << labels->bits) - 1, at = labels_place(labels, v);
    while (labels->places[at].number != LABEL_NONE && labels->places[at].value != v)
        at = (at + 1) & mask;
    return labels->places[at].number;
}

#endif

/* What was worked out lately: two words by three. What is new takes the place of what stands where
 * it would like to be, so it is found often, not always; who does not find it works it out again.
 * Of one thread.
 *
 * It grows while much that is put into it takes the place of other things, up to RECALL_MOST. */
#ifndef BASE_RECALL_H
#define BASE_RECALL_H

#include <assert.h>
#include <string.h>

#include "base/attributes.h"
#include "base/faults.h"
#include "base/hash.h"
#include "base/memory.h"

#define RECALL_MOST ((size_t)SIZE_OR_SMALL(4096, 4)) /* entries; a power of two */

#define RECALL_NOTHING UINT32_MAX /* no first word */

struct recall_entry {
    uint32_t by[3];
    uint32_t what[2];
};

struct recall {
    struct budget *budget;
    struct recall_entry *entries; /* null: none */
    size_t capacity;              /* a power of two, or 0 */
    size_t put;                   /* since it grew */
};

static inline void recall_init(struct recall *recall, struct budget *budget)
{
    *recall = (struct recall){.budget = budget};
}

void recall_release(struct recall *recall);

static inline struct recall_entry *recall_place(const struct recall *recall, const uint32_t by[3])
{
    const uint64_t mixed =
        (by[0] + (by[1] + by[2] * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd1342543de82ef95)) *
        UINT64_C(0xbf58476d1ce4e5b9);
    return &recall->entries[mixed >> 32 & (recall->capacity - 1)];
}

/* What was put under these words; null where it is not there. It stays until something is put. */
static inline const uint32_t *recall_find(const struct recall *recall, uint32_t first,
                                          uint32_t second, uint32_t third)
{
    if (recall->capacity == 0)
        return NULL;
    const uint32_t by[3] = {first, second, third};
    const struct recall_entry *entry = recall_place(recall, by);
    assert(first != RECALL_NOTHING);
    const bool is_same = entry->by[0] == first && entry->by[1] == second && entry->by[2] == third;
    return is_same ? entry->what : NULL;
}

/* False when refused. */
bool recall_put(struct recall *recall, const uint32_t by[3], uint32_t what,
                uint32_t more) MUST_CHECK;

#endif

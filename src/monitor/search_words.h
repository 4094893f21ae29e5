/* Arrays of words as small numbers: equal arrays have the same number, and only then. The states of
 * an object are kept so, and the loads of configurations that do not fit one word. */
#ifndef MONITOR_SEARCH_WORDS_H
#define MONITOR_SEARCH_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"

/* No array has this number. At most 2^31 arrays are kept, so that the upper bit is the user's. */
#define WORDS_REFUSED UINT32_MAX

struct words_entry {
    const uint64_t *words; /* in the arena */
    uint32_t length;
    uint32_t hash; /* the lower half: what the table compares first */
};

struct words_table {
    struct arena arena;
    VECTOR(struct words_entry) entries; /* by number */
    uint32_t *slots;                    /* number + 1, or 0; open addressing */
    size_t slot_count;                  /* a power of two, or 0 */
    struct budget *budget;
};

void words_init(struct words_table *table, struct budget *budget);
void words_release(struct words_table *table);

/* The number of an array, which is copied if it is new; WORDS_REFUSED when a budget refuses. */
uint32_t words_intern(struct words_table *table, const uint64_t *words, size_t length) MUST_CHECK;

static inline const uint64_t *words_get(const struct words_table *table, uint32_t number)
{
    return table->entries.items[number].words;
}

#endif

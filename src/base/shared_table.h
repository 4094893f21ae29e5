/* The hash table of base/table.h for threads: readers take no lock, writers have one of their own
 * to hold while they add. A table that grows is copied into a larger one, and the old one is kept
 * until the end, since somebody may be reading it; together the old ones are as large as the new.
 * Of one thread alone old ones are not kept, and a long table grows by a quarter only.
 *
 * An entry's place is the upper half of its hash scaled to the capacity, so that entries stand in
 * the order of these and are copied in one pass.
 *
 * What a reader does not find may be added at the same time, so who is about to add looks again
 * with the lock held. What an entry's number stands for must be written before it is added. */
#ifndef BASE_SHARED_TABLE_H
#define BASE_SHARED_TABLE_H

#include <assert.h>
#include <stdatomic.h>

#include "base/memory.h"

#define SHARED_TABLE_MOST (UINT32_MAX - 1) /* the greatest number that can be kept */

struct shared_entries {
    struct shared_entries *before; /* the smaller one */
    size_t capacity;               /* below 2^32 */
    size_t count;                  /* of the writer; at most 8 / 10 of the capacity */
    _Atomic uint64_t items[];      /* upper half of the hash, number + 1; 0: free */
};

struct shared_table {
    struct budget *budget;
    bool is_alone; /* of one thread as yet, so that old ones need not be kept */
    _Atomic(struct shared_entries *) entries;
};

void shared_table_init(struct shared_table *table, struct budget *budget);
void shared_table_release(struct shared_table *table);

/* Where an entry would like to be. */
static inline size_t shared_table_place(const struct shared_entries *entries, uint32_t half)
{
    return (size_t)((uint64_t)half * entries->capacity >> 32);
}

/* Adds a number under a hash; only one thread at a time. False when refused. */
bool shared_table_add(struct shared_table *table, uint64_t hash, uint32_t number) MUST_CHECK;

/* The numbers that were added under one hash, or another with the same upper half. */
struct shared_search {
    const struct shared_entries *entries;
    size_t at;
    uint32_t half;
    uint32_t number; /* after shared_table_next answered true */
};

static inline struct shared_search shared_table_search(const struct shared_table *table,
                                                       uint64_t hash)
{
    const struct shared_entries *entries =
        atomic_load_explicit(&table->entries, memory_order_acquire);
    const uint32_t half = (uint32_t)(hash >> 32);
    const size_t at = entries ? shared_table_place(entries, half) : 0;
    return (struct shared_search){.entries = entries, .at = at, .half = half};
}

/* Goes to the next number; false: there is none any more. */
static inline bool shared_table_next(struct shared_search *search)
{
    const struct shared_entries *entries = search->entries;
    if (!entries)
        return false;
    for (;;) {
        assert(search->at < entries->capacity);
        uint64_t entry = atomic_load_explicit(&entries->items[search->at], memory_order_acquire);
        if (entry == 0)
            return false;
        search->at = search->at + 1 == entries->capacity ? 0 : search->at + 1;
        if ((uint32_t)(entry >> 32) != search->half)
            continue;
        search->number = (uint32_t)entry - 1;
        return true;
    }
}

#endif

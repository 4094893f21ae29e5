#include "base/shared_table.h"

#include "base/faults.h"

#define FIRST_CAPACITY ((size_t)SIZE_OR_SMALL(64, 4))
#define LONG           ((size_t)SIZE_OR_SMALL(4096, 8))

void shared_table_init(struct shared_table *table, struct budget *budget)
{
    *table = (struct shared_table){.budget = budget};
}

static size_t entries_size(size_t capacity)
{
    return sizeof(struct shared_entries) + capacity * sizeof(uint64_t);
}

void shared_table_release(struct shared_table *table)
{
    struct shared_entries *entries = atomic_load(&table->entries);
    while (entries) {
        struct shared_entries *before = entries->before;
        memory_release(table->budget, entries, entries_size(entries->capacity));
        entries = before;
    }
    shared_table_init(table, table->budget);
}

static void put(struct shared_entries *entries, uint64_t entry)
{
    size_t at = shared_table_place(entries, (uint32_t)(entry >> 32));
    while (atomic_load_explicit(&entries->items[at], memory_order_relaxed))
        at = at + 1 == entries->capacity ? 0 : at + 1;
    atomic_store_explicit(&entries->items[at], entry, memory_order_release);
    entries->count++;
}

static struct shared_entries *grow(struct shared_table *table, struct shared_entries *old)
{
    const size_t capacity = !old                                       ? FIRST_CAPACITY
                            : table->is_alone && old->capacity >= LONG ? old->capacity * 5 / 4
                                                                       : 2 * old->capacity;
    struct shared_entries *larger =
        capacity >> 32 ? NULL : memory_zeroed(table->budget, entries_size(capacity));
    if (!larger)
        return NULL;
    larger->capacity = capacity;
    larger->before = old;
    for (size_t i = 0; old && i < old->capacity; i++) {
        uint64_t entry = atomic_load_explicit(&old->items[i], memory_order_relaxed);
        if (entry)
            put(larger, entry);
    }
    assert(!old || larger->count == old->count);
    if (table->is_alone) {
        larger->before = NULL;
        if (old)
            memory_release(table->budget, old, entries_size(old->capacity));
    }
    atomic_store_explicit(&table->entries, larger, memory_order_release);
    return larger;
}

bool shared_table_add(struct shared_table *table, uint64_t hash, uint32_t number)
{
    struct shared_entries *entries = atomic_load_explicit(&table->entries, memory_order_relaxed);
    assert(number <= SHARED_TABLE_MOST);
    const size_t most_tenths = table->is_alone ? 8 : 7;
    if (!entries || (entries->count + 1) * 10 > entries->capacity * most_tenths)
        entries = grow(table, entries);
    if (!entries)
        return false;
    put(entries, (hash & UINT64_C(0xffffffff00000000)) | (number + UINT64_C(1)));
    return true;
}

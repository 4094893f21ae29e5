#include "base/table.h"

#include <string.h>

#include "base/faults.h"

#define FIRST_CAPACITY ((size_t)SIZE_OR_SMALL(64, 5))
#define LONG           ((size_t)1 << SIZE_OR_SMALL(16, 4))
#define PASSED         ((size_t)1 << 15) /* entries */

/* At most so many tenths of the entries are in use: linear probing then looks at three entries for
 * a number that is there, and at thirteen for one that is not (Knuth, volume 3, section 6.4), which
 * are two lines of a cache. */
#define MOST_TENTHS 8

/* What looks for a number that is not there ends at an entry that is empty. */
_Static_assert((FIRST_CAPACITY * MOST_TENTHS + 9) / 10 < FIRST_CAPACITY, "one entry is left empty");

void table_init(struct table *table, struct budget *budget)
{
    *table = (struct table){.budget = budget};
}

void table_release(struct table *table)
{
    memory_release(table->budget, table->entries, table->capacity * sizeof *table->entries);
    table_init(table, table->budget);
}

void table_clear(struct table *table)
{
    if (table->count)
        memset(table->entries, 0, table->capacity * sizeof *table->entries);
    table->count = 0;
}

static void put(struct table *table, uint64_t entry)
{
    size_t at = table_place(table->capacity, (uint32_t)(entry >> 32));
    while (table->entries[at])
        at = at + 1 < table->capacity ? at + 1 : 0;
    table->entries[at] = entry;
}

/* What was copied of a large one is given back by and by, so that two are never there at once. */
static bool grow(struct table *table, size_t capacity)
{
    struct table larger = {.budget = table->budget, .capacity = capacity, .count = table->count};
    larger.entries = memory_scattered(table->budget, capacity * sizeof *larger.entries);
    if (!larger.entries)
        return false;
    for (size_t begin = 0, end; begin < table->capacity; begin = end) {
        end = table->capacity - begin > PASSED ? begin + PASSED : table->capacity;
        for (size_t i = begin; i < end; i++)
            if (table->entries[i])
                put(&larger, table->entries[i]);
        if (table->capacity >= LONG)
            memory_pass(table->entries, begin * sizeof *table->entries,
                        end * sizeof *table->entries);
    }
    table_release(table);
    *table = larger;
    return true;
}

/* Large ones by a fifth only: what is not used is charged as well, and copying is cheap. */
static size_t next_capacity(const struct table *table)
{
    if (table->capacity < LONG)
        return table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
    return table->capacity + table->capacity / 5;
}

bool table_add(struct table *table, uint64_t hash, uint32_t number)
{
    assert(number <= TABLE_MOST);
    if (table->count * 10 >= table->capacity * MOST_TENTHS && !grow(table, next_capacity(table)))
        return false;
    put(table, (hash & UINT64_C(0xffffffff00000000)) | (number + UINT64_C(1)));
    table->count++;
    return true;
}

/* How far behind the place where it would like to be an entry stands. */
static size_t distance(const struct table *table, size_t at)
{
    size_t home = table_place(table->capacity, (uint32_t)(table->entries[at] >> 32));
    return at >= home ? at - home : at + table->capacity - home;
}

void table_remove(struct table *table, uint64_t hash, uint32_t number)
{
    uint64_t wanted = (hash & UINT64_C(0xffffffff00000000)) | (number + UINT64_C(1));
    size_t at = table_place(table->capacity, (uint32_t)(hash >> 32)), gap;
    while (table->entries[at] != wanted) {
        assert(table->entries[at]);
        at = at + 1 < table->capacity ? at + 1 : 0;
    }
    gap = at;
    for (size_t step = 1;; step++) { /* of those behind, the next that may stand in the gap */
        at = at + 1 < table->capacity ? at + 1 : 0;
        if (!table->entries[at])
            break;
        if (distance(table, at) < step)
            continue;
        table->entries[gap] = table->entries[at];
        gap = at;
        step = 0;
    }
    table->entries[gap] = 0;
    table->count--;
}

#include "base/table.h"

#include <string.h>

#include "base/attributes.h"
#include "base/faults.h"

#define FIRST_CAPACITY ((size_t)SIZE_OR_SMALL(64, 5))
#define FIRST_BEYOND   ((size_t)SIZE_OR_SMALL(8, 1))
#define LONG           ((size_t)1 << SIZE_OR_SMALL(16, 4))
#define PASSED         ((size_t)1 << 15) /* entries */

/* At most so many tenths of the entries are in use: a search then looks at five or six of them, and
 * as many as forty make room for one, since they stand beside one another: eight words a line of
 * the cache (Knuth, volume 3, section 6.4). */
#define MOST_TENTHS 9

void table_init(struct table *table, struct budget *budget)
{
    *table = (struct table){.budget = budget};
}

void table_release(struct table *table)
{
    memory_release(table->budget, table->entries, table_size(table));
    table_init(table, table->budget);
}

void table_clear(struct table *table)
{
    if (table->count)
        memset(table->entries, 0, table_size(table));
    table->count = 0;
}

/* In front of those that are greater, behind those that are not. */
static size_t place_of(const struct table *table, uint64_t entry)
{
    size_t at = table_place(table->capacity, (uint32_t)(entry >> 32));
    while (table->entries[at] - 1 < (entry | UINT32_MAX))
        at++;
    return at;
}

/* Puts an entry there, and those behind it one place further; false: there is no room for that. */
static bool put(struct table *table, size_t at, uint64_t entry)
{
    size_t end = at;
    while (table->entries[end])
        end++;
    if (end + 1 >= table->capacity + table->beyond)
        return false;
    memmove(table->entries + at + 1, table->entries + at, (end - at) * sizeof *table->entries);
    table->entries[at] = entry;
    return true;
}

/* What was copied of a large one is given back by and by, so that two are never there at once. In a
 * larger one no more than one entry more is beyond. */
static bool grow(struct table *table, size_t capacity, size_t beyond)
{
    struct table larger = {
        .budget = table->budget, .capacity = capacity, .beyond = beyond + 2, .count = table->count};
    const size_t old = table->capacity + table->beyond;
    size_t next = 0; /* behind what was copied */
    assert(capacity >= table->capacity && beyond >= table->beyond);
    larger.entries = memory_scattered(table->budget, table_size(&larger));
    if (!larger.entries)
        return false;
    for (size_t begin = 0, end; begin < old; begin = end) {
        end = old - begin > PASSED ? begin + PASSED : old;
        for (size_t i = begin; i < end; i++) {
            if (!table->entries[i])
                continue;
            const size_t home = table_place(capacity, (uint32_t)(table->entries[i] >> 32));
            next = home > next ? home : next;
            assert(next + 1 < capacity + larger.beyond);
            larger.entries[next++] = table->entries[i];
        }
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

static bool is_full(const struct table *table)
{
    return table->count * 10 >= table->capacity * MOST_TENTHS;
}

static uint64_t entry_of(uint64_t hash, uint32_t number)
{
    assert(number <= TABLE_MOST);
    return (hash & UINT64_C(0xffffffff00000000)) | (number + UINT64_C(1));
}

/* Adds one, after the table has grown. */
static bool add_larger(struct table *table, size_t capacity, size_t beyond, uint64_t entry)
{
    if (!grow(table, capacity, beyond > FIRST_BEYOND ? beyond : FIRST_BEYOND))
        return false;
    while (!put(table, place_of(table, entry), entry))
        if (!grow(table, table->capacity, 2 * table->beyond))
            return false;
    table->count++;
    return true;
}

bool table_add_at(struct table *table, size_t at, uint64_t hash, uint32_t number)
{
    const uint64_t entry = entry_of(hash, number);
    if (UNLIKELY(is_full(table)))
        return add_larger(table, next_capacity(table), table->beyond, entry);
    assert(at == place_of(table, entry));
    if (UNLIKELY(!put(table, at, entry)))
        return add_larger(table, table->capacity, 2 * table->beyond, entry);
    table->count++;
    return true;
}

bool table_add(struct table *table, uint64_t hash, uint32_t number)
{
    const uint64_t entry = entry_of(hash, number);
    return table_add_at(table, table->capacity ? place_of(table, entry) : 0, hash, number);
}

void table_remove(struct table *table, uint64_t hash, uint32_t number)
{
    const uint64_t wanted = entry_of(hash, number);
    size_t at = table_place(table->capacity, (uint32_t)(hash >> 32));
    while (table->entries[at] != wanted) {
        assert(table->entries[at]);
        at++;
    }
    for (; table->entries[at + 1]; at++) { /* those behind move up, if that is not too far */
        const uint64_t next = table->entries[at + 1];
        if (table_place(table->capacity, (uint32_t)(next >> 32)) > at)
            break;
        table->entries[at] = next;
    }
    table->entries[at] = 0;
    table->count--;
}

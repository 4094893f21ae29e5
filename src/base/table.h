/* The hash table: numbers by the hash of what they stand for. The things themselves (states,
 * labels, names) are kept by their owner, who compares them:
 *
 *     struct table_search search = table_search(&table, hash);
 *     while (table_next(&search))
 *         if (same(&items[search.number], wanted))
 *             return search.number;
 *     items[count] = *wanted;
 *     return table_add(&table, hash, count) ? count++ : REFUSED;
 *
 * Open addressing with linear probing. An entry holds the upper half of the hash and the number
 * plus one; 0 is free. The upper half says where an entry would like to be, as a fraction of the
 * capacity, and entries stand in the order of their upper halves (Amble and Knuth: Ordered hash
 * tables, Computer Journal 1974): who looks for one that is not there stops at the first one
 * that is greater, and to grow is to copy from front to back. Nothing is hashed again, and the
 * capacity may be any number. What has no place in front of the end stands beyond it:
 *
 *     | capacity                                  | beyond |        the last is always free
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <assert.h>

#include "base/memory.h"

#define TABLE_MOST (UINT32_MAX - 1) /* the greatest number that can be kept */

struct table {
    struct budget *budget;
    uint64_t *entries;
    size_t capacity, beyond, count;
};

void table_init(struct table *table, struct budget *budget);
void table_release(struct table *table);

/* Adds a number under a hash whose upper half is well mixed (base/hash.h). Numbers may be added
 * more than once. False when refused: the table then is as it was. */
bool table_add(struct table *table, uint64_t hash, uint32_t number) MUST_CHECK;

/* The same where a search for the hash has just ended at a place. */
bool table_add_at(struct table *table, size_t at, uint64_t hash, uint32_t number) MUST_CHECK;

/* Bytes. */
static inline size_t table_size(const struct table *table)
{
    return (table->capacity + table->beyond) * sizeof *table->entries;
}

/* Takes out a number that was added under that hash, once. Others keep their places but for those
 * that it had pushed back. */
void table_remove(struct table *table, uint64_t hash, uint32_t number);

/* Forgets all numbers, and keeps the room. */
void table_clear(struct table *table);

/* The numbers that were added under one hash, or another with the same upper half, in the order in
 * which they were. The table must not change meanwhile. */
struct table_search {
    const struct table *table;
    size_t at;
    uint32_t half;
    uint32_t number; /* after table_next answered true */
};

/* Where a table of this capacity looks first. */
static inline size_t table_place(size_t capacity, uint32_t half)
{
    return (size_t)(((uint64_t)half * capacity) >> 32);
}

static inline struct table_search table_search(const struct table *table, uint64_t hash)
{
    uint32_t half = (uint32_t)(hash >> 32);
    return (struct table_search){
        .table = table, .at = table_place(table->capacity, half), .half = half};
}

/* Goes to the next number; false: there is none any more. */
static inline bool table_next(struct table_search *search)
{
    const struct table *table = search->table;
    const uint64_t least = (uint64_t)search->half << 32;
    if (table->capacity == 0)
        return false;
    size_t at = search->at;
    while (table->entries[at] - 1 < least) /* less, and not free */
        at++;
    assert(at < table->capacity + table->beyond);
    const uint64_t entry = table->entries[at];
    const bool found = (uint32_t)(entry >> 32) == search->half && entry;
    search->at = at + found;
    search->number = (uint32_t)entry - 1;
    return found;
}

#endif

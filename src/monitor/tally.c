#include "monitor/tally.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

void tally_init(struct tally *tally, struct budget *budget)
{
    *tally = (struct tally){.budget = budget};
}

void tally_release(struct tally *tally)
{
    memory_release(tally->budget, tally->rows, tally->capacity * sizeof *tally->rows);
    tally_init(tally, tally->budget);
}

static struct tally_row *row_of(const struct tally *tally, uint32_t operation, value v)
{
    size_t mask = tally->capacity - 1, at = hash_pair(v, operation) & mask;
    while (tally->rows[at].count > 0 &&
           (tally->rows[at].value != v || tally->rows[at].operation != operation))
        at = (at + 1) & mask;
    return &tally->rows[at];
}

static bool tally_grow(struct tally *tally)
{
    struct tally grown = *tally;
    grown.capacity = tally->capacity ? tally->capacity * 2 : 64;
    grown.rows = memory_zeroed(tally->budget, grown.capacity * sizeof *grown.rows);
    if (!grown.rows)
        return false;
    for (size_t i = 0; i < tally->capacity; i++)
        if (tally->rows[i].count > 0)
            *row_of(&grown, tally->rows[i].operation, tally->rows[i].value) = tally->rows[i];
    tally_release(tally);
    *tally = grown;
    return true;
}

uint32_t tally_add(struct tally *tally, uint32_t operation, value v, uint32_t refused)
{
    if (tally->used * 2 >= tally->capacity && !tally_grow(tally))
        return refused;
    struct tally_row *row = row_of(tally, operation, v);
    tally->used += row->count == 0;
    row->value = v;
    row->operation = operation;
    return row->count++;
}

void tally_clear(struct tally *tally)
{
    if (tally->capacity > 0)
        memset(tally->rows, 0, tally->capacity * sizeof *tally->rows);
    tally->used = 0;
}

uint32_t tally_get(const struct tally *tally, uint32_t operation, value v)
{
    return tally->capacity > 0 ? row_of(tally, operation, v)->count : 0;
}

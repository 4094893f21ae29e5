#include "decide/tally.h"

#include "base/hash.h"

void tally_init(struct tally *tally, struct budget *budget)
{
    vector_init(&tally->rows, budget);
    table_init(&tally->table, budget);
}

void tally_release(struct tally *tally)
{
    vector_release(&tally->rows);
    table_release(&tally->table);
}

void tally_clear(struct tally *tally)
{
    tally->rows.length = 0;
    table_clear(&tally->table);
}

static struct tally_row *row_of(const struct tally *tally, uint32_t operation, value v)
{
    struct table_search search = table_search(&tally->table, hash_pair(v, operation));
    while (table_next(&search)) {
        struct tally_row *row = &tally->rows.items[search.number];
        if (row->value == v && row->operation == operation)
            return row;
    }
    return NULL;
}

uint32_t tally_add(struct tally *tally, uint32_t operation, value v, uint32_t refused)
{
    struct tally_row *row = row_of(tally, operation, v), fresh = {v, operation, 1};
    if (row)
        return row->count++;
    uint32_t number = (uint32_t)tally->rows.length;
    return vector_push(&tally->rows, fresh) &&
                   table_add(&tally->table, hash_pair(v, operation), number)
               ? 0
               : refused;
}

uint32_t tally_get(const struct tally *tally, uint32_t operation, value v)
{
    const struct tally_row *row = row_of(tally, operation, v);
    return row ? row->count : 0;
}

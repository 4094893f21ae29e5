#include "space/pairs.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"

#define LIST_MOST SIZE_OR_SMALL(8, 2)
/* A table is at most 5/8 full, so an entry costs at least 51 bits; beyond one in this many of the
 * numbers up to the largest, bits are smaller and faster. */
#define BITS_FROM SIZE_OR_SMALL(64, 2)

void pairs_init(struct pairs *pairs, struct budget *budget)
{
    *pairs = (struct pairs){.budget = budget};
    vector_init(&pairs->rows, budget);
}

void pairs_release(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->rows.length; i++)
        memory_release(pairs->budget, pairs->rows.items[i].items,
                       pairs->rows.items[i].capacity * sizeof(uint32_t));
    vector_release(&pairs->rows);
    pairs->count = 0;
}

static uint32_t *row_allocate(struct pairs *pairs, uint32_t words)
{
    if (words >> 30)
        return NULL;
    return memory_zeroed(pairs->budget, words * sizeof(uint32_t));
}

static void row_replace(struct pairs *pairs, struct pair_row *row, uint32_t *items,
                        uint32_t capacity, enum row_shape shape)
{
    memory_release(pairs->budget, row->items, row->capacity * sizeof *row->items);
    row->items = items;
    row->capacity = capacity & ((UINT32_C(1) << 30) - 1);
    row->shape = shape & 3;
}

/* Calls for each number in the row, as a list or table. */
static uint32_t row_number(const struct pair_row *row, uint32_t i)
{
    return row->shape == ROW_LIST ? row->items[i] : row->items[i] - 1;
}

static bool row_to_table(struct pairs *pairs, struct pair_row *row, uint32_t capacity)
{
    uint32_t *items = row_allocate(pairs, capacity);
    if (!items)
        return false;
    uint32_t length = row->shape == ROW_LIST ? row->count : row->capacity;
    for (uint32_t i = 0; i < length; i++)
        if (row->shape == ROW_LIST || row->items[i])
            pair_row_put(items, capacity, row_number(row, i));
    row_replace(pairs, row, items, capacity, ROW_TABLE);
    return true;
}

static void set_bit(uint32_t *items, uint32_t number)
{
    items[number / 32] |= 1u << (number % 32);
}

static bool row_to_bits(struct pairs *pairs, struct pair_row *row, uint32_t largest)
{
    uint32_t words = largest / 32 + 1;
    words += words / 4;
    uint32_t *items = row_allocate(pairs, words);
    if (!items)
        return false;
    for (uint32_t i = 0; i < row->capacity; i++)
        if (row->items[i])
            set_bit(items, row->items[i] - 1);
    row_replace(pairs, row, items, words, ROW_BITS);
    return true;
}

static bool add_to_bits(struct pairs *pairs, struct pair_row *row, uint32_t normal, bool *fresh)
{
    uint32_t word = normal / 32;
    if (word >= row->capacity) {
        uint32_t words = word + 1 + word / 2;
        uint32_t *items = row_allocate(pairs, words);
        if (!items)
            return false;
        memcpy(items, row->items, row->capacity * sizeof *items);
        row_replace(pairs, row, items, words, ROW_BITS);
    }
    *fresh = !(row->items[word] >> (normal % 32) & 1);
    set_bit(row->items, normal);
    return true;
}

static bool add_to_table(struct pairs *pairs, struct pair_row *row, uint32_t normal, bool *fresh)
{
    if (!pair_row_has_room(row)) {
        uint32_t largest = normal;
        for (uint32_t i = 0; i < row->capacity; i++)
            if (row->items[i] > largest)
                largest = row->items[i];
        if ((uint64_t)row->count * BITS_FROM > largest) {
            if (!row_to_bits(pairs, row, largest))
                return false;
            return add_to_bits(pairs, row, normal, fresh);
        }
        if (!row_to_table(pairs, row, row->capacity * 2))
            return false;
    }
    assert(row->count < row->capacity); /* a search ends at a free place */
    *fresh = pair_row_put(row->items, row->capacity, normal);
    return true;
}

static bool add_to_list(struct pairs *pairs, struct pair_row *row, uint32_t normal, bool *fresh)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->items[i] == normal)
            return true;
    if (row->count == LIST_MOST) {
        if (!row_to_table(pairs, row, 4 * LIST_MOST))
            return false;
        return add_to_table(pairs, row, normal, fresh);
    }
    if (row->count == row->capacity) {
        uint32_t capacity = row->capacity ? LIST_MOST : 2;
        uint32_t *items = row_allocate(pairs, capacity);
        if (!items)
            return false;
        if (row->count)
            memcpy(items, row->items, row->count * sizeof *items);
        row_replace(pairs, row, items, capacity, ROW_LIST);
    }
    row->items[row->count] = normal;
    *fresh = true;
    return true;
}

bool pairs_add_otherwise(struct pairs *pairs, uint32_t state, uint32_t normal, bool *fresh)
{
    while (UNLIKELY(pairs->rows.length <= state))
        if (!vector_push(&pairs->rows, ((struct pair_row){0})))
            return false;
    struct pair_row *row = &pairs->rows.items[state];
    bool added = false, room;
    if (row->shape == ROW_BITS)
        room = add_to_bits(pairs, row, normal, &added);
    else if (row->shape == ROW_TABLE)
        room = add_to_table(pairs, row, normal, &added);
    else
        room = add_to_list(pairs, row, normal, &added);
    assert(room || !added);
    row->count += added;
    pairs->count += added;
    *fresh = added;
    return room;
}

size_t pairs_bytes(const struct pairs *pairs)
{
    size_t bytes = pairs->rows.capacity * sizeof *pairs->rows.items;
    for (size_t i = 0; i < pairs->rows.length; i++)
        bytes += pairs->rows.items[i].capacity * sizeof *pairs->rows.items[i].items;
    return bytes;
}

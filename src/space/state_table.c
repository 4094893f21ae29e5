#include "space/state_table.h"

#include <string.h>

#include "base/hash.h"

void state_table_init(struct state_table *table, struct budget *budget, uint32_t slots,
                      uint32_t identity)
{
    *table = (struct state_table){.budget = budget, .slots = slots, .identity = identity};
    vector_init(&table->chunks, budget);
}

static size_t chunk_size(const struct state_table *table)
{
    return (size_t)STATE_CHUNK * table->slots * sizeof(uint32_t);
}

void state_table_release(struct state_table *table)
{
    for (size_t i = 0; i < table->chunks.length; i++)
        memory_release(table->budget, table->chunks.items[i], chunk_size(table));
    vector_release(&table->chunks);
    memory_release(table->budget, table->entries, table->capacity * sizeof *table->entries);
    table->entries = NULL;
    table->capacity = table->count = 0;
}

uint64_t state_table_hash(const struct state_table *table, const uint32_t *state)
{
    return hash_bytes(state, table->identity * sizeof *state, 0);
}

#define UPPER_HALF UINT64_C(0xffffffff00000000)

static bool table_grow(struct state_table *table)
{
    size_t capacity = table->capacity ? table->capacity * 2 : 1024;
    uint64_t *entries = memory_zeroed(table->budget, capacity * sizeof *entries);
    if (!entries)
        return false;
    for (state_id id = 0; id < table->count; id++) {
        uint64_t hash = state_table_hash(table, state_table_get(table, id));
        size_t at = hash & (capacity - 1);
        while (entries[at])
            at = (at + 1) & (capacity - 1);
        entries[at] = (hash & UPPER_HALF) | (id + 1);
    }
    memory_release(table->budget, table->entries, table->capacity * sizeof *table->entries);
    table->entries = entries;
    table->capacity = capacity;
    return true;
}

static state_id state_store(struct state_table *table, const uint32_t *state)
{
    if (table->count >= STATE_REFUSED - 1)
        return STATE_REFUSED;
    if ((table->count & (STATE_CHUNK - 1)) == 0) {
        uint32_t *chunk = memory_allocate(table->budget, chunk_size(table));
        if (!chunk)
            return STATE_REFUSED;
        if (!vector_push(&table->chunks, chunk)) {
            memory_release(table->budget, chunk, chunk_size(table));
            return STATE_REFUSED;
        }
    }
    state_id id = table->count++;
    memcpy((uint32_t *)(uintptr_t)state_table_get(table, id), state, table->slots * sizeof *state);
    return id;
}

/* Where its entry is, or the free one where it would be. */
static size_t find_entry(const struct state_table *table, const uint32_t *state, uint64_t hash)
{
    size_t size = table->identity * sizeof *state, at = hash & (table->capacity - 1);
    for (uint64_t entry; (entry = table->entries[at]); at = (at + 1) & (table->capacity - 1))
        if (((entry ^ hash) & UPPER_HALF) == 0 &&
            memcmp(state_table_get(table, (state_id)entry - 1), state, size) == 0)
            break;
    return at;
}

state_id state_table_find(const struct state_table *table, const uint32_t *state, uint64_t hash)
{
    if (table->count == 0)
        return STATE_REFUSED;
    uint64_t entry = table->entries[find_entry(table, state, hash)];
    return entry ? (state_id)entry - 1 : STATE_REFUSED;
}

state_id state_table_add(struct state_table *table, const uint32_t *state, uint64_t hash)
{
    if ((size_t)table->count * 8 >= table->capacity * 5 && !table_grow(table))
        return STATE_REFUSED;
    state_id id = state_store(table, state);
    if (id != STATE_REFUSED)
        table->entries[find_entry(table, state, hash)] = (hash & UPPER_HALF) | (id + 1);
    return id;
}

state_id state_table_intern(struct state_table *table, const uint32_t *state, bool *fresh)
{
    uint64_t hash = state_table_hash(table, state);
    state_id id = state_table_find(table, state, hash);
    *fresh = id == STATE_REFUSED;
    return *fresh ? state_table_add(table, state, hash) : id;
}

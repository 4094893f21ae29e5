#include "monitor/search_words.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define FIRST_SLOTS 64

void words_init(struct words_table *table, struct budget *budget)
{
    *table = (struct words_table){.budget = budget};
    arena_init(&table->arena, budget);
    vector_init(&table->entries, budget);
}

void words_release(struct words_table *table)
{
    arena_release(&table->arena);
    vector_release(&table->entries);
    memory_release(table->budget, table->slots, table->slot_count * sizeof *table->slots);
    words_init(table, table->budget);
}

static uint32_t hash_of(const uint64_t *words, size_t length)
{
    if (length == 1)
        return (uint32_t)hash_word(words[0]);
    return (uint32_t)hash_bytes(words, length * sizeof *words, length);
}

static bool grow(struct words_table *table)
{
    size_t count = table->slot_count ? table->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = memory_zeroed(table->budget, count * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < table->entries.length; i++) {
        size_t at = table->entries.items[i].hash & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    memory_release(table->budget, table->slots, table->slot_count * sizeof *table->slots);
    table->slots = slots;
    table->slot_count = count;
    return true;
}

static uint32_t add(struct words_table *table, const uint64_t *words, size_t length, uint32_t hash)
{
    if (table->entries.length >= WORDS_REFUSED / 2)
        return WORDS_REFUSED;
    uint64_t *copy = arena_allocate(&table->arena, length * sizeof *words);
    if (!copy)
        return WORDS_REFUSED;
    if (length)
        memcpy(copy, words, length * sizeof *words);
    struct words_entry entry = {copy, (uint32_t)length, hash};
    if (!vector_push(&table->entries, entry))
        return WORDS_REFUSED;
    return (uint32_t)table->entries.length - 1;
}

uint32_t words_intern(struct words_table *table, const uint64_t *words, size_t length)
{
    assert(length <= UINT32_MAX);
    if (table->entries.length * 4 >= table->slot_count * 3 && !grow(table))
        return WORDS_REFUSED;
    uint32_t hash = hash_of(words, length);
    size_t at = hash & (table->slot_count - 1);
    for (; table->slots[at]; at = (at + 1) & (table->slot_count - 1)) {
        const struct words_entry *entry = &table->entries.items[table->slots[at] - 1];
        if (entry->hash == hash && entry->length == length &&
            (length == 0 || memcmp(entry->words, words, length * sizeof *words) == 0))
            return table->slots[at] - 1;
    }
    uint32_t number = add(table, words, length, hash);
    if (number != WORDS_REFUSED)
        table->slots[at] = number + 1;
    return number;
}

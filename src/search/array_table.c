#include "search/array_table.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"
#include "base/hash.h"

/* Arrays of up to PIECE_MOST words are one piece. Longer ones are cut into pieces of PIECE_LEAST to
 * PIECE_MOST words, some 20 on average. */
#define PIECE_LEAST SIZE_OR_SMALL(8, 4)
#define PIECE_MOST  SIZE_OR_SMALL(48, 8)
#define LEVEL_MOST  15u

void arrays_init(struct array_table *table, struct budget *budget)
{
    *table = (struct array_table){.budget = budget};
    arena_init(&table->arena, budget);
    vector_init(&table->entries, budget);
    table_init(&table->numbers, budget);
    vectors_init(budget, &table->lists[0].words, &table->lists[1].words);
}

void arrays_release(struct array_table *table)
{
    arena_release(&table->arena);
    vectors_release(&table->entries, &table->lists[0].words, &table->lists[1].words);
    table_release(&table->numbers);
    arrays_init(table, table->budget);
}

static uint64_t hash_of(const uint64_t *words, size_t length)
{
    if (length == 1)
        return hash_word(words[0]);
    return hash_bytes(words, length * sizeof *words, length);
}

static uint32_t add(struct array_table *table, const uint64_t *words, size_t length, uint32_t level,
                    uint64_t hash)
{
    if (table->entries.length >= ARRAY_REFUSED / 2)
        return ARRAY_REFUSED;
    uint64_t *copy = arena_allocate(&table->arena, length * sizeof *words);
    if (!copy)
        return ARRAY_REFUSED;
    if (length)
        memcpy(copy, words, length * sizeof *words);
    struct array_entry entry = {.words = copy, .length = (uint32_t)length};
    entry.level = level & LEVEL_MOST;
    uint32_t number = (uint32_t)table->entries.length;
    return vector_push(&table->entries, entry) && table_add(&table->numbers, hash, number)
               ? number
               : ARRAY_REFUSED;
}

static uint32_t intern(struct array_table *table, const uint64_t *words, size_t length,
                       uint32_t level)
{
    if (length >> ARRAY_LENGTH_BITS || level > LEVEL_MOST)
        return ARRAY_REFUSED;
    uint64_t hash = hash_of(words, length);
    struct table_search search = table_search(&table->numbers, hash);
    while (table_next(&search)) {
        const struct array_entry *entry = &table->entries.items[search.number];
        if (entry->length == length && entry->level == level &&
            (length == 0 || memcmp(entry->words, words, length * sizeof *words) == 0))
            return search.number;
    }
    return add(table, words, length, level, hash);
}

uint32_t arrays_intern(struct array_table *table, const uint64_t *words, size_t length)
{
    return intern(table, words, length, 0);
}

/* ---- Pieces ---- */

/* Whether a piece ends behind the last of these words, one in sixteen times. */
static bool is_end(const uint64_t *last)
{
    uint64_t mixed =
        last[0] * UINT64_C(0x9e3779b97f4a7c15) + last[-1] * UINT64_C(0xbf58476d1ce4e5b9) +
        last[-2] * UINT64_C(0x94d049bb133111eb) + last[-3] * UINT64_C(0xd6e8feb86659fd93);
    return (mixed ^ mixed << 29) >> 60 == 0;
}

static size_t piece_length(const uint64_t *words, size_t length)
{
    static_assert(PIECE_LEAST >= 4, "is_end looks at four words");
    size_t most = length < PIECE_MOST ? length : PIECE_MOST;
    for (size_t i = PIECE_LEAST; i < most; i++)
        if (is_end(words + i - 1))
            return i;
    return most;
}

/* Interns the pieces of an array and lists their numbers. False when refused. */
static bool cut(struct array_table *table, const uint64_t *words, size_t length, uint32_t level,
                struct array_room *list)
{
    list->words.length = 0;
    bool half = false; /* the last word has room for another number */
    for (size_t piece; length > 0; words += piece, length -= piece) {
        piece = piece_length(words, length);
        assert(0 < piece && piece <= length);
        uint64_t number = intern(table, words, piece, level);
        if (number == ARRAY_REFUSED)
            return false;
        if (half)
            list->words.items[list->words.length - 1] ^= (number ^ ARRAY_REFUSED) << 32;
        else if (!vector_push(&list->words, (uint64_t)ARRAY_REFUSED << 32 | number))
            return false;
        half = !half;
    }
    return true;
}

uint32_t arrays_intern_pieces(struct array_table *table, const uint64_t *words, size_t length)
{
    uint32_t level = 0;
    for (; length > PIECE_MOST; level++) {
        struct array_room *list = &table->lists[level & 1];
        if (!cut(table, words, length, level, list))
            return ARRAY_REFUSED;
        words = list->words.items;
        length = list->words.length;
    }
    return intern(table, words, length, level);
}

/* Appends what a list of pieces stands for. */
static bool append(const struct array_table *table, const struct array_entry *entry,
                   struct array_room *room)
{
    if (entry->level == 0) {
        if (!vector_reserve(&room->words, room->words.length + entry->length))
            return false;
        memcpy(room->words.items + room->words.length, entry->words,
               entry->length * sizeof *entry->words);
        room->words.length += entry->length;
        return true;
    }
    for (uint32_t i = 0; i < 2u * entry->length; i++) {
        uint32_t number = (uint32_t)(entry->words[i / 2] >> i % 2 * 32);
        if (number != ARRAY_REFUSED && !append(table, &table->entries.items[number], room))
            return false;
    }
    return true;
}

const uint64_t *arrays_expand(const struct array_table *table, uint32_t number,
                              struct array_room *room, size_t *length)
{
    const struct array_entry *entry = &table->entries.items[number];
    *length = entry->length;
    if (entry->level == 0)
        return entry->words;
    room->words.length = 0;
    if (!append(table, entry, room))
        return NULL;
    *length = room->words.length;
    return room->words.items;
}

/* Three looks at each row, block by block. The first has the place in the index fetched at which
 * its hash would like to be; the second finds where it is, and has the state there fetched; the
 * third begins there. Entries are in order of their hashes, and what is added meanwhile moves those
 * behind it up: so the place that the second look has found is never behind the one that is looked
 * for, as long as the index is not moved.
 *
 *     rows   | taken ... | third look | second look | first look | ...
 *
 * What is found by its words (space/state_table.h) is looked at once, where it was fetched. */
#include "space/state_rows.h"

#include "base/faults.h"

#define BLOCK SIZE_OR_SMALL(16, 2) /* rows */

struct pass {
    struct state_table *table;
    const struct found_rows *rows;
    const uint64_t *entries;  /* of the index, where it is */
    uint32_t *slots;          /* scratch: of one state */
    size_t places[2 * BLOCK]; /* in it, of rows that had the second look */
};

static inline uint32_t half_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* In front of those of a hash, or where they would be, from a place on that is not behind it. */
static inline size_t find_place(const uint64_t *entries, size_t at, uint64_t hash)
{
    const uint64_t least = (uint64_t)half_of(hash) << 32;
    while (entries[at] - 1 < least) /* less, and not free */
        at++;
    return at;
}

/* Whether an entry that was found so is of the same half hash. */
static inline bool is_of(uint64_t entry, uint64_t hash)
{
    return entry && half_of(entry) == half_of(hash);
}

static inline size_t end_of_block(const struct pass *pass, size_t first)
{
    return first + BLOCK < pass->rows->count ? first + BLOCK : pass->rows->count;
}

static void look_first(const struct pass *pass, size_t first)
{
    const size_t capacity = pass->table->numbers.capacity, end = end_of_block(pass, first);
    for (size_t i = first; i < end; i++)
        __builtin_prefetch(pass->entries +
                           table_place(capacity, half_of(pass->rows->hashes.items[i])));
}

static void look_second(struct pass *pass, size_t first)
{
    const struct state_table *table = pass->table;
    const uint64_t *entries = pass->entries;
    const size_t capacity = table->numbers.capacity, end = end_of_block(pass, first);
    for (size_t i = first; i < end; i++) {
        const uint64_t hash = pass->rows->hashes.items[i];
        const size_t at = find_place(entries, table_place(capacity, half_of(hash)), hash);
        const uint32_t number = (uint32_t)entries[at] - 1;
        pass->places[i % (2 * BLOCK)] = at;
        if (!is_of(entries[at], hash))
            continue;
        state_chunk_fetch(&table->chunks.items[number >> table->chunk_bits],
                          state_table_place(table, number));
    }
}

/* Whether the next state goes to the chunk that is being filled, and nothing else is due. */
static inline bool has_room(const struct state_table *table)
{
    return state_table_place(table, table->count) != 0 &&
           (!table->split_from || table->count < table->split_from);
}

static inline state_id push(struct state_table *table, const uint64_t *words)
{
    state_chunk_put(&table->chunks.items[table->chunks.length - 1],
                    state_table_place(table, table->count), words);
    return table->count++;
}

/* Adds a state that is not there, to the chunk that is being filled. False: it may have to be done
 * otherwise. */
static inline bool add(const struct pass *pass, size_t row, size_t at)
{
    struct state_table *table = pass->table;
    if (!has_room(table) ||
        !table_add_at(&table->numbers, at, pass->rows->hashes.items[row], table->count))
        return false;
    pass->rows->numbers.items[row] = push(table, found_rows_words(pass->rows, row));
    return true;
}

/* Of a state that is stored in another layout. */
static bool is_otherwise(const struct pass *pass, const struct state_chunk *chunk, size_t place,
                         const uint64_t *words)
{
    uint64_t scratch[STATE_WORDS_MOST];
    state_layout_unpack(pass->rows->layout, words, pass->slots);
    return state_layout_is(chunk->layout, state_chunk_words(chunk, place, scratch), pass->slots);
}

/* The third look at one. False: it may have to be added otherwise. */
static inline bool take(const struct pass *pass, size_t row, size_t at)
{
    const struct state_table *table = pass->table;
    const uint64_t hash = pass->rows->hashes.items[row], *words = found_rows_words(pass->rows, row);
    const struct state_layout *layout = table->layout;
    const uint64_t *entries = table->numbers.entries;
    for (at = find_place(entries, at, hash); is_of(entries[at], hash); at++) {
        const uint32_t number = (uint32_t)entries[at] - 1;
        const struct state_chunk *chunk = &table->chunks.items[number >> table->chunk_bits];
        const size_t place = state_table_place(table, number);
        pass->rows->numbers.items[row] = number;
        if (LIKELY(chunk->layout == layout) ? state_chunk_has(chunk, place, words)
                                            : is_otherwise(pass, chunk, place, words))
            return true;
    }
    return add(pass, row, at);
}

/* Returns the row behind the last that was taken; places are of no use where that is not the last
 * of the block. */
static size_t take_block(struct pass *pass, size_t first)
{
    const size_t end = end_of_block(pass, first);
    for (size_t i = first; i < end; i++) {
        if (!take(pass, i, pass->places[i % (2 * BLOCK)]))
            return i;
        if (UNLIKELY(pass->table->numbers.entries != pass->entries))
            return i + 1;
    }
    return end;
}

/* ---- states that are found by their words ---- */

#define AHEAD SIZE_OR_SMALL(32, 2) /* rows of which what finds them is fetched */

/* From a row on: the line of each is looked at once, when it was fetched some time ago. */
static size_t intern_words(struct state_table *table, const struct found_rows *rows, size_t first)
{
    struct word_index *index = &table->words;
    struct word_line *lines[AHEAD];
    const uint64_t *words = rows->words.items;
    const size_t count = rows->count;
    uint32_t *numbers = rows->numbers.items;
    for (size_t i = first; i < first + AHEAD && i < count; i++) {
        lines[i % AHEAD] = word_index_line(index, words[i]);
        __builtin_prefetch(lines[i % AHEAD], 1);
    }
    for (size_t i = first; i < count; i++) {
        struct word_line *line = lines[i % AHEAD];
        if (i + AHEAD < count) {
            lines[i % AHEAD] = word_index_line(index, words[i + AHEAD]);
            __builtin_prefetch(lines[i % AHEAD], 1);
        }
        numbers[i] = word_index_find(&line, words[i]);
        if (numbers[i] != WORD_INDEX_NONE)
            continue;
        if (!has_room(table) || !word_index_put(index, line, words[i], table->count))
            return i;
        numbers[i] = push(table, &words[i]);
    }
    return count;
}

size_t state_table_intern_rows(struct state_table *table, const struct found_rows *rows,
                               size_t first, uint32_t *slots)
{
    struct pass pass;
    pass.slots = slots;
    pass.table = table;
    pass.rows = rows;
    pass.entries = table->numbers.entries;
    if (table->tree || rows->layout != table->layout)
        return first;
    if (state_table_finds_words(table))
        return word_index_reserve(&table->words, rows->count - first)
                   ? intern_words(table, rows, first)
                   : first;
    if (!pass.entries || first < rows->unhashed)
        return first;
    look_first(&pass, first);
    look_first(&pass, first + BLOCK);
    look_second(&pass, first);
    for (size_t i = first; i < rows->count; i += BLOCK) {
        look_first(&pass, i + 2 * BLOCK);
        look_second(&pass, i + BLOCK);
        const size_t taken = take_block(&pass, i);
        if (taken < end_of_block(&pass, i) || pass.entries != table->numbers.entries)
            return taken;
    }
    return rows->count;
}

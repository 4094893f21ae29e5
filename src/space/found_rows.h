/* States that one thread has found for itself, in the order in which it found them, all packed in
 * one layout: rows of words, each with what finds the state, and the node that it was found from.
 * Nothing of a row says how long it is.
 *
 *     | hash, parent, number | words | hash, parent, number | words | ... */
#ifndef SPACE_FOUND_ROWS_H
#define SPACE_FOUND_ROWS_H

#include "base/attributes.h"
#include "base/vector.h"
#include "space/state_layouts.h"

struct found_row {
    uint64_t hash;
    uint32_t parent;
    uint32_t number; /* of the state, once it is added */
    uint64_t words[];
};

struct found_rows {
    const struct state_layout *layout; /* null: there are no rows */
    VECTOR(uint64_t) words;
    size_t count;
};

static inline void found_rows_init(struct found_rows *rows, struct budget *budget)
{
    rows->layout = NULL;
    rows->count = 0;
    vector_init(&rows->words, budget);
}

static inline void found_rows_release(struct found_rows *rows)
{
    vector_release(&rows->words);
}

static inline void found_rows_clear(struct found_rows *rows)
{
    rows->layout = NULL;
    rows->count = rows->words.length = 0;
}

/* From one row to the next. */
static inline size_t found_row_words(const struct state_layout *layout)
{
    return sizeof(struct found_row) / sizeof(uint64_t) + layout->words;
}

static inline struct found_row *found_rows_at(const struct found_rows *rows, size_t number)
{
    return (struct found_row *)(void *)(rows->words.items + number * found_row_words(rows->layout));
}

/* Room for so many more in a layout, which is that of those that are there. False when refused. */
static inline MUST_CHECK bool found_rows_reserve(struct found_rows *rows,
                                                 const struct state_layout *layout, size_t more)
{
    const size_t end = (rows->count + more) * found_row_words(layout);
    assert(rows->count == 0 || rows->layout == layout);
    rows->layout = layout;
    return end <= rows->words.capacity || vector_reserve(&rows->words, end);
}

/* Appends one, for which there is room. */
static inline void found_rows_push(struct found_rows *rows, uint64_t hash, uint32_t parent,
                                   const uint64_t *words)
{
    struct found_row *row = found_rows_at(rows, rows->count++);
    row->hash = hash;
    row->parent = parent;
    for (uint32_t i = 0; i < rows->layout->words; i++)
        row->words[i] = words[i];
}

#endif

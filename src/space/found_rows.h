/* States that one thread has found for itself, in the order in which it found them, all packed in
 * one layout: rows of words, one behind the other, and beside them what else is known of each. */
#ifndef SPACE_FOUND_ROWS_H
#define SPACE_FOUND_ROWS_H

#include "base/attributes.h"
#include "base/vector.h"
#include "space/state_layouts.h"

struct found_rows {
    const struct state_layout *layout; /* null: there are no rows */
    size_t count;
    size_t unhashed; /* so many of the first have no hash */
    VECTOR(uint64_t) words;
    VECTOR(uint64_t) hashes;
    VECTOR(uint32_t) parents; /* the nodes that they were found from */
    VECTOR(uint32_t) numbers; /* of the states, once they are added */
};

static inline void found_rows_init(struct found_rows *rows, struct budget *budget)
{
    rows->layout = NULL;
    rows->count = rows->unhashed = 0;
    vectors_init(budget, &rows->words, &rows->hashes, &rows->parents, &rows->numbers);
}

static inline void found_rows_release(struct found_rows *rows)
{
    vectors_release(&rows->words, &rows->hashes, &rows->parents, &rows->numbers);
}

static inline void found_rows_clear(struct found_rows *rows)
{
    rows->layout = NULL;
    rows->count = rows->unhashed = 0;
}

static inline const uint64_t *found_rows_words(const struct found_rows *rows, size_t row)
{
    return rows->words.items + row * rows->layout->words;
}

/* Room for so many more in a layout, which is that of those that are there. False when refused. */
static inline MUST_CHECK bool found_rows_reserve(struct found_rows *rows,
                                                 const struct state_layout *layout, size_t more)
{
    const size_t end = rows->count + more;
    assert(rows->count == 0 || rows->layout == layout);
    rows->layout = layout;
    return vector_reserve(&rows->words, end * layout->words) &&
           vector_reserve(&rows->hashes, end) && vector_reserve(&rows->parents, end) &&
           vector_reserve(&rows->numbers, end);
}

/* Appends one, for which there is room. */
static inline void found_rows_push(struct found_rows *rows, uint64_t hash, uint32_t parent,
                                   const uint64_t *words)
{
    const uint32_t count = rows->layout->words;
    const size_t row = rows->count++;
    rows->hashes.items[row] = hash;
    rows->parents.items[row] = parent;
    for (uint32_t i = 0; i < count; i++)
        rows->words.items[row * count + i] = words[i];
}

#endif

/* Interned arrays of words that threads share: equal contents, equal numbers, counted from 0,
 * whoever asks first. What is there already is found, and read by its number, without a lock; what
 * is new is added under one. Nothing moves: words stay where they are until the end. */
#ifndef BASE_SHARED_WORDS_H
#define BASE_SHARED_WORDS_H

#include <pthread.h>

#include "base/shared_table.h"
#include "base/word_rows.h"

struct shared_words {
    struct word_rows rows;
    struct blocks items; /* uint32_t: the row; or, where all have one length, the words */
    size_t fixed;        /* that length; 0: any */
    struct shared_table numbers;
    pthread_mutex_t lock; /* of all that is added */
    atomic_uint count;
};

void shared_words_init(struct shared_words *shared, struct budget *budget);
/* Of arrays that all have this many words, at least 1. */
void shared_words_init_fixed(struct shared_words *shared, size_t length, struct budget *budget);
void shared_words_release(struct shared_words *shared);

/* Has one thread alone use them, or, when nobody looks at them, several again: alone it takes less
 * memory. */
static inline void shared_words_leave_alone(struct shared_words *shared, bool is_alone)
{
    shared->numbers.is_alone = is_alone;
}

/* The number of these words; UINT32_MAX where they are not there. */
uint32_t shared_words_find(const struct shared_words *shared, const uint32_t *words,
                           size_t length) MUST_CHECK;

/* The number of these words, which are copied; UINT32_MAX when refused. */
uint32_t shared_words_intern(struct shared_words *shared, const uint32_t *words,
                             size_t length) MUST_CHECK;

static inline uint32_t shared_words_count(const struct shared_words *shared)
{
    return atomic_load_explicit(&shared->count, memory_order_acquire);
}

static inline const uint32_t *shared_words_at(const struct shared_words *shared, uint32_t number,
                                              size_t *length)
{
    const uint32_t *item = blocks_at(&shared->items, number);
    *length = shared->fixed;
    return shared->fixed ? item : word_rows_get(&shared->rows, *item, length);
}

/* The words of a number that shared_words_intern gave out. */
static inline const uint32_t *shared_words_get(const struct shared_words *shared, uint32_t number,
                                               size_t *length)
{
    assert(number < shared_words_count(shared));
    return shared_words_at(shared, number, length);
}

#endif

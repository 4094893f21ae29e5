#include "base/shared_words.h"

#include <string.h>

#include "base/hash.h"
#include "base/parallel.h"

static void init(struct shared_words *shared, size_t fixed, struct budget *budget)
{
    shared->fixed = fixed;
    word_rows_init(&shared->rows, budget);
    blocks_init(&shared->items, budget, (fixed ? fixed : 1) * sizeof(uint32_t));
    shared_table_init(&shared->numbers, budget);
    pthread_mutex_init(&shared->lock, NULL);
    atomic_init(&shared->count, 0);
}

void shared_words_init(struct shared_words *shared, struct budget *budget)
{
    init(shared, 0, budget);
}

void shared_words_init_fixed(struct shared_words *shared, size_t length, struct budget *budget)
{
    assert(length > 0);
    init(shared, length, budget);
}

void shared_words_release(struct shared_words *shared)
{
    shared_table_release(&shared->numbers);
    blocks_release(&shared->items);
    word_rows_release(&shared->rows);
    pthread_mutex_destroy(&shared->lock);
}

static uint64_t hash_of(const uint32_t *words, size_t length)
{
    return length == 2 ? hash_pair(words[0], words[1])
                       : hash_bytes(words, length * sizeof *words, length);
}

static bool are_same(const uint32_t *words, const uint32_t *others, size_t length)
{
    if (length == 2) /* as most are */
        return words[0] == others[0] && words[1] == others[1];
    return length == 0 || memcmp(words, others, length * sizeof *words) == 0;
}

static uint32_t find(const struct shared_words *shared, const uint32_t *words, size_t length,
                     uint64_t hash)
{
    struct shared_search search = shared_table_search(&shared->numbers, hash);
    while (shared_table_next(&search)) {
        size_t kept_length;
        const uint32_t *kept = shared_words_at(shared, search.number, &kept_length);
        if (kept_length == length && are_same(kept, words, length))
            return search.number;
    }
    return UINT32_MAX;
}

uint32_t shared_words_find(const struct shared_words *shared, const uint32_t *words, size_t length)
{
    return find(shared, words, length, hash_of(words, length));
}

static bool put(struct shared_words *shared, uint32_t number, const uint32_t *words, size_t length)
{
    uint32_t *item = blocks_reach(&shared->items, number);
    if (!item)
        return false;
    if (shared->fixed)
        memcpy(item, words, length * sizeof *words);
    else
        *item = word_rows_add(&shared->rows, words, length);
    return shared->fixed || *item != WORD_ROWS_NONE;
}

static uint32_t add(struct shared_words *shared, const uint32_t *words, size_t length,
                    uint64_t hash)
{
    uint32_t number = atomic_load_explicit(&shared->count, memory_order_relaxed);
    if (!put(shared, number, words, length))
        return UINT32_MAX;
    atomic_store_explicit(&shared->count, number + 1, memory_order_release);
    if (shared_table_add(&shared->numbers, hash, number))
        return number;
    atomic_store_explicit(&shared->count, number, memory_order_release); /* nobody knows of it */
    return UINT32_MAX;
}

uint32_t shared_words_intern(struct shared_words *shared, const uint32_t *words, size_t length)
{
    assert(length < UINT32_MAX && (!shared->fixed || length == shared->fixed));
    const uint64_t hash = hash_of(words, length);
    uint32_t number = find(shared, words, length, hash);
    if (number != UINT32_MAX)
        return number;
    if (shared->numbers.is_alone) /* nobody can have added them since */
        return add(shared, words, length, hash);
    lock_briefly(&shared->lock);
    number = find(shared, words, length, hash); /* by now, perhaps */
    if (number == UINT32_MAX)
        number = add(shared, words, length, hash);
    pthread_mutex_unlock(&shared->lock);
    return number;
}

#include "base/shared_words.h"

#include <string.h>

#include "base/hash.h"
#include "base/parallel.h"

void shared_words_init(struct shared_words *shared, struct budget *budget)
{
    arena_init(&shared->arena, budget);
    blocks_init(&shared->items, budget, sizeof(const uint32_t *));
    shared_table_init(&shared->numbers, budget);
    pthread_mutex_init(&shared->lock, NULL);
    atomic_init(&shared->count, 0);
}

void shared_words_release(struct shared_words *shared)
{
    shared_table_release(&shared->numbers);
    blocks_release(&shared->items);
    arena_release(&shared->arena);
    pthread_mutex_destroy(&shared->lock);
}

static uint64_t hash_of(const uint32_t *words, size_t length)
{
    return hash_bytes(words, length * sizeof *words, length);
}

static uint32_t find(const struct shared_words *shared, const uint32_t *words, size_t length,
                     uint64_t hash)
{
    struct shared_search search = shared_table_search(&shared->numbers, hash);
    while (shared_table_next(&search)) {
        const uint32_t *kept = *(const uint32_t **)blocks_at(&shared->items, search.number);
        if (kept[0] == length &&
            (length == 0 || memcmp(kept + 1, words, length * sizeof *words) == 0))
            return search.number;
    }
    return UINT32_MAX;
}

uint32_t shared_words_find(const struct shared_words *shared, const uint32_t *words, size_t length)
{
    return find(shared, words, length, hash_of(words, length));
}

static uint32_t add(struct shared_words *shared, const uint32_t *words, size_t length,
                    uint64_t hash)
{
    uint32_t number = atomic_load_explicit(&shared->count, memory_order_relaxed);
    uint32_t *kept = arena_allocate(&shared->arena, (length + 1) * sizeof *kept);
    const uint32_t **item = blocks_reach(&shared->items, number);
    if (!kept || !item)
        return UINT32_MAX;
    kept[0] = (uint32_t)length;
    if (length)
        memcpy(kept + 1, words, length * sizeof *words);
    *item = kept;
    atomic_store_explicit(&shared->count, number + 1, memory_order_release);
    if (shared_table_add(&shared->numbers, hash, number))
        return number;
    atomic_store_explicit(&shared->count, number, memory_order_release); /* nobody knows of it */
    return UINT32_MAX;
}

uint32_t shared_words_intern(struct shared_words *shared, const uint32_t *words, size_t length)
{
    assert(length < UINT32_MAX);
    const uint64_t hash = hash_of(words, length);
    uint32_t number = find(shared, words, length, hash);
    if (number != UINT32_MAX)
        return number;
    lock_briefly(&shared->lock);
    number = find(shared, words, length, hash); /* by now, perhaps */
    if (number == UINT32_MAX)
        number = add(shared, words, length, hash);
    pthread_mutex_unlock(&shared->lock);
    return number;
}

#include "code/objects.h"

#include "base/shared_words.h"
#include "code/word.h"

struct object_pool {
    struct budget *budget;
    struct shared_words items; /* number 0: the empty sequence */
};

struct object_pool *object_pool_create(struct budget *budget)
{
    struct object_pool *pool = memory_zeroed(budget, sizeof *pool);
    if (!pool)
        return NULL;
    pool->budget = budget;
    shared_words_init(&pool->items, budget);
    if (shared_words_intern(&pool->items, NULL, 0) != 0) {
        object_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

void object_pool_destroy(struct object_pool *pool)
{
    if (!pool)
        return;
    shared_words_release(&pool->items);
    memory_release(pool->budget, pool, sizeof *pool);
}

struct budget *object_pool_budget(const struct object_pool *pool)
{
    return pool->budget;
}

uint32_t object_pool_count(const struct object_pool *pool)
{
    return shared_words_count(&pool->items);
}

const uint32_t *object_items(const struct object_pool *pool, object_id id, size_t *length)
{
    return shared_words_get(&pool->items, id, length);
}

object_id object_intern(struct object_pool *pool, const uint32_t *items, size_t length)
{
    object_id id = shared_words_intern(&pool->items, items, length);
    return id < ARRAY_BIT ? id : OBJECT_REFUSED;
}

/* Interning: 64 shards, each an open-addressing table of object addresses under its own lock, with
 * its own arena. A lookup that hits takes one uncontended lock and touches one cache line of the
 * table and one of the object. Objects never move, so reading a value takes no lock. A value is its
 * object's address, so a table of numbers (base/table.h) would need a list of addresses beside it,
 * and a cache line more. */
#include "value/value.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/faults.h"
#include "base/hash.h"
#include "value/forget.h"

#define FIRST_SLOTS SIZE_OR_SMALL(64, 4)
#define FIRST_ROOTS SIZE_OR_SMALL(256, 2)
/* Bytes of short-lived values for which to forget some. */
#define LEAST_FRESH ((size_t)SIZE_OR_SMALL(512 << 10, 64))

#define POOL_SHARDS 64
#define POOL_SIZES  32 /* sizes of objects, in words, whose room is used again */

struct pool_shard {
    pthread_mutex_t lock;
    struct arena arena;
    const struct value_object **slots;
    size_t capacity; /* a power of two, or 0 */
    size_t used;
    size_t large;               /* objects that have memory of their own */
    struct value_object **free; /* by words, POOL_SIZES + 1 of them; the next one's address is the
                                   hash; null: nothing was short-lived yet */
};

struct value_pool {
    struct budget *budget;
    struct pool_shard shards[POOL_SHARDS];
    atomic_bool taken;   /* somebody makes short-lived values */
    atomic_size_t fresh; /* bytes of short-lived values made since the last forgetting */
    size_t lasting;      /* bytes of those that it left */
    uint8_t round;       /* of forgetting; never 0 */
};

#define POOL_FREE_SIZE ((POOL_SIZES + 1) * sizeof(struct value_object *))

static PER_THREAD struct value_pool *short_lived; /* where this thread makes such values */

struct value_pool *value_pool_create(struct budget *budget)
{
    struct value_pool *pool = memory_zeroed(budget, sizeof *pool);
    if (!pool)
        return NULL;
    pool->budget = budget;
    for (size_t i = 0; i < POOL_SHARDS; i++) {
        pthread_mutex_init(&pool->shards[i].lock, NULL);
        arena_init(&pool->shards[i].arena, budget);
    }
    return pool;
}

static size_t content_size(enum value_kind kind, size_t length)
{
    switch (kind) {
    case KIND_INTEGER:
    case KIND_REAL:
        return 8;
    case KIND_STRING:
    case KIND_KEYWORD:
    case KIND_SYMBOL:
        return length + 1;
    default:
        return length * sizeof(value);
    }
}

/* In whole words. */
static size_t object_size(enum value_kind kind, size_t length)
{
    size_t whole = offsetof(struct value_object, content) + content_size(kind, length);
    return whole < sizeof(struct value_object) ? sizeof(struct value_object)
                                               : (whole + 7) & ~(size_t)7;
}

/* Large objects that were short-lived once have memory of their own. */
static void release_large(struct value_pool *pool, struct pool_shard *shard)
{
    for (size_t i = 0; shard->large && i < shard->capacity; i++) {
        struct value_object *object = (struct value_object *)(uintptr_t)shard->slots[i];
        if (!object || !object->own_memory)
            continue;
        memory_release(pool->budget, object, object_size(object->kind, object->length));
        shard->large--;
    }
}

void value_pool_destroy(struct value_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < POOL_SHARDS; i++) {
        struct pool_shard *shard = &pool->shards[i];
        release_large(pool, shard);
        memory_release(pool->budget, shard->slots, shard->capacity * sizeof *shard->slots);
        memory_release(pool->budget, shard->free, shard->free ? POOL_FREE_SIZE : 0);
        arena_release(&shard->arena);
        pthread_mutex_destroy(&shard->lock);
    }
    memory_release(pool->budget, pool, sizeof *pool);
}

struct budget *value_pool_budget(const struct value_pool *pool)
{
    return pool->budget;
}

static bool object_is(const struct value_object *object, uint64_t hash, enum value_kind kind,
                      const void *content, size_t length)
{
    if (object->hash != hash || object->kind != kind || object->length != length)
        return false;
    size_t size = content_size(kind, length);
    if (kind == KIND_STRING || kind == KIND_KEYWORD || kind == KIND_SYMBOL)
        size = length; /* `content` has no 0 byte behind it */
    return size == 0 || memcmp(&object->content, content, size) == 0;
}

static bool shard_grow(struct value_pool *pool, struct pool_shard *shard)
{
    size_t capacity = shard->capacity ? shard->capacity * 2 : FIRST_SLOTS;
    const struct value_object **slots = memory_zeroed(pool->budget, capacity * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < shard->capacity; i++) {
        const struct value_object *object = shard->slots[i];
        if (!object)
            continue;
        size_t at = (object->hash >> 6) & (capacity - 1);
        while (slots[at])
            at = (at + 1) & (capacity - 1);
        slots[at] = object;
    }
    memory_release(pool->budget, shard->slots, shard->capacity * sizeof *shard->slots);
    shard->slots = slots;
    shard->capacity = capacity;
    return true;
}

struct value_pool *value_pool_short_lived(struct value_pool *pool)
{
    struct value_pool *before = short_lived;
    short_lived = pool;
    return before;
}

/* Room for a short-lived object, and for one that was so once. */
static struct value_object *find_room(struct value_pool *pool, struct pool_shard *shard,
                                      size_t size)
{
    atomic_fetch_add_explicit(&pool->fresh, size, memory_order_relaxed);
    if (size / 8 > POOL_SIZES) {
        struct value_object *large = memory_allocate(pool->budget, size);
        shard->large += large != NULL;
        return large;
    }
    if (!shard->free && !(shard->free = memory_zeroed(pool->budget, POOL_FREE_SIZE)))
        return NULL;
    struct value_object *object = shard->free[size / 8];
    if (!object)
        return arena_allocate(&shard->arena, size);
    shard->free[size / 8] = (struct value_object *)(uintptr_t)object->hash;
    return object;
}

/* What is short-lived, and in a value that is not, lives as long as the pool. */
static void keep_for_good(const struct value_object *object)
{
    size_t length = object->kind >= KIND_LIST ? object->length : 0;
    ((struct value_object *)(uintptr_t)object)->lives = LIVES_LONG;
    for (size_t i = 0; i < length; i++) {
        value item = object->content.items[i];
        if ((item & 7) == 2 && value_object(item)->lives == LIVES_SHORT)
            keep_for_good(value_object(item));
    }
}

static struct value_object *object_create(struct value_pool *pool, struct pool_shard *shard,
                                          uint64_t hash, enum value_kind kind, const void *content,
                                          size_t length)
{
    size_t size = content_size(kind, length), whole = object_size(kind, length);
    bool lasts = short_lived != pool;
    struct value_object *object =
        lasts ? arena_allocate(&shard->arena, whole) : find_room(pool, shard, whole);
    if (!object)
        return NULL;
    object->lives = LIVES_SHORT;
    object->round = 0;
    object->own_memory = !lasts && whole / 8 > POOL_SIZES;
    object->hash = hash;
    object->kind = (uint8_t)kind;
    object->length = (uint32_t)length;
    bool text = kind == KIND_STRING || kind == KIND_KEYWORD || kind == KIND_SYMBOL;
    if (text)
        size = length;
    if (size)
        memcpy(&object->content, content, size);
    if (text)
        *((char *)&object->content + length) = 0;
    if (lasts)
        keep_for_good(object);
    return object;
}

static value pool_intern(struct value_pool *pool, uint64_t hash, enum value_kind kind,
                         const void *content, size_t length)
{
    struct pool_shard *shard = &pool->shards[hash % POOL_SHARDS];
    value result = VALUE_REFUSED;
    pthread_mutex_lock(&shard->lock);
    if (shard->used * 4 >= shard->capacity * 3 && !shard_grow(pool, shard))
        goto done;
    size_t at = (hash >> 6) & (shard->capacity - 1);
    for (; shard->slots[at]; at = (at + 1) & (shard->capacity - 1)) {
        if (object_is(shard->slots[at], hash, kind, content, length)) {
            if (UNLIKELY(shard->slots[at]->lives == LIVES_SHORT && short_lived != pool))
                keep_for_good(shard->slots[at]);
            result = (value)(uintptr_t)shard->slots[at] | 2;
            goto done;
        }
    }
    struct value_object *object = object_create(pool, shard, hash, kind, content, length);
    if (!object)
        goto done;
    shard->slots[at] = object;
    shard->used++;
    result = (value)(uintptr_t)object | 2;
done:
    pthread_mutex_unlock(&shard->lock);
    return result;
}

value value_integer(struct value_pool *pool, int64_t integer)
{
    value small = value_small(integer);
    if (value_small_get(small) == integer)
        return small;
    uint64_t hash = hash_pair(KIND_INTEGER, (uint64_t)integer);
    return pool_intern(pool, hash, KIND_INTEGER, &integer, 0);
}

value value_real(struct value_pool *pool, double real)
{
    if (real == 0)
        real = 0; /* -0.0 and 0.0 are one value */
    if (isnan(real))
        real = NAN; /* and so are all NaNs */
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return pool_intern(pool, hash_pair(KIND_REAL, bits), KIND_REAL, &real, 0);
}

value value_text(struct value_pool *pool, enum value_kind kind, const char *text, size_t length)
{
    assert(kind == KIND_STRING || kind == KIND_KEYWORD || kind == KIND_SYMBOL);
    return pool_intern(pool, hash_bytes(text, length, kind), kind, text, length);
}

static value pool_collection(struct value_pool *pool, enum value_kind kind, const value *items,
                             size_t length)
{
    uint64_t hash = hash_pair(kind, length);
    for (size_t i = 0; i < length; i++) {
        if (items[i] == VALUE_REFUSED)
            return VALUE_REFUSED;
        hash = hash_pair(hash, value_hash(items[i]));
    }
    return pool_intern(pool, hash, kind, items, length);
}

value value_list(struct value_pool *pool, const value *items, size_t length)
{
    return pool_collection(pool, KIND_LIST, items, length);
}

static int compare_items(const void *a, const void *b)
{
    return value_compare(*(const value *)a, *(const value *)b);
}

value value_set(struct value_pool *pool, const value *items, size_t length)
{
    value *sorted = memory_allocate(pool->budget, length * sizeof *sorted);
    if (!sorted)
        return VALUE_REFUSED;
    size_t kept = 0;
    bool refused = false;
    for (size_t i = 0; i < length; i++) {
        refused |= items[i] == VALUE_REFUSED;
        sorted[i] = items[i];
    }
    if (!refused) {
        qsort(sorted, length, sizeof *sorted, compare_items);
        for (size_t i = 0; i < length; i++)
            if (kept == 0 || sorted[kept - 1] != sorted[i])
                sorted[kept++] = sorted[i];
    }
    value set = refused ? VALUE_REFUSED : pool_collection(pool, KIND_SET, sorted, kept);
    memory_release(pool->budget, sorted, length * sizeof *sorted);
    return set;
}

struct entry {
    value key, mapped;
    size_t order;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int by_key = value_compare(left->key, right->key);
    if (by_key)
        return by_key;
    return left->order < right->order ? -1 : 1;
}

value value_map(struct value_pool *pool, const value *items, size_t length)
{
    assert(length % 2 == 0);
    size_t count = length / 2, size = count * sizeof(struct entry);
    struct entry *entries = memory_allocate(pool->budget, size);
    value *flat = memory_allocate(pool->budget, length * sizeof *flat);
    value map = VALUE_REFUSED;
    if (!entries || !flat)
        goto done;
    for (size_t i = 0; i < count; i++) {
        if (items[2 * i] == VALUE_REFUSED || items[2 * i + 1] == VALUE_REFUSED)
            goto done;
        entries[i] = (struct entry){items[2 * i], items[2 * i + 1], i};
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && entries[i + 1].key == entries[i].key)
            continue;
        flat[kept++] = entries[i].key;
        flat[kept++] = entries[i].mapped;
    }
    map = pool_collection(pool, KIND_MAP, flat, kept);
done:
    memory_release(pool->budget, flat, length * sizeof *flat);
    memory_release(pool->budget, entries, size);
    return map;
}

enum value_kind value_kind_of(value v)
{
    assert(v != VALUE_REFUSED);
    if (value_is_small(v))
        return KIND_INTEGER;
    if (v == VALUE_NIL)
        return KIND_NIL;
    if (v == VALUE_FALSE || v == VALUE_TRUE)
        return KIND_BOOLEAN;
    return (enum value_kind)value_object(v)->kind;
}

bool value_get_integer(value v, int64_t *integer)
{
    if (value_is_small(v)) {
        *integer = value_small_get(v);
        return true;
    }
    if (value_kind_of(v) != KIND_INTEGER)
        return false;
    *integer = value_object(v)->content.integer;
    return true;
}

const char *value_get_text(value v, size_t *length)
{
    enum value_kind kind = value_kind_of(v);
    if (kind != KIND_STRING && kind != KIND_KEYWORD && kind != KIND_SYMBOL)
        return NULL;
    if (length)
        *length = value_object(v)->length;
    return value_object(v)->content.bytes;
}

const value *value_get_items(value v, size_t *length)
{
    *length = 0;
    enum value_kind kind = value_kind_of(v);
    if (kind != KIND_LIST && kind != KIND_SET && kind != KIND_MAP)
        return NULL;
    *length = value_object(v)->length;
    return value_object(v)->content.items;
}

bool value_text_is(value v, const char *text)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    return letters && length == strlen(text) && memcmp(letters, text, length) == 0;
}

uint64_t value_hash(value v)
{
    return (v & 7) == 2 ? value_object(v)->hash : hash_word(v);
}

static int compare_numbers(value a, value b)
{
    int64_t i = 0, j = 0;
    bool a_integer = value_get_integer(a, &i), b_integer = value_get_integer(b, &j);
    if (a_integer && b_integer)
        return (i > j) - (i < j);
    long double x = a_integer ? (long double)i : (long double)value_object(a)->content.real;
    long double y = b_integer ? (long double)j : (long double)value_object(b)->content.real;
    if (isnan(x) || isnan(y))
        return isnan(x) ? 1 : -1; /* last of the numbers; both is not possible: a != b */
    if (x != y)
        return x < y ? -1 : 1;
    return a_integer ? -1 : 1; /* 1 before 1.0: different values */
}

int value_compare(value a, value b)
{
    if (a == b)
        return 0;
    enum value_kind kind_a = value_kind_of(a), kind_b = value_kind_of(b);
    bool number_a = kind_a == KIND_INTEGER || kind_a == KIND_REAL;
    bool number_b = kind_b == KIND_INTEGER || kind_b == KIND_REAL;
    if (number_a && number_b)
        return compare_numbers(a, b);
    if (kind_a != kind_b)
        return kind_a < kind_b ? -1 : 1;
    if (kind_a == KIND_BOOLEAN)
        return a == VALUE_FALSE ? -1 : 1;
    const struct value_object *left = value_object(a), *right = value_object(b);
    uint32_t shorter = left->length < right->length ? left->length : right->length;
    if (kind_a >= KIND_LIST) {
        const value *left_items = left->content.items, *right_items = right->content.items;
        for (uint32_t i = 0; i < shorter; i++) {
            int order = value_compare(left_items[i], right_items[i]);
            if (order)
                return order;
        }
    } else {
        int order = memcmp(left->content.bytes, right->content.bytes, shorter);
        if (order)
            return order;
    }
    return left->length < right->length ? -1 : 1;
}

/* ---- short-lived values ----
 *
 * A word is looked up among the roots, not the other way round: what stands in the states of a
 * specification may be a value or a number, and a number is never taken for an address.
 *
 * All shards are locked meanwhile. A thread that takes a short-lived value for good holds the lock
 * of its shard until it has marked what is in it, too. */

static size_t root_place(const struct value_roots *roots, uint64_t word)
{
    size_t at = (size_t)hash_word(word) & (roots->capacity - 1);
    while (roots->places[at] && roots->places[at] != word)
        at = (at + 1) & (roots->capacity - 1);
    return at;
}

void value_roots_init(struct value_roots *roots, struct budget *budget)
{
    *roots = (struct value_roots){.budget = budget};
}

void value_roots_release(struct value_roots *roots)
{
    memory_release(roots->budget, roots->places, roots->capacity * sizeof *roots->places);
    value_roots_init(roots, roots->budget);
}

static bool roots_grow(struct value_roots *roots)
{
    struct value_roots larger = {.budget = roots->budget,
                                 .capacity = roots->capacity ? 2 * roots->capacity : FIRST_ROOTS,
                                 .used = roots->used};
    larger.places = memory_zeroed(roots->budget, larger.capacity * sizeof *larger.places);
    if (!larger.places)
        return false;
    for (size_t i = 0; i < roots->capacity; i++)
        if (roots->places[i])
            larger.places[root_place(&larger, roots->places[i])] = roots->places[i];
    value_roots_release(roots);
    *roots = larger;
    return true;
}

bool value_roots_add(struct value_roots *roots, uint64_t word)
{
    if ((word & 7) != 2)
        return true;
    if (2 * roots->used >= roots->capacity && !roots_grow(roots))
        return false;
    size_t at = root_place(roots, word);
    roots->used += !roots->places[at];
    roots->places[at] = word;
    return true;
}

/* ---- who makes them ---- */

bool value_pool_take(struct value_pool *pool)
{
    return !atomic_exchange(&pool->taken, true);
}

void value_pool_give_back(struct value_pool *pool)
{
    atomic_store(&pool->taken, false);
}

bool value_pool_is_due(const struct value_pool *pool)
{
    size_t fresh = atomic_load_explicit(&pool->fresh, memory_order_relaxed);
    return fresh >= LEAST_FRESH && fresh >= pool->lasting;
}

/* ---- forgetting ---- */

static bool is_root(const struct value_roots *roots, const struct value_object *object)
{
    return roots->capacity && roots->places[root_place(roots, (uintptr_t)object | 2)];
}

static bool has_items(const struct value_object *object)
{
    return object->kind == KIND_LIST || object->kind == KIND_SET || object->kind == KIND_MAP;
}

/* Marks a short-lived value, and those that are in it. */
static void mark(struct value_object *object, uint8_t round)
{
    object->round = round;
    for (uint32_t i = 0; has_items(object) && i < object->length; i++) {
        value item = object->content.items[i];
        struct value_object *inner = (struct value_object *)(uintptr_t)value_object(item);
        if ((item & 7) == 2 && inner->lives == LIVES_SHORT && inner->round != round)
            mark(inner, round);
    }
}

static void mark_shard(const struct value_pool *pool, const struct pool_shard *shard,
                       const struct value_roots *roots)
{
    for (size_t i = 0; i < shard->capacity; i++) {
        struct value_object *object = (struct value_object *)(uintptr_t)shard->slots[i];
        if (object && object->lives == LIVES_SHORT && object->round != pool->round &&
            is_root(roots, object))
            mark(object, pool->round);
    }
}

/* Closes the gap at `at`: what stands behind it because of what was there moves forward. */
static void close_gap(struct pool_shard *shard, size_t at)
{
    size_t mask = shard->capacity - 1;
    shard->slots[at] = NULL;
    shard->used--;
    for (size_t next = (at + 1) & mask; shard->slots[next]; next = (next + 1) & mask) {
        size_t wanted = (shard->slots[next]->hash >> 6) & mask;
        if (((next - wanted) & mask) < ((next - at) & mask))
            continue;
        shard->slots[at] = shard->slots[next];
        shard->slots[next] = NULL;
        at = next;
    }
}

/* Bytes of short-lived values that stay. */
static size_t sweep(struct value_pool *pool, struct pool_shard *shard)
{
    size_t lasting = 0;
    for (size_t i = 0; i < shard->capacity;) {
        struct value_object *object = (struct value_object *)(uintptr_t)shard->slots[i];
        bool lives = !object || object->lives != LIVES_SHORT || object->round == pool->round;
        size_t size = object ? object_size(object->kind, object->length) : 0;
        if (lives) {
            lasting += object && object->lives == LIVES_SHORT ? size : 0;
            i++;
            continue;
        }
        close_gap(shard, i); /* and look at what stands there now */
        if (object->own_memory) {
            shard->large--;
            memory_release(pool->budget, object, size);
            continue;
        }
#ifndef NDEBUG
        memset(object, 0xa5, size); /* so that whoever still has it is found out */
#endif
        object->hash = (uintptr_t)shard->free[size / 8];
        shard->free[size / 8] = object;
    }
    return lasting;
}

void value_pool_forget(struct value_pool *pool, const struct value_roots *roots)
{
    for (size_t i = 0; i < POOL_SHARDS; i++)
        pthread_mutex_lock(&pool->shards[i].lock);
    pool->round = pool->round == UINT8_MAX ? 1 : pool->round + 1;
    pool->lasting = 0;
    for (size_t i = 0; i < POOL_SHARDS; i++)
        mark_shard(pool, &pool->shards[i], roots);
    for (size_t i = 0; i < POOL_SHARDS; i++)
        pool->lasting += sweep(pool, &pool->shards[i]);
    atomic_store(&pool->fresh, 0);
    for (size_t i = POOL_SHARDS; i-- > 0;)
        pthread_mutex_unlock(&pool->shards[i].lock);
}

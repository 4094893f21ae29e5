#include "lin/collections.h"

#include <string.h>

#define TAILED_LEAST 16 /* words: what is shorter is copied */

struct lin_scratch_block {
    struct lin_scratch_block *next;
    size_t words, used;
    uint64_t room[];
};

/* ---- scratch memory ---- */

static void release_block(struct lin_scratch *scratch, struct lin_scratch_block *block)
{
    memory_release(scratch->budget, block, sizeof *block + block->words * sizeof *block->room);
}

void lin_scratch_release(struct lin_scratch *scratch)
{
    while (scratch->block) {
        struct lin_scratch_block *next = scratch->block->next;
        release_block(scratch, scratch->block);
        scratch->block = next;
    }
}

void lin_scratch_reset(struct lin_scratch *scratch)
{
    memset(scratch->tails, 0, sizeof scratch->tails);
    if (!scratch->block)
        return;
    while (scratch->block->next) {
        struct lin_scratch_block *old = scratch->block->next;
        scratch->block->next = old->next;
        release_block(scratch, old);
    }
    scratch->block->used = 0;
}

uint64_t *lin_scratch_take(struct lin_scratch *scratch, size_t words)
{
    struct lin_scratch_block *block = scratch->block;
    if (!block || block->words - block->used < words) {
        size_t room = block ? block->words * 2 : 256;
        while (room < words)
            room *= 2;
        struct lin_scratch_block *fresh =
            memory_allocate(scratch->budget, sizeof *fresh + room * sizeof *fresh->room);
        if (!fresh)
            return NULL;
        *fresh = (struct lin_scratch_block){.next = block, .words = room};
        scratch->block = block = fresh;
    }
    uint64_t *taken = block->room + block->used;
    block->used += words;
    return taken;
}

/* ---- collections ---- */

#define COLLECTION_WORDS (sizeof(struct lin_collection) / sizeof(uint64_t))

_Static_assert(sizeof(struct lin_collection) % sizeof(uint64_t) == 0,
               "a collection is whole words");

static bool is_collection_kind(enum value_kind kind)
{
    return kind == KIND_LIST || kind == KIND_SET || kind == KIND_MAP;
}

/* The collection that a word is, be it in scratch memory or interned. */
bool lin_collection_get(value v, struct lin_collection *collection)
{
    if (lin_is_scratch(v)) {
        *collection = *(const struct lin_collection *)(uintptr_t)(v - DATUM_SCRATCH_TAG);
        return true;
    }
    size_t length;
    const value *items = value_get_items(v, &length);
    enum value_kind kind = value_kind_of(v);
    *collection = (struct lin_collection){kind, (uint32_t)length, items};
    return is_collection_kind(kind);
}

/* A collection whose items are in place; VALUE_REFUSED. */
value lin_collection_make(struct lin_scratch *scratch, enum value_kind kind, const value *items,
                          size_t count)
{
    struct lin_collection *collection =
        (struct lin_collection *)(void *)lin_scratch_take(scratch, COLLECTION_WORDS);
    if (!collection)
        return VALUE_REFUSED;
    *collection = (struct lin_collection){kind, (uint32_t)count, items};
    return (value)(uintptr_t)collection + DATUM_SCRATCH_TAG;
}

value lin_collection_intern(struct lin_scratch *scratch, value v)
{
    struct lin_collection collection;
    if (!lin_is_scratch(v))
        return v;
    lin_collection_get(v, &collection);
    struct value_pool *pool = scratch->pool;
    if (collection.kind == KIND_LIST)
        return value_list(pool, collection.items, collection.count);
    if (collection.kind == KIND_SET)
        return value_set(pool, collection.items, collection.count);
    return value_map(pool, collection.items, collection.count);
}

int lin_collection_compare(value a, value b)
{
    struct lin_collection left, right;
    if (a == b)
        return 0;
    if (!lin_is_scratch(a) && !lin_is_scratch(b))
        return value_compare(a, b);
    if (!lin_collection_get(a, &left) || !lin_collection_get(b, &right))
        return lin_is_scratch(a) ? 1 : -1;
    if (left.count != right.count)
        return left.count < right.count ? -1 : 1;
    if (left.kind != right.kind && left.count > 0)
        return left.kind < right.kind ? -1 : 1;
    for (uint32_t i = 0; i < left.count; i++)
        if (left.items[i] != right.items[i])
            return lin_collection_compare(left.items[i], right.items[i]);
    /* Of empty ones a set is a map too: `{}` is written for both. */
    return (left.kind == KIND_LIST) - (right.kind == KIND_LIST);
}

bool lin_collection_find(const struct lin_collection *collection, value item, uint32_t *at)
{
    uint32_t stride = collection->kind == KIND_MAP ? 2 : 1;
    for (*at = 0; *at < collection->count; *at += stride)
        if (collection->items[*at] == item)
            return true;
    return false;
}

/* Where an item or key belongs in a set or map. */
static uint32_t sorted_place(const struct lin_collection *collection, value item)
{
    uint32_t stride = collection->kind == KIND_MAP ? 2 : 1, low = 0;
    uint32_t high = collection->count / stride;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (value_compare(collection->items[(size_t)middle * stride], item) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low * stride;
}

/* The tail behind the collection's items, if there is one with room for so many; null. */
static struct lin_tail *find_tail(struct lin_scratch *scratch,
                                  const struct lin_collection *collection, uint32_t inserted)
{
    for (size_t i = 0; i < LIN_TAILS; i++) {
        struct lin_tail *tail = &scratch->tails[i];
        if (tail->end && tail->end == collection->items + collection->count)
            return tail->room >= inserted ? tail : NULL;
    }
    return NULL;
}

/* The one that was not used for longest is forgotten. */
static struct lin_tail *oldest_tail(struct lin_scratch *scratch)
{
    struct lin_tail *oldest = &scratch->tails[0];
    for (size_t i = 1; i < LIN_TAILS; i++)
        if (scratch->tails[i].used < oldest->used)
            oldest = &scratch->tails[i];
    return oldest;
}

/* `collection` with `inserted` words behind it. They stand behind its own where there is room: it
 * does not see them, and to append one by one takes linear time. Else it is copied, with as much
 * room behind it as it is long. */
static value append(struct lin_scratch *scratch, const struct lin_collection *collection,
                    const value *with, uint32_t inserted)
{
    const size_t length = (size_t)collection->count + inserted;
    const value *items = collection->items;
    struct lin_tail *tail = find_tail(scratch, collection, inserted);
    if (!tail) {
        value *copy = lin_scratch_take(scratch, 2 * length);
        if (!copy)
            return VALUE_REFUSED;
        if (collection->count)
            memcpy(copy, items, collection->count * sizeof *copy);
        items = copy;
        tail = oldest_tail(scratch);
        *tail = (struct lin_tail){copy + collection->count, 2 * length - collection->count, 0};
    }
    memcpy(tail->end, with, inserted * sizeof *with);
    tail->end += inserted;
    tail->room -= inserted;
    tail->used = ++scratch->uses;
    return lin_collection_make(scratch, (enum value_kind)collection->kind, items, length);
}

/* `collection` with `count` words at `at` replaced by the `inserted` words of `with`. */
value lin_collection_splice(struct lin_scratch *scratch, const struct lin_collection *collection,
                            uint32_t at, uint32_t count, const value *with, uint32_t inserted)
{
    size_t length = (size_t)collection->count - count + inserted;
    if (at == collection->count && length >= TAILED_LEAST && inserted > 0)
        return append(scratch, collection, with, inserted);
    value *items = lin_scratch_take(scratch, length + 1);
    if (!items)
        return VALUE_REFUSED;
    if (at)
        memcpy(items, collection->items, at * sizeof *items);
    if (inserted)
        memcpy(items + at, with, inserted * sizeof *items);
    if (collection->count > at + count)
        memcpy(items + at + inserted, collection->items + at + count,
               (collection->count - at - count) * sizeof *items);
    return lin_collection_make(scratch, (enum value_kind)collection->kind, items, length);
}

value lin_collection_insert(struct lin_scratch *scratch, value into, const value *entry,
                            uint32_t stride)
{
    struct lin_collection collection;
    lin_collection_get(into, &collection);
    uint32_t at = sorted_place(&collection, entry[0]);
    bool there = at < collection.count && collection.items[at] == entry[0];
    return lin_collection_splice(scratch, &collection, at, there ? stride : 0, entry, stride);
}

value lin_collection_sum(struct lin_scratch *scratch, value left, const struct lin_collection *a,
                         const struct lin_collection *b)
{
    if (a->kind == KIND_LIST)
        return lin_collection_splice(scratch, a, a->count, 0, b->items, b->count);
    uint32_t stride = a->kind == KIND_MAP ? 2 : 1;
    for (uint32_t i = 0; i < b->count && left != VALUE_REFUSED; i += stride)
        left = lin_collection_insert(scratch, left, b->items + i, stride);
    return left;
}

value lin_collection_difference(struct lin_scratch *scratch, value left,
                                const struct lin_collection *b)
{
    for (uint32_t i = 0; i < b->count && left != VALUE_REFUSED; i++) {
        struct lin_collection a;
        uint32_t at;
        lin_collection_get(left, &a);
        if (lin_collection_find(&a, b->items[i], &at))
            left = lin_collection_splice(scratch, &a, at, a.kind == KIND_MAP ? 2 : 1, NULL, 0);
    }
    return left;
}

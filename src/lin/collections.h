/* The lists, sets and maps of a specification that runs. They are immutable: a change makes a new
 * one in scratch memory, which every run begins anew. The word of such a collection is its address
 * with the tag DATUM_SCRATCH_TAG; what becomes an item of another, or a result, is interned first.
 * What is appended stands behind the items of the old one where there is room, so that the two
 * share them. */
#ifndef LIN_COLLECTIONS_H
#define LIN_COLLECTIONS_H

#include "base/memory.h"
#include "code/word.h"

struct lin_collection {
    uint32_t kind;  /* KIND_LIST, KIND_SET or KIND_MAP */
    uint32_t count; /* of words */
    const value *items;
};

struct lin_scratch_block;

#define LIN_TAILS 4

/* Room behind items, which the next ones may take that are appended to them: nobody else has
 * it. */
struct lin_tail {
    value *end;
    size_t room;
    uint64_t used; /* when it was last */
};

struct lin_scratch {
    struct budget *budget;
    struct value_pool *pool;
    struct lin_scratch_block *block; /* the newest, which is the largest; null: none */
    struct lin_tail tails[LIN_TAILS];
    uint64_t uses; /* of tails */
};

/* Forgets all collections, but keeps the largest block. */
void lin_scratch_reset(struct lin_scratch *scratch);
void lin_scratch_release(struct lin_scratch *scratch);

/* So many words, until the next reset; null when refused. */
uint64_t *lin_scratch_take(struct lin_scratch *scratch, size_t words);

static inline bool lin_is_scratch(value v)
{
    return (v & DATUM_TAG_BITS) == DATUM_SCRATCH_TAG;
}

/* The collection that a word is, be it in scratch memory or interned; false: it is none. */
bool lin_collection_get(value v, struct lin_collection *collection);

/* Each of the following is VALUE_REFUSED when refused. */

/* A collection whose items are in place. */
value lin_collection_make(struct lin_scratch *scratch, enum value_kind kind, const value *items,
                          size_t count);
/* The value of a word. */
value lin_collection_intern(struct lin_scratch *scratch, value v);
/* `collection` with `count` words at `at` replaced by the `inserted` words of `with`. */
value lin_collection_splice(struct lin_scratch *scratch, const struct lin_collection *collection,
                            uint32_t at, uint32_t count, const value *with, uint32_t inserted);
/* A set or map with an entry of `stride` words, in place of one of that key. */
value lin_collection_insert(struct lin_scratch *scratch, value into, const value *entry,
                            uint32_t stride);
value lin_collection_sum(struct lin_scratch *scratch, value left, const struct lin_collection *a,
                         const struct lin_collection *b);
value lin_collection_difference(struct lin_scratch *scratch, value left,
                                const struct lin_collection *b);

/* An order of words; of the same content, 0. */
int lin_collection_compare(value a, value b);

/* Where an item, or an entry with that key, begins. */
bool lin_collection_find(const struct lin_collection *collection, value item, uint32_t *at);

#endif

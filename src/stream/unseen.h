/* Values whose addition never answers, or has run for long, and that nobody has seen: they may come
 * any time, and there may be millions. One takes some 10 to 20 bytes: they stand in blocks, each as
 * the difference from the one before it, and a table says in which block a value is. It has four
 * bytes for each, which is enough since it can be made anew of what is in the blocks.
 *
 * Values are added to one block, the open one, until it is full. A block of which few are left is
 * joined with the open one. */
#ifndef STREAM_UNSEEN_H
#define STREAM_UNSEEN_H

#include "base/faults.h"
#include "stream/running.h"

#define UNSEEN_BLOCK SIZE_OR_SMALL(64, 4) /* values */

/* What is known of a value. */
struct added {
    value value, other; /* other: whatever the user wants to know besides */
    uint64_t invoked, serial;
};

struct unseen_block {
    uint8_t *bytes;
    uint32_t length, capacity; /* bytes */
    uint32_t count;            /* 0: it is free */
    uint32_t next;             /* of the free ones; UINT32_MAX */
};

/* Where values are, by their hashes: open addressing with linear probing. An entry is the number of
 * a block, plus one, and bits of the hash; 0 is free, all bits: it was taken out. */
struct unseen_table {
    uint32_t *entries;
    size_t capacity, used; /* used: with those that were taken out; less than capacity */
};

struct unseen {
    VECTOR(struct unseen_block) blocks;
    struct unseen_table table;
    size_t count;
    uint32_t open, free; /* blocks; UINT32_MAX */
    struct added last;   /* of the open one; 0: there is none */
};

void unseen_init(struct unseen *unseen, struct budget *budget);
void unseen_release(struct unseen *unseen);

/* Adds a value that is not there, unless what is kept of it besides says which is which. False when
 * refused. */
bool unseen_add_pair(struct unseen *unseen, const struct added *added) MUST_CHECK;
bool unseen_add(struct unseen *unseen, value v, uint64_t invoked, uint64_t serial) MUST_CHECK;

bool unseen_has(const struct unseen *unseen, value v);

/* Takes a value out, if it is there: *added, or *addition, says of what. */
bool unseen_take_pair(struct unseen *unseen, value v, struct added *added);

/* Likewise, if it is of that addition. */
bool unseen_take_of(struct unseen *unseen, value v, uint64_t serial, struct added *added);
bool unseen_take(struct unseen *unseen, value v, struct running_operation *addition);

static inline size_t unseen_count(const struct unseen *unseen)
{
    return unseen->count;
}

/* Lists what there is in `items`, which has room for it; how many there are. */
size_t unseen_list(const struct unseen *unseen, struct added *items);

/* Goes through them; false: `visit` ended it by that. */
bool unseen_walk(const struct unseen *unseen,
                 bool (*visit)(void *context, const struct added *added), void *context);

/* As online_class.each. */
bool unseen_each(const struct unseen *unseen, const struct online_visitor *visitor);

void unseen_archive(struct archive *archive, struct unseen *unseen);

#endif

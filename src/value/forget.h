/* Short-lived values: those of a history without end, which are forgotten once nothing that is kept
 * has them.
 *
 * A thread that has said so makes short-lived values. One that is made again by anybody else, or is
 * part of what somebody else makes, lives as long as the pool from then on. */
#ifndef VALUE_FORGET_H
#define VALUE_FORGET_H

#include "base/memory.h"

struct value_pool;

/* Words among which all short-lived values are that must stay. Others do no harm. */
struct value_roots {
    struct budget *budget;
    uint64_t *places; /* 0: free */
    size_t capacity, used;
};

void value_roots_init(struct value_roots *roots, struct budget *budget);
void value_roots_release(struct value_roots *roots);
bool value_roots_add(struct value_roots *roots, uint64_t word) MUST_CHECK;

/* Whether the caller may make short-lived values of the pool, and forget them; one at a time may.
 * To be given back. */
bool value_pool_take(struct value_pool *pool) MUST_CHECK;
void value_pool_give_back(struct value_pool *pool);

/* From now on what this thread makes in the pool is short-lived; null: nothing is. Answers what it
 * was. */
struct value_pool *value_pool_short_lived(struct value_pool *pool);

/* Whether enough short-lived values were made since the last time to forget some. */
bool value_pool_is_due(const struct value_pool *pool);

/* Forgets the short-lived values that are no roots and in none. Whoever took the pool calls it,
 * while no thread that makes short-lived values has one that is not a root. */
void value_pool_forget(struct value_pool *pool, const struct value_roots *roots);

#endif

/* The set of states of a model, each with a number counted from 0. States are arrays of slots of
 * one length; only the first `identity` of them say which state it is, and of equal ones the first
 * is kept whole. */
#ifndef SPACE_STATE_TABLE_H
#define SPACE_STATE_TABLE_H

#include "base/vector.h"

typedef uint32_t state_id;

#define STATE_REFUSED UINT32_MAX

struct state_table {
    struct budget *budget;
    uint32_t slots, identity;
    uint32_t count;
    VECTOR(uint32_t *) chunks; /* each of STATE_CHUNK states */
    uint64_t *entries;         /* upper half: of the hash; lower: number + 1; 0 is free */
    size_t capacity;
};

#define STATE_CHUNK_BITS 12
#define STATE_CHUNK      (1u << STATE_CHUNK_BITS)

void state_table_init(struct state_table *table, struct budget *budget, uint32_t slots,
                      uint32_t identity);
void state_table_release(struct state_table *table);

/* The state's number; STATE_REFUSED when refused. *fresh: it was not there before. */
state_id state_table_intern(struct state_table *table, const uint32_t *state,
                            bool *fresh) MUST_CHECK;

/* The two halves of it: finding a state, STATE_REFUSED where it is not there, and adding one that
 * is not, by its hash. */
uint64_t state_table_hash(const struct state_table *table, const uint32_t *state);
state_id state_table_find(const struct state_table *table, const uint32_t *state,
                          uint64_t hash) MUST_CHECK;
state_id state_table_add(struct state_table *table, const uint32_t *state,
                         uint64_t hash) MUST_CHECK;

/* Its slots; they never move. */
static inline const uint32_t *state_table_get(const struct state_table *table, state_id id)
{
    return table->chunks.items[id >> STATE_CHUNK_BITS] +
           (size_t)(id & (STATE_CHUNK - 1)) * table->slots;
}

#endif

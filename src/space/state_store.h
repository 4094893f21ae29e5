/* The states of a graph, by number: in one part or, so that threads can add to them, in several. A
 * state is in the part that its hash says, and each part is locked for as long as it takes to find
 * one. The number of a state is then that within its part, and the part's:
 *
 *     | number within the part | part |      bits: 0 where there is one
 *
 * Which number a state gets, threads race for; unless they keep apart: then they only read, or each
 * adds to parts of its own, and nothing is locked. */
#ifndef SPACE_STATE_STORE_H
#define SPACE_STATE_STORE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/parallel.h"
#include "base/status.h"
#include "space/found_rows.h"
#include "space/found_states.h"
#include "space/state_table.h"

/* Numbers of states are here those within the part. */
struct state_part {
    pthread_mutex_t lock; /* where there are several */
    _Atomic uintptr_t
        entries;            /* of `states.numbers`, and how many there is room for, as they were */
    atomic_size_t capacity; /* some time ago: what can be fetched without the lock */
    struct state_table states;
};

struct state_store {
    struct budget *budget;
    uint32_t slots, identity;
    uint32_t bits;
    bool apart;                    /* threads keep apart */
    struct state_part *parts;      /* 1 << bits of them; null when refused */
    struct state_layouts *layouts; /* that several share, owned; null: there is one part */
};

/* What a thread adds states with: scratch. */
struct state_adder {
    VECTOR(uint64_t) words;
    VECTOR(uint32_t) slots;
    struct packed_state packed;
};

/* With one part. False when refused; release it whatever it answers. */
bool state_store_init(struct state_store *store, struct budget *budget, uint32_t slots,
                      uint32_t identity) MUST_CHECK;
void state_store_release(struct state_store *store);

bool state_adder_init(struct state_adder *adder, const struct state_store *store) MUST_CHECK;
void state_adder_release(struct state_adder *adder);

/* Gives it 1 << bits parts, in which its states have new numbers, numbers[old]. STATUS_LIMIT: it
 * then has one part still. */
enum status state_store_divide(struct state_store *store, uint32_t bits,
                               state_id *numbers) MUST_CHECK;

/* The number of the part that a state, or one of this hash, is in. */
static inline uint32_t state_store_part_number(const struct state_store *store, uint64_t of)
{
    return (uint32_t)of & ((UINT32_C(1) << store->bits) - 1);
}

static inline struct state_part *state_store_part(const struct state_store *store, state_id state)
{
    return &store->parts[state_store_part_number(store, state)];
}

/* For as long as something of the part is looked at that threads change. */
static inline void state_store_lock(const struct state_store *store, struct state_part *part)
{
    if (store->bits && !store->apart)
        lock_briefly(&part->lock);
}

static inline void state_store_unlock(const struct state_store *store, struct state_part *part)
{
    if (store->bits && !store->apart)
        pthread_mutex_unlock(&part->lock);
}

/* Before states are packed in its layouts, where none is on its way. */
static inline void state_store_settle(const struct state_store *store)
{
    if (!store->layouts)
        state_table_settle(&store->parts[0].states);
}

/* Those of its parts. */
static inline const struct state_layouts *state_store_layouts(const struct state_store *store)
{
    return store->layouts ? store->layouts : &store->parts[0].states.own;
}

uint64_t state_store_hash(const struct state_store *store, const uint32_t *state);

/* Has what finds a state of this hash fetched. Another thread may be moving the table: what is
 * fetched is then of no use. */
static inline void state_store_fetch(const struct state_store *store, uint64_t hash)
{
    const struct state_part *part = state_store_part(store, (state_id)hash);
    const size_t capacity = atomic_load_explicit(&part->capacity, memory_order_relaxed);
    const uintptr_t entries = atomic_load_explicit(&part->entries, memory_order_relaxed);
    __builtin_prefetch(
        (const void *)(entries + table_place(capacity, (uint32_t)(hash >> 32)) * sizeof(uint64_t)));
}

/* The same of a state whose words are known, where nobody else adds to its part. */
static inline void state_store_fetch_words(const struct state_store *store, uint64_t hash,
                                           const struct state_layout *layout, const uint64_t *words)
{
    state_table_fetch_words(&state_store_part(store, (state_id)hash)->states, layout, words);
}

/* Has the state itself fetched, if it may be there, where nobody else adds to its part. */
static inline void state_store_fetch_state(const struct state_store *store, uint64_t hash)
{
    state_table_fetch(&state_store_part(store, (state_id)hash)->states, hash);
}

/* The number of a state, which is added unless it is there; STATE_REFUSED when refused. Threads may
 * call it at the same time, each with an adder of its own. */
state_id state_store_intern(const struct state_store *store, struct state_adder *adder,
                            const uint32_t *state, uint64_t hash) MUST_CHECK;

/* The same of one that is packed, in one of the layouts of this store, which it fits; its slots may
 * be null. */
state_id state_store_intern_packed(const struct state_store *store, struct state_adder *adder,
                                   const uint32_t *state, uint64_t hash,
                                   const struct state_layout *layout,
                                   const uint64_t *words) MUST_CHECK;

/* The same of one that was packed when it was found. */
state_id state_store_intern_found(const struct state_store *store, struct state_adder *adder,
                                  const struct found_state *found) MUST_CHECK;

/* The same of many that one thread has found for itself, of a store with one part. False when
 * refused. */
bool state_store_intern_rows(const struct state_store *store, struct state_adder *adder,
                             const struct found_rows *rows) MUST_CHECK;

/* The two halves of it, while nobody else adds any: STATE_REFUSED where it is not there; and the
 * one that was looked for last is added, which is not. */
state_id state_store_find(const struct state_store *store, struct state_adder *adder,
                          const uint32_t *state, uint64_t hash) MUST_CHECK;
state_id state_store_add(const struct state_store *store, struct state_adder *adder,
                         const uint32_t *state, uint64_t hash) MUST_CHECK;

/* How many there are, while nobody adds any, and the slots of one, until STATE_RECENT calls later.
 */
uint32_t state_store_count(const struct state_store *store);
const uint32_t *state_store_get(const struct state_store *store, state_id state);

/* Writes its slots to `slots`. Threads may call it at the same time. */
void state_store_read(const struct state_store *store, state_id state, uint32_t *slots);

/* How many bytes the states take, and what finds them. */
void state_store_bytes(const struct state_store *store, size_t *states, size_t *index);

#endif

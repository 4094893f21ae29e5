/* The set of states of a model, each with a number counted from 0. States are arrays of slots of
 * one length; only the first `identity` of them say which state it is, and of equal ones the first
 * is kept whole.
 *
 * They are stored as bits (space/state_layout.h), in chunks that hold so many states of one layout:
 * 128, or fewer of large ones, down to one (space/state_chunk.h). A state that does not fit the
 * layout of today gives the table a wider one: the chunk that is being filled is written anew, full
 * ones stay as they are. Which state it is is decided by its slots, never by a hash alone: states
 * of one word are found by it (space/word_index.h), others by hashes, and looked at.
 * docs/decisions/0005-states-as-bits.md says why so.
 *
 * Of many states the parts are few. Where memory runs short, once half of it is in use, a table of
 * more than a word for each state becomes a tree, which is smaller and slower: the slots are cut in
 * two, each half has a table of its own in which equal halves are once, and a state is the numbers
 * of its halves:
 *
 *     state 70,123    | slots 0 to 19 | slots 20 to 51 |
 *                          |                 |
 *     left table      ... 4,711 ...    right table ... 213 ...      (tables again: trees, if large)
 *                              \         /
 *     roots           70,123: (4711, 213)     in as many bits as these numbers need
 *
 * (Laarman, van de Pol and Weber: Parallel recursive state compression for free, SPIN 2011; there
 * the place of a root is the number of its state, here states are numbered one after the other.)
 * Where the sample shows that halves are rarely the same a table stays as it is. */
#ifndef SPACE_STATE_TABLE_H
#define SPACE_STATE_TABLE_H

#include "base/table.h"
#include "base/vector.h"
#include "space/state_chunk.h"
#include "space/state_layouts.h"
#include "space/word_index.h"

typedef uint32_t state_id;

#define STATE_REFUSED UINT32_MAX

struct state_tree;

struct state_table {
    struct budget *budget;
    uint32_t slots, identity;
    uint32_t chunk_bits; /* of the number of a state within its chunk */
    uint32_t count;
    uint32_t split_from;               /* states from which on it may be a tree; 0: never */
    uint32_t split_used;               /* hundredths of the memory in use with which it is one */
    uint32_t split_most;               /* halves in a hundred states with which it is one */
    struct state_tree *tree;           /* null: there are chunks */
    const struct state_layout *layout; /* of the chunk that is being filled; null: none was */
    struct table numbers;              /* by hashes; empty where there are `words` */
    struct word_index words;           /* by words, of states of one word each */
    uint32_t widened;                  /* states that there were when the layout was made */
    VECTOR(struct state_chunk) chunks;
    uint32_t *recent; /* the states that state_table_get gave last; one of scratch; whose turn */
    struct packed_state packed;   /* scratch: the one that was looked for last */
    struct state_layouts *shared; /* with other tables; null: it has its own */
    struct state_layouts own;
};

void state_table_init(struct state_table *table, struct budget *budget, uint32_t slots,
                      uint32_t identity);
void state_table_release(struct state_table *table);

/* The state's number; STATE_REFUSED when refused. *fresh: it was not there before. */
state_id state_table_intern(struct state_table *table, const uint32_t *state,
                            bool *fresh) MUST_CHECK;

/* Layouts for tables to share, and a table that does, which they must outlive. Release them with
 * state_layouts_release. */
void state_table_init_layouts(struct state_layouts *layouts, struct budget *budget, uint32_t slots,
                              uint32_t identity);
void state_table_init_shared(struct state_table *table, struct state_layouts *layouts);

/* The two halves of it: finding a state, STATE_REFUSED where it is not there, and adding one, by
 * its hash, that was looked for last and is not. */
uint64_t state_table_hash(const struct state_table *table, const uint32_t *state);
state_id state_table_find(struct state_table *table, const uint32_t *state,
                          uint64_t hash) MUST_CHECK;
state_id state_table_add(struct state_table *table, const uint32_t *state,
                         uint64_t hash) MUST_CHECK;

/* The same of a state that was packed in the layouts of the table, by who need not be alone with
 * it. What is packed is of no use once it was added. */
state_id state_table_find_packed(const struct state_table *table, const uint32_t *state,
                                 uint64_t hash, struct packed_state *packed) MUST_CHECK;
state_id state_table_add_packed(struct state_table *table, const uint32_t *state, uint64_t hash,
                                struct packed_state *packed) MUST_CHECK;

/* Finds or adds a state with these words in a layout that has all its slots, where that is a matter
 * of these words alone; false: it is not. */
bool state_table_intern_quickly(struct state_table *table, const struct state_layout *layout,
                                const uint64_t *words, uint64_t hash, state_id *id,
                                bool *fresh) MUST_CHECK;

/* Once no state is on its way here that was packed in a layout of a table that is a tree by now. */
static inline void state_table_settle(struct state_table *table)
{
    if (table->tree && table->own.items.length > 0)
        state_layouts_release(&table->own);
}

/* Has what finds a state fetched that has these words in a layout, where these find it. */
void state_table_fetch_words(const struct state_table *table, const struct state_layout *layout,
                             const uint64_t *words);

/* Has a state fetched that may be the one of this hash. */
void state_table_fetch(const struct state_table *table, uint64_t hash);

/* Which state of its chunk it is. */
static inline size_t state_table_place(const struct state_table *table, state_id id)
{
    return id & ((UINT32_C(1) << table->chunk_bits) - 1);
}

/* Adds how many bytes its states take, and what finds them. */
void state_table_bytes(const struct state_table *table, size_t *states, size_t *index);

/* Of a table that is a tree. */
void state_table_read_tree(const struct state_table *table, state_id id, uint32_t *state);

/* Whether what finds states is their words, each of which is one, in the layout in use. */
static inline bool state_table_finds_words(const struct state_table *table)
{
    return table->words.block;
}

/* Of such a table: the number of a state, STATE_REFUSED where it is not there. */
static inline state_id state_table_find_word(const struct state_table *table, uint64_t word)
{
    struct word_line *line = word_index_line(&table->words, word);
    return word_index_find(&line, word);
}

/* The words of a state, and their layout; null where the table is a tree. `scratch` has
 * STATE_WORDS_MOST. */
static inline const uint64_t *state_table_words(const struct state_table *table, state_id id,
                                                uint64_t *scratch,
                                                const struct state_layout **layout)
{
    assert(id < table->count);
    if (table->tree)
        return NULL;
    const struct state_chunk *chunk = &table->chunks.items[id >> table->chunk_bits];
    *layout = chunk->layout;
    return state_chunk_words(chunk, state_table_place(table, id), scratch);
}

/* Writes the state's slots to `state`. */
static inline void state_table_read(const struct state_table *table, state_id id, uint32_t *state)
{
    assert(id < table->count);
    if (table->tree) {
        state_table_read_tree(table, id, state);
        return;
    }
    const struct state_chunk *chunk = &table->chunks.items[id >> table->chunk_bits];
    uint64_t scratch[STATE_WORDS_MOST];
    state_layout_unpack(chunk->layout,
                        state_chunk_words(chunk, state_table_place(table, id), scratch), state);
}

#define STATE_RECENT 4

/* Its slots, in memory of the table that STATE_RECENT calls later holds another state. */
const uint32_t *state_table_get(const struct state_table *table, state_id id);

#endif

#include "space/state_table.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

/* After so many layouts each slot is given one bit more than it needs, or the number of layouts
 * would be that of slots times that of bits. */
#define LAYOUTS_PER_BIT 24

/* A chunk of CHUNK_BITS has no more than CHUNK_SLOTS slots. Where the states are larger than that a
 * layout is as large as a state, and the states of a chunk are not written anew for each one
 * that changes something else: chunks are smaller, and layouts fewer. */
#define CHUNK_BITS            10
#define CHUNK_SLOTS           ((uint64_t)1 << 20)
#define LAYOUTS_PER_BIT_LARGE 4
#define BITS_AT_A_TIME_LARGE  8 /* for a slot that is given more */

void state_table_init(struct state_table *table, struct budget *budget, uint32_t slots,
                      uint32_t identity)
{
    *table = (struct state_table){
        .budget = budget, .slots = slots, .identity = identity, .chunk_bits = CHUNK_BITS};
    while (table->chunk_bits && (uint64_t)slots << table->chunk_bits > CHUNK_SLOTS)
        table->chunk_bits--;
    table_init(&table->numbers, budget);
    vectors_init(budget, &table->chunks, &table->layouts);
}

static bool is_large(const struct state_table *table)
{
    return table->chunk_bits < CHUNK_BITS;
}

static size_t chunk_size(const struct state_table *table, const struct state_layout *layout)
{
    return ((size_t)layout->words << table->chunk_bits) * sizeof(uint64_t);
}

static size_t packed_size(const struct state_table *table)
{
    return (table->slots + (size_t)1) * sizeof *table->packed;
}

static size_t recent_size(const struct state_table *table)
{
    return ((STATE_RECENT + (size_t)1) * table->slots + 1) * sizeof *table->recent;
}

void state_table_release(struct state_table *table)
{
    for (size_t i = 0; i < table->chunks.length; i++)
        memory_release(table->budget, table->chunks.items[i].words,
                       chunk_size(table, table->chunks.items[i].layout));
    vector_release(&table->chunks);
    for (size_t i = 0; i < table->layouts.length; i++)
        state_layout_destroy(table->layouts.items[i]);
    vector_release(&table->layouts);
    table_release(&table->numbers);
    memory_release(table->budget, table->packed, packed_size(table));
    memory_release(table->budget, table->recent, recent_size(table));
    state_table_init(table, table->budget, table->slots, table->identity);
}

uint64_t state_table_hash(const struct state_table *table, const uint32_t *state)
{
    return hash_bytes(state, table->identity * sizeof *state, 0);
}

/* ---- finding ---- */

static const struct state_layout *layout_of(const struct state_table *table)
{
    return table->layouts.items[table->layouts.length - 1];
}

/* Whether a stored state is `state`, which table->packed holds in the layout of today. */
static bool is_state(const struct state_table *table, state_id id, const uint32_t *state)
{
    const struct state_chunk *chunk = &table->chunks.items[id >> table->chunk_bits];
    const struct state_layout *layout = chunk->layout;
    const uint64_t *words = chunk->words + state_table_place(table, id) * layout->words;
    if (layout != layout_of(table))
        return state_layout_is(layout, words, state, table->identity);
    assert(layout->identity_words <= layout->words);
    uint64_t different = 0;
    for (uint32_t i = 0; i < layout->identity_words; i++)
        different |= words[i] ^ table->packed[i];
    return different == 0;
}

state_id state_table_find(struct state_table *table, const uint32_t *state, uint64_t hash)
{
    table->is_packed = false;
    if (table->count == 0)
        return STATE_REFUSED;
    const struct state_layout *layout = layout_of(table);
    if (!state_layout_pack(layout, state, table->packed, layout->identity_words))
        return STATE_REFUSED; /* none that was stored has such slots */
    table->is_packed = layout->identity_words == layout->words;
    for (struct table_search search = table_search(&table->numbers, hash); table_next(&search);)
        if (is_state(table, search.number, state))
            return search.number;
    return STATE_REFUSED;
}

/* ---- storing ---- */

/* Writes the chunk that is being filled in another layout. */
static bool chunk_rewrite(struct state_table *table, const struct state_layout *layout)
{
    uint32_t filled = (uint32_t)state_table_place(table, table->count);
    uint32_t *state = table->recent + (size_t)STATE_RECENT * table->slots;
    struct state_chunk *chunk = &table->chunks.items[table->chunks.length - 1];
    uint64_t *words = memory_allocate(table->budget, chunk_size(table, layout));
    if (!words)
        return false;
    for (uint32_t i = 0; i < filled; i++) {
        state_layout_unpack(chunk->layout, chunk->words + (size_t)i * chunk->layout->words, state);
        bool fits =
            state_layout_pack(layout, state, words + (size_t)i * layout->words, layout->words);
        assert(fits);
        (void)fits;
    }
    memory_release(table->budget, chunk->words, chunk_size(table, chunk->layout));
    *chunk = (struct state_chunk){words, layout};
    return true;
}

/* A layout that the state fits. */
static bool table_widen(struct state_table *table, const uint32_t *state)
{
    struct state_layout *layout;
    size_t layouts = table->layouts.length;
    if (layouts == 0) {
        if (!table->packed)
            table->packed = memory_allocate(table->budget, packed_size(table));
        if (!table->recent)
            table->recent = memory_zeroed(table->budget, recent_size(table));
        if (!table->packed || !table->recent)
            return false;
        layout = state_layout_create(table->budget, state, table->slots, table->identity);
    } else {
        const size_t per_bit = is_large(table) ? LAYOUTS_PER_BIT_LARGE : LAYOUTS_PER_BIT;
        layout = state_layout_widen(layout_of(table), state, table->identity,
                                    (uint32_t)(layouts / per_bit),
                                    is_large(table) ? BITS_AT_A_TIME_LARGE : 1);
    }
    if (!layout || !vector_push(&table->layouts, layout)) {
        state_layout_destroy(layout);
        return false;
    }
    if (state_table_place(table, table->count) == 0 || chunk_rewrite(table, layout))
        return true;
    table->layouts.length--;
    state_layout_destroy(layout);
    return false;
}

static bool pack_all(struct state_table *table, const uint32_t *state)
{
    const struct state_layout *layout = layout_of(table);
    return state_layout_pack(layout, state, table->packed, layout->words);
}

static state_id state_store(struct state_table *table, const uint32_t *state)
{
    if (table->count >= STATE_REFUSED - 1)
        return STATE_REFUSED;
    if (table->layouts.length == 0 && !table_widen(table, state))
        return STATE_REFUSED;
    if (!table->is_packed && !pack_all(table, state) &&
        (!table_widen(table, state) || !pack_all(table, state)))
        return STATE_REFUSED;
    const struct state_layout *layout = layout_of(table);
    if (state_table_place(table, table->count) == 0) {
        struct state_chunk chunk = {memory_allocate(table->budget, chunk_size(table, layout)),
                                    layout};
        if (!chunk.words)
            return STATE_REFUSED;
        if (!vector_push(&table->chunks, chunk)) {
            memory_release(table->budget, chunk.words, chunk_size(table, layout));
            return STATE_REFUSED;
        }
    }
    state_id id = table->count++;
    memcpy(table->chunks.items[table->chunks.length - 1].words +
               state_table_place(table, id) * layout->words,
           table->packed, layout->words * sizeof *table->packed);
    return id;
}

state_id state_table_add(struct state_table *table, const uint32_t *state, uint64_t hash)
{
    assert(state_table_find(table, state, hash) == STATE_REFUSED); /* equal ones are kept once */
    state_id id = state_store(table, state);
    if (id == STATE_REFUSED || table_add(&table->numbers, hash, id))
        return id;
    table->count--; /* it is nowhere to be found */
    return STATE_REFUSED;
}

state_id state_table_intern(struct state_table *table, const uint32_t *state, bool *fresh)
{
    uint64_t hash = state_table_hash(table, state);
    state_id id = state_table_find(table, state, hash);
    *fresh = id == STATE_REFUSED;
    return *fresh ? state_table_add(table, state, hash) : id;
}

const uint32_t *state_table_get(const struct state_table *table, state_id id)
{
    uint32_t *turn = table->recent + (STATE_RECENT + (size_t)1) * table->slots;
    uint32_t *state = table->recent + (size_t)*turn * table->slots;
    *turn = (*turn + 1) % STATE_RECENT;
    state_table_read(table, id, state);
    return state;
}

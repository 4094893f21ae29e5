#include "space/state_table.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"
#include "space/state_roots.h"
#include "space/state_split.h"

/* A chunk of CHUNK_BITS has no more than CHUNK_SLOTS slots. Where the states are larger than that a
 * layout is as large as a state, and the states of a chunk are not written anew for each one
 * that changes something else: chunks are smaller, and layouts fewer. */
#define CHUNK_BITS  7
#define CHUNK_SLOTS ((uint64_t)1 << 20)
#define LARGE_SLOTS 1024

#define WORDS_FROM SIZE_OR_SMALL(1024, 8) /* states */

/* The index of words is nearly twice as large as the other: it is made where no more than so many
 * hundredths of the memory are in use. */
#define USED_MOST 25

#define TOGETHER SIZE_OR_SMALL(32, 2) /* states */

/* A tree is made of a table that has so many states, and more words than this for each, once so
 * many hundredths of the memory are in use, and if its halves are less than so many hundredths of
 * the states. With more states they will be fewer. */
#define SPLIT_FROM  SIZE_OR_SMALL(4096, 8)
#define SPLIT_WORDS 1
#define SPLIT_USED  50
#define SPLIT_MOST  80
#define SPLIT_ASKS  SIZE_OR_SMALL(1024, 8) /* states from one look at the memory to the next */

struct state_tree {
    struct budget budget; /* of its own, so that it can be refused before anything else is */
    uint32_t split;       /* slots of the left half */
    struct state_table left, right;
    struct state_roots roots;
};

/* States of so many slots are. */
static bool is_large(uint32_t slots)
{
    return slots > LARGE_SLOTS;
}

static void init(struct state_table *table, struct budget *budget, uint32_t slots,
                 uint32_t identity, struct state_layouts *shared)
{
    *table = (struct state_table){.budget = budget,
                                  .slots = slots,
                                  .identity = identity,
                                  .shared = shared,
                                  .chunk_bits = CHUNK_BITS,
                                  .split_from = identity == slots ? SPLIT_FROM : 0,
                                  .split_used = SPLIT_USED,
                                  .split_most = SPLIT_MOST};
    while (table->chunk_bits && (uint64_t)slots << table->chunk_bits > CHUNK_SLOTS)
        table->chunk_bits--;
    state_layouts_init(&table->own, budget, slots, identity, is_large(slots));
    table_init(&table->numbers, budget);
    word_index_init(&table->words, budget);
    vector_init(&table->chunks, budget);
}

void state_table_init(struct state_table *table, struct budget *budget, uint32_t slots,
                      uint32_t identity)
{
    init(table, budget, slots, identity, NULL);
}

void state_table_init_shared(struct state_table *table, struct state_layouts *layouts)
{
    init(table, layouts->budget, layouts->slots, layouts->identity, layouts);
}

void state_table_init_layouts(struct state_layouts *layouts, struct budget *budget, uint32_t slots,
                              uint32_t identity)
{
    state_layouts_init(layouts, budget, slots, identity, is_large(slots));
}

static size_t states_of_chunk(const struct state_table *table)
{
    return (size_t)1 << table->chunk_bits;
}

static size_t packed_size(const struct state_table *table)
{
    return (table->slots + (size_t)1) * sizeof *table->packed.words;
}

static size_t recent_size(const struct state_table *table)
{
    return ((STATE_RECENT + (size_t)1) * table->slots + 1) * sizeof *table->recent;
}

static void chunks_release(struct state_table *table)
{
    for (size_t i = 0; i < table->chunks.length; i++)
        state_chunk_release(&table->chunks.items[i], table->budget, states_of_chunk(table));
    vector_release(&table->chunks);
}

static void tree_destroy(struct budget *budget, struct state_tree *tree)
{
    if (!tree)
        return;
    state_table_release(&tree->left);
    state_table_release(&tree->right);
    state_roots_release(&tree->roots);
    memory_release(budget, tree, sizeof *tree);
}

void state_table_release(struct state_table *table)
{
    chunks_release(table);
    state_layouts_release(&table->own);
    tree_destroy(table->budget, table->tree);
    table_release(&table->numbers);
    word_index_release(&table->words);
    memory_release(table->budget, table->packed.words, packed_size(table));
    memory_release(table->budget, table->recent, recent_size(table));
    init(table, table->budget, table->slots, table->identity, table->shared);
}

uint64_t state_table_hash(const struct state_table *table, const uint32_t *state)
{
    return state_groups_hash(state, table->identity);
}

/* ---- finding ---- */

static struct state_layouts *layouts_of(struct state_table *table)
{
    return table->shared ? table->shared : &table->own;
}

/* Has the slots of a packed state known. */
static void unpack(struct packed_state *packed)
{
    if (!packed->slots)
        return;
    assert(packed->fits && packed->whole);
    state_layout_unpack(packed->layout, packed->words, packed->slots);
    packed->slots = NULL;
}

/* Whether a stored state is `state`, which was packed. */
static bool is_state(const struct state_table *table, state_id id, const uint32_t *state,
                     struct packed_state *packed)
{
    const struct state_chunk *chunk = &table->chunks.items[id >> table->chunk_bits];
    const struct state_layout *layout = chunk->layout;
    uint64_t scratch[STATE_WORDS_MOST];
    if (layout == packed->layout && packed->whole)
        return state_chunk_has(chunk, state_table_place(table, id), packed->words);
    const uint64_t *words = state_chunk_words(chunk, state_table_place(table, id), scratch);
    if (layout != packed->layout) {
        unpack(packed);
        return state_layout_is(layout, words, state);
    }
    assert(packed->fits && layout->identity_words <= layout->words);
    uint64_t different = 0;
    for (uint32_t i = 0; i < layout->identity_words; i++)
        different |= words[i] ^ packed->words[i];
    return different == 0;
}

/* Whether a stored state has all these slots. */
static bool has_slots(const struct state_table *table, state_id id, const uint32_t *state)
{
    const struct state_tree *tree = table->tree;
    if (tree) {
        uint32_t left, right;
        state_roots_get(&tree->roots, id, &left, &right);
        return has_slots(&tree->left, left, state) &&
               has_slots(&tree->right, right, state + tree->split);
    }
    const struct state_chunk *chunk = &table->chunks.items[id >> table->chunk_bits];
    uint64_t scratch[STATE_WORDS_MOST];
    return state_layout_is(chunk->layout,
                           state_chunk_words(chunk, state_table_place(table, id), scratch), state);
}

static state_id tree_find(const struct state_table *table, const uint32_t *state, uint64_t hash)
{
    for (struct table_search search = table_search(&table->numbers, hash); table_next(&search);)
        if (has_slots(table, search.number, state))
            return search.number;
    return STATE_REFUSED;
}

/* Packs a state in the layout of the table; false: it has no room for it. */
static bool pack_anew(const struct state_table *table, const uint32_t *state,
                      struct packed_state *packed)
{
    unpack(packed);
    packed->layout = table->layout;
    packed->fits = packed->whole = state_layout_pack(table->layout, state, packed->words);
    return packed->fits;
}

state_id state_table_find_packed(const struct state_table *table, const uint32_t *state,
                                 uint64_t hash, struct packed_state *packed)
{
    if (state_table_finds_words(table)) {
        const bool fits =
            packed->layout == table->layout ? packed->fits : pack_anew(table, state, packed);
        return fits ? state_table_find_word(table, *packed->words) : STATE_REFUSED;
    }
    if (table->tree) {
        unpack(packed);
        return tree_find(table, state, hash);
    }
    if (packed->layout == table->layout && !packed->fits)
        return STATE_REFUSED; /* none that was stored has such slots */
    for (struct table_search search = table_search(&table->numbers, hash); table_next(&search);)
        if (is_state(table, search.number, state, packed))
            return search.number;
    return STATE_REFUSED;
}

state_id state_table_find(struct state_table *table, const uint32_t *state, uint64_t hash)
{
    table->packed.layout = NULL;
    state_table_settle(table);
    if (table->count == 0)
        return STATE_REFUSED;
    if (!table->tree)
        state_layouts_pack(layouts_of(table), state, &table->packed);
    return state_table_find_packed(table, state, hash, &table->packed);
}

/* ---- storing ---- */

static uint32_t *scratch_of(const struct state_table *table)
{
    return table->recent + (size_t)STATE_RECENT * table->slots;
}

/* Writes the chunk that is being filled in another layout. */
static bool chunk_rewrite(struct state_table *table, const struct state_layout *layout)
{
    uint32_t filled = (uint32_t)state_table_place(table, table->count);
    uint32_t *state = scratch_of(table);
    struct state_chunk *chunk = &table->chunks.items[table->chunks.length - 1], wider;
    if (!state_chunk_init(&wider, table->budget, layout, states_of_chunk(table)))
        return false;
    for (uint32_t i = 0; i < filled; i++) {
        uint64_t scratch[STATE_WORDS_MOST];
        state_layout_unpack(chunk->layout, state_chunk_words(chunk, i, scratch), state);
        bool fits = state_layout_pack(layout, state, table->packed.words);
        assert(fits);
        (void)fits;
        state_chunk_put(&wider, i, table->packed.words);
    }
    state_chunk_release(chunk, table->budget, states_of_chunk(table));
    *chunk = wider;
    return true;
}

static bool make_scratch(struct state_table *table)
{
    if (!table->packed.words)
        table->packed.words = memory_allocate(table->budget, packed_size(table));
    if (!table->recent)
        table->recent = memory_zeroed(table->budget, recent_size(table));
    return table->packed.words && table->recent;
}

/* Packs the state whole in the table's layout; false: that cannot hold it. */
static bool pack_all(const struct state_table *table, const uint32_t *state,
                     struct packed_state *packed)
{
    if (!table->layout)
        return false;
    if (packed->layout == table->layout && (!packed->fits || packed->whole))
        return packed->fits;
    return pack_anew(table, state, packed);
}

/* ---- finding by words ---- */

/* In a wider layout all states have other words: the index is made anew if there are twice as many
 * states as when the last one was made, else they are found by hashes until there are. So to change
 * the index takes no more than a few looks at each state in all. */

/* Puts one that is not there, for which there is room, but perhaps not beyond the end. */
static bool put_in(struct word_index *index, uint64_t word, state_id id)
{
    struct word_line *line = word_index_line(index, word);
    const uint32_t found = word_index_find(&line, word);
    assert(found == WORD_INDEX_NONE);
    (void)found;
    return word_index_put(index, line, word, id) || word_index_put_beyond(index, word, id);
}

/* The same of the index of a table. False when refused. */
static bool put_word(struct state_table *table, uint64_t word, state_id id)
{
    return word_index_reserve(&table->words, 1) && put_in(&table->words, word, id);
}

/* The word of a state in a layout. */
static uint64_t word_of(const struct state_table *table, state_id id,
                        const struct state_layout *layout)
{
    uint64_t scratch[STATE_WORDS_MOST], word[2];
    const struct state_layout *stored = NULL;
    const uint64_t *words = state_table_words(table, id, scratch, &stored);
    if (stored == layout)
        return *words;
    state_layout_unpack(stored, words, scratch_of(table));
    const bool fits = state_layout_pack(layout, scratch_of(table), word);
    assert(fits); /* it can hold what those before it could */
    (void)fits;
    return *word;
}

/* An index of all states in a layout; what is looked at for some of them is fetched for all of
 * these. False when refused: it is empty then. */
static bool index_words(const struct state_table *table, const struct state_layout *layout,
                        struct word_index *index)
{
    uint64_t words[TOGETHER];
    bool room = word_index_reserve(index, table->count + (size_t)1);
    for (state_id first = 0; first < table->count && room; first += TOGETHER) {
        const uint32_t left = table->count - first, count = left < TOGETHER ? left : TOGETHER;
        for (uint32_t i = 0; i < count; i++) {
            words[i] = word_of(table, first + i, layout);
            __builtin_prefetch(word_index_line(index, words[i]), 1);
        }
        for (uint32_t i = 0; i < count && room; i++)
            room = put_in(index, words[i], first + i);
    }
    if (!room)
        word_index_release(index);
    return room;
}

static bool is_of_use(const struct state_table *table, const struct state_layout *layout)
{
    return layout->words == 1 && budget_hundredths(table->budget) <= USED_MOST;
}

/* There are twice as many states as when the layout was made. */
static bool is_settled(const struct state_table *table)
{
    return table->count / 2 >= table->widened;
}

/* Has states found by their words, if that is of use, before a chunk is begun. What is refused
 * leaves the table as it was. */
static void begin_words(struct state_table *table)
{
    const struct state_layout *layout = table->layout;
    if (!state_table_finds_words(table) && !table->shared && table->identity == table->slots &&
        table->count >= WORDS_FROM && is_settled(table) &&
        layout == state_layouts_last(&table->own) && is_of_use(table, layout) &&
        index_words(table, layout, &table->words))
        table_release(&table->numbers);
}

/* Has them found by their hashes. False when refused: they are still found by their words. */
static bool end_words(struct state_table *table)
{
    if (!state_table_finds_words(table))
        return true;
    assert(!table->numbers.entries);
    for (state_id id = 0; id < table->count; id++) {
        state_table_read(table, id, scratch_of(table));
        if (!table_add(&table->numbers, state_table_hash(table, scratch_of(table)), id)) {
            table_release(&table->numbers);
            return false;
        }
    }
    word_index_release(&table->words);
    return true;
}

/* Before the layout in use becomes a wider one: has states found by their words in that one, in
 * `made`, or by their hashes. False when refused: all is as it was. */
static bool prepare_words(struct state_table *table, const struct state_layout *wider,
                          struct word_index *made)
{
    word_index_init(made, table->budget);
    if (state_table_finds_words(table) && is_settled(table) && is_of_use(table, wider))
        return index_words(table, wider, made);
    return end_words(table);
}

/* ---- layouts and chunks ---- */

/* Gives the table a layout that the state fits. */
static bool table_widen(struct state_table *table, const uint32_t *state,
                        struct packed_state *packed)
{
    const struct state_layout *layout = state_layouts_for(layouts_of(table), state, packed->words);
    struct word_index words;
    packed->layout = NULL;
    if (!layout || !prepare_words(table, layout, &words))
        return false;
    if (state_table_place(table, table->count) && !chunk_rewrite(table, layout)) {
        word_index_release(&words);
        return false;
    }
    word_index_release(&table->words);
    table->words = words;
    table->layout = layout;
    table->widened = table->count;
    return true;
}

/* ---- trees ---- */

static bool tree_push(struct state_tree *tree, const uint32_t *state)
{
    bool fresh;
    const state_id left = state_table_intern(&tree->left, state, &fresh),
                   right = state_table_intern(&tree->right, state + tree->split, &fresh);
    return left != STATE_REFUSED && right != STATE_REFUSED &&
           state_roots_push(&tree->roots, left, right);
}

/* Half of a tree. */
static void half_init(struct state_table *half, const struct state_table *table,
                      struct budget *budget, uint32_t slots)
{
    state_table_init(half, budget, slots, slots);
    half->split_from = table->split_from;
    half->split_used = table->split_used;
    half->split_most = table->split_most;
}

/* All states in a tree; null when refused. */
static struct state_tree *tree_create(const struct state_table *table, uint32_t slot)
{
    if (budget_left(table->budget) < sizeof(struct state_tree))
        return NULL;
    struct state_tree *tree = memory_zeroed(table->budget, sizeof *tree);
    if (!tree)
        return NULL;
    tree->split = slot;
    state_split_budget(&tree->budget, table->budget);
    half_init(&tree->left, table, &tree->budget, slot);
    half_init(&tree->right, table, &tree->budget, table->slots - slot);
    state_roots_init(&tree->roots, &tree->budget);
    for (state_id id = 0; id < table->count; id++)
        if (!tree_push(tree, state_table_get(table, id))) {
            tree_destroy(table->budget, tree);
            return NULL;
        }
    tree->budget.limit = 0;
    return tree;
}

static const uint32_t *get(const void *table, uint32_t number)
{
    return state_table_get(table, number);
}

/* Makes a tree of the table if that is smaller; else, or when there is no room, it stays as it is
 * until it has four times as many states. */
static void split(struct state_table *table)
{
    const struct state_sample sample = {.budget = table->budget,
                                        .layout = table->layout,
                                        .count = table->count,
                                        .state = get,
                                        .table = table};
    uint32_t slot = 0;
    if (end_words(table) && table->slots > 1 && table->layout->words > SPLIT_WORDS)
        slot = state_split_choose(&sample, table->split_most);
    struct state_tree *tree = slot ? tree_create(table, slot) : NULL;
    if (tree) {
        chunks_release(table);
        state_layouts_retire(&table->own); /* states on their way here may have one */
        table->layout = NULL;
        table->tree = tree;
        return;
    }
    table->split_from = table->count <= UINT32_MAX / 4 ? 4 * table->count : 0;
}

static void split_where_short(struct state_table *table)
{
    if (budget_hundredths(table->budget) >= table->split_used)
        split(table);
    else
        table->split_from = table->count <= UINT32_MAX - SPLIT_ASKS ? table->count + SPLIT_ASKS : 0;
}

/* Begins a chunk, in the layout in use; the one before is full. */
static bool add_chunk(struct state_table *table)
{
    const size_t states = states_of_chunk(table), before = table->chunks.length;
    struct state_chunk chunk;
    if (!state_chunk_init(&chunk, table->budget, table->layout, states))
        return false;
    if (!vector_push(&table->chunks, chunk)) {
        state_chunk_release(&chunk, table->budget, states);
        return false;
    }
    if (before)
        state_chunk_close(&table->chunks.items[before - 1], table->budget, states);
    return true;
}

/* Takes the last state out again, which is nowhere to be found, and the chunk that it began. */
static void pop(struct state_table *table)
{
    table->count--;
    if (table->tree)
        state_roots_pop(&table->tree->roots);
    else if (state_table_place(table, table->count) == 0)
        state_chunk_release(&table->chunks.items[--table->chunks.length], table->budget,
                            states_of_chunk(table));
}

/* Puts a state that is packed into the chunk that is being filled. */
static state_id push_row(struct state_table *table, const uint64_t *words)
{
    state_chunk_put(&table->chunks.items[table->chunks.length - 1],
                    state_table_place(table, table->count), words);
    return table->count++;
}

static state_id state_store(struct state_table *table, const uint32_t *state,
                            struct packed_state *packed)
{
    if (table->count >= STATE_REFUSED - 1)
        return STATE_REFUSED;
    if (!table->tree && table->split_from && table->count >= table->split_from)
        split_where_short(table);
    if (table->tree || !table->layout)
        unpack(packed);
    if (table->tree)
        return tree_push(table->tree, state) ? table->count++ : STATE_REFUSED;
    const size_t place = state_table_place(table, table->count);
    if (place == 0) {
        table->layout = state_layouts_last(layouts_of(table));
        begin_words(table);
    }
    if (!make_scratch(table) ||
        (!pack_all(table, state, packed) &&
         (!table_widen(table, state, packed) || !pack_all(table, state, packed))) ||
        (place == 0 && !add_chunk(table)))
        return STATE_REFUSED;
    return push_row(table, packed->words);
}

state_id state_table_add_packed(struct state_table *table, const uint32_t *state, uint64_t hash,
                                struct packed_state *packed)
{
    assert(state_table_find_packed(table, state, hash, packed) == STATE_REFUSED); /* once each */
    state_id id = state_store(table, state, packed);
    if (id == STATE_REFUSED ||
        (state_table_finds_words(table) ? put_word(table, *packed->words, id)
                                        : table_add(&table->numbers, hash, id)))
        return id;
    pop(table);
    return STATE_REFUSED;
}

void state_table_fetch_words(const struct state_table *table, const struct state_layout *layout,
                             const uint64_t *words)
{
    if (state_table_finds_words(table) && layout == table->layout)
        __builtin_prefetch(word_index_line(&table->words, *words));
}

void state_table_fetch(const struct state_table *table, uint64_t hash)
{
    struct table_search search = table_search(&table->numbers, hash);
    if (table->tree || !table_next(&search))
        return;
    state_chunk_fetch(&table->chunks.items[search.number >> table->chunk_bits],
                      state_table_place(table, search.number));
}

bool state_table_intern_quickly(struct state_table *table, const struct state_layout *layout,
                                const uint64_t *words, uint64_t hash, state_id *id, bool *fresh)
{
    const uint32_t place = (uint32_t)state_table_place(table, table->count);
    if (table->tree || layout != table->layout || place == 0 ||
        (table->split_from && table->count >= table->split_from))
        return false;
    if (state_table_finds_words(table)) {
        *id = state_table_find_word(table, *words);
        *fresh = *id == STATE_REFUSED;
        if (!*fresh)
            return true;
        if (!put_word(table, *words, table->count))
            return false;
        *id = push_row(table, words);
        return true;
    }
    struct table_search search = table_search(&table->numbers, hash);
    while (table_next(&search)) {
        const struct state_chunk *chunk = &table->chunks.items[search.number >> table->chunk_bits];
        if (UNLIKELY(chunk->layout != layout))
            return false;
        *id = search.number;
        *fresh = false;
        if (state_chunk_has(chunk, state_table_place(table, search.number), words))
            return true;
    }
    *id = table->count;
    *fresh = true;
    return table_add_at(&table->numbers, search.at, hash, *id) && push_row(table, words) == *id;
}

state_id state_table_add(struct state_table *table, const uint32_t *state, uint64_t hash)
{
    if (!make_scratch(table))
        return STATE_REFUSED;
    const state_id id = state_table_add_packed(table, state, hash, &table->packed);
    table->packed.layout = NULL;
    return id;
}

state_id state_table_intern(struct state_table *table, const uint32_t *state, bool *fresh)
{
    uint64_t hash = state_table_hash(table, state);
    state_id id = state_table_find(table, state, hash);
    *fresh = id == STATE_REFUSED;
    return *fresh ? state_table_add(table, state, hash) : id;
}

void state_table_read_tree(const struct state_table *table, state_id id, uint32_t *state)
{
    const struct state_tree *tree = table->tree;
    uint32_t left, right;
    state_roots_get(&tree->roots, id, &left, &right);
    state_table_read(&tree->left, left, state);
    state_table_read(&tree->right, right, state + tree->split);
}

const uint32_t *state_table_get(const struct state_table *table, state_id id)
{
    uint32_t *turn = table->recent + (STATE_RECENT + (size_t)1) * table->slots;
    uint32_t *state = table->recent + (size_t)*turn * table->slots;
    *turn = (*turn + 1) % STATE_RECENT;
    state_table_read(table, id, state);
    return state;
}

void state_table_bytes(const struct state_table *table, size_t *states, size_t *index)
{
    *index += table_size(&table->numbers) + word_index_bytes(&table->words);
    for (size_t i = 0; i < table->chunks.length; i++)
        *states += state_chunk_size(&table->chunks.items[i], states_of_chunk(table));
    if (!table->tree)
        return;
    state_table_bytes(&table->tree->left, states, index);
    state_table_bytes(&table->tree->right, states, index);
    *states += state_roots_bytes(&table->tree->roots);
}

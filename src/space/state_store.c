#include "space/state_store.h"

#include <string.h>

#include "space/state_rows.h"

/* ---- parts ---- */

static struct state_part *parts_create(const struct state_store *store, uint32_t bits,
                                       struct state_layouts *layouts)
{
    const uint32_t count = UINT32_C(1) << bits;
    struct state_part *parts = memory_zeroed(store->budget, count * sizeof *parts);
    for (uint32_t i = 0; parts && i < count; i++) {
        pthread_mutex_init(&parts[i].lock, NULL);
        if (layouts)
            state_table_init_shared(&parts[i].states, layouts);
        else
            state_table_init(&parts[i].states, store->budget, store->slots, store->identity);
    }
    return parts;
}

static void parts_destroy(struct budget *budget, struct state_part *parts, uint32_t bits)
{
    const uint32_t count = UINT32_C(1) << bits;
    for (uint32_t i = 0; parts && i < count; i++) {
        pthread_mutex_destroy(&parts[i].lock);
        state_table_release(&parts[i].states);
    }
    memory_release(budget, parts, count * sizeof *parts);
}

static void layouts_destroy(struct budget *budget, struct state_layouts *layouts)
{
    if (!layouts)
        return;
    state_layouts_release(layouts);
    memory_release(budget, layouts, sizeof *layouts);
}

bool state_store_init(struct state_store *store, struct budget *budget, uint32_t slots,
                      uint32_t identity)
{
    *store = (struct state_store){.budget = budget, .slots = slots, .identity = identity};
    store->parts = parts_create(store, 0, NULL);
    return store->parts;
}

void state_store_release(struct state_store *store)
{
    parts_destroy(store->budget, store->parts, store->bits);
    layouts_destroy(store->budget, store->layouts);
    *store = (struct state_store){.budget = store->budget};
}

bool state_adder_init(struct state_adder *adder, const struct state_store *store)
{
    *adder = (struct state_adder){0};
    vectors_init(store->budget, &adder->words, &adder->slots);
    return vector_reserve(&adder->words, store->slots + (size_t)1) &&
           vector_reserve(&adder->slots, store->slots + (size_t)1);
}

void state_adder_release(struct state_adder *adder)
{
    vectors_release(&adder->words, &adder->slots);
}

/* Says where the table is now. */
static void tell_place(struct state_part *part)
{
    const struct table *numbers = &part->states.numbers;
    if (atomic_load_explicit(&part->capacity, memory_order_relaxed) == numbers->capacity)
        return;
    atomic_store_explicit(&part->entries, (uintptr_t)numbers->entries, memory_order_relaxed);
    atomic_store_explicit(&part->capacity, numbers->capacity, memory_order_relaxed);
}

/* The table of a hash is laid out by its upper half. */
static struct state_part *part_of_hash(const struct state_store *store, uint64_t hash)
{
    return state_store_part(store, (state_id)hash);
}

/* The number that a state of a part has; STATE_REFUSED where there is none. */
static state_id number_of(const struct state_store *store, const struct state_part *part,
                          state_id within)
{
    if (within > (STATE_REFUSED - 1) >> store->bits)
        return STATE_REFUSED;
    return within << store->bits | (state_id)(part - store->parts);
}

/* ---- adding ---- */

uint64_t state_store_hash(const struct state_store *store, const uint32_t *state)
{
    return state_table_hash(&store->parts[0].states, state);
}

/* In the layouts of all parts, before one of them is locked. */
static void pack(const struct state_store *store, struct state_adder *adder, const uint32_t *state)
{
    adder->packed.words = adder->words.items;
    adder->packed.slots = NULL;
    state_layouts_pack(state_store_layouts(store), state, &adder->packed);
}

/* Of a state that is packed, in a part that is locked. */
static state_id intern_in(struct state_part *part, struct state_adder *adder, const uint32_t *state,
                          uint64_t hash)
{
    state_id within = state_table_find_packed(&part->states, state, hash, &adder->packed);
    if (within == STATE_REFUSED) {
        within = state_table_add_packed(&part->states, state, hash, &adder->packed);
        tell_place(part);
    }
    return within;
}

static state_id intern(const struct state_store *store, struct state_adder *adder,
                       const uint32_t *state, uint64_t hash)
{
    struct state_part *part = part_of_hash(store, hash);
    state_store_lock(store, part);
    const state_id within = intern_in(part, adder, state, hash);
    state_store_unlock(store, part);
    return number_of(store, part, within);
}

state_id state_store_intern(const struct state_store *store, struct state_adder *adder,
                            const uint32_t *state, uint64_t hash)
{
    pack(store, adder, state);
    return intern(store, adder, state, hash);
}

/* Takes what is packed. `slots`: where its slots are to be, if they are not known. */
static void take_packed(struct state_adder *adder, const struct state_layout *layout,
                        const uint64_t *words, uint32_t *slots)
{
    for (uint32_t i = 0; i < layout->words; i++)
        adder->words.items[i] = words[i];
    adder->packed = (struct packed_state){
        .words = adder->words.items, .layout = layout, .fits = true, .whole = true, .slots = slots};
}

/* `slots`: the state's, where they are known; else where they are to be. */
static state_id intern_packed(const struct state_store *store, struct state_adder *adder,
                              const uint32_t *state, uint32_t *slots, uint64_t hash,
                              const struct state_layout *layout, const uint64_t *words)
{
    struct state_part *part = part_of_hash(store, hash);
    state_id within;
    bool fresh;
    state_store_lock(store, part);
    if (!state_table_intern_quickly(&part->states, layout, words, hash, &within, &fresh)) {
        take_packed(adder, layout, words, slots);
        within = intern_in(part, adder, state, hash);
    }
    state_store_unlock(store, part);
    return number_of(store, part, within);
}

state_id state_store_intern_packed(const struct state_store *store, struct state_adder *adder,
                                   const uint32_t *state, uint64_t hash,
                                   const struct state_layout *layout, const uint64_t *words)
{
    uint32_t *slots = state ? NULL : adder->slots.items;
    return intern_packed(store, adder, state ? state : slots, slots, hash, layout, words);
}

state_id state_store_intern_found(const struct state_store *store, struct state_adder *adder,
                                  const struct found_state *found)
{
    if (!found->layout)
        return state_store_intern(store, adder, (const uint32_t *)found->words, found->hash);
    return intern_packed(store, adder, adder->slots.items, adder->slots.items, found->hash,
                         found->layout, found->words);
}

static uint64_t hash_of_row(const struct state_store *store, const struct state_adder *adder,
                            const struct found_rows *rows, size_t row)
{
    if (row >= rows->unhashed)
        return rows->hashes.items[row];
    state_layout_unpack(rows->layout, found_rows_words(rows, row), adder->slots.items);
    return state_store_hash(store, adder->slots.items);
}

bool state_store_intern_rows(const struct state_store *store, struct state_adder *adder,
                             const struct found_rows *rows)
{
    struct state_part *part = &store->parts[0];
    assert(store->bits == 0);
    for (size_t i = 0;; i++) {
        i = state_table_intern_rows(&part->states, rows, i, adder->slots.items);
        if (i == rows->count)
            break;
        const state_id number = intern_packed(store, adder, adder->slots.items, adder->slots.items,
                                              hash_of_row(store, adder, rows, i), rows->layout,
                                              found_rows_words(rows, i));
        rows->numbers.items[i] = number;
        if (number == STATE_REFUSED)
            return false;
    }
    tell_place(part);
    return true;
}

state_id state_store_find(const struct state_store *store, struct state_adder *adder,
                          const uint32_t *state, uint64_t hash)
{
    const struct state_part *part = part_of_hash(store, hash);
    pack(store, adder, state);
    return number_of(store, part,
                     state_table_find_packed(&part->states, state, hash, &adder->packed));
}

state_id state_store_add(const struct state_store *store, struct state_adder *adder,
                         const uint32_t *state, uint64_t hash)
{
    struct state_part *part = part_of_hash(store, hash);
    const state_id within = state_table_add_packed(&part->states, state, hash, &adder->packed);
    tell_place(part);
    return number_of(store, part, within);
}

/* ---- dividing ---- */

/* Layouts for several parts, which begin with what the states of the one have taught. */
static struct state_layouts *layouts_create(const struct state_store *store)
{
    struct state_layouts *layouts = memory_allocate(store->budget, sizeof *layouts);
    if (!layouts)
        return NULL;
    state_table_init_layouts(layouts, store->budget, store->slots, store->identity);
    if (state_store_count(store) == 0 ||
        state_layouts_begin_like(layouts, &store->parts[0].states.own, state_store_get(store, 0)))
        return layouts;
    layouts_destroy(store->budget, layouts);
    return NULL;
}

/* Adds all states of another store. */
static bool take_all(struct state_store *store, const struct state_store *from, state_id *numbers)
{
    const uint32_t count = state_store_count(from);
    struct state_adder adder;
    bool room = state_adder_init(&adder, store);
    for (state_id id = 0; id < count && room; id++) {
        const uint32_t *state = state_store_get(from, id);
        numbers[id] = state_store_intern(store, &adder, state, state_store_hash(store, state));
        room = numbers[id] != STATE_REFUSED;
    }
    state_adder_release(&adder);
    return room;
}

enum status state_store_divide(struct state_store *store, uint32_t bits, state_id *numbers)
{
    struct state_store divided = *store;
    assert(store->bits == 0);
    divided.parts = NULL;
    divided.bits = bits;
    divided.layouts = layouts_create(store);
    if (divided.layouts)
        divided.parts = parts_create(store, bits, divided.layouts);
    const bool room = divided.parts && take_all(&divided, store, numbers);
    struct state_store gone = room ? *store : divided;
    if (room)
        *store = divided;
    state_store_release(&gone);
    return granted(room);
}

/* ---- reading ---- */

uint32_t state_store_count(const struct state_store *store)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i >> store->bits == 0; i++)
        count += store->parts[i].states.count;
    return count;
}

const uint32_t *state_store_get(const struct state_store *store, state_id state)
{
    return state_table_get(&state_store_part(store, state)->states, state >> store->bits);
}

void state_store_read(const struct state_store *store, state_id state, uint32_t *slots)
{
    struct state_part *part = state_store_part(store, state);
    state_store_lock(store, part);
    state_table_read(&part->states, state >> store->bits, slots);
    state_store_unlock(store, part);
}

void state_store_bytes(const struct state_store *store, size_t *states, size_t *index)
{
    for (uint32_t i = 0; i >> store->bits == 0; i++)
        state_table_bytes(&store->parts[i].states, states, index);
}

/* The table of states against a plain list of them: equal states have one number, whatever the
 * values of their slots, and what is read is what was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/vector.h"
#include "space/state_groups.h"
#include "space/state_store.h"

#define MOST_SLOTS  130
#define LARGE_SLOTS 5000 /* of which a chunk has fewer states */

/* All states of a round, one after the other, in the order in which they were added. */
struct plain {
    uint32_t slots, identity, count;
    VECTOR(uint32_t) states;
};

static state_id plain_find(const struct plain *plain, const uint32_t *state)
{
    for (uint32_t i = 0; i < plain->count; i++)
        if (memcmp(plain->states.items + (size_t)i * plain->slots, state,
                   plain->identity * sizeof *state) == 0)
            return i;
    return STATE_REFUSED;
}

static void expect_same(const struct state_table *table, const struct plain *plain)
{
    static uint32_t state[LARGE_SLOTS];
    assert_int_equal(table->count, plain->count);
    for (uint32_t i = 0; i < plain->count; i++) {
        const uint32_t *expected = plain->states.items + (size_t)i * plain->slots;
        state_table_read(table, i, state);
        assert_memory_equal(state, expected, plain->slots * sizeof *state);
        assert_memory_equal(state_table_get(table, i), expected, plain->slots * sizeof *state);
    }
}

/* Interns a state in both. */
static void intern(struct state_table *table, struct plain *plain, const uint32_t *state)
{
    bool fresh;
    state_id expected = plain_find(plain, state);
    uint64_t hash = state_table_hash(table, state);
    assert_int_equal(state_table_find(table, state, hash), expected);
    state_id id = state_table_intern(table, state, &fresh);
    assert_int_equal(fresh, expected == STATE_REFUSED);
    assert_int_equal(id, fresh ? plain->count : expected);
    if (!fresh)
        return;
    for (uint32_t i = 0; i < plain->slots; i++)
        assert_true(vector_push(&plain->states, state[i]));
    plain->count++;
}

#define NARROW UINT32_MAX /* kinds: all small, but for a few, so that some slots are one word */

/* A value of a slot, of one of several kinds: constant, small, growing, any, at the ends. */
static uint32_t value_of(struct random *random, uint32_t slot, uint32_t kinds, uint32_t round)
{
    static const uint32_t ends[] = {
        0, 1, UINT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN + 1, INT32_MAX - 1};
    if (kinds == NARROW)
        return random_below(random, random_below(random, 3000) ? 8 : 64);
    switch ((slot * 7 + kinds) % 6) {
    case 0:
        return (uint32_t)-5;
    case 1:
        return random_below(random, 4);
    case 2:
        return (uint32_t)((int32_t)random_below(random, 3) - 1);
    case 3:
        return random_below(random, 2) ? round : round / 50;
    case 4:
        return random_below(random, 20) ? 7 : ends[random_below(random, ARRAY_LENGTH(ends))];
    default:
        return random_below(random, 30) ? (uint32_t)INT32_MIN + random_below(random, 2)
                                        : (uint32_t)random_next(random);
    }
}

static unsigned trees;

static void compare(uint32_t slots, uint32_t identity, uint32_t states, uint64_t seed)
{
    struct budget budget;
    struct random random;
    struct state_table table;
    struct plain plain = {.slots = slots, .identity = identity};
    budget_init(&budget, NULL, 0);
    random_seed(&random, seed);
    vector_init(&plain.states, &budget);
    state_table_init(&table, &budget, slots, identity);
    if (table.split_from && seed % 2) {
        table.split_from = 1 + random_below(&random, 60);
        table.split_used = 0;
        table.split_most = 1000; /* though it is not worth it */
    }
    static uint32_t state[LARGE_SLOTS];
    uint32_t kinds = random_below(&random, 6);
    memset(state, 0, sizeof state);
    for (uint32_t i = 0; i < states; i++) {
        for (uint32_t j = 0; j < slots; j++)
            if (i == 0 || random_below(&random, slots) < 3)
                state[j] = value_of(&random, j, kinds, i);
        intern(&table, &plain, state);
        if (plain.count > 1 && random_below(&random, 4) == 0) { /* one that is there */
            uint32_t old = random_below(&random, plain.count);
            memcpy(state, plain.states.items + (size_t)old * slots, slots * sizeof *state);
            intern(&table, &plain, state);
        }
    }
    expect_same(&table, &plain);
    trees += table.tree != NULL;
    state_table_release(&table);
    vector_release(&plain.states);
    assert_int_equal(budget.used, 0);
}

static void random_states_agree_with_a_list(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random random;
        random_seed(&random, seed);
        uint32_t slots = 1 + random_below(&random, seed % 3 ? 12 : MOST_SLOTS);
        uint32_t identity = seed % 4 ? slots : random_below(&random, slots + 1);
        compare(slots, identity, 400, seed);
    }
    compare(9, 9, 4000, 1000); /* several chunks, of several layouts */
    compare(70, 64, 4000, 1001);
    compare(LARGE_SLOTS, LARGE_SLOTS, 600, 1002);
    compare(LARGE_SLOTS, LARGE_SLOTS - 7, 600, 1003);
    assert_true(trees > 20);
}

/* ---- tables that share layouts ---- */

#define SHARING 3

struct sharing {
    struct state_layouts layouts;
    struct state_table tables[SHARING];
    struct plain plains[SHARING];
    uint32_t state[MOST_SLOTS];
    uint64_t words[MOST_SLOTS + 1];
};

/* A state like the last one, which some slots tell from that. */
static void change(struct sharing *sharing, struct random *random, uint32_t kinds, uint32_t round)
{
    const uint32_t slots = sharing->plains[0].slots;
    for (uint32_t j = 0; j < slots; j++)
        if (round == 0 || random_below(random, slots) < 3)
            sharing->state[j] = value_of(random, j, kinds, round);
}

/* Interns a state that was packed some time ago: others may have given the tables wider layouts. */
static void intern_packed(struct sharing *sharing, uint32_t at, const uint32_t *state,
                          struct packed_state *packed)
{
    struct state_table *table = &sharing->tables[at];
    struct plain *plain = &sharing->plains[at];
    const uint64_t hash = state_table_hash(table, state);
    const state_id expected = plain_find(plain, state);
    assert_int_equal(state_table_find_packed(table, state, hash, packed), expected);
    if (expected != STATE_REFUSED)
        return;
    assert_int_equal(state_table_add_packed(table, state, hash, packed), plain->count);
    for (uint32_t i = 0; i < plain->slots; i++)
        assert_true(vector_push(&plain->states, state[i]));
    plain->count++;
}

static void compare_sharing(uint64_t seed)
{
    struct budget budget;
    struct random random;
    struct sharing sharing = {0};
    struct packed_state packed = {.words = sharing.words};
    uint32_t before[MOST_SLOTS];
    random_seed(&random, seed);
    budget_init(&budget, NULL, 0);
    const uint32_t slots = 1 + random_below(&random, seed % 3 ? 12 : MOST_SLOTS),
                   identity = seed % 4 ? slots : random_below(&random, slots + 1),
                   kinds = random_below(&random, 6);
    state_table_init_layouts(&sharing.layouts, &budget, slots, identity);
    for (uint32_t i = 0; i < SHARING; i++) {
        state_table_init_shared(&sharing.tables[i], &sharing.layouts);
        if (sharing.tables[i].split_from && seed % 2 && i == 0) {
            sharing.tables[i].split_from = 1 + random_below(&random, 60);
            sharing.tables[i].split_used = 0;
            sharing.tables[i].split_most = 1000;
        }
        sharing.plains[i] = (struct plain){.slots = slots, .identity = identity};
        vector_init(&sharing.plains[i].states, &budget);
    }
    for (uint32_t i = 0; i < 600; i++) {
        change(&sharing, &random, kinds, i);
        state_layouts_pack(&sharing.layouts, sharing.state, &packed);
        memcpy(before, sharing.state, sizeof before);
        if (random_below(&random, 3) == 0) { /* other threads, meanwhile; also at the same table */
            change(&sharing, &random, kinds, i);
            const uint32_t other = random_below(&random, SHARING);
            intern(&sharing.tables[other], &sharing.plains[other],
                   random_below(&random, 4) ? sharing.state : before);
        }
        intern_packed(&sharing, random_below(&random, SHARING), before, &packed);
    }
    for (uint32_t i = 0; i < SHARING; i++) {
        expect_same(&sharing.tables[i], &sharing.plains[i]);
        state_table_release(&sharing.tables[i]);
        vector_release(&sharing.plains[i].states);
    }
    state_layouts_release(&sharing.layouts);
    assert_int_equal(budget.used, 0);
}

static void tables_that_share_layouts_agree_with_lists(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++)
        compare_sharing(seed);
}

/* ---- states that are added later ---- */

#define FOUND_MOST   40
#define FOUND_ROUNDS 25

/* Has the next one that was found, and checks it against the state that it was. */
static void take_found(struct state_store *store, struct state_adder *adder,
                       struct found_states *found, const struct found_state *as,
                       const uint32_t *state)
{
    uint32_t read[MOST_SLOTS];
    const struct found_state *ahead, *first = found_states_first(found);
    while ((ahead = found_states_ahead(found, store->slots, 3)))
        state_store_fetch(store, ahead->hash);
    assert_non_null(first);
    assert_int_equal(first->hash, as->hash);
    assert_int_equal(first->order, as->order);
    assert_int_equal(first->with, as->with);
    assert_int_equal(first->parent, as->parent);
    const uint32_t count = state_store_count(store);
    const state_id known = state_store_find(store, adder, state, as->hash),
                   id = state_store_intern_found(store, adder, first);
    found_states_take(found, store->slots);
    assert_int_equal(state_store_count(store), count + (known == STATE_REFUSED));
    assert_true(known == STATE_REFUSED || id == known);
    state_store_read(store, id, read);
    assert_memory_equal(read, state,
                        (known == STATE_REFUSED ? store->slots : store->identity) * sizeof *read);
    assert_int_equal(state_store_find(store, adder, state, as->hash), id);
}

/* Rounds of states that are found and added behind others, which have widened the layouts. */
static void compare_found(uint64_t seed)
{
    static uint32_t states[FOUND_MOST][MOST_SLOTS];
    struct budget budget;
    struct random random;
    struct state_store store;
    struct state_adder adder;
    struct found_states found;
    struct found_state as[FOUND_MOST];
    state_id number = 0;
    random_seed(&random, seed);
    budget_init(&budget, NULL, 0);
    const uint32_t slots = 1 + random_below(&random, seed % 3 ? 12 : MOST_SLOTS),
                   identity = seed % 4 ? slots : random_below(&random, slots + 1),
                   kinds = random_below(&random, 6);
    assert_true(state_store_init(&store, &budget, slots, identity));
    assert_true(state_adder_init(&adder, &store));
    found_states_init(&found, &budget);
    for (uint32_t j = 0; j < slots; j++)
        states[0][j] = value_of(&random, j, kinds, 0);
    assert_int_equal(
        state_store_intern(&store, &adder, states[0], state_store_hash(&store, states[0])), 0);
    assert_int_equal(state_store_divide(&store, 2, &number), STATUS_OK);
    for (uint32_t round = 0; round < FOUND_ROUNDS; round++) {
        const uint32_t count = random_below(&random, FOUND_MOST);
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < slots; j++)
                if (random_below(&random, slots) < 3)
                    states[i][j] = value_of(&random, j, kinds, round * FOUND_MOST + i);
            as[i] = (struct found_state){.hash = state_store_hash(&store, states[i]),
                                         .order = i,
                                         .with = random_below(&random, 9),
                                         .parent = round};
            uint64_t words[MOST_SLOTS + 1];
            struct packed_state packed = {.words = words};
            state_layouts_pack(store.layouts, states[i], &packed);
            as[i].layout = packed.fits && packed.whole ? packed.layout : NULL;
            assert_true(found_states_push(&found, &as[i], words, states[i], slots));
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t other = random_below(&random, 2 * count); /* by itself, meanwhile */
            if (other < count)
                assert_int_not_equal(
                    state_store_intern(&store, &adder, states[other], as[other].hash),
                    STATE_REFUSED);
            take_found(&store, &adder, &found, &as[i], states[i]);
        }
        assert_null(found_states_first(&found));
        found_states_clear(&found);
    }
    found_states_release(&found);
    state_adder_release(&adder);
    state_store_release(&store);
    assert_int_equal(budget.used, 0);
}

static void states_that_are_found_are_added_later(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++)
        compare_found(seed);
}

/* ---- rows of states ---- */

#define ROWS_MOST   150
#define ROWS_ROUNDS 20

/* Appends a state to a plain list unless it is there; its number. */
static state_id plain_add(struct plain *plain, const uint32_t *state)
{
    const state_id known = plain_find(plain, state);
    if (known != STATE_REFUSED)
        return known;
    for (uint32_t i = 0; i < plain->slots; i++)
        assert_true(vector_push(&plain->states, state[i]));
    return plain->count++;
}

/* Changes some slots of a state; now and then it is one of the list again. */
static void draw_row(struct random *random, const struct plain *plain, uint32_t kinds,
                     uint32_t *state)
{
    const uint32_t slots = plain->slots;
    if (random_below(random, 3) == 0)
        memcpy(state, plain->states.items + (size_t)random_below(random, plain->count) * slots,
               slots * sizeof *state);
    else
        for (uint32_t i = 0; i < slots; i++)
            if (random_below(random, slots) < 3)
                state[i] = value_of(random, i, kinds, plain->count);
}

struct rowing {
    struct budget budget;
    struct state_store store;
    struct state_adder adder;
    struct found_rows rows;
    struct plain plain; /* the same states */
    state_id expected[ROWS_MOST];
};

static void rowing_init(struct rowing *rowing, uint32_t slots)
{
    budget_init(&rowing->budget, NULL, 0);
    rowing->plain = (struct plain){.slots = slots, .identity = slots};
    vector_init(&rowing->plain.states, &rowing->budget);
    assert_true(state_store_init(&rowing->store, &rowing->budget, slots, slots));
    assert_true(state_adder_init(&rowing->adder, &rowing->store));
    found_rows_init(&rowing->rows, &rowing->budget);
}

static void rowing_release(struct rowing *rowing)
{
    found_rows_release(&rowing->rows);
    vector_release(&rowing->plain.states);
    state_adder_release(&rowing->adder);
    state_store_release(&rowing->store);
    assert_int_equal(rowing->budget.used, 0);
}

static void add_singly(struct rowing *rowing, const uint32_t *state)
{
    const uint64_t hash = state_store_hash(&rowing->store, state);
    const state_id expected = plain_add(&rowing->plain, state);
    assert_int_equal(state_store_intern(&rowing->store, &rowing->adder, state, hash), expected);
}

static void add_together(struct rowing *rowing)
{
    assert_true(state_store_intern_rows(&rowing->store, &rowing->adder, &rowing->rows));
    for (size_t i = 0; i < rowing->rows.count; i++) {
        assert_int_equal(rowing->rows.numbers.items[i], rowing->expected[i]);
        assert_int_equal(rowing->rows.parents.items[i], i);
    }
}

/* A state becomes one more row, where the layout in use has room for it; false: it has none. */
static bool add_row(struct rowing *rowing, const uint32_t *state)
{
    uint64_t words[MOST_SLOTS + 1];
    struct packed_state packed = {.words = words};
    const struct state_layouts *layouts = state_store_layouts(&rowing->store);
    struct found_rows *rows = &rowing->rows;
    if (!state_layouts_last(layouts))
        return false;
    state_layouts_pack(layouts, state, &packed);
    if (!packed.fits || !packed.whole || (rows->count && rows->layout != packed.layout))
        return false;
    assert_true(found_rows_reserve(rows, packed.layout, 1));
    rowing->expected[rows->count] = plain_add(&rowing->plain, state);
    found_rows_push(rows, state_store_hash(&rowing->store, state), (uint32_t)rows->count, words);
    return true;
}

static unsigned found_by_words; /* rounds */

/* Rounds of states that are packed, and are added together; those that do not fit the layout in use
 * are added by themselves, in their turn: what is found again is then in another layout. */
static void compare_rows(uint64_t seed)
{
    struct random random;
    struct rowing rowing;
    uint32_t state[MOST_SLOTS];
    random_seed(&random, seed);
    const bool narrow = seed % 5 == 0;
    const uint32_t slots = narrow ? 8 : 1 + random_below(&random, seed % 3 ? 12 : MOST_SLOTS),
                   kinds = narrow ? NARROW : random_below(&random, 6);
    struct state_table *table;
    rowing_init(&rowing, slots);
    table = &rowing.store.parts[0].states;
    if (seed % 4 == 0 && table->split_from) { /* it is a tree by and by */
        table->split_from = 1 + random_below(&random, 500);
        table->split_used = 0;
        table->split_most = 1000;
    }
    for (uint32_t i = 0; i < slots; i++)
        state[i] = value_of(&random, i, kinds, 0);
    add_singly(&rowing, state);
    for (uint32_t round = 0; round < (narrow ? 2 * ROWS_ROUNDS : ROWS_ROUNDS); round++) {
        for (uint32_t i = random_below(&random, ROWS_MOST); i > 0; i--) {
            draw_row(&random, &rowing.plain, kinds, state);
            if (add_row(&rowing, state))
                continue;
            add_together(&rowing);
            add_singly(&rowing, state);
            if (random_below(&random, 2)) /* or they are there already, in an old layout */
                found_rows_clear(&rowing.rows);
        }
        add_together(&rowing);
        found_by_words += state_table_finds_words(table);
        found_rows_clear(&rowing.rows);
        state_store_settle(&rowing.store);
    }
    expect_same(table, &rowing.plain);
    rowing_release(&rowing);
}

static void rows_of_states_are_added_in_their_order(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++)
        compare_rows(seed);
    assert_true(found_by_words > 5);
}

/* Every state of small slots: 3 to the power of 8 of them, in an order that is not theirs. */
static void all_states_of_small_slots_have_numbers_of_their_own(void **unused)
{
    enum {
        SLOTS = 8,
        STATES = 6561
    };
    (void)unused;
    struct budget budget;
    struct state_table table;
    budget_init(&budget, NULL, 0);
    state_table_init(&table, &budget, SLOTS, SLOTS);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < STATES; i++) {
            uint32_t state[SLOTS];
            bool fresh;
            for (uint32_t j = 0, rest = i * 4001 % STATES; j < SLOTS; j++, rest /= 3)
                state[j] = rest % 3 - 1;
            assert_int_equal(state_table_intern(&table, state, &fresh), i);
            assert_int_equal(fresh, pass == 0);
        }
    }
    /* 8 slots of 3 values are 16 bits: no more than a word each, and lines of 64 bytes with places
     * for five, of which at least half are taken. */
    assert_true(budget.used < STATES * (8 + 64 * 2 / 5) + 40000);
    state_table_release(&table);
}

/* ---- states that are found by their words ---- */

/* A state for each number: digits to the base of 16. Each power of two needs a bit more. */
static void digits_of(uint32_t number, uint32_t *state, uint32_t slots)
{
    for (uint32_t i = 0; i < slots; i++, number /= 16)
        state[i] = number % 16;
}

/* One bit more after another; and one shortly after the last, when it does not pay to find all
 * states by other words. */
static void wider_words_find_the_same_states(void **unused)
{
    enum {
        SLOTS = 7,
        STATES = 17000,
        LATE = 4200 /* states, and the layout was widened at 4096 */
    };
    struct budget budget;
    struct state_table table;
    uint32_t state[SLOTS] = {0};
    bool fresh;
    (void)unused;
    budget_init(&budget, NULL, 0);
    state_table_init(&table, &budget, SLOTS, SLOTS);
    for (uint32_t i = 0; i < STATES; i++) {
        digits_of(i, state, SLOTS);
        state[SLOTS - 1] = i == LATE;
        assert_int_equal(state_table_intern(&table, state, &fresh), i);
        assert_true(fresh);
        if (i == LATE - 1 || i == STATES - 1)
            assert_true(state_table_finds_words(&table));
        if (i == LATE)
            assert_false(state_table_finds_words(&table));
    }
    for (uint32_t i = 0; i < STATES; i++) {
        digits_of(i, state, SLOTS);
        state[SLOTS - 1] = i == LATE;
        assert_int_equal(state_table_intern(&table, state, &fresh), i);
        assert_false(fresh);
        state[SLOTS - 1] = 2; /* what there is no room for is not there */
        assert_int_equal(state_table_find(&table, state, state_table_hash(&table, state)),
                         STATE_REFUSED);
    }
    state_table_release(&table);
    assert_int_equal(budget.used, 0);
}

/* Words that would all like to be in the last line: more stand beyond it than there was room for.
 */
static void words_beyond_the_end_are_found(void **unused)
{
    enum {
        WORDS = 100
    };
    struct budget budget;
    struct word_index index;
    uint64_t words[WORDS], word = 0;
    uint32_t count = 0;
    (void)unused;
    budget_init(&budget, NULL, 0);
    word_index_init(&index, &budget);
    assert_true(word_index_reserve(&index, WORDS));
    const size_t beyond = index.beyond;
    for (; count < WORDS; word++) {
        struct word_line *line = word_index_line(&index, word);
        if (line + 1 != index.lines + index.capacity)
            continue;
        words[count] = word;
        assert_int_equal(word_index_find(&line, word), WORD_INDEX_NONE);
        assert_true(word_index_put(&index, line, word, count) ||
                    word_index_put_beyond(&index, word, count));
        count++;
    }
    assert_true(index.beyond > beyond);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            struct word_line *line = word_index_line(&index, words[i]);
            assert_int_equal(word_index_find(&line, words[i]), i);
        }
        assert_true(word_index_reserve(&index, 10000)); /* and in a larger one */
    }
    word_index_release(&index);
    assert_int_equal(budget.used, 0);
}

/* As many widenings as slots: the memory of layouts stays small. */
static void many_slots_do_not_make_many_layouts(void **unused)
{
    enum {
        SLOTS = 3000
    };
    (void)unused;
    struct budget budget;
    struct state_table table;
    budget_init(&budget, NULL, 0);
    state_table_init(&table, &budget, SLOTS, SLOTS);
    uint32_t *state = calloc(SLOTS, sizeof *state);
    bool fresh;
    for (uint32_t i = 0; i < SLOTS; i++) {
        state[i] = 1;
        assert_int_equal(state_table_intern(&table, state, &fresh), i);
    }
    assert_true(table.own.items.length < 100);
    free(state);
    state_table_release(&table);
}

static void out_of_memory_is_refused_and_nothing_is_lost(void **unused)
{
    (void)unused;
    for (size_t limit = 1000; limit < 120000; limit += 997) {
        struct budget budget;
        struct state_table table;
        budget_init(&budget, NULL, limit);
        state_table_init(&table, &budget, 3, 3);
        uint32_t added = 0, state[3] = {0};
        for (; added < 20000; added++) {
            bool fresh;
            state[0] = added;
            state[1] = added % 7;
            if (state_table_intern(&table, state, &fresh) == STATE_REFUSED)
                break;
        }
        for (uint32_t i = 0; i < added; i++) {
            state_table_read(&table, i, state);
            assert_int_equal(state[0], i);
            assert_int_equal(state[1], i % 7);
            assert_int_equal(state_table_find(&table, state, state_table_hash(&table, state)), i);
        }
        state_table_release(&table);
        assert_int_equal(budget.used, 0);
    }
}

/* Two independent halves of 100 values and 200 slots each, all pairs of them; next to the middle is
 * only what is the same in most. */
static void a_tree_keeps_equal_halves_once(void **unused)
{
    enum {
        HALF = 200,
        VALUES = 100
    };
    static uint32_t state[2 * HALF];
    struct budget budget;
    struct state_table table;
    (void)unused;
    budget_init(&budget, NULL, 0);
    state_table_init(&table, &budget, 2 * HALF, 2 * HALF);
    table.split_used = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < VALUES * VALUES; i++) {
            bool fresh;
            for (uint32_t j = 0; j < HALF; j++) {
                state[j] = i % VALUES >> j * 7 / HALF;
                state[2 * HALF - 1 - j] = i / VALUES >> j * 7 / HALF;
            }
            assert_int_equal(state_table_intern(&table, state, &fresh), i);
            assert_int_equal(fresh, pass == 0);
            state_table_read(&table, i / 2, state);
            assert_int_equal(state[2 * HALF - 1], i / 2 / VALUES);
        }
    assert_non_null(table.tree);
    /* As bits a state would take 200 bytes. */
    assert_true(budget.used < VALUES * VALUES * 60);
    state_table_release(&table);
    assert_int_equal(budget.used, 0);
}

static void out_of_memory_in_a_tree_loses_nothing(void **unused)
{
    enum {
        SLOTS = 20
    };
    unsigned ended_as_trees = 0;
    (void)unused;
    for (size_t limit = 2000; limit < 150000; limit += 1999) {
        struct budget budget;
        struct state_table table;
        budget_init(&budget, NULL, limit);
        state_table_init(&table, &budget, SLOTS, SLOTS);
        table.split_from = 64;
        table.split_used = limit % 2 ? 0 : 50;
        table.split_most = 1000;
        uint32_t added = 0, state[SLOTS] = {0};
        for (; added < 20000; added++) {
            bool fresh;
            for (uint32_t j = 0; j < SLOTS; j++)
                state[j] = (j % 2 ? added / 64 * 7919 : added % 64 * 104729) >> (j / 2) & 31;
            state[0] = added % 64;
            state[SLOTS - 1] = added / 64;
            if (state_table_intern(&table, state, &fresh) == STATE_REFUSED)
                break;
        }
        ended_as_trees += table.tree != NULL;
        for (uint32_t i = 0; i < added; i++) {
            state_table_read(&table, i, state);
            assert_int_equal(state[0] + state[SLOTS - 1] * 64, i);
            assert_int_equal(state_table_find(&table, state, state_table_hash(&table, state)), i);
        }
        state_table_release(&table);
        assert_int_equal(budget.used, 0);
        assert_int_equal(budget.refused,
                         added < 20000); /* not by a tree for which there was no room */
    }
    assert_true(ended_as_trees > 10);
}

/* A state of which some slots stay what they are, some are small, and some are any numbers. */
static void draw_state(struct random *random, const uint32_t *first, const uint8_t *bits,
                       uint32_t slots, uint32_t *state)
{
    for (uint32_t i = 0; i < slots; i++)
        state[i] = first[i] + (bits[i] ? (uint32_t)random_next(random) >> (32 - bits[i]) : 0);
}

/* What a processor does with eight slots at a time is what is done with each: bit by bit, and back,
 * and of states that do not fit. */
static void slots_taken_at_once_are_written_as_those_taken_singly(void **unused)
{
    enum {
        SLOTS = 40,
        WORDS = SLOTS / 2 + 1
    };
    struct random random;
    struct budget budget;
    uint32_t compared = 0, did_not_fit = 0;
    (void)unused;
    random_seed(&random, 17);
    budget_init(&budget, NULL, 0);
    for (unsigned round = 0; round < 3000; round++) {
        const uint32_t slots = 1 + random_below(&random, SLOTS),
                       most = random_below(&random, 3) ? 8 : 32;
        uint32_t first[SLOTS], state[SLOTS], read[SLOTS];
        uint8_t bits[SLOTS];
        for (uint32_t i = 0; i < slots; i++) {
            first[i] = random_below(&random, 2) ? 0 : (uint32_t)random_next(&random);
            bits[i] = (uint8_t)(random_below(&random, 3) ? random_below(&random, most + 1) : 0);
        }
        draw_state(&random, first, bits, slots, state);
        struct state_layout *layout = state_layout_create(&budget, state, slots, slots);
        for (unsigned i = 0; i < 20; i++) {
            uint64_t singly[WORDS] = {0}, at_once[WORDS] = {0};
            struct state_layout plain = *layout;
            plain.groups = NULL;
            draw_state(&random, first, bits, slots, state);
            const bool fits = state_layout_pack(&plain, state, singly);
            assert_int_equal(state_layout_pack(layout, state, at_once), fits);
            if (layout->groups) {
                uint64_t hashed[WORDS], hash;
                assert_int_equal(state_groups_pack_hashed(layout->groups, state, hashed, &hash),
                                 fits);
                assert_int_equal(hash, state_groups_hash_singly(state, slots));
                if (fits)
                    assert_memory_equal(hashed, singly, layout->words * sizeof *singly);
            }
            did_not_fit += !fits;
            if (fits) {
                compared += layout->groups != NULL;
                assert_memory_equal(at_once, singly, layout->words * sizeof *singly);
                state_layout_unpack(layout, at_once, read);
                assert_memory_equal(read, state, slots * sizeof *state);
                state_layout_unpack(&plain, singly, read);
                assert_memory_equal(read, state, slots * sizeof *state);
                assert_true(state_layout_is(layout, singly, state));
                assert_true(state_layout_is(&plain, singly, state));
                state[random_below(&random, slots)]++;
                assert_false(state_layout_is(layout, singly, state));
                assert_false(state_layout_is(&plain, singly, state));
                continue;
            }
            struct state_layout *wider = state_layout_widen(layout, state, &slot_widths_needed);
            state_layout_destroy(layout);
            layout = wider;
        }
        state_layout_destroy(layout);
    }
    assert_int_equal(budget.used, 0);
    assert_true(did_not_fit > 1000);
    assert_true(compared > 1000 || !state_groups_fit(SLOTS));
}

/* The states of a chunk are those that were put there, before it is closed and after, and no others
 * are; closed it is the same whether bits are gathered at once or singly. */
static void a_closed_chunk_has_the_states_that_were_put_there(void **unused)
{
    enum {
        SLOTS = 48,
        STATES = 37
    };
    struct random random;
    struct budget budget;
    uint32_t smaller = 0, as_it_was = 0;
    (void)unused;
    random_seed(&random, 23);
    budget_init(&budget, NULL, 0);
    for (unsigned round = 0; round < 1500; round++) {
        const uint32_t slots = 1 + random_below(&random, SLOTS),
                       most = random_below(&random, 3) ? 6 : 32,
                       states = random_below(&random, 4) ? STATES : 1 + random_below(&random, 20);
        uint32_t first[SLOTS], state[SLOTS], kept[STATES][SLOTS];
        uint64_t packed[SLOTS + 1], scratch[STATE_WORDS_MOST];
        uint8_t bits[SLOTS];
        for (uint32_t i = 0; i < slots; i++) {
            first[i] = (uint32_t)random_next(&random);
            bits[i] = (uint8_t)random_below(&random, most + 1);
        }
        draw_state(&random, first, bits, slots, state);
        struct state_layout *layout = state_layout_create(&budget, state, slots, slots);
        for (uint32_t i = 0; i < states; i++) { /* few slots differ from state to state */
            for (uint32_t j = 0; i > 0 && j < 1 + slots / 8; j++) {
                const uint32_t slot = random_below(&random, slots);
                draw_state(&random, &first[slot], &bits[slot], 1, &state[slot]);
            }
            memcpy(kept[i], state, slots * sizeof *state);
            struct state_layout *wider = state_layout_widen(layout, state, &slot_widths_needed);
            state_layout_destroy(layout);
            layout = wider;
        }
        struct state_layout plain = *layout;
        plain.groups = NULL;
        struct state_chunk chunks[2];
        for (unsigned way = 0; way < 2; way++) {
            struct state_chunk *chunk = &chunks[way];
            assert_true(state_chunk_init(chunk, &budget, way ? &plain : layout, states));
            for (uint32_t i = 0; i < states; i++) {
                assert_true(state_layout_pack(layout, kept[i], packed));
                state_chunk_put(chunk, i, packed);
            }
            state_chunk_close(chunk, &budget, states);
            smaller += chunk->head != 0;
            as_it_was += chunk->head == 0;
            for (uint32_t i = 0; i < states; i++) {
                assert_true(state_layout_pack(layout, kept[i], packed));
                state_layout_unpack(layout, state_chunk_words(chunk, i, scratch), state);
                assert_memory_equal(state, kept[i], slots * sizeof *state);
                assert_true(state_chunk_has(chunk, i, packed));
                packed[random_below(&random, layout->words)] ^= UINT64_C(1)
                                                                << random_below(&random, WORD_BITS);
                assert_false(state_chunk_has(chunk, i, packed));
            }
        }
        const size_t size = state_chunk_size(&chunks[0], states);
        assert_int_equal(size, state_chunk_size(&chunks[1], states));
        assert_memory_equal(chunks[0].words, chunks[1].words, size);
        state_chunk_release(&chunks[0], &budget, states);
        state_chunk_release(&chunks[1], &budget, states);
        state_layout_destroy(layout);
    }
    assert_int_equal(budget.used, 0);
    assert_true(smaller > 1000 && as_it_was > 200);
}

/* Hashes are the same on all processors, and of states that differ by little their upper halves are
 * as different as random numbers: of 65,536 some two may be equal, but not many. */
static void hashes_are_the_same_everywhere_and_differ(void **unused)
{
    enum {
        SLOTS = 40,
        SIDE = 256
    };
    struct random random;
    (void)unused;
    random_seed(&random, 18);
    for (unsigned round = 0; round < 60; round++) {
        const uint32_t slots = 8 + random_below(&random, SLOTS - 8),
                       first = random_below(&random, slots - 1),
                       second = first + 1 + random_below(&random, slots - first - 1);
        const uint32_t apart = round % 2 ? 1 : 301; /* bytes, or not */
        uint32_t state[SLOTS] = {0}, repeated = 0;
        struct budget budget;
        struct table seen;
        budget_init(&budget, NULL, 0);
        table_init(&seen, &budget);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            state[first] = i % SIDE * apart;
            state[second] = i / SIDE * apart;
            const uint64_t hash = state_groups_hash(state, slots);
            struct table_search search = table_search(&seen, hash);
            assert_int_equal(hash, state_groups_hash_singly(state, slots));
            repeated += table_next(&search);
            assert_true(table_add(&seen, hash, 0));
        }
        assert_true(repeated < 10);
        table_release(&seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_states_agree_with_a_list),
        cmocka_unit_test(tables_that_share_layouts_agree_with_lists),
        cmocka_unit_test(states_that_are_found_are_added_later),
        cmocka_unit_test(rows_of_states_are_added_in_their_order),
        cmocka_unit_test(all_states_of_small_slots_have_numbers_of_their_own),
        cmocka_unit_test(wider_words_find_the_same_states),
        cmocka_unit_test(words_beyond_the_end_are_found),
        cmocka_unit_test(many_slots_do_not_make_many_layouts),
        cmocka_unit_test(out_of_memory_is_refused_and_nothing_is_lost),
        cmocka_unit_test(a_tree_keeps_equal_halves_once),
        cmocka_unit_test(out_of_memory_in_a_tree_loses_nothing),
        cmocka_unit_test(slots_taken_at_once_are_written_as_those_taken_singly),
        cmocka_unit_test(a_closed_chunk_has_the_states_that_were_put_there),
        cmocka_unit_test(hashes_are_the_same_everywhere_and_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

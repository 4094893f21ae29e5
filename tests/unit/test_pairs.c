/* The sets of pairs that a product has reached, against plain ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "property/antichain.h"
#include "space/pairs.h"

enum {
    STATES = 40,
    NORMALS = 3000
};

/* Rows of a few, of many scattered and of nearly all numbers, so that each shape is met. */
static uint32_t number_in(struct random *random, uint32_t state)
{
    switch (state % 4) {
    case 0:
        return random_below(random, 6);
    case 1:
        return random_below(random, 200);
    case 2:
        return random_below(random, NORMALS);
    default:
        return random_below(random, 60) * 50;
    }
}

static void pairs_agree_with_a_table(void **unused)
{
    static bool there[STATES][NORMALS];
    (void)unused;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct budget budget;
        struct random random;
        struct pairs pairs;
        uint64_t count = 0;
        budget_init(&budget, NULL, 0);
        random_seed(&random, seed);
        memset(there, 0, sizeof there);
        pairs_init(&pairs, &budget);
        for (uint32_t i = 0; i < 30000; i++) {
            uint32_t state = random_below(&random, STATES), number = number_in(&random, state);
            bool fresh = false;
            pairs_prefetch_row(&pairs, state);
            pairs_prefetch(&pairs, state, number);
            assert_true(pairs_add(&pairs, state, number, &fresh));
            assert_int_equal(fresh, !there[state][number]);
            there[state][number] = true;
            count += fresh;
        }
        assert_int_equal(pairs.count, count);
        pairs_release(&pairs);
        assert_int_equal(budget.used, 0);
    }
}

/* ---- antichains ---- */

/* A normalised state is the set of the bits of its number. */
static bool set_includes(struct normal *normal, normal_id whole, normal_id part, bool *includes)
{
    (void)normal;
    *includes = (part & ~whole) == 0;
    return true;
}

static bool bits_of(struct normal *normal, normal_id id, uint64_t *signature)
{
    (void)normal;
    *signature = id;
    return true;
}

/* Says nothing: every test has to look at the sets. */
static bool no_bits(struct normal *normal, normal_id id, uint64_t *signature)
{
    (void)normal;
    (void)id;
    *signature = 0;
    return true;
}

/* Of all that were added to a state those that have no other as a part. */
static bool is_minimal(const bool *added, normal_id id, uint32_t count)
{
    for (normal_id other = 0; other < count; other++)
        if (added[other] && other != id && (other & ~id) == 0)
            return false;
    return added[id];
}

static void check_antichain(uint32_t bits,
                            bool (*signature)(struct normal *, normal_id, uint64_t *),
                            uint64_t seed)
{
    enum {
        ROWS = 5,
        MOST = 256
    };
    const struct normal_class class = {.includes = set_includes, .signature = signature};
    struct normal normal = {.class = &class};
    struct budget budget;
    struct random random;
    struct antichain antichain;
    bool added[ROWS][MOST] = {{false}};
    uint32_t sets = UINT32_C(1) << bits;
    budget_init(&budget, NULL, 0);
    random_seed(&random, seed);
    antichain_init(&antichain, &normal, &budget);
    for (uint32_t i = 0; i < 60; i++) {
        state_id state = random_below(&random, ROWS);
        normal_id id = random_below(&random, sets);
        if (random_below(&random, 2)) /* large ones first, or they would hardly be replaced */
            id |= random_below(&random, sets);
        bool fresh = false, smaller = false;
        for (normal_id other = 0; other < sets; other++)
            smaller |= added[state][other] && (other & ~id) == 0;
        assert_true(antichain_add(&antichain, state, id, &fresh));
        assert_int_equal(fresh, !smaller);
        added[state][id] = true;
        uint64_t kept = 0;
        for (state_id row = 0; row < ROWS; row++) {
            for (normal_id other = 0; other < sets; other++) {
                bool expected = is_minimal(added[row], other, sets);
                kept += expected;
                if (packed_numbers_get(&antichain.rows, row))
                    assert_int_equal(antichain_has(&antichain, row, other), expected);
            }
        }
        assert_int_equal(antichain.count, kept);
    }
    antichain_release(&antichain);
    assert_int_equal(budget.used, 0);
}

static void antichains_keep_what_is_minimal(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        check_antichain(2 + seed % 7, bits_of, seed);
        check_antichain(2 + seed % 7, no_bits, seed);
    }
}

/* ---- packed numbers ---- */

static uint32_t some_number(struct random *random)
{
    return (uint32_t)random_next(random) >> random_below(random, 32);
}

/* Numbers of all sizes, set in any order and over again, are those of a plain array; what is
 * refused changes none. */
static void packed_numbers_agree_with_an_array(void **unused)
{
    enum {
        COUNT = 5 * PACKED_NUMBERS_CHUNK
    };
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static uint32_t plain[COUNT];
        struct budget budget;
        struct random random;
        struct packed_numbers numbers;
        unsigned refused = 0;
        random_seed(&random, seed);
        budget_init(&budget, NULL, seed % 2 ? 0 : 64 + random_below(&random, 16384));
        memset(plain, 0, sizeof plain);
        packed_numbers_init(&numbers, &budget);
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t at = random_below(&random, random_below(&random, COUNT) + 1),
                           number = random_chance(&random, 1, 200) ? some_number(&random)
                                                                   : random_below(&random, 100);
            packed_numbers_fetch(&numbers, at);
            if (packed_numbers_set(&numbers, at, number))
                plain[at] = number;
            else
                refused++;
            assert_int_equal(packed_numbers_get(&numbers, at), plain[at]);
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(packed_numbers_get(&numbers, i), plain[i]);
        assert_true(seed % 2 == 0 || refused == 0);
        assert_true(packed_numbers_bytes(&numbers) <= budget.used);
        packed_numbers_release(&numbers);
        assert_int_equal(budget.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_numbers_agree_with_an_array),
        cmocka_unit_test(pairs_agree_with_a_table),
        cmocka_unit_test(antichains_keep_what_is_minimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

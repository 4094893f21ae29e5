/* Short-lived values: what is forgotten is gone and its room is used again, and what is a root, in
 * a root, or was made by anybody else stays the same word with the same content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/random.h"
#include "value/forget.h"
#include "value/value.h"

#define VALUES 400

/* A value and how to make it: a text, or a list of a text and a number. */
struct made {
    value value;
    uint32_t number;
    bool list, large, kept;
};

static value make(struct value_pool *pool, uint32_t number, bool list, bool large)
{
    char letters[700];
    memset(letters, 'a' + (int)(number % 26), sizeof letters);
    int length = snprintf(letters, sizeof letters, "value %u", number);
    letters[length] = 'x';
    value text = value_text(pool, KIND_STRING, letters,
                            large ? 300 + number % 300 : (size_t)length + number % 40);
    value items[] = {text, value_small(number), value_real(pool, number + 0.5)};
    return list ? value_list(pool, items, 3) : text;
}

static void make_some(struct value_pool *pool, struct random *random, struct made *made)
{
    for (size_t i = 0; i < VALUES; i++) {
        if (made[i].kept && random_below(random, 4))
            continue;
        made[i] = (struct made){.number = random_below(random, 5000),
                                .list = random_below(random, 2),
                                .large = random_below(random, 4) == 0};
        made[i].value = make(pool, made[i].number, made[i].list, made[i].large);
        assert_true(made[i].value != VALUE_REFUSED);
    }
}

static void forget_others(struct value_pool *pool, struct random *random, struct made *made)
{
    struct value_roots roots;
    value_roots_init(&roots, value_pool_budget(pool));
    for (size_t i = 0; i < VALUES; i++) {
        made[i].kept = random_below(random, 3) == 0;
        if (made[i].kept)
            assert_true(value_roots_add(&roots, made[i].value));
        assert_true(value_roots_add(&roots, random_next(random))); /* no values */
    }
    value_pool_forget(pool, &roots);
    value_roots_release(&roots);
}

static void what_is_of_use_stays(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct value_pool *pool = value_pool_create(&budget);
    struct made made[VALUES] = {0}, forever[VALUES] = {0};
    struct random random;
    random_seed(&random, 17);
    assert_true(value_pool_take(pool));
    assert_false(value_pool_take(pool));
    size_t early = 0;
    for (unsigned round = 0; round < 600; round++) {
        assert_null(value_pool_short_lived(pool));
        make_some(pool, &random, made);
        assert_ptr_equal(value_pool_short_lived(NULL), pool);
        if (round == 20) /* some of them are there already, short-lived */
            for (size_t i = 0; i < VALUES; i++) {
                forever[i] = made[random_below(&random, VALUES)];
                forever[i].value =
                    make(pool, forever[i].number + i % 2, forever[i].list, forever[i].large);
                forever[i].number += i % 2;
            }
        forget_others(pool, &random, made);
        for (size_t i = 0; i < VALUES; i++)
            if (made[i].kept)
                assert_true(make(pool, made[i].number, made[i].list, made[i].large) ==
                            made[i].value);
        for (size_t i = 0; round >= 20 && i < VALUES; i++)
            assert_true(make(pool, forever[i].number, forever[i].list, forever[i].large) ==
                        forever[i].value);
        if (round == 250)
            early = budget.used;
    }
    value_pool_give_back(pool);
    assert_true(value_pool_take(pool));
    assert_true(early > 0);
    value_pool_destroy(pool);
    assert_int_equal(budget.used, 0);
}

/* However many values there were, the memory is that of those that are kept. */
static void memory_stays_level(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct value_pool *pool = value_pool_create(&budget);
    size_t early = 0;
    unsigned times = 0;
    assert_true(value_pool_take(pool));
    (void)value_pool_short_lived(pool);
    value kept = make(pool, 1000000, true, false);
    for (uint32_t i = 0; i < 300000; i++) {
        make(pool, i, true, i % 50 == 0);
        if (i == 100000)
            early = budget.used;
        if (!value_pool_is_due(pool))
            continue;
        struct value_roots roots;
        value_roots_init(&roots, &budget);
        assert_true(value_roots_add(&roots, kept));
        value_pool_forget(pool, &roots);
        value_roots_release(&roots);
        times++;
    }
    assert_true(times > 10);
    assert_true(budget.used < early + early / 10);
    assert_true(kept == make(pool, 1000000, true, false));
    (void)value_pool_short_lived(NULL);
    value_pool_destroy(pool);
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_of_use_stays),
                                       cmocka_unit_test(memory_stays_level)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

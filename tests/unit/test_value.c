/* Values: equality is word equality, order is total, integers keep all 64 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "value/value.h"

static void integers_keep_64_bits(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct value_pool *pool = value_pool_create(&budget);
    const int64_t cases[] = {0,         1,         -1,           INT64_MAX,
                             INT64_MIN, 1LL << 60, -(1LL << 60), (1LL << 60) - 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        value v = value_integer(pool, cases[i]);
        int64_t back = 0;
        assert_true(value_get_integer(v, &back));
        assert_int_equal(back, cases[i]);
        assert_true(v == value_integer(pool, cases[i]));
        assert_int_equal(value_kind_of(v), KIND_INTEGER);
    }
    value_pool_destroy(pool);
    assert_int_equal(budget.used, 0);
}

static void equal_content_is_the_same_word(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct value_pool *pool = value_pool_create(&budget);
    value empty = value_list(pool, NULL, 0);
    assert_true(empty == value_list(pool, NULL, 0));
    assert_true(empty != value_text(pool, KIND_STRING, "", 0));
    assert_true(value_text(pool, KIND_STRING, "x", 1) != value_text(pool, KIND_KEYWORD, "x", 1));
    assert_true(value_real(pool, 0.0) == value_real(pool, -0.0));
    assert_true(value_real(pool, 1.0) != value_small(1));
    value one_two[] = {value_small(1), value_small(2)},
          two_one[] = {value_small(2), value_small(1)};
    assert_true(value_set(pool, one_two, 2) == value_set(pool, two_one, 2));
    assert_true(value_list(pool, one_two, 2) != value_list(pool, two_one, 2));
    value first[] = {value_small(1), VALUE_NIL, value_small(2), VALUE_TRUE};
    value second[] = {value_small(2), VALUE_TRUE,     value_small(1),
                      VALUE_TRUE,     value_small(1), VALUE_NIL};
    assert_true(value_map(pool, first, 4) == value_map(pool, second, 6));
    value_pool_destroy(pool);
}

static void order_is_total(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct value_pool *pool = value_pool_create(&budget);
    value small = value_small(3), list = value_list(pool, &small, 1);
    const value all[] = {VALUE_NIL,
                         VALUE_FALSE,
                         VALUE_TRUE,
                         value_integer(pool, INT64_MIN),
                         value_small(1),
                         value_real(pool, 1.0),
                         value_real(pool, 1.5),
                         small,
                         value_integer(pool, INT64_MAX),
                         value_real(pool, INFINITY),
                         value_real(pool, NAN),
                         value_text(pool, KIND_STRING, "a", 1),
                         value_text(pool, KIND_STRING, "ab", 2),
                         value_text(pool, KIND_STRING, "b", 1),
                         value_list(pool, NULL, 0),
                         list,
                         value_set(pool, &list, 1)};
    size_t count = sizeof all / sizeof *all;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            int order = value_compare(all[i], all[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    value_pool_destroy(pool);
}

static void a_refusing_budget_gives_no_value(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 16000);
    struct value_pool *pool = value_pool_create(&budget);
    assert_non_null(pool);
    char large[20000];
    memset(large, 'x', sizeof large);
    value refused = value_text(pool, KIND_STRING, large, sizeof large);
    assert_true(refused == VALUE_REFUSED);
    assert_true(value_list(pool, &refused, 1) == VALUE_REFUSED);
    assert_true(budget.refused);
    value_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_keep_64_bits),
        cmocka_unit_test(equal_content_is_the_same_word),
        cmocka_unit_test(order_is_total),
        cmocka_unit_test(a_refusing_budget_gives_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

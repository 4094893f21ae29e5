/* Recorded answers and sets: compared with the definition, which tries every order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/generate.h"
#include "support/seeds.h"
#include "value/agree.h"
#include "value/print.h"

static struct seeds seeds = {1, 20000};

static bool agrees(value recorded, value answered)
{
    struct budget budget;
    bool refused = false;
    budget_init(&budget, NULL, 0);
    bool agree = value_agrees(recorded, answered, &budget, &refused);
    assert_false(refused);
    assert_int_equal(budget.used, 0);
    return agree;
}

static void expect(struct value_pool *pool, bool agree, const char *recorded, const char *answered)
{
    if (agrees(test_value(pool, recorded), test_value(pool, answered)) != agree)
        fail_msg("%s and %s should%s agree", recorded, answered, agree ? "" : " not");
}

static void a_set_may_be_recorded_as_a_list(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct value_pool *pool = value_pool_create(&budget);
    expect(pool, true, "[2 1]", "#{1 2}");
    expect(pool, true, "[]", "#{}");
    expect(pool, true, "#{1 2}", "#{1 2}");
    expect(pool, true, "{:a [2 1] :b 3}", "{:a #{1 2} :b 3}");
    expect(pool, true, "[5 [[3 4] [2 1]]]", "[5 #{#{1 2} #{3 4}}]");
    expect(pool, true, "[[1 2] [1 2]]", "#{[1 2] #{1 2}}");
    expect(pool, true, "[[2 1] [1 2]]", "#{[1 2] #{1 2}}");
    expect(pool, true, "#{[1 2]}", "#{#{1 2}}");
    expect(pool, true, "{[2 1] 5}", "{#{1 2} 5}");
    /* Once each, and nothing else. */
    expect(pool, false, "[1 1]", "#{1}");
    expect(pool, false, "[1 1 2]", "#{1 2}");
    expect(pool, false, "[1]", "#{1 2}");
    expect(pool, false, "[1 3]", "#{1 2}");
    expect(pool, false, "[[2 1] [2 1]]", "#{[1 2] #{1 2}}");
    /* Lists are in order, and no sets. */
    expect(pool, false, "[2 1]", "[1 2]");
    expect(pool, false, "#{1 2}", "[1 2]");
    expect(pool, false, "[[:a 1]]", "{:a 1}");
    expect(pool, false, "nil", "#{}");
    value_pool_destroy(pool);
}

/* ---- random ones ---- */

/* The definition: some order of the recorded items agrees item by item. */
static bool defined(value recorded, value answered);

static bool some_order(const value *recorded, const value *answered, size_t count, unsigned used)
{
    if (count == 0)
        return true;
    for (size_t i = 0; i < 8; i++)
        if (!(used >> i & 1) && defined(recorded[i], answered[count - 1]) &&
            some_order(recorded, answered, count - 1, used | 1u << i))
            return true;
    return false;
}

static bool defined(value recorded, value answered)
{
    size_t length, answered_length;
    const value *items = value_get_items(recorded, &length);
    const value *answered_items = value_get_items(answered, &answered_length);
    enum value_kind kind = value_kind_of(recorded);
    if (!items || !answered_items)
        return recorded == answered;
    if (length != answered_length || length > 8)
        return false;
    if (value_kind_of(answered) == KIND_SET)
        return (kind == KIND_LIST || kind == KIND_SET) &&
               some_order(items, answered_items, length, ~0u << length);
    for (size_t i = 0; i < length && kind == value_kind_of(answered); i++)
        if (!defined(items[i], answered_items[i]))
            return false;
    return kind == value_kind_of(answered);
}

static value random_value(struct value_pool *pool, struct random *random, unsigned depth)
{
    value items[3];
    if (depth == 0 || random_below(random, 4) == 0)
        return value_small((int64_t)random_below(random, 2));
    size_t length = random_below(random, 4);
    for (size_t i = 0; i < length; i++)
        items[i] = random_value(pool, random, depth - 1);
    return random_below(random, 2) ? value_list(pool, items, length)
                                   : value_set(pool, items, length);
}

/* The value with some of its sets turned into lists, in any order. */
static value recorded_form(struct value_pool *pool, struct random *random, value v)
{
    size_t length;
    value items[3];
    const value *found = value_get_items(v, &length);
    if (!found)
        return v;
    for (size_t i = 0; i < length; i++)
        items[i] = recorded_form(pool, random, found[i]);
    bool set = value_kind_of(v) == KIND_SET;
    for (size_t i = length; set && i > 1; i--) {
        size_t other = random_below(random, i);
        value kept = items[i - 1];
        items[i - 1] = items[other];
        items[other] = kept;
    }
    return set && random_below(random, 3) == 0 ? value_set(pool, items, length)
                                               : value_list(pool, items, length);
}

static void random_values_agree_as_defined(void **unused)
{
    (void)unused;
    unsigned agreed = 0;
    for (unsigned i = 0; i < seeds.count; i++) {
        struct budget budget;
        struct random random;
        budget_init(&budget, NULL, 0);
        struct value_pool *pool = value_pool_create(&budget);
        random_seed(&random, seeds.first + i);
        value answered = random_value(pool, &random, 3);
        value recorded = random_below(&random, 4) ? recorded_form(pool, &random, answered)
                                                  : random_value(pool, &random, 3);
        bool agree = defined(recorded, answered);
        agreed += agree;
        if (agrees(recorded, answered) != agree) {
            struct text text = TEXT_EMPTY;
            value_print_edn(recorded, &text);
            text_append(&text, " and ");
            value_print_edn(answered, &text);
            fail_msg("seed %u: %s", (unsigned)seeds.first + i, text_string(&text));
        }
        value_pool_destroy(pool);
    }
    print_message("%u of %u agree\n", agreed, seeds.count);
    assert_true(agreed > seeds.count / 4 && agreed < seeds.count);
}

static void a_refusal_is_told(void **unused)
{
    (void)unused;
    struct budget budget, none;
    bool refused = false;
    budget_init(&budget, NULL, 0);
    budget_init(&none, NULL, 4);
    struct value_pool *pool = value_pool_create(&budget);
    assert_false(
        value_agrees(test_value(pool, "[2 1]"), test_value(pool, "#{1 2}"), &none, &refused));
    assert_true(refused);
    refused = false;
    assert_false(
        value_agrees(test_value(pool, "[[1]]"), test_value(pool, "#{#{1}}"), &none, &refused));
    assert_true(refused);
    value_pool_destroy(pool);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_may_be_recorded_as_a_list),
        cmocka_unit_test(random_values_agree_as_defined),
        cmocka_unit_test(a_refusal_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

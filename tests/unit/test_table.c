/* The hash table against a plain list of what was added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/table.h"

#define MOST 2000

struct added {
    uint64_t hash;
    uint32_t number;
};

/* How often the number is found under the hash. */
static unsigned found(const struct table *table, uint64_t hash, uint32_t number)
{
    unsigned times = 0;
    for (struct table_search search = table_search(table, hash); table_next(&search);)
        times += search.number == number;
    return times;
}

/* All that a search finds was added under a hash with the same upper half. */
static void expect_added(const struct table *table, uint64_t hash, const struct added *added,
                         size_t count)
{
    for (struct table_search search = table_search(table, hash); table_next(&search);) {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++)
            known = added[i].number == search.number && added[i].hash >> 32 == hash >> 32;
        assert_true(known);
    }
}

/* `spread`: how many different upper halves there are; few make long runs of collisions. */
static void add_and_find(uint64_t seed, uint32_t spread)
{
    struct budget budget;
    struct table table;
    struct random random;
    struct added added[MOST];
    random_seed(&random, seed);
    budget_init(&budget, NULL, 0);
    table_init(&table, &budget);
    assert_int_equal(found(&table, 7, 0), 0); /* nothing in an empty one */
    for (uint32_t i = 0; i < MOST; i++) {
        uint64_t half = random_below(&random, spread) * (UINT64_C(0xffffffff) / spread);
        added[i] = (struct added){half << 32 | random_below(&random, 1000), i};
        assert_true(table_add(&table, added[i].hash, i));
        const struct added *some = &added[random_below(&random, i + 1)];
        assert_int_equal(found(&table, some->hash, some->number), 1);
    }
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(found(&table, added[i].hash, i), 1);
    for (uint32_t i = 0; i < 50; i++)
        expect_added(&table, added[random_below(&random, MOST)].hash, added, MOST);
    for (uint32_t i = 0; i < MOST; i++) /* two of three are taken out, in no order */
        if (i * 7 % MOST % 3)
            table_remove(&table, added[i * 7 % MOST].hash, added[i * 7 % MOST].number);
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(found(&table, added[i * 7 % MOST].hash, i * 7 % MOST),
                         i * 7 % MOST % 3 == 0);
    table_clear(&table);
    assert_int_equal(found(&table, added[0].hash, 0), 0);
    table_release(&table);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void what_was_added_is_found(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++)
        add_and_find(seed, (uint32_t)1 << seed);
}

/* The greatest upper half stands at the very end, and what collides with it beyond. */
static void runs_go_beyond_the_end(void **unused)
{
    (void)unused;
    struct budget budget;
    struct table table;
    budget_init(&budget, NULL, 0);
    table_init(&table, &budget);
    for (uint32_t i = 0; i < 100; i++)
        assert_true(table_add(&table, UINT64_MAX, i));
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(found(&table, UINT64_MAX, i), 1);
    assert_int_equal(found(&table, 0, 0), 0);
    for (uint32_t i = 0; i < 100; i += 2)
        table_remove(&table, UINT64_MAX, i);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(found(&table, UINT64_MAX, i), i % 2);
    table_release(&table);
}

/* A budget that refuses to let it grow leaves it as it was. */
static void a_refused_table_is_as_it_was(void **unused)
{
    (void)unused;
    struct budget budget;
    struct table table;
    budget_init(&budget, NULL, 3000);
    table_init(&table, &budget);
    uint32_t count = 0;
    while (count < MOST && table_add(&table, (uint64_t)count << 40, count))
        count++;
    assert_in_range(count, 1, MOST - 1);
    assert_int_equal(table.count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(found(&table, (uint64_t)i << 40, i), 1);
    table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_found),
        cmocka_unit_test(runs_go_beyond_the_end),
        cmocka_unit_test(a_refused_table_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

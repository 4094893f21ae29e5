/* Lists of pending operations against an array: whatever is added in any order and taken out, the
 * same is found in front of a time, behind it, and by it, and all come in their order.
 *
 *     test_pending_list [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "stream/pending_list.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 20};

#define TIMES 700 /* the array: whether an operation was invoked then; its serial is twice that */

struct twin {
    struct pending_list list;
    bool there[TIMES + 1];
    size_t count;
};

static void expect_at(const struct twin *twin, struct pending_place place, uint64_t time)
{
    const struct pending_operation *found = pending_list_at(&twin->list, place);
    if (time < 1 || time > TIMES) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_int_equal(found->invoked, time);
    assert_int_equal(found->serial, 2 * time);
}

static void compare_around(const struct twin *twin, uint64_t time)
{
    uint64_t behind = time + 1, before = time ? time - 1 : 0, by = 0;
    while (behind <= TIMES && !twin->there[behind])
        behind++;
    while (before > 0 && !twin->there[before])
        before--;
    for (uint64_t i = 1; i <= time; i++)
        by += twin->there[i];
    expect_at(twin, pending_list_behind(&twin->list, time), behind);
    expect_at(twin, pending_list_before(&twin->list, time), before);
    assert_int_equal(pending_list_by(&twin->list, time, SIZE_MAX), by);
    assert_int_equal(pending_list_by(&twin->list, time, 5), by < 5 ? by : 5);
}

static bool count_up(void *context, uint64_t serial)
{
    uint64_t *before = context;
    assert_true(serial > *before);
    *before = serial;
    return true;
}

static void compare(const struct twin *twin, struct random *random)
{
    uint64_t last = 0;
    const struct online_visitor visitor = {count_up, &last};
    struct pending_place place = pending_list_first(&twin->list);
    for (uint64_t i = 1; i <= TIMES; i++) {
        if (!twin->there[i])
            continue;
        expect_at(twin, place, i);
        place = pending_list_next(&twin->list, place);
    }
    assert_null(pending_list_at(&twin->list, place));
    assert_int_equal(twin->list.count, twin->count);
    assert_true(pending_list_each(&twin->list, &visitor));
    compare_around(twin, 0);
    compare_around(twin, TIMES);
    for (int i = 0; i < 10; i++)
        compare_around(twin, random_below(random, TIMES + 1));
}

/* Adds what is not there, and takes out what is. */
static void change(struct twin *twin, uint64_t time)
{
    if (twin->there[time])
        pending_list_remove(&twin->list, pending_list_before(&twin->list, time + 1));
    else
        assert_true(pending_list_add(&twin->list, time, 2 * time));
    twin->there[time] = !twin->there[time];
    twin->count = twin->there[time] ? twin->count + 1 : twin->count - 1;
}

static void try_seed(uint64_t seed, struct budget *budget)
{
    struct random random;
    struct twin twin = {0};
    random_seed(&random, seed);
    pending_list_init(&twin.list, budget);
    for (uint64_t time = 1; time <= TIMES; time++) { /* as it is: nearly in their order */
        if (random_chance(&random, 2, 3) && !twin.there[time])
            change(&twin, time);
        if (random_chance(&random, 1, 10))
            change(&twin, 1 + random_below(&random, (uint32_t)time));
        if (time % 100 == 0)
            compare(&twin, &random);
    }
    for (int i = 0; i < 2 * TIMES; i++) {
        change(&twin, 1 + random_below(&random, TIMES));
        if (i % 100 == 0)
            compare(&twin, &random);
    }
    for (uint64_t time = TIMES; time >= 1; time--)
        if (twin.there[time] && random_chance(&random, 9, 10))
            change(&twin, time);
    compare(&twin, &random);
    pending_list_release(&twin.list);
    assert_int_equal(budget->used, 0);
}

static void test_list_is_an_array(void **state)
{
    struct budget budget;
    (void)state;
    budget_init(&budget, NULL, 0);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        try_seed(seed, &budget);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_list_is_an_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

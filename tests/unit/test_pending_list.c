/* Lists of pending operations against an array: whatever is added in any order, taken out, and said
 * to be pending, the same is found in front of a time, behind it, by it, and by its serial number,
 * and all come in their order.
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
    bool there[TIMES + 1], runs[TIMES + 1];
    size_t count;
};

static uint64_t detail_of(uint64_t time)
{
    return time % 5 ? time / 10 : UINT64_MAX - time;
}

static void expect_at(const struct twin *twin, const struct pending_walk *walk, uint64_t time)
{
    const struct pending_operation *found = pending_walk_at(walk);
    if (time < 1 || time > TIMES) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_int_equal(found->invoked, time);
    assert_int_equal(found->serial, 2 * time);
    assert_int_equal(found->detail, detail_of(time));
    assert_int_equal(found->pending, !twin->runs[time]);
}

static void compare_around(const struct twin *twin, uint64_t time)
{
    struct pending_walk walk;
    uint64_t behind = time + 1, before = time ? time - 1 : 0, by = 0;
    while (behind <= TIMES && !twin->there[behind])
        behind++;
    while (before > 0 && !twin->there[before])
        before--;
    for (uint64_t i = 1; i <= time; i++)
        by += twin->there[i];
    pending_list_behind(&twin->list, time, &walk);
    expect_at(twin, &walk, behind);
    pending_list_before(&twin->list, time, &walk);
    expect_at(twin, &walk, before);
    assert_int_equal(pending_list_find(&twin->list, 2 * time, &walk), twin->there[time]);
    if (twin->there[time])
        expect_at(twin, &walk, time);
    assert_false(pending_list_find(&twin->list, 2 * time + 1, &walk));
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
    const struct online_visitor visitor = {.visit = count_up, .context = &last};
    uint64_t since = UINT64_MAX, oldest = UINT64_MAX;
    struct pending_walk walk;
    pending_list_first(&twin->list, &walk);
    for (uint64_t i = 1; i <= TIMES; i++) {
        if (!twin->there[i])
            continue;
        expect_at(twin, &walk, i);
        pending_walk_next(&walk);
        oldest = i < oldest ? i : oldest;
        since = twin->runs[i] && i < since ? i : since;
    }
    assert_null(pending_walk_at(&walk));
    assert_int_equal(twin->list.since, since);
    assert_int_equal(pending_list_oldest(&twin->list), oldest);
    pending_list_last(&twin->list, &walk);
    for (uint64_t i = TIMES; i >= 1; i--) {
        if (!twin->there[i])
            continue;
        expect_at(twin, &walk, i);
        pending_walk_back(&walk);
    }
    assert_null(pending_walk_at(&walk));
    assert_int_equal(twin->list.count, twin->count);
    assert_true(pending_list_each(&twin->list, &visitor));
    compare_around(twin, 0);
    compare_around(twin, TIMES);
    for (int i = 0; i < 10; i++)
        compare_around(twin, random_below(random, TIMES + 1));
}

/* Adds what is not there; what runs stays pending, or is taken out. */
static void change(struct twin *twin, uint64_t time, struct random *random)
{
    struct pending_walk walk;
    if (!twin->there[time]) {
        twin->runs[time] = random_chance(random, 1, 2);
        const struct pending_operation operation = {.invoked = time,
                                                    .serial = 2 * time,
                                                    .pending = !twin->runs[time],
                                                    .detail = detail_of(time)};
        assert_true(pending_list_add(&twin->list, &operation));
        twin->there[time] = true;
        twin->count++;
        return;
    }
    pending_list_before(&twin->list, time + 1, &walk);
    if (twin->runs[time] && random_chance(random, 1, 2)) {
        pending_list_stays(&twin->list, &walk);
        twin->runs[time] = false;
        return;
    }
    pending_list_remove(&twin->list, &walk);
    twin->there[time] = false;
    twin->count--;
}

/* What is written and read is the same. */
static void copy(struct twin *twin, struct budget *budget)
{
    struct packed packed = {.budget = budget};
    struct archive archive = archive_to_memory(&packed);
    pending_list_archive(&archive, &twin->list, false);
    assert_int_equal(archive.status, STATUS_OK);
    pending_list_release(&twin->list);
    archive = archive_from_memory(packed.items);
    pending_list_archive(&archive, &twin->list, false);
    assert_int_equal(archive.status, STATUS_OK);
    vector_release(&packed);
}

static void try_seed(uint64_t seed, struct budget *budget)
{
    struct random random;
    struct twin twin = {0};
    random_seed(&random, seed);
    pending_list_init(&twin.list, budget);
    for (uint64_t time = 1; time <= TIMES; time++) { /* as it is: nearly in their order */
        if (random_chance(&random, 2, 3) && !twin.there[time])
            change(&twin, time, &random);
        if (random_chance(&random, 1, 10))
            change(&twin, 1 + random_below(&random, (uint32_t)time), &random);
        if (time % 100 == 0)
            compare(&twin, &random);
    }
    for (int i = 0; i < 2 * TIMES; i++) {
        change(&twin, 1 + random_below(&random, TIMES), &random);
        if (i % 100 == 0)
            compare(&twin, &random);
    }
    copy(&twin, budget);
    compare(&twin, &random);
    for (uint64_t time = TIMES; time >= 1; time--)
        if (twin.there[time] && random_chance(&random, 9, 10))
            change(&twin, time, &random);
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

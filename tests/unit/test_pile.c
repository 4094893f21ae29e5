/* Piles of serial numbers against an array: whatever is added and taken, the same is there, in the
 * order in which it was added, and in a copy that was written and read.
 *
 *     test_pile [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "stream/pile.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 200};

#define MOST 300

struct twin {
    struct pile pile;
    uint64_t there[MOST];
    size_t count;
};

/* A walk over the pile, along the array. */
struct walk {
    const struct twin *twin;
    size_t at, last; /* with the one at `last` it is to end */
};

static bool visit(void *context, uint64_t serial)
{
    struct walk *walk = context;
    assert_true(walk->at < walk->twin->count);
    assert_int_equal(serial, walk->twin->there[walk->at]);
    return walk->at++ != walk->last;
}

static void compare(const struct twin *twin, struct random *random)
{
    struct walk all = {twin, 0, SIZE_MAX}, some = {twin, 0, 0};
    struct online_visitor visitor = {.visit = visit, .context = &all};
    assert_int_equal(twin->pile.count, twin->count);
    assert_true(pile_each(&twin->pile, &visitor));
    assert_int_equal(all.at, twin->count);
    if (!twin->count)
        return;
    some.last = random_below(random, (uint32_t)twin->count);
    visitor.context = &some;
    assert_false(pile_each(&twin->pile, &visitor));
    assert_int_equal(some.at, some.last + 1);
}

/* What is read of it takes its place. */
static void replace(struct twin *twin, struct budget *budget)
{
    struct packed bytes;
    struct pile other;
    vector_init(&bytes, budget);
    pile_init(&other, budget);
    struct archive out = archive_to_memory(&bytes);
    pile_archive(&out, &twin->pile);
    assert_int_equal(out.status, STATUS_OK);
    struct archive in = archive_from_memory(bytes.items);
    pile_archive(&in, &other);
    assert_int_equal(in.status, STATUS_OK);
    assert_ptr_equal(in.at, bytes.items + bytes.length);
    pile_release(&twin->pile);
    twin->pile = other;
    vector_release(&bytes);
}

/* Mostly a little greater than the one before, as it is; now and then any number, also one that is
 * there. */
static uint64_t draw(const struct twin *twin, struct random *random)
{
    const uint64_t before = twin->count ? twin->there[twin->count - 1] : 0;
    switch (random_below(random, 8)) {
    case 0:
        return before;
    case 1:
        return random_next(random) >> random_below(random, 64);
    case 2:
        return before - random_below(random, 1000);
    default:
        return before + 1 + random_below(random, random_chance(random, 1, 2) ? 100 : 100000);
    }
}

static void change(struct twin *twin, struct random *random, uint32_t adds)
{
    if (twin->count < MOST && random_chance(random, adds, 10)) {
        const uint64_t serial = draw(twin, random);
        assert_true(pile_add(&twin->pile, serial));
        twin->there[twin->count++] = serial;
    } else if (twin->count) {
        pile_take(&twin->pile);
        twin->count--;
    }
}

static void try_seed(uint64_t seed, struct budget *budget)
{
    struct random random;
    struct twin twin = {0};
    random_seed(&random, seed);
    pile_init(&twin.pile, budget);
    compare(&twin, &random);
    for (uint32_t i = 0; i < 2 * MOST; i++) {
        change(&twin, &random, i / 100 % 2 ? 3 : 8); /* grows, and gets smaller */
        if (random_chance(&random, 1, 20))
            replace(&twin, budget);
        if (random_chance(&random, 1, 10))
            compare(&twin, &random);
    }
    while (twin.count) {
        compare(&twin, &random);
        change(&twin, &random, 0);
    }
    compare(&twin, &random);
    pile_release(&twin.pile);
    assert_int_equal(budget->used, 0);
}

static void test_pile_is_an_array(void **state)
{
    struct budget budget;
    (void)state;
    budget_init(&budget, NULL, 0);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        try_seed(seed, &budget);
}

/* What is refused leaves it as it was. */
static void test_refusal_changes_nothing(void **state)
{
    struct budget budget;
    struct twin twin = {0};
    struct random random;
    (void)state;
    random_seed(&random, 1);
    budget_init(&budget, NULL, 200);
    pile_init(&twin.pile, &budget);
    while (twin.count < MOST && pile_add(&twin.pile, 3 * twin.count)) {
        twin.there[twin.count] = 3 * twin.count;
        twin.count++;
    }
    assert_in_range(twin.count, 1, MOST - 1);
    compare(&twin, &random);
    pile_take(&twin.pile);
    twin.count--;
    compare(&twin, &random);
    pile_release(&twin.pile);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pile_is_an_array),
                                       cmocka_unit_test(test_refusal_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The index structures behind the monitors, against plain arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/maximum_tree.h"
#include "base/place_set.h"
#include "base/random.h"
#include "base/segment_tree.h"

#define MOST_LEAVES 700

/* Sizes around powers of the fan-outs first, then random ones. */
static uint32_t size_of_round(uint32_t round, struct random *random)
{
    static const uint32_t edges[] = {1,   2,   3,   4,   5,   7,   8,   9,   15,  16,
                                     17,  31,  32,  33,  63,  64,  65,  127, 128, 129,
                                     255, 256, 257, 271, 272, 273, 511, 512, 513};
    if (round < sizeof edges / sizeof *edges)
        return edges[round];
    return 1 + random_below(random, MOST_LEAVES);
}

static void check_segment_tree(const struct segment_tree *tree, const int32_t *numbers,
                               uint32_t size, struct random *random)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < size; i++)
        if (numbers[i] < numbers[least])
            least = i;
    assert_int_equal(segment_tree_minimum(tree), numbers[least]);
    assert_int_equal(segment_tree_least(tree), least);
    uint32_t from = random_below(random, size + 2);
    int32_t most = numbers[least] + (int32_t)random_below(random, 6) - 1;
    uint32_t expected = from;
    while (expected < size && numbers[expected] > most)
        expected++;
    assert_int_equal(segment_tree_find(tree, from, most),
                     expected < size ? expected : SEGMENT_TREE_NONE);
}

static void segment_tree_agrees_with_an_array(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct random random;
    random_seed(&random, 1);
    for (uint32_t round = 0; round < 120; round++) {
        uint32_t size = size_of_round(round, &random);
        int32_t numbers[MOST_LEAVES];
        struct segment_tree tree;
        assert_true(segment_tree_init(&tree, size, &budget));
        for (uint32_t i = 0; i < size; i++)
            tree.nodes[i] = numbers[i] = (int32_t)random_below(&random, 5) - 2;
        segment_tree_build(&tree);
        for (uint32_t step = 0; step < 300; step++) {
            check_segment_tree(&tree, numbers, size, &random);
            uint32_t first = random_below(&random, size), last = random_below(&random, size);
            int32_t delta = (int32_t)random_below(&random, 5) - 2;
            if (random_chance(&random, 1, 10)) {
                last = first;
                delta = numbers[first] < 1000 ? SEGMENT_TREE_INFINITY / 2 : -numbers[first];
            }
            segment_tree_add(&tree, first, last, delta);
            for (uint32_t i = first; i <= last && first <= last; i++)
                numbers[i] += delta;
        }
        segment_tree_release(&tree);
    }
    assert_int_equal(budget.used, 0);
}

static void segment_tree_takes_8_bytes_a_leaf(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct segment_tree tree;
    assert_true(segment_tree_init(&tree, 1100000, &budget));
    assert_true(budget.used <= 8 * 1100000 + 1000);
    segment_tree_release(&tree);
    budget_init(&budget, NULL, 100);
    assert_false(segment_tree_init(&tree, 100, &budget));
    segment_tree_release(&tree);
}

static void maximum_tree_agrees_with_an_array(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct random random;
    random_seed(&random, 2);
    for (uint32_t round = 0; round < 120; round++) {
        uint32_t size = size_of_round(round, &random);
        uint32_t numbers[MOST_LEAVES];
        struct maximum_tree tree;
        assert_true(maximum_tree_init(&tree, size, &budget));
        for (uint32_t i = 0; i < size; i++)
            tree.nodes[i] = numbers[i] = random_below(&random, 100);
        maximum_tree_build(&tree);
        for (uint32_t step = 0; step < 2 * size + 50; step++) {
            uint32_t from = random_below(&random, size + 3), least = 1 + random_below(&random, 100);
            uint32_t expected = from < size ? from : size - 1;
            while (expected != UINT32_MAX && numbers[expected] < least)
                expected--;
            assert_int_equal(maximum_tree_find(&tree, from, least), expected);
            uint32_t place = random_below(&random, size);
            numbers[place] = random_chance(&random, 1, 3) ? random_below(&random, 100) : 0;
            maximum_tree_set(&tree, place, numbers[place]);
        }
        maximum_tree_release(&tree);
    }
    struct maximum_tree empty;
    assert_true(maximum_tree_init(&empty, 0, &budget));
    maximum_tree_build(&empty);
    assert_int_equal(maximum_tree_find(&empty, 0, 1), MAXIMUM_TREE_NONE);
    maximum_tree_release(&empty);
    assert_int_equal(budget.used, 0);
}

static void place_set_agrees_with_an_array(void **unused)
{
    (void)unused;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    struct random random;
    random_seed(&random, 3);
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t size = round < 50 ? size_of_round(round, &random) : 5000 + round * 1000;
        bool *present = memory_zeroed(&budget, size);
        struct place_set set;
        assert_true(place_set_init(&set, size, &budget));
        for (uint32_t step = 0; step < 300; step++) {
            uint32_t from = random_below(&random, size), expected = from;
            while (expected != UINT32_MAX && !present[expected])
                expected--;
            assert_int_equal(place_set_last(&set, from), expected);
            uint32_t place = random_below(&random, size);
            present[place] = true;
            place_set_insert(&set, place);
        }
        place_set_release(&set);
        memory_release(&budget, present, size);
    }
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segment_tree_agrees_with_an_array),
        cmocka_unit_test(segment_tree_takes_8_bytes_a_leaf),
        cmocka_unit_test(maximum_tree_agrees_with_an_array),
        cmocka_unit_test(place_set_agrees_with_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

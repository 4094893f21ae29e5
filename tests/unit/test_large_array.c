/* Large arrays as trees of objects, against plain arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "code/large_array.h"

#define MOST  70000
#define SLOTS 2

struct arrays {
    struct budget budget;
    struct object_pool *objects;
    struct large_draft draft;
    uint32_t length, slots[SLOTS];
    uint32_t *plain[SLOTS];
};

static void setup(struct arrays *arrays, uint32_t length)
{
    *arrays = (struct arrays){.length = length};
    budget_init(&arrays->budget, NULL, 0);
    arrays->objects = object_pool_create(&arrays->budget);
    assert_non_null(arrays->objects);
    large_draft_init(&arrays->draft, arrays->objects);
    for (unsigned i = 0; i < SLOTS; i++) {
        arrays->plain[i] = calloc(length, sizeof(uint32_t));
        assert_non_null(arrays->plain[i]);
    }
}

static void teardown(struct arrays *arrays)
{
    large_draft_release(&arrays->draft);
    object_pool_destroy(arrays->objects);
    for (unsigned i = 0; i < SLOTS; i++)
        free(arrays->plain[i]);
    assert_int_equal(arrays->budget.used, 0);
}

static void write(struct arrays *arrays, uint32_t slot, uint32_t index, uint32_t word)
{
    assert_true(large_store(&arrays->draft, arrays->slots, slot, arrays->length, index, word));
    arrays->plain[slot][index] = word;
    assert_int_equal(large_load(&arrays->draft, arrays->slots[slot], arrays->length, index), word);
}

static void finish(struct arrays *arrays)
{
    uint32_t *items = malloc(arrays->length * sizeof *items);
    assert_non_null(items);
    assert_true(large_finish(&arrays->draft, arrays->slots));
    for (unsigned i = 0; i < SLOTS; i++) {
        large_read(arrays->objects, arrays->slots[i], arrays->length, items);
        assert_memory_equal(items, arrays->plain[i], arrays->length * sizeof *items);
    }
    bool same = memcmp(arrays->plain[0], arrays->plain[1], arrays->length * sizeof *items) == 0;
    assert_int_equal(arrays->slots[0] == arrays->slots[1], same);
    free(items);
}

static uint32_t random_value(struct random *random)
{
    static const uint32_t some[] = {0, 0, 1, UINT32_MAX, 0x80000000, 0x80000001, 7};
    return some[random_below(random, sizeof some / sizeof *some)];
}

/* Few values at few places, so that both are often the same. */
static void arrays_hold_what_was_stored(void **unused)
{
    (void)unused;
    static const uint32_t lengths[] = {1, 2, 16, 17, 255, 257, 4096, 4097, MOST};
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct arrays arrays;
        struct random random;
        random_seed(&random, l + 1);
        setup(&arrays, lengths[l]);
        for (unsigned round = 0; round < 40; round++) {
            for (uint32_t n = random_below(&random, 6); n > 0; n--) {
                uint32_t index = random_below(&random, 3) * (lengths[l] / 2);
                write(&arrays, random_below(&random, SLOTS),
                      index < lengths[l] ? index : lengths[l] - 1, random_value(&random));
            }
            if (random_below(&random, 8) == 0) { /* one in the place of the other */
                assert_true(large_settle(&arrays.draft, arrays.slots, 0, lengths[l]));
                assert_true(
                    large_replace(&arrays.draft, arrays.slots, 1, lengths[l], arrays.slots[0]));
                memcpy(arrays.plain[1], arrays.plain[0], lengths[l] * sizeof(uint32_t));
                write(&arrays, 1, 0, random_value(&random));
                assert_int_equal(large_load(&arrays.draft, arrays.slots[0], lengths[l], 0),
                                 arrays.plain[0][0]);
            }
            finish(&arrays);
        }
        teardown(&arrays);
    }
}

static void every_element_has_a_place_of_its_own(void **unused)
{
    (void)unused;
    struct arrays arrays;
    setup(&arrays, MOST);
    for (uint32_t i = 0; i < MOST; i++)
        write(&arrays, i % SLOTS, i, i);
    for (uint32_t i = 0; i < MOST; i++)
        write(&arrays, (i + 1) % SLOTS, i, i);
    finish(&arrays);
    assert_int_equal(arrays.slots[0], arrays.slots[1]);
    for (uint32_t i = 0; i < MOST; i++)
        write(&arrays, 0, i, 0);
    memset(arrays.plain[0], 0, MOST * sizeof(uint32_t));
    finish(&arrays);
    assert_int_equal(arrays.slots[0], 0); /* nothing but zeros: no node */
    teardown(&arrays);
}

static void what_is_undone_is_as_it_was(void **unused)
{
    (void)unused;
    struct arrays arrays;
    setup(&arrays, 1000);
    write(&arrays, 0, 999, 5);
    finish(&arrays);
    const uint32_t before[SLOTS] = {arrays.slots[0], arrays.slots[1]};
    for (uint32_t i = 0; i < 100; i++)
        assert_true(large_store(&arrays.draft, arrays.slots, i % SLOTS, 1000, i, 1));
    assert_true(large_settle(&arrays.draft, arrays.slots, 1, 1000));
    assert_true(large_replace(&arrays.draft, arrays.slots, 0, 1000, arrays.slots[1]));
    large_undo(&arrays.draft, arrays.slots);
    assert_memory_equal(arrays.slots, before, sizeof before);
    finish(&arrays);
    teardown(&arrays);
}

struct seen {
    uint32_t count, indices[4], words[4];
};

static void see(void *context, uint32_t index, uint32_t word)
{
    struct seen *seen = context;
    assert_in_range(seen->count, 0, 3);
    seen->indices[seen->count] = index;
    seen->words[seen->count++] = word;
}

static void a_comparison_tells_what_differs(void **unused)
{
    (void)unused;
    struct arrays arrays;
    struct seen seen = {0};
    setup(&arrays, 5000);
    write(&arrays, 0, 17, 3);
    write(&arrays, 0, 4999, 4);
    write(&arrays, 1, 17, 3);
    write(&arrays, 1, 18, 6);
    finish(&arrays);
    large_compare(arrays.objects, arrays.slots[0], arrays.slots[1], 5000, see, &seen);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.indices[0], 18);
    assert_int_equal(seen.words[0], 6);
    assert_int_equal(seen.indices[1], 4999);
    assert_int_equal(seen.words[1], 0);
    teardown(&arrays);
}

static void a_refused_change_leaves_what_can_be_undone(void **unused)
{
    (void)unused;
    for (size_t most = 0;; most++) {
        struct arrays arrays;
        setup(&arrays, 3000);
        arrays.budget.limit = arrays.budget.used + most * 64 + 1;
        bool good = large_store(&arrays.draft, arrays.slots, 0, 3000, 2000, 1) &&
                    large_store(&arrays.draft, arrays.slots, 1, 3000, 1, 2) &&
                    large_finish(&arrays.draft, arrays.slots);
        if (!good)
            large_undo(&arrays.draft, arrays.slots);
        assert_int_equal(arrays.slots[0] != 0, good);
        assert_int_equal(arrays.slots[1] != 0, good);
        teardown(&arrays);
        if (good)
            return;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_hold_what_was_stored),
        cmocka_unit_test(every_element_has_a_place_of_its_own),
        cmocka_unit_test(what_is_undone_is_as_it_was),
        cmocka_unit_test(a_comparison_tells_what_differs),
        cmocka_unit_test(a_refused_change_leaves_what_can_be_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

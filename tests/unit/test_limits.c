/* How often a loop looks at its limits, and what it then finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/limits.h"

struct fixture {
    struct budget budget;
    struct limits limits;
    atomic_bool interrupt;
};

static void prepare(struct fixture *fixture)
{
    budget_init(&fixture->budget, NULL, 0);
    limits_init(&fixture->limits, &fixture->budget);
    atomic_init(&fixture->interrupt, false);
    fixture->limits.interrupt = &fixture->interrupt;
}

/* A loop of this many steps that stops at a limit: the steps that it made. */
static uint32_t steps_made(const struct limits *limits, uint32_t most)
{
    uint32_t looked = 0, steps = 0;
    while (steps < most && !limits_look(limits, &looked))
        steps++;
    return steps;
}

static void a_loop_notices_an_interrupt_within_its_steps(void **unused)
{
    (void)unused;
    struct fixture fixture;
    prepare(&fixture);
    assert_int_equal(steps_made(&fixture.limits, 5 * STEPS_A_LOOK), 5 * STEPS_A_LOOK);
    atomic_store(&fixture.interrupt, true);
    assert_in_range(steps_made(&fixture.limits, 5 * STEPS_A_LOOK), 0, STEPS_A_LOOK);
}

static void a_loop_that_looks_first_makes_no_step(void **unused)
{
    (void)unused;
    struct fixture fixture;
    uint32_t looked = LOOK_FIRST;
    prepare(&fixture);
    assert_false(limits_look(&fixture.limits, &looked));
    atomic_store(&fixture.interrupt, true);
    looked = LOOK_FIRST;
    assert_true(limits_look(&fixture.limits, &looked));
}

static void a_loop_without_limits_ends_by_itself(void **unused)
{
    (void)unused;
    assert_int_equal(steps_made(NULL, 5 * STEPS_A_LOOK), 5 * STEPS_A_LOOK);
}

/* Once in so many steps: the limits are reached before the first, so each look finds that. */
static void dear_steps_look_more_often(void **unused)
{
    (void)unused;
    struct fixture fixture;
    uint32_t looked = 0, found = 0;
    prepare(&fixture);
    atomic_store(&fixture.interrupt, true);
    for (uint32_t i = 0; i < 160; i++)
        found += limits_look_every(&fixture.limits, &looked, 16);
    assert_int_equal(found, 10);
}

/* A loop whose steps are of different size: all of them are counted, once, and end it. */
static void work_is_counted_and_ends_at_its_limit(void **unused)
{
    (void)unused;
    struct fixture fixture;
    uint32_t steps = 0;
    uint64_t made = 0;
    prepare(&fixture);
    fixture.limits.most_work = 10000;
    for (uint32_t size = 1;; size = size % 7 + 1) {
        steps += size;
        made += size;
        if (limits_work(&fixture.limits, &steps, 100))
            break;
        assert_int_equal(atomic_load(&fixture.limits.work) + steps, made);
    }
    assert_int_equal(atomic_load(&fixture.limits.work), made);
    assert_in_range(made, 10000, 10000 + 100 + 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_notices_an_interrupt_within_its_steps),
        cmocka_unit_test(a_loop_that_looks_first_makes_no_step),
        cmocka_unit_test(a_loop_without_limits_ends_by_itself),
        cmocka_unit_test(dear_steps_look_more_often),
        cmocka_unit_test(work_is_counted_and_ends_at_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The monitor of single bits (set, mutex, semaphore of one permit) against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "monitor/decision.h"
#include "support/comparison.h"

static const struct workload initial_set = {.name = "set with initial contents",
                                            .spec = "set",
                                            .initial = "[1 3]",
                                            .calls = {{"add", "#", "true false"},
                                                      {"remove", "#", "true false"},
                                                      {"contains", "#", "true false"}}};

static const struct workload held_mutex = {
    .name = "mutex held at first",
    .spec = "mutex",
    .initial = "held",
    .calls = {{"acquire", NULL, NULL}, {"release", NULL, NULL}}};

static const struct workload one_permit = {
    .name = "semaphore of one permit",
    .spec = "semaphore(1)",
    .calls = {{"acquire", NULL, NULL}, {"release", NULL, NULL}}};

static const struct workload no_permit = {
    .name = "semaphore without a free permit",
    .spec = "semaphore(1)",
    .initial = "0",
    .calls = {{"acquire", NULL, NULL}, {"release", NULL, NULL}}};

static void compare(const struct workload *workload, uint32_t most, uint32_t keep_one_in,
                    const struct random_comparison *random)
{
    struct subject subject;
    subject_open(&subject, workload);
    struct comparison comparison = {.monitor = monitor_find(subject.spec->class),
                                    .label = workload->name};
    comparison_exhaustive(&comparison, &subject, most, keep_one_in);
    comparison_random(&comparison, &subject, random);
    assert_int_equal(comparison.evident, comparison.violations);
    subject_close(&subject);
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    compare(workload_find("set"), 3, 1,
            &(struct random_comparison){.seed = 1, .least = 10000, .values = 2});
    compare(workload_find("set of one key"), 4, 4,
            &(struct random_comparison){.seed = 2, .least = 10000, .values = 1});
    compare(&initial_set, 3, 4,
            &(struct random_comparison){.seed = 3, .least = 10000, .values = 3});
    compare(workload_find("mutex"), 5, 1,
            &(struct random_comparison){.seed = 4, .least = 10000, .invoked = 14});
    compare(&held_mutex, 4, 1,
            &(struct random_comparison){.seed = 5, .least = 10000, .invoked = 14});
    compare(&one_permit, 4, 1,
            &(struct random_comparison){.seed = 6, .least = 10000, .invoked = 14});
    compare(&no_permit, 4, 1,
            &(struct random_comparison){.seed = 7, .least = 10000, .invoked = 14});
    compare(workload_find("owned mutex"), 4, 1,
            &(struct random_comparison){.seed = 8, .least = 10000, .invoked = 14});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

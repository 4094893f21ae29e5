/* The counter's monitor against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "monitor/decision.h"
#include "support/comparison.h"

static const struct workload increments = {.name = "counter of increments",
                                           .spec = "counter",
                                           .calls = {{"inc", NULL, NULL},
                                                     {"add", "1", NULL},
                                                     {"add", "0", NULL},
                                                     {"read", NULL, "0 1 2 3 4"},
                                                     {"read", NULL, "0 1 2 3 4"}}};

static const struct workload countdown = {
    .name = "counter that counts down by 3",
    .spec = "counter",
    .initial = "5",
    .calls = {{"add", "-3", NULL}, {"read", NULL, "5 2 -1 -4"}, {"read", NULL, "5 2 -1 6 8"}}};

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
    compare(workload_find("counter"), 4, 8,
            &(struct random_comparison){.seed = 1, .least = 10000, .values = 2});
    compare(&increments, 4, 8, &(struct random_comparison){.seed = 2, .least = 10000});
    compare(&countdown, 4, 8, &(struct random_comparison){.seed = 3, .least = 10000});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

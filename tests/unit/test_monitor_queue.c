/* The queue's monitor against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "monitor/decision.h"
#include "support/comparison.h"

static const struct workload with_initial = {
    .name = "queue with initial contents",
    .spec = "queue",
    .initial = "[1 2]",
    .calls = {{"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}}};

static void compare(const struct workload *workload, uint32_t most, uint32_t keep_one_in,
                    uint64_t seed)
{
    struct subject subject;
    subject_open(&subject, workload);
    struct comparison comparison = {.monitor = monitor_find(subject.spec->class),
                                    .label = workload->name};
    comparison_exhaustive(&comparison, &subject, most, keep_one_in);
    comparison_random(&comparison, &subject,
                      &(struct random_comparison){.seed = seed, .least = 10000});
    subject_close(&subject);
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    compare(workload_find("queue"), 4, 1, 1);
    compare(&with_initial, 4, 4, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

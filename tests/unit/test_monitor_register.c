/* The register's monitor against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "monitor/decision.h"
#include "support/comparison.h"

static const struct workload with_initial = {
    .name = "cas-register with an initial value",
    .spec = "cas-register",
    .initial = "1",
    .calls = {{"read", NULL, "1 #"}, {"write", "#", NULL}, {"cas", "[# #]", NULL}}};

/* Chains of cas that succeed now and then, each value written by few of them. */
static const struct workload chains = {.name = "chains of cas",
                                       .spec = "cas-register",
                                       .calls = {{"cas", "[nil 1]", NULL},
                                                 {"cas", "[1 2]", NULL},
                                                 {"cas", "[2 3]", NULL},
                                                 {"cas", "[3 4]", NULL},
                                                 {"cas", "[5 1]", NULL},
                                                 {"cas", "[1 1]", NULL},
                                                 {"write", "5", NULL},
                                                 {"write", "2", NULL},
                                                 {"read", NULL, "nil 1 2 3 4 5"},
                                                 {"read", NULL, "nil 1 2 3 4 5"}}};

/* Deletions and gets of what is not there, told apart from the initial value. */
static const struct workload deletions = {.name = "map with an initial value",
                                          .spec = "map",
                                          .initial = "0",
                                          .key = ":a",
                                          .calls = {{"put", "[:a #]", NULL},
                                                    {"get", ":a", "nil 0 #"},
                                                    {"get", ":a", "nil 0 #"},
                                                    {"cas", "[:a nil #]", NULL},
                                                    {"delete", ":a", NULL}}};

static void compare(const struct workload *workload, uint32_t most, uint32_t keep_one_in,
                    const struct random_comparison *random)
{
    struct subject subject;
    subject_open(&subject, workload);
    struct comparison comparison = {.monitor = monitor_find(subject.spec->class),
                                    .label = workload->name};
    comparison_exhaustive(&comparison, &subject, most, keep_one_in);
    comparison_random(&comparison, &subject, random);
    subject_close(&subject);
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    compare(workload_find("register"), 4, 1,
            &(struct random_comparison){.seed = 1, .least = 10000});
    compare(workload_find("register"), 0, 1,
            &(struct random_comparison){.seed = 2, .least = 10000, .values = 4});
    compare(&with_initial, 4, 8,
            &(struct random_comparison){.seed = 3, .least = 10000, .values = 6});
    compare(workload_find("cas-register"), 4, 8,
            &(struct random_comparison){.seed = 4, .least = 10000, .values = 6});
    compare(&chains, 0, 1, &(struct random_comparison){.seed = 5, .least = 10000, .invoked = 20});
    compare(&deletions, 4, 40, &(struct random_comparison){.seed = 6, .least = 10000});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

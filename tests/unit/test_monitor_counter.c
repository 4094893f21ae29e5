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

static const struct story stories[] = {
    {"inc [0 1]; read 1 [2 3]; inc [4 5]; read 2 [6 7]", NULL, NULL},
    {"inc [0 1]; read 0 [2 3]", "read returned 0 after 1 addition had taken place", "0 1"},
    {"inc [0 1]; read 2 [2 3]; inc [4 5]", "read returned 2 when only 1 addition had been invoked",
     "1"},
    {"inc [0 7]; inc [1 8]; read 2 [2 3]; read 1 [4 5]",
     "read returned 1 after another read had returned 2", "2 3"},
    {"inc [0 7]; inc [1 8]; read 1 [2 3]; read 1 [4 5]; read 2 [6 9]", NULL, NULL},

    /* A read that waits takes place when the count passes. */
    {"read 1 [0 7]; inc [1 2]; inc [3 4]; read 2 [5 6]", NULL, NULL},
    {"read 3 [0 7]; inc [1 2]; inc [3 4]; read 2 [5 6]",
     "read returned 3 when only 2 additions had been invoked", "0"},

    /* What a read needed was another addition than the one that returned later. */
    {"inc [0 1]; inc ? [2 _]; read 2 [3 4]; inc [5 6]; read 2 [7 8]",
     "read returned 2 after 3 additions had taken place", "0 2 3 4"},

    {"inc ? [0 _]; read 1 [1 2]; read 1 [3 4]", NULL, NULL},
    {"inc ? [0 _]; read 0 [1 2]; read ? [3 4]; read ? [5 _]", NULL, NULL},
    {"add 0 [0 1]; add 2 [2 3]; read 1 [4 9]; add 2 [5 6]",
     "read returned 1 when only 2 additions had been invoked", "2"},
    {"add 9223372036854775807 [0 1]; add 9223372036854775807 [2 3]; read 9223372036854775807 [4 5]",
     "read returned 9223372036854775807 after 2 additions had taken place", "0 1 2"},
    {"add -9223372036854775808 [0 1]; read -9223372036854775808 [2 3]; "
     "add -9223372036854775808 [4 5]; read 0 [6 7]",
     "read returned 0 after another read had returned -9223372036854775808", "1 3"},
};

static const struct refusal refusals[] = {
    {"counter", "add 0 [0 1]; inc [2 3]; add 2 [4 5]", "not every addition adds the same number",
     2},
};

static void tells_stories(void **unused)
{
    (void)unused;
    monitor_tell(workload_find("counter"), stories, ARRAY_LENGTH(stories));
    monitor_refuse(refusals, ARRAY_LENGTH(refusals));
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    monitor_compare(workload_find("counter"), 4, 8,
                    &(struct random_comparison){.seed = 1, .least = 10000, .values = 2});
    monitor_compare(&increments, 4, 8, &(struct random_comparison){.seed = 2, .least = 10000});
    monitor_compare(&countdown, 4, 8, &(struct random_comparison){.seed = 3, .least = 10000});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The monitor of the set that only grows against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "monitor/decision.h"
#include "support/comparison.h"

static const struct workload reads_mostly = {.name = "grow-set, read mostly",
                                             .spec = "grow-set",
                                             .calls = {{"add", "#", NULL},
                                                       {"add", "#", NULL},
                                                       {"read", NULL, "[# #]"},
                                                       {"read", NULL, "[#]"},
                                                       {"read", NULL, "[]"},
                                                       {"read", NULL, "[# #]"}}};

static const struct workload from_the_start = {.name = "grow-set with initial contents",
                                               .spec = "grow-set",
                                               .initial = "[1 7]",
                                               .calls = {{"add", "#", NULL},
                                                         {"add", "#", NULL},
                                                         {"read", NULL, "[1 7]"},
                                                         {"read", NULL, "[1 7 #]"},
                                                         {"read", NULL, "[7]"}}};

static const struct story stories[] = {
    {"add 1 [0 1]; read [1] [2 3]; add 2 [4 5]; read [2 1] [6 7]", NULL, NULL},
    {"add 1 [0 1]; read [] [2 3]", "read did not return 1, which had been added before", "0 1"},
    {"add 1 [2 3]; read [1] [0 1]", "read returned 1 before it was added", "0"},
    {"add 1 [0 1]; read [1 5] [2 3]", "read returned 5, which was never added", "1"},
    {"add 1 [0 1]; read [1 1] [2 3]", "read returned 1 twice", "1"},
    {"add 1 [0 9]; add 2 [1 8]; read [1] [2 3]; read [2] [4 5]",
     "one read returned 1 and not 2, another 2 and not the first", "2 3"},
    {"add 1 [0 1]; add 2 [2 9]; read [1] [3 4]; read [2] [5 6]",
     "read did not return 1, which had been added before", "0 3"},

    /* What has been seen stays. */
    {"add 1 ? [0 _]; read [1] [1 2]; read [] [3 4]", "read returned 1, which a later read did not",
     "1 2"},
    {"add 1 ? [0 _]; read [] [1 2]; read [1] [3 4]", NULL, NULL},

    /* An element that was added before another is seen with it. */
    {"read [2] [0 8]; add 1 [1 2]; add 2 [3 9]",
     "read returned 2 and not 1, which had been added before", "0 1"},

    /* Added twice: one of the two makes the difference. */
    {"add 1 [0 9]; add 1 [1 2]; read [] [3 4]",
     "read did not return 1, which had been added before", "1 2"},
    {"add 1 [0 9]; add 1 [3 4]; read [] [1 2]; read [1] [5 6]", NULL, NULL},
    {"add 1 ? [0 _]; add 1 [3 4]; read [1] [1 2]; add 1 [5 6]", NULL, NULL},

    {"read ? [0 1]; add 1 [2 3]; read ? [4 _]", NULL, NULL},
};

static const struct story initial_stories[] = {
    {"read [1 7] [0 1]; add 1 [2 3]; add 2 [4 5]; read [1 2 7] [6 7]", NULL, NULL},
    {"read [7] [0 1]", "read did not return 1, which was in the set at first", "0"},
};

static void tells_stories(void **unused)
{
    (void)unused;
    monitor_tell(workload_find("grow-set"), stories, ARRAY_LENGTH(stories));
    monitor_tell(&from_the_start, initial_stories, ARRAY_LENGTH(initial_stories));
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    monitor_compare(workload_find("grow-set"), 4, 16,
                    &(struct random_comparison){.seed = 1, .least = 10000, .values = 2});
    monitor_compare(&reads_mostly, 3, 8,
                    &(struct random_comparison){.seed = 2, .least = 10000, .values = 3});
    monitor_compare(&from_the_start, 3, 8,
                    &(struct random_comparison){.seed = 3, .least = 10000, .values = 3});
    monitor_compare(&reads_mostly, 3, 8,
                    &(struct random_comparison){.seed = 4, .least = 10000, .values = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

static const struct story set_stories[] = {
    {"add 1 true [0 1]; contains 1 true [2 3]; remove 1 true [4 5]; contains 1 false [6 7]", NULL,
     NULL},
    {"add 1 true [0 1]; contains 1 false [2 3]", "contains 1 -> false, though 1 was in the set",
     "0 1"},
    {"contains 1 true [0 1]; add 1 true [2 3]", "contains 1 -> true, though 1 was not in the set",
     "0"},
    {"add 1 true [0 1]; add 1 true [2 3]", "add 1 -> true, though 1 was in the set", "0 1"},
    {"remove 1 true [0 1]", "remove 1 -> true, though 1 was not in the set", "0"},
    {"add 2 true [0 1]; add 1 false [2 3]", "add 1 -> false, though 1 was not in the set", "1"},

    /* One element goes in and out; tests in between see both. */
    {"add 1 true [0 9]; contains 1 true [1 2]; contains 1 false [3 4]",
     "contains 1 -> false, though 1 was in the set", NULL},
    {"add 1 true [0 9]; remove 1 true [1 8]; contains 1 true [2 3]; contains 1 false [4 5]", NULL,
     NULL},
    {"add 1 true [0 9]; remove 1 true [1 8]; contains 1 true [2 3]; contains 1 false [4 5]; "
     "contains 1 true [6 7]",
     "contains 1 -> true, though 1 was not in the set", NULL},
    /* Of two adds the one that returns first takes place first. */
    {"add 1 true [0 9]; add 1 true [1 4]; remove 1 true [2 8]; contains 1 true [3 5]; "
     "remove 1 true [10 11]",
     NULL, NULL},

    /* A pending operation may do what nobody else did. */
    {"add 1 ? [0 _]; contains 1 true [1 2]; contains 1 true [3 4]", NULL, NULL},
    {"add 1 ? [0 _]; contains 1 true [1 2]; contains 1 false [3 4]",
     "contains 1 -> false, though 1 was in the set", NULL},
    {"add 1 ? [0 _]; remove 1 ? [1 _]; contains 1 true [2 3]; contains 1 false [4 5]", NULL, NULL},
    {"add 1 true [0 1]; contains 1 ? [2 3]; contains 1 ? [4 _]; add 1 false [5 6]", NULL, NULL},
};

static const struct story mutex_stories[] = {
    {"acquire [0 1] @1; release [2 3] @1; acquire [4 5] @2", NULL, NULL},
    {"acquire [0 1] @1; acquire [2 3] @2", "acquire by process 2 while process 1 held the mutex",
     "0 1"},
    {"release [0 1] @3", "release by process 3 while the mutex was free", "0"},
    {"acquire [0 1] @1; release [2 5] @1; acquire [3 4] @2; release [6 7] @2", NULL, NULL},
    {"acquire [0 1] @1; release ? [2 _] @1; acquire [3 4] @2; acquire [5 6] @3",
     "acquire by process 3 while process 2 held the mutex", "0 2 3"},
};

static const struct story owned_stories[] = {
    {"acquire [0 1] @1; release [2 3] @1; acquire [4 5] @2; release [6 7] @2", NULL, NULL},
    {"acquire [0 1] @1; release [2 3] @2", "release by process 2, which did not hold the mutex",
     "1"},
    {"acquire [0 1] @1; acquire [2 3] @1", "acquire by process 1, which held the mutex", "0 1"},
    {"acquire [0 1] @1; acquire ? [2 _] @1; release ? [3 _] @2; acquire [4 5] @3",
     "acquire by process 3 while process 1 held the mutex", "0 3"},
    {"acquire [0 1] @1; release ? [2 _] @1; acquire [3 4] @3; release [5 6] @3", NULL, NULL},
};

static void tells_stories(void **unused)
{
    (void)unused;
    monitor_tell(workload_find("set"), set_stories, ARRAY_LENGTH(set_stories));
    monitor_tell(workload_find("mutex"), mutex_stories, ARRAY_LENGTH(mutex_stories));
    monitor_tell(workload_find("owned mutex"), owned_stories, ARRAY_LENGTH(owned_stories));
}

/* What the monitor leaves to others. */
static const struct refusal refusals[] = {
    {"set", "contains 1 true [0 1]; add 1 ? [2 3]", "whether it changed the set is not known", 1},
    {"semaphore", "acquire [0 1]", "the semaphore has more than one permit", 1},
    {"owned mutex", "acquire ? [0 _] @1; acquire [1 2] @1",
     "its process goes on after a pending operation", 1},
};

static void says_what_it_cannot_decide(void **unused)
{
    (void)unused;
    monitor_refuse(refusals, ARRAY_LENGTH(refusals));
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    monitor_compare(workload_find("set"), 3, 1,
                    &(struct random_comparison){.seed = 1, .least = 10000, .values = 2});
    monitor_compare(workload_find("set of one key"), 4, 4,
                    &(struct random_comparison){.seed = 2, .least = 10000, .values = 1});
    monitor_compare(&initial_set, 3, 4,
                    &(struct random_comparison){.seed = 3, .least = 10000, .values = 3});
    monitor_compare(workload_find("mutex"), 5, 1,
                    &(struct random_comparison){.seed = 4, .least = 10000, .invoked = 14});
    monitor_compare(&held_mutex, 4, 1,
                    &(struct random_comparison){.seed = 5, .least = 10000, .invoked = 14});
    monitor_compare(&one_permit, 4, 1,
                    &(struct random_comparison){.seed = 6, .least = 10000, .invoked = 14});
    monitor_compare(&no_permit, 4, 1,
                    &(struct random_comparison){.seed = 7, .least = 10000, .invoked = 14});
    monitor_compare(workload_find("owned mutex"), 4, 1,
                    &(struct random_comparison){.seed = 8, .least = 10000, .invoked = 14});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(says_what_it_cannot_decide),
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

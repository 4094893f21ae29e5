/* The priority queue's monitor against the definition, on stories and on large histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "monitor/decision.h"
#include "support/comparison.h"
#include "support/large.h"

static const struct workload with_initial = {
    .name = "priority queue with initial contents",
    .spec = "priority-queue",
    .initial = "[2 1 3.0]",
    .calls = {{"insert", "#", NULL}, {"delete-min", NULL, "nil #"}}};

static const struct workload with_great_initial = {
    .name = "priority queue with great initial contents",
    .spec = "priority-queue",
    .initial = "[1e3 999]",
    .calls = {{"insert", "#", NULL}, {"delete-min", NULL, "nil #"}}};

/* Taking the first chance to use a pending removal is wrong here: 1 has to leave it to 3, and wait
 * for the second. */
#define TWO_WAYS                                                                                   \
    "insert 4 [0 1]; insert 3 [2 3]; delete-min ? [4 _]; delete-min 4 [5 6]; insert 1 [7 8];"      \
    "insert 2 [9 10]; delete-min 2 [11 16]; insert 9 [12 13]; delete-min ? [14 _]"

static void compare(const struct workload *workload, uint32_t most, uint32_t keep_one_in,
                    uint64_t seed)
{
    struct subject subject;
    subject_open(&subject, workload);
    struct comparison comparison = {.label = workload->name};
    comparison_exhaustive(&comparison, &subject, most, keep_one_in);
    comparison_random(&comparison, &subject,
                      &(struct random_comparison){.seed = seed, .least = 10000});
    subject_close(&subject);
}

static void compare_scattered(const struct workload *workload, uint64_t seed)
{
    struct subject subject;
    subject_open(&subject, workload);
    struct comparison comparison = {.label = workload->name};
    comparison_scatter(&comparison, &subject, seed, 10000);
    subject_close(&subject);
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    compare(workload_find("priority-queue"), 5, 16, 1);
    compare(&with_initial, 4, 4, 2);
    compare_scattered(workload_find("priority-queue"), 3);
    compare_scattered(&with_great_initial, 4);
}

static void hands_out_pending_removals(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("priority-queue"));
    struct comparison comparison = {.label = "priority queue with two ways out"};
    comparison_around(&comparison, &subject, TWO_WAYS, 5, 5000);
    subject_close(&subject);
}

static const struct story stories[] = {
    {"", NULL, NULL},
    {"insert 7 [0 1]; insert 3 [2 3]; delete-min 3 [4 5]; delete-min 7 [6 7]", NULL, NULL},
    {"insert 9 [0 1]; insert 4 [2 3]; delete-min 9 [4 5]; delete-min 4 [6 7]",
     "value 9 was deleted though the smaller value 4 was in the priority queue throughout",
     "0 1 2 3"},
    {"insert 9 [0 1]; insert 4 [2 3]; delete-min 9 [4 6]; delete-min 4 [5 7]", NULL, NULL},
    {"insert 9 [0 1]; insert -4 [2 3]; delete-min 9 [4 5]",
     "value 9 was deleted though the smaller value -4 was in the priority queue throughout",
     "0 1 2"},
    {"insert 9 [0 1]; insert 4 [2 3]; delete-min 9 [4 9]; insert 5 [5 6]; delete-min 4 [7 8];"
     "delete-min 5 [10 11]",
     "value 9 was deleted though the smaller values 4, then 5 were in the priority queue",
     "0 1 2 3 4 5"},
    {"insert 1 [0 1]; delete-min 1 [2 3]; delete-min 1 [4 5]", "value 1 was deleted twice",
     "0 1 2"},
    {"delete-min 1 [0 1]", "value 1 was deleted but never inserted", "0"},
    {"insert 1 [0 1]; delete-min nil [2 3]",
     "delete-min found the priority queue empty though value 1 was in it throughout", "0 1"},

    /* Numbers, not the order in which values compare otherwise; 2.0 is 2. */
    {"insert 10 [0 1]; insert 9.5 [2 3]; delete-min 9.5 [4 5]; delete-min 10 [6 7]", NULL, NULL},
    {"insert 2.0 [0 1]; delete-min 2 [2 3]", NULL, NULL},
    {"insert 9.5 [0 1]; insert 10 [2 3]; delete-min 10 [4 5]",
     "value 10 was deleted though the smaller value 9.5 was in the priority queue throughout",
     "0 1 2"},
    {"insert 9.5 [0 1]; insert 9 [2 3]; delete-min 9.5 [4 5]",
     "value 9.5 was deleted though the smaller value 9 was in the priority queue throughout",
     "0 1 2"},
    {"insert 100000000000 [0 1]; insert -100000000000 [2 3]; delete-min 100000000000 [4 5]",
     "value 100000000000 was deleted though the smaller value -100000000000 was in the priority "
     "queue throughout",
     "0 1 2"},

    /* A pending removal takes what is in the way, if it was invoked in time. */
    {"insert 1 [0 1]; insert 2 [2 3]; delete-min ? [4 _]; delete-min 2 [5 6]", NULL, NULL},
    {"insert 1 [0 1]; insert 2 [2 3]; delete-min 2 [4 5]; delete-min ? [6 _]",
     "value 2 was deleted though the smaller value 1 was in the priority queue throughout, "
     "whatever "
     "the pending delete-mins took",
     "0 1 2"},
    {"insert 1 [0 1]; insert 2 [2 3]; insert 3 [4 5]; delete-min ? [6 _]; delete-min 3 [7 8]",
     "whatever the pending delete-min took, some value was deleted, or the priority queue found "
     "empty, while smaller ones were in it",
     "0 1 2 4"},
    {TWO_WAYS, NULL, NULL},
};

static void tells_stories(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("priority-queue"));
    struct comparison comparison = {.label = "stories of a priority queue"};
    comparison_stories(&comparison, &subject, stories, ARRAY_LENGTH(stories));
    subject_close(&subject);
}

static void decides_large_histories(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("priority-queue"));
    const struct large cases[] = {
        {.threads = 8, .add_percent = 50},
        {.threads = 8, .add_percent = 55, .pause = 1},
        {.threads = 8, .add_percent = 95, .deep = true},
        {.threads = 500, .add_percent = 60, .pause = 10},
        {.threads = 8, .add_percent = 50, .pause = 1, .pending_per_mille = 1},
        {.threads = 8, .add_percent = 60, .deep = true, .pending_per_mille = 100},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct large large = cases[i];
        large.order = LARGE_PRIORITY_QUEUE;
        large.operations = 100000;
        large.seed = i;
        large_decide(&subject, &large, false);
        large_decide(&subject, &large, true);
    }
    subject_close(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(hands_out_pending_removals),
        cmocka_unit_test(decides_large_histories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The monitor of the unordered queue against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "monitor/decision.h"
#include "support/comparison.h"

static const struct workload drained = {.name = "unordered-queue, drained",
                                        .spec = "unordered-queue",
                                        .calls = {{"enqueue", "#", NULL},
                                                  {"enqueue", "#", NULL},
                                                  {"dequeue", NULL, "nil #"},
                                                  {"drain", NULL, "[#]"},
                                                  {"drain", NULL, "[# #]"}}};

static const struct workload from_the_start = {.name = "unordered-queue with initial contents",
                                               .spec = "unordered-queue",
                                               .initial = "[1 7]",
                                               .calls = {{"enqueue", "#", NULL},
                                                         {"dequeue", NULL, "nil # 7"},
                                                         {"dequeue", NULL, "nil # 7"},
                                                         {"drain", NULL, "[7 #]"}}};

static const struct story stories[] = {
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue 2 [4 5]; dequeue 1 [6 7]; dequeue nil [8 9]", NULL,
     NULL},
    {"dequeue 1 [0 1]; enqueue 1 [2 3]", "value 1 was dequeued before it was enqueued", "0"},
    {"dequeue 1 [0 1]", "value 1 was dequeued but never enqueued", "0"},
    {"enqueue 1 [0 1]; dequeue 1 [2 3]; drain [1] [4 5]", "value 1 came out twice", "1 2"},
    {"enqueue 1 [0 1]; drain [1 2] [2 3]", "value 2 was drained but never enqueued", "1"},
    {"enqueue 1 [0 1]; dequeue nil [2 3]; dequeue 1 [4 5]",
     "dequeue found the queue empty though value 1 was in it throughout", "0 1 2"},
    {"enqueue 1 [0 1]; dequeue nil [2 9]; dequeue 1 [4 5]", NULL, NULL},
    {"enqueue 1 [0 1]; dequeue nil [2 9]; dequeue 1 [3 6]; enqueue 2 [4 5]; dequeue 2 [7 10]", NULL,
     NULL},

    /* A drain takes its values at one moment, and leaves others. */
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; drain [1] [4 5]; drain [2] [6 7]; dequeue nil [8 9]", NULL,
     NULL},
    {"enqueue 1 [0 1]; drain [1 2] [2 9]; dequeue nil [3 4]; enqueue 2 [5 6]",
     "dequeue found the queue empty though value 1 was in it throughout", "0 1 2"},
    {"drain [2 1] [0 5]; drain [3] [1 4]; enqueue 1 ? [2 _]; enqueue 3 ? [3 _]; enqueue 2 ? [3 _]",
     NULL, NULL},

    /* What never comes out may have been taken by dequeues that are pending. */
    {"enqueue 1 [0 1]; dequeue ? [2 _]; dequeue nil [3 4]", NULL, NULL},
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue ? [4 _]; dequeue nil [5 6]",
     "dequeue found the queue empty though value 1, 2 were in it", "0 1 3"},
    {"enqueue 1 [0 1]; dequeue nil [2 3]; dequeue ? [4 _]",
     "dequeue found the queue empty though value 1 was in it throughout", "0 1"},
    {"enqueue 1 [0 1]; drain ? [2 _]; drain [] [3 4]; dequeue 1 [5 6]", NULL, NULL},
};

static const struct refusal refusals[] = {
    {"unordered-queue", "enqueue 1 [0 1]; enqueue 1 [2 3]; dequeue 1 [4 5]",
     "value 1 is added twice, and removed", 1},
    {"unordered-queue", "dequeue ? [0 1]", "the result of a removal is not known", 0},
    {"unordered-queue", "dequeue nil [0 1]; drain ? [2 _]",
     "a drain is pending, and a dequeue found nothing", 1},
};

static void tells_stories(void **unused)
{
    (void)unused;
    monitor_tell(workload_find("unordered-queue"), stories, ARRAY_LENGTH(stories));
    monitor_refuse(refusals, ARRAY_LENGTH(refusals));
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    monitor_compare(workload_find("unordered-queue without drain"), 4, 2,
                    &(struct random_comparison){.seed = 1, .least = 10000});
    monitor_compare(&drained, 3, 2, &(struct random_comparison){.seed = 2, .least = 10000});
    monitor_compare(workload_find("unordered-queue"), 3, 2,
                    &(struct random_comparison){.seed = 3, .least = 10000, .values = 3});
    monitor_compare(&from_the_start, 3, 4, &(struct random_comparison){.seed = 4, .least = 10000});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

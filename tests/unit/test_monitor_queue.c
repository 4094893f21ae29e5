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

static const struct story stories[] = {
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue 1 [4 5]; dequeue 2 [6 7]", NULL, NULL},
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue 2 [4 5]; dequeue 1 [6 7]",
     "value 2 was dequeued before value 1, though 1 was enqueued before 2", "0 1 2 3"},
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue 2 [4 5]",
     "value 2 was dequeued though value 1, enqueued before it, never was", "0 1 2"},
    {"enqueue 1 [0 1]; dequeue 1 [2 3]; dequeue 1 [4 5]", "value 1 was dequeued twice", "0 1 2"},
    {"dequeue 1 [0 1]", "value 1 was dequeued but never enqueued", "0"},
    {"dequeue 1 [0 1]; enqueue 1 [2 3]", "value 1 was dequeued before it was enqueued", "0 1"},

    /* Values that are never removed fill the queue for ever. */
    {"enqueue 1 [0 1]; dequeue nil [2 3]",
     "dequeue found the queue empty though value 1 was in it throughout", "0 1"},
    {"enqueue 1 [0 2]; dequeue nil [1 3]", NULL, NULL},
    {"dequeue nil [0 1]; enqueue 1 [2 3]; dequeue nil [4 5]; enqueue 2 [6 7]",
     "dequeue found the queue empty though value 1 was in it throughout", "0 1 2"},

    /* Between two values that only touch the queue can be empty; not where they overlap. */
    {"enqueue 1 [0 1]; dequeue nil [2 7]; dequeue 1 [3 4]; enqueue 2 [5 6]; dequeue 2 [8 9]", NULL,
     NULL},
    {"enqueue 1 [0 1]; dequeue nil [2 7]; dequeue 1 [3 5]; enqueue 2 [4 6]; dequeue 2 [8 9]", NULL,
     NULL},
    {"enqueue 1 [0 1]; dequeue nil [2 7]; enqueue 2 [3 4]; dequeue 1 [5 6]; dequeue 2 [8 9]",
     "dequeue found the queue empty though value 1, then 2 were in it", "0 1 2 3 4"},
    {"enqueue 1 [0 1]; dequeue 1 [2 5]; dequeue nil [3 4]", NULL, NULL},

    /* A pending enqueue happened if its value was removed, even by a pending dequeue's leave. */
    {"enqueue 1 [0 _]; dequeue 1 [1 2]", NULL, NULL},
    {"enqueue 1 [0 _]; dequeue nil [1 2]", NULL, NULL},
    {"dequeue 1 [0 1]; enqueue 1 [2 _]", "value 1 was dequeued before it was enqueued", "0 1"},
    {"enqueue 1 [0 _]; enqueue 2 [1 2]; dequeue 2 [3 4]; dequeue 1 [5 6]", NULL, NULL},

    /* A pending dequeue may have taken what nobody else did; or nothing. */
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue ? [4 _]; dequeue 2 [5 6]", NULL, NULL},
    {"enqueue 1 [0 1]; dequeue ? [2 _]; dequeue nil [3 4]", NULL, NULL},
    {"enqueue 1 [0 1]; dequeue ? [2 _]; dequeue 1 [3 4]; dequeue nil [5 6]", NULL, NULL},
    {"enqueue 1 [0 1]; dequeue nil [2 3]; dequeue ? [4 _]",
     "dequeue found the queue empty though value 1 was in it throughout", "0 1"},
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue 2 [4 5]; dequeue ? [6 _]",
     "value 2 was dequeued though value 1, enqueued before it, had not been", "0 1 2"},
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; enqueue 3 [4 5]; dequeue ? [6 _]; dequeue 3 [7 8]",
     "value 3 was dequeued though values 1 and 2, enqueued before it, had not been: more than the "
     "pending dequeues can have taken",
     "0 1 2 4"},
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue ? [4 _]; dequeue nil [5 6]",
     "dequeue found the queue empty though value 1, then 2 were in it", "0 1 3"},
    /* The one that is taken for the empty result must be the one that the order allows. */
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue ? [4 _]; dequeue 2 [5 6]; dequeue nil [7 8]", NULL,
     NULL},
    /* Nobody can tell values apart that nobody takes: they may be equal. */
    {"enqueue 1 [0 1]; enqueue 2 [2 3]; enqueue 2 [4 5]; dequeue 1 [6 7]", NULL, NULL},
};

static const struct story initial_stories[] = {
    {"dequeue 1 [0 1]; dequeue 2 [2 3]; dequeue nil [4 5]", NULL, NULL},
    {"dequeue 2 [0 1]", "value 2 was dequeued though value 1, enqueued before it, never was", "0"},
    {"dequeue 2 [0 1]; dequeue 1 [2 3]",
     "value 2 was dequeued before value 1, though 1 was enqueued before 2", "0 1"},
    {"dequeue nil [0 1]; dequeue 1 [2 3]; dequeue 2 [4 5]",
     "dequeue found the queue empty though value 2 was in it throughout", "0 2"},
    {"dequeue 1 [0 3]; dequeue ? [1 _]; dequeue nil [2 4]", NULL, NULL},
    {"enqueue 3 [0 1]; dequeue 3 [2 3]",
     "value 3 was dequeued though value 1, enqueued before it, never was", "0 1"},
};

static const struct refusal refusals[] = {
    {"queue", "enqueue 1 [0 1]; dequeue 1 [2 3]; enqueue 1 [4 5]",
     "value 1 is added twice, and removed", 2},
    {"queue", "dequeue ? [0 1]", "the result of a removal is not known", 0},
};

static void tells_stories(void **unused)
{
    (void)unused;
    monitor_tell(workload_find("queue"), stories, ARRAY_LENGTH(stories));
    monitor_tell(&with_initial, initial_stories, ARRAY_LENGTH(initial_stories));
    monitor_refuse(refusals, ARRAY_LENGTH(refusals));
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    monitor_compare(workload_find("queue"), 5, 16,
                    &(struct random_comparison){.seed = 1, .least = 10000});
    monitor_compare(&with_initial, 4, 4, &(struct random_comparison){.seed = 2, .least = 10000});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

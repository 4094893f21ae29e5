/* The stack's monitor against the definition, on stories, on large histories and on real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/decision.h"
#include "support/comparison.h"
#include "support/large.h"
#include "support/reading.h"
#include "support/scatter.h"

static const struct workload with_initial = {
    .name = "stack with initial contents",
    .spec = "stack",
    .initial = "[1 2 3]",
    .calls = {{"push", "#", NULL}, {"pop", NULL, "nil #"}}};

/* Taking the first chance to use a pending pop is wrong here: 2 has to leave it to 4, and wait for
 * the second. */
#define TWO_WAYS                                                                                   \
    "push 1 [0 1]; push 2 [2 3]; pop ? [4 _]; pop 1 [5 18]; push 3 [6 7]; push 4 [8 9];"           \
    "pop 3 [10 11]; pop ? [12 _]"

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
    comparison_scatter(&comparison, &subject, seed, 10000);
    subject_close(&subject);
}

/* Around a history in which it matters which value a pending pop takes. */
static void hands_out_pending_pops(void **unused)
{
    (void)unused;
    struct subject subject;
    struct sample sample = {0};
    struct random random;
    subject_open(&subject, workload_find("stack"));
    struct comparison comparison = {.monitor = monitor_find(subject.spec->class),
                                    .label = "stack with two ways out"};
    random_seed(&random, 3);
    for (uint32_t i = 0; i < 5000; i++) {
        sample_parse(&sample, &subject, TWO_WAYS);
        for (uint32_t changes = random_below(&random, 6); changes > 0; changes--)
            if (random_chance(&random, 1, 4))
                sample_mutate(&sample, &subject, &random);
            else
                scatter_nudge(&sample, &random);
        comparison_part(&comparison, &sample.part);
    }
    comparison_print(&comparison);
    assert_in_range(comparison.violations, 500, 4500);
    sample_release(&sample);
    subject_close(&subject);
}

static void agrees_with_the_definition(void **unused)
{
    (void)unused;
    compare(workload_find("stack"), 5, 16, 1);
    compare(&with_initial, 4, 4, 2);
}

/* Three values that block one another without any two of them doing so: 1 lies below 2, 2 below 3
 * and 3 below 1, each because the push of the upper one precedes the pop of the lower one and ...
 */
static const struct story stories[] = {
    {"", NULL, NULL},
    {"push 1 [0 1]; push 2 [2 3]; pop 2 [4 5]; pop 1 [6 7]", NULL, NULL},
    {"push 1 [0 1]; push 2 [2 3]; pop 1 [4 5]; pop 2 [6 7]",
     "value 1 was popped while value 2, pushed after it, was still above it", "0 1 2 3"},
    {"push 1 [0 1]; push 2 [2 3]; pop 1 [4 5]",
     "value 1 was popped while value 2, pushed after it and never popped, was above it", "0 1 2"},
    {"push 1 [0 2]; push 2 [1 3]; pop 1 [4 5]; pop 2 [6 7]", NULL, NULL},
    {"push 1 [0 1]; push 2 [2 3]; pop 1 [4 6]; pop 2 [5 7]", NULL, NULL},
    {"push 1 [0 1]; pop 1 [2 3]; pop 1 [4 5]", "value 1 was popped twice", "0 1 2"},
    {"pop 1 [0 1]", "value 1 was popped but never pushed", "0"},
    {"pop 1 [0 1]; push 1 [2 3]", "value 1 was popped before it was pushed", "0 1"},

    /* Popped empty: not while something is certainly there, though nobody may ever pop it. */
    {"push 1 [0 1]; pop nil [2 3]; pop 1 [4 5]",
     "pop found the stack empty though value 1 was in it throughout", "0 1 2"},
    {"push 1 [0 1]; pop nil [2 3]", "pop found the stack empty though value 1 was in it throughout",
     "0 1"},
    {"push 1 [0 2]; pop nil [1 3]", NULL, NULL},
    {"push 1 [0 1]; pop nil [2 7]; push 2 [3 4]; pop 1 [5 6]; pop 2 [8 9]",
     "pop found the stack empty though value 1, then 2 were in it", "0 1 2 3 4"},

    /* A pending push happened if its value was popped; it need not have. */
    {"push 1 [0 _]; pop nil [1 2]", NULL, NULL},
    {"push 1 [0 _]; pop 1 [1 2]; pop nil [3 4]", NULL, NULL},

    /* A pending pop takes what is in the way, if it was invoked in time. */
    {"push 1 [0 1]; push 2 [2 3]; pop ? [4 _]; pop 1 [5 6]", NULL, NULL},
    {"push 1 [0 1]; push 2 [2 3]; pop 1 [4 5]; pop ? [6 _]",
     "value 1 was popped while value 2, pushed after it and never popped, was above it, whatever "
     "the pending pops took",
     "0 1 2"},
    {"push 1 [0 1]; push 2 [2 3]; push 3 [4 5]; pop ? [6 _]; pop 1 [7 8]",
     "whichever values the 1 pending pops took, those that were popped, and the pops that found "
     "the "
     "stack empty, were not last in, first out",
     "0 1 2 4"},
    {"push 1 [0 1]; pop ? [2 _]; pop nil [3 4]; push 2 [5 6]; pop ? [7 _]; pop nil [8 9]", NULL,
     NULL},
    {"push 1 [0 1]; pop ? [2 _]; pop nil [3 4]; push 2 [5 6]; pop nil [7 8]",
     "pop found the stack empty though value 1, then 2 were in it", "0 2 3 4"},

    {TWO_WAYS, NULL, NULL},
};

static void tells_stories(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("stack"));
    struct comparison comparison = {.monitor = monitor_find(subject.spec->class),
                                    .label = "stories of a stack"};
    comparison_stories(&comparison, &subject, stories, ARRAY_LENGTH(stories));
    subject_close(&subject);
}

static void decides_large_histories(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("stack"));
    const struct large cases[] = {
        {.threads = 8, .add_percent = 50},                /* shallow, often empty */
        {.threads = 8, .add_percent = 55, .pause = 1},    /* never popped values */
        {.threads = 8, .add_percent = 95, .deep = true},  /* deep */
        {.threads = 500, .add_percent = 60, .pause = 10}, /* highly concurrent */
        {.threads = 2, .add_percent = 70, .deep = true, .pause = 3},
        {.threads = 8, .add_percent = 50, .pause = 1, .pending_per_mille = 1},
        {.threads = 8, .add_percent = 60, .deep = true, .pending_per_mille = 100},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct large large = cases[i];
        large.order = LARGE_STACK;
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
        cmocka_unit_test(hands_out_pending_pops),
        cmocka_unit_test(decides_large_histories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

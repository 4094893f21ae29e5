/* The stack's monitor against the definition, on stories and on large histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "decide/decide.h"
#include "monitor/monitors.h"
#include "monitor/stack_elimination.h"
#include "support/comparison.h"
#include "support/large.h"

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
    struct comparison comparison = {.label = workload->name};
    comparison_exhaustive(&comparison, &subject, most, keep_one_in);
    comparison_random(&comparison, &subject,
                      &(struct random_comparison){.seed = seed, .least = 10000});
    comparison_scatter(&comparison, &subject, seed, 10000);
    subject_close(&subject);
}

static void hands_out_pending_pops(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("stack"));
    struct comparison comparison = {.label = "stack with two ways out"};
    comparison_around(&comparison, &subject, TWO_WAYS, 3, 5000);
    subject_close(&subject);
}

/* The first way out is wrong again and again: the monitor says that it cannot tell. */
static void gives_up_rather_than_search(void **unused)
{
    (void)unused;
    struct subject subject;
    struct sample sample = {0};
    struct text text = TEXT_EMPTY;
    subject_open(&subject, workload_find("stack"));
    for (int i = 0; i < 20; i++) {
        int v = 4 * i, t = 20 * i;
        text_format(&text, "push %d [%d %d]; push %d [%d %d]; pop ? [%d _]; pop %d [%d %d];", v + 1,
                    t, t + 1, v + 2, t + 2, t + 3, t + 4, v + 1, t + 5, t + 18);
        text_format(&text, "push %d [%d %d]; push %d [%d %d]; pop %d [%d %d]; pop ? [%d _];", v + 3,
                    t + 6, t + 7, v + 4, t + 8, t + 9, v + 3, t + 10, t + 11, t + 12);
    }
    sample_parse(&sample, &subject, text_string(&text));
    struct limits limits;
    struct decision decision;
    struct error error;
    limits_init(&limits, &subject.budget);
    decision_init(&decision, &subject.budget);
    assert_int_equal(part_decide(&sample.part, METHOD_MONITOR, &limits, &decision, NULL, &error),
                     STATUS_USAGE);
    assert_string_equal(error.message,
                        "the monitor for stack gives up: there are too many ways in which the "
                        "pending operations can have happened; use --method=auto");
    assert_int_equal(decision.verdict, VERDICT_UNKNOWN);
    assert_int_equal(decision.limit, LIMIT_NONE);
    decision_release(&decision);
    text_release(&text);
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
     "whatever the pending pop took, the values that were popped, and the pops that found the "
     "stack "
     "empty, were not last in, first out",
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
    struct comparison comparison = {.label = "stories of a stack"};
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

/* What was interrupted goes on from there. */
static void a_limit_is_noticed_among_the_eliminated(void **unused)
{
    (void)unused;
    const struct large large = {
        .order = LARGE_STACK, .operations = 10000, .threads = 8, .add_percent = 50};
    atomic_bool interrupted = false;
    struct subject subject;
    struct sample sample = {0};
    struct limits limits;
    struct values values;
    struct moments moments;
    struct elimination elimination;
    struct decision decision;
    subject_open(&subject, workload_find("stack"));
    large_part(&sample, &subject, &large);
    limits_init(&limits, &subject.budget);
    limits.interrupt = &interrupted;
    decision_init(&decision, &subject.budget);
    assert_int_equal(
        values_collect(&values, &sample.part, stack_monitor.container, &limits, &decision, NULL),
        STEP_READY);
    assert_int_equal(values_place_empties(&values, &decision), STEP_READY);
    assert_true(moments_init(&moments, &values));
    assert_true(elimination_init(&elimination, &values, &moments, false));
    interrupted = true;
    assert_false(elimination_run(&elimination, &limits));
    assert_true(elimination.left > 0);
    interrupted = false;
    assert_true(elimination_run(&elimination, &limits));
    assert_int_equal(elimination.left, 0);
    decision_release(&decision);
    elimination_release(&elimination);
    moments_release(&moments);
    values_release(&values);
    sample_release(&sample);
    subject_close(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(hands_out_pending_pops),
        cmocka_unit_test(gives_up_rather_than_search),
        cmocka_unit_test(decides_large_histories),
        cmocka_unit_test(a_limit_is_noticed_among_the_eliminated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The counter's monitor against the definition; and what sums show of counters to which it does not
 * apply, against dynamic programming over sets of operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/witness.h"
#include "monitor/decision.h"
#include "support/comparison.h"
#include "support/oracle.h"

static uint64_t seed_of_sums = 11;

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

/* ---- different additions ---- */

static const struct workload sums = {.name = "counter of different additions",
                                     .spec = "counter",
                                     .initial = "3",
                                     .calls = {{"add", "-4", NULL},
                                               {"add", "2", NULL},
                                               {"add", "6", NULL},
                                               {"inc", NULL, NULL},
                                               {"read", NULL, "3 5 9 -1 1 11 4 2"},
                                               {"read", NULL, "3 5 9 7 8 0"}}};

static const struct workload even = {.name = "counter of even numbers",
                                     .spec = "counter",
                                     .calls = {{"add", "-4", NULL},
                                               {"add", "6", NULL},
                                               {"read", NULL, "0 6 -4 1 2 3"},
                                               {"read", NULL, "0 6 -4 1 2 8"}}};

/* The reason is null where nothing is found. */
static const struct story shown[] = {
    {"add 3 [0 1]; add 4 [2 3]; read 7 [4 5]", NULL, NULL},
    {"add 3 [0 1]; add 4 [2 3]; read 6 [4 5]", "read returned 6 when it could not be less than 7",
     "0 1 2"},
    {"add 3 [0 1]; add 4 [2 7]; read 8 [4 5]; add 4 [8 9]",
     "read returned 8 when it could not be more than 7", "2"},
    {"add 3 [0 1]; add -4 [2 3]; read 3 [4 5]", "read returned 3 when it could not be more than -1",
     "1 2"},
    {"add 3 [0 1]; add -4 [2 7]; read -2 [4 5]",
     "read returned -2 when it could not be less than -1", "0 2"},
    {"add 4 ? [0 _]; add 3 [1 2]; add 6 ? [3 _]; read 6 [4 5]",
     "read returned 6 when it could differ from 3 by multiples of 2 only", "1 3"},

    /* A read before it says more than the initial value, or with less. */
    {"add 3 [0 9]; add 4 [1 10]; read 4 [2 3]; read 3 [4 5]",
     "read returned 3 after another read had returned 4, when it could not be less than 4", "2 3"},
    {"add 3 [0 1]; add 5 [2 3]; read 8 [4 5]; add 2 [6 7]; read 9 [8 9]",
     "read returned 9 after another read had returned 8, when it could not be less than 10",
     "2 3 4"},
    {"add 3 [0 1]; read 3 [2 3]; add 5 [4 5]; add 2 [6 11]; read 9 [8 9]",
     "read returned 9 when it could differ from 8 by multiples of 2 only", "0 2 4"},

    /* No sum of them, within bounds. */
    {"add 3 [0 9]; add 4 [1 8]; add 5 [2 10]; read 6 [3 4]",
     "read returned 6, and no additions lead there from 0", "3"},
    {"add 3 [0 1]; add -4 ? [2 _]; add 7 ? [3 _]; read 5 [4 5]",
     "read returned 5, and no additions lead there from 0", "0 3"},
    /* All of them had taken place where 9 was read, and 2 and 5 are not 3. */
    {"add 4 ? [0 _]; add 5 ? [1 _]; read 9 [2 3]; add 5 ? [4 _]; add 2 ? [5 _]; read 12 [6 7]",
     "read returned 12 after another read had returned 9, and no additions lead there from 9",
     "2 5"},

    /* Beyond 64 bits. */
    {"add 9223372036854775807 [0 1]; add 9223372036854775806 [2 3]; read 1 [4 5]",
     "read returned 1 when it could not be less than 18446744073709551613", "0 1 2"},
    {"add -9223372036854775808 [0 1]; inc [2 3]; add -9223372036854775808 [4 5]; read 0 [6 7]",
     "read returned 0 when it could not be more than -18446744073709551615", "0 2 3"},
};

/* What only the search can say. */
static const char *const open_questions[] = {
    /* Of 3 and 4, and 7, those are taken that return first, and 3 is missing then. */
    "add 3 [0 7]; add 4 [1 8]; add 7 [2 9]; read 7 [3 4]; read 10 [5 6]",
};

static void expect_evidence(const struct decision *decision, const char *expected)
{
    struct text text = TEXT_EMPTY;
    for (size_t i = 0; i < decision->evidence.length; i++)
        text_format(&text, "%s%u", i ? " " : "", decision->evidence.items[i]);
    assert_string_equal(text_string(&text), expected);
    text_release(&text);
}

static void sums_tell_stories(void **unused)
{
    (void)unused;
    struct subject subject;
    struct limits limits;
    struct decision decision;
    subject_open(&subject, workload_find("counter"));
    limits_init(&limits, &subject.budget);
    decision_init(&decision, &subject.budget);
    for (size_t i = 0; i < ARRAY_LENGTH(shown); i++) {
        struct sample sample = {0};
        sample_parse(&sample, &subject, shown[i].part);
        assert_int_equal(monitor_tries(&sample.part, &limits, &decision), true);
        assert_int_equal(decision.verdict == VERDICT_VIOLATION, shown[i].reason != NULL);
        if (shown[i].reason) {
            assert_string_equal(text_string(&decision.reason), shown[i].reason);
            expect_evidence(&decision, shown[i].evidence);
        }
        sample_release(&sample);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(open_questions); i++) {
        struct sample sample = {0};
        sample_parse(&sample, &subject, open_questions[i]);
        assert_false(monitor_tries(&sample.part, &limits, &decision));
        sample_release(&sample);
    }
    decision_release(&decision);
    subject_close(&subject);
}

/* What is wrong with what was found; null: nothing. */
static const char *fault_of(const struct part *part, struct limits *limits,
                            const struct decision *decision, bool violated)
{
    bool member[ORACLE_MOST] = {0};
    size_t bad;
    if ((decision->verdict == VERDICT_VIOLATION) != violated)
        return violated ? "it is a violation" : "it is linearizable";
    if (!violated)
        return witness_is_valid(part, decision->linearization.items, decision->linearization.length,
                                limits, &bad)
                   ? NULL
                   : "the linearization does not hold";
    for (size_t i = 0; i < decision->evidence.length; i++)
        member[decision->evidence.items[i]] = true;
    return oracle_relaxed_linearizable(part, member) ? "the evidence is none" : NULL;
}

/* Random parts: what is decided is right, and most are. */
static void look_at_random_parts(const struct workload *workload, uint64_t seed)
{
    struct subject subject;
    struct random random;
    struct limits limits;
    struct decision decision;
    struct sample sample = {0};
    unsigned seen[2] = {0}, found[2] = {0}; /* linearizable, violations */
    subject_open(&subject, workload);
    random_seed(&random, seed);
    limits_init(&limits, &subject.budget);
    decision_init(&decision, &subject.budget);
    for (unsigned i = 0; i < 3000; i++) {
        const struct shape shape = {.operations = 2 + random_below(&random, 8),
                                    .processes = 1 + random_below(&random, 4),
                                    .pending_percent = random_below(&random, 40),
                                    .unknown_percent = random_below(&random, 20),
                                    .mutate_percent = 60,
                                    .eagerness = random_below(&random, 3)};
        sample_random(&sample, &subject, &random, &shape);
        const bool violated = !oracle_linearizable(&sample.part);
        seen[violated]++;
        if (!monitor_tries(&sample.part, &limits, &decision))
            continue;
        const char *fault = fault_of(&sample.part, &limits, &decision, violated);
        if (fault) {
            struct text text = TEXT_EMPTY;
            sample_print(&sample.part, &text);
            fail_msg("%s: %s: %s", text_string(&text), text_string(&decision.reason), fault);
        }
        found[violated]++;
    }
    printf("%s: seed %llu: %u of %u linearizable, %u of %u violations\n", workload->name,
           (unsigned long long)seed, found[0], seen[0], found[1], seen[1]);
    for (unsigned i = 0; i < 2; i++)
        assert_true(seen[i] > 250 && found[i] > seen[i] / 2);
    sample_release(&sample);
    decision_release(&decision);
    subject_close(&subject);
}

static void what_sums_decide_is_right(void **unused)
{
    (void)unused;
    look_at_random_parts(&sums, seed_of_sums);
    look_at_random_parts(&even, seed_of_sums + 1);
}

int main(int count, char **arguments)
{
    if (count > 1)
        seed_of_sums = strtoull(arguments[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_tell_stories),
        cmocka_unit_test(what_sums_decide_is_right),
        cmocka_unit_test(tells_stories),
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

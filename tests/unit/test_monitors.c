/* What holds for every monitor: large histories have a valid linearization, limits stop them and
 * nothing leaks, and the adversary's shapes take no longer than others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "decide/witness.h"
#include "monitor/monitors.h"
#include "support/generate.h"

/* Workloads whose random parts a monitor applies to. */
static const struct workload large[] = {
    {.name = "register",
     .spec = "register",
     .calls = {{"write", "#", NULL}, {"read", NULL, "nil #"}}},
    {.name = "map of one key",
     .spec = "map",
     .key = ":a",
     .calls = {{"put", "[:a #]", NULL}, {"get", ":a", "nil #"}}},
    {.name = "queue",
     .spec = "queue",
     .calls = {{"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}}},
    {.name = "queue with initial contents",
     .spec = "queue",
     .initial = "[:a :b :c]",
     .calls = {{"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}, {"dequeue", NULL, "nil #"}}},
    {.name = "stack", .spec = "stack", .calls = {{"push", "#", NULL}, {"pop", NULL, "nil #"}}},
    {.name = "priority-queue",
     .spec = "priority-queue",
     .calls = {{"insert", "#", NULL}, {"delete-min", NULL, "nil #"}}},
    {.name = "set of one key",
     .spec = "set",
     .key = "1",
     .calls = {{"add", "1", "true false"},
               {"remove", "1", "true false"},
               {"contains", "1", "true false"}}},
    {.name = "mutex", .spec = "mutex", .calls = {{"acquire", NULL, NULL}, {"release", NULL, NULL}}},
    {.name = "owned mutex",
     .spec = "mutex",
     .owned = true,
     .calls = {{"acquire", NULL, NULL}, {"release", NULL, NULL}}},
    {.name = "unordered-queue",
     .spec = "unordered-queue",
     .initial = "[:a :b]",
     .calls = {{"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}, {"dequeue", NULL, "nil #"}}},
    {.name = "grow-set",
     .spec = "grow-set",
     .initial = "[-1 -2]",
     .calls = {{"add", "1", NULL},
               {"add", "2", NULL},
               {"add", ":a", NULL},
               {"add", "[3]", NULL},
               {"read", NULL, "[]"}}},
    {.name = "counter",
     .spec = "counter",
     .calls = {{"add", "2", NULL}, {"read", NULL, "0 2 4"}, {"read", NULL, "0 2 4"}}},
};

static enum verdict decide_part(const struct part *part, bool *valid, struct text *reason)
{
    struct budget budget;
    struct limits limits;
    struct decision decision;
    struct error error = {0};
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    decision_init(&decision, &budget);
    assert_true(monitor_applies(part, &limits, NULL));
    assert_int_equal(monitor_decide(part, &limits, &decision, &error), STATUS_OK);
    *valid = decision.verdict == VERDICT_LINEARIZABLE &&
             witness_is_valid(part, decision.linearization.items, decision.linearization.length,
                              &limits, NULL);
    if (reason)
        text_append(reason, text_string(&decision.reason));
    enum verdict verdict = decision.verdict;
    decision_release(&decision);
    assert_int_equal(budget.used, 0);
    return verdict;
}

static void large_histories_have_a_linearization(void **unused)
{
    (void)unused;
    for (size_t w = 0; w < ARRAY_LENGTH(large); w++) {
        struct subject subject;
        struct sample sample = {0};
        struct random random;
        subject_open(&subject, &large[w]);
        if (!monitor_find(subject.spec->class)) {
            print_message("%s: no monitor\n", large[w].name);
            subject_close(&subject);
            continue;
        }
        random_seed(&random, w);
        for (uint32_t operations = 1000; operations <= 100000; operations *= 10) {
            struct shape shape = {.operations = operations,
                                  .processes = operations == 10000 ? 64 : 8,
                                  .pending_percent = operations == 1000 ? 1 : 0,
                                  .eagerness = operations == 10000 ? 3 : 0};
            sample_random(&sample, &subject, &random, &shape);
            bool valid, applies;
            struct limits limits;
            limits_init(&limits, &subject.budget);
            applies = monitor_applies(&sample.part, &limits, NULL);
            print_message("%s: %u operations, %u pending%s\n", large[w].name, sample.part.count,
                          sample.part.pending, applies ? "" : ", not applicable");
            assert_true(applies || operations == 1000);
            if (!applies)
                continue;
            assert_int_equal(decide_part(&sample.part, &valid, NULL), VERDICT_LINEARIZABLE);
            assert_true(valid);
        }
        sample_release(&sample);
        subject_close(&subject);
    }
}

/* However little memory there is: `unknown`, or the right answer; and all is given back. */
static void a_refusal_is_never_a_verdict(void **unused)
{
    (void)unused;
    for (size_t w = 0; w < ARRAY_LENGTH(large); w++) {
        struct subject subject;
        struct sample sample = {0};
        struct random random;
        subject_open(&subject, &large[w]);
        random_seed(&random, w);
        for (int spoilt = 0; monitor_find(subject.spec->class) && spoilt < 2; spoilt++) {
            struct shape shape = {.operations = 300, .processes = 4};
            sample_random(&sample, &subject, &random, &shape);
            for (int i = 0; spoilt && i < 20; i++)
                sample_mutate(&sample, &subject, &random);
            uint32_t decided = 0, refused = 0;
            enum verdict verdict = VERDICT_UNKNOWN;
            for (size_t limit = 64; limit < (1 << 20); limit += limit / 16) {
                struct budget budget;
                struct limits limits;
                struct decision decision;
                struct error error = {0};
                budget_init(&budget, NULL, limit);
                limits_init(&limits, &budget);
                decision_init(&decision, &budget);
                if (monitor_applies(&sample.part, &limits, NULL)) {
                    assert_int_equal(monitor_decide(&sample.part, &limits, &decision, &error),
                                     STATUS_OK);
                    if (decision.verdict == VERDICT_UNKNOWN) {
                        assert_int_equal(decision.limit, LIMIT_MEMORY);
                        refused++;
                    } else {
                        assert_true(decided == 0 || decision.verdict == verdict);
                        verdict = decision.verdict;
                        decided++;
                    }
                }
                decision_release(&decision);
                assert_int_equal(budget.used, 0);
            }
            assert_true(refused > 0);
            assert_true(decided > 0 || spoilt);
        }
        sample_release(&sample);
        subject_close(&subject);
    }
}

static void an_interrupt_stops_it(void **unused)
{
    (void)unused;
    atomic_bool interrupt;
    atomic_init(&interrupt, true);
    for (size_t w = 0; w < ARRAY_LENGTH(large); w++) {
        struct subject subject;
        struct sample sample = {0};
        struct random random;
        struct budget budget;
        struct limits limits;
        struct decision decision;
        struct error error = {0};
        subject_open(&subject, &large[w]);
        random_seed(&random, w);
        sample_random(&sample, &subject, &random,
                      &(struct shape){.operations = 100, .processes = 4});
        budget_init(&budget, NULL, 0);
        limits_init(&limits, &budget);
        limits.interrupt = &interrupt;
        decision_init(&decision, &budget);
        if (monitor_find(subject.spec->class)) {
            assert_int_equal(monitor_decide(&sample.part, &limits, &decision, &error), STATUS_OK);
            assert_int_equal(decision.verdict, VERDICT_UNKNOWN);
            assert_int_equal(decision.limit, LIMIT_INTERRUPT);
        }
        decision_release(&decision);
        sample_release(&sample);
        subject_close(&subject);
    }
}

static void the_empty_history_is_linearizable(void **unused)
{
    (void)unused;
    for (size_t w = 0; w < ARRAY_LENGTH(large); w++) {
        struct subject subject;
        struct sample sample = {0};
        bool valid;
        subject_open(&subject, &large[w]);
        sample_start(&sample, &subject, 0);
        if (monitor_find(subject.spec->class)) {
            assert_int_equal(decide_part(&sample.part, &valid, NULL), VERDICT_LINEARIZABLE);
            assert_true(valid);
        }
        sample_release(&sample);
        subject_close(&subject);
    }
}

/* Every operation runs as long as every other one. */
static void all_operations_at_once(void **unused)
{
    (void)unused;
    for (size_t w = 0; w < ARRAY_LENGTH(large); w++) {
        struct subject subject;
        struct sample sample = {0};
        struct random random;
        bool valid;
        subject_open(&subject, &large[w]);
        random_seed(&random, w);
        sample_random(&sample, &subject, &random,
                      &(struct shape){.operations = 20000, .processes = 8});
        uint32_t count = sample.part.count;
        for (uint32_t i = 0; i < count; i++) {
            sample.intervals[i].invoke = i;
            sample.intervals[i].response = 2 * count - i;
            sample.intervals[i].call.process = i;
        }
        sample_renumber(&sample);
        if (monitor_find(subject.spec->class) && !large[w].owned) {
            assert_int_equal(decide_part(&sample.part, &valid, NULL), VERDICT_LINEARIZABLE);
            assert_true(valid);
        }
        sample_release(&sample);
        subject_close(&subject);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_histories_have_a_linearization),
        cmocka_unit_test(a_refusal_is_never_a_verdict),
        cmocka_unit_test(an_interrupt_stops_it),
        cmocka_unit_test(the_empty_history_is_linearizable),
        cmocka_unit_test(all_operations_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The definition of linearizability on histories whose verdict is known from reasoning, and the
 * check of a linearization. These are the foundation: everything else is tested against them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "decide/definition.h"
#include "decide/witness.h"
#include "monitor/decision.h"
#include "support/generate.h"

static enum verdict decide_text(const char *workload, const char *text)
{
    struct subject subject;
    subject_open(&subject, workload_find(workload));
    struct sample sample = {0};
    sample_parse(&sample, &subject, text);
    struct limits limits;
    limits_init(&limits, &subject.budget);
    struct decision decision;
    decision_init(&decision, &subject.budget);
    struct error error;
    assert_int_equal(definition_decide(&sample.part, &limits, &decision, &error), STATUS_OK);
    enum verdict verdict = decision.verdict;
    if (verdict == VERDICT_LINEARIZABLE)
        assert_true(witness_is_valid(&sample.part, decision.linearization.items,
                                     decision.linearization.length, &limits, NULL));
    else
        assert_true(decision.reason.length > 0);
    decision_release(&decision);
    sample_release(&sample);
    subject_close(&subject);
    return verdict;
}

static void assert_linearizable(const char *workload, const char *text)
{
    print_message("%s: %s\n", workload, text);
    assert_int_equal(decide_text(workload, text), VERDICT_LINEARIZABLE);
}

static void assert_violation(const char *workload, const char *text)
{
    print_message("%s: %s\n", workload, text);
    assert_int_equal(decide_text(workload, text), VERDICT_VIOLATION);
}

/* Figure 1 of Herlihy and Wing; x, y, z are 1, 2, 3. */
static void queue_histories_of_herlihy_and_wing(void **unused)
{
    (void)unused;
    assert_linearizable("queue", "enqueue 1 [0 3]; enqueue 2 [1 2]; dequeue 1 [4 5];"
                                 "dequeue 2 [6 7]; enqueue 3 [8 _]");
    assert_violation("queue", "enqueue 1 [0 1]; enqueue 2 [2 4]; dequeue 2 [3 5]");
    assert_linearizable("queue", "enqueue 1 [0 _]; dequeue 1 [1 2]");
    assert_violation("queue", "enqueue 1 [0 2]; enqueue 2 [1 3]; dequeue 2 [4 6];"
                              "dequeue 2 [5 7]");
}

static void the_empty_history_is_linearizable(void **unused)
{
    (void)unused;
    assert_linearizable("queue", "");
}

static void precedence_decides(void **unused)
{
    (void)unused;
    assert_linearizable("register", "write 1 [0 3]; read 1 [1 2]");
    assert_violation("register", "read 1 [0 1]; write 1 [2 3]");
    assert_linearizable("register", "read 1 [0 2]; write 1 [1 3]");
    assert_violation("register", "write 1 [0 1]; read nil [2 3]");
    /* One reader sees the new value, a later one the old: a new-old inversion. */
    assert_violation("register", "write 1 [0 5]; read 1 [1 2]; read nil [3 4]");
    assert_linearizable("register", "write 1 [0 5]; read nil [1 2]; read 1 [3 4]");
}

static void a_pending_operation_may_or_may_not_have_happened(void **unused)
{
    (void)unused;
    assert_linearizable("register", "write 1 [0 _]; read nil [1 2]; read 1 [3 4]");
    assert_linearizable("register", "write 1 [0 _]; read nil [1 2]; read nil [3 4]");
    assert_violation("register", "write 1 [0 _]; read 1 [1 2]; read nil [3 4]");
    assert_violation("register", "read 1 [0 1]; write 1 [2 _]");
    /* A pending dequeue can take 1, but then it has to have been invoked in time. */
    assert_linearizable("queue", "enqueue 1 [0 1]; dequeue ? [2 _]; dequeue nil [3 4]");
    assert_violation("queue", "enqueue 1 [0 1]; dequeue nil [2 3]; dequeue ? [4 _]");
}

static void an_unknown_result_may_be_anything(void **unused)
{
    (void)unused;
    assert_linearizable("stack", "push 1 [0 1]; push 2 [2 3]; pop ? [4 5]; pop 1 [6 7]");
    assert_violation("stack", "push 1 [0 1]; push 2 [2 3]; pop ? [4 5]; pop 2 [6 7]");
}

/* ---- Witnesses ---- */

static bool valid(const struct sample *sample, struct subject *subject, const uint32_t *order,
                  size_t length, size_t expected_fault)
{
    struct limits limits;
    limits_init(&limits, &subject->budget);
    size_t bad = SIZE_MAX;
    bool is_valid = witness_is_valid(&sample->part, order, length, &limits, &bad);
    if (!is_valid)
        assert_int_equal(bad, expected_fault);
    return is_valid;
}

#define ORDER(...) (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4

static void a_witness_is_checked_for_everything(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("queue"));
    struct sample sample = {0};
    sample_parse(&sample, &subject,
                 "enqueue 1 [0 2]; enqueue 2 [1 3]; dequeue 2 [4 5]; enqueue 3 [6 _]");
    assert_true(valid(&sample, &subject, ORDER(1, 0, 2), 0));
    assert_true(valid(&sample, &subject, ORDER(1, 0, 2, 3), 0));
    assert_false(valid(&sample, &subject, ORDER(1, 2, 0, 3), 2));    /* against precedence */
    assert_false(valid(&sample, &subject, ORDER(0, 1, 2), 2));       /* not legal */
    assert_false(valid(&sample, &subject, ORDER(1, 0), 2));          /* one is missing */
    assert_false(valid(&sample, &subject, ORDER(1, 0, 1, 2), 2));    /* one is there twice */
    assert_false(valid(&sample, &subject, ORDER(1, 0, 2, 3, 3), 4)); /* even a pending one */
    assert_false(valid(&sample, &subject, ORDER(1, 0, 2, 4), 3));    /* no such operation */
    assert_false(valid(&sample, &subject, ORDER(3, 1, 0, 2), 1));    /* before its invocation */
    sample_release(&sample);
    subject_close(&subject);
}

/* ---- Limits ---- */

/* Sixteen concurrent enqueues, then dequeues in an order that only the very last one spoils. */
static void make_hard(struct sample *sample, const struct subject *subject)
{
    struct text text = TEXT_EMPTY;
    for (int i = 0; i < 16; i++)
        text_format(&text, "enqueue %d [0 1];", i + 1);
    text_append(&text, "dequeue 99 [2 3]");
    sample_parse(sample, subject, text_string(&text));
    text_release(&text);
}

static void limits_make_the_verdict_unknown(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("queue"));
    struct sample sample = {0};
    make_hard(&sample, &subject);
    for (int kind = 0; kind < 3; kind++) {
        struct budget budget;
        budget_init(&budget, &subject.budget, kind == 0 ? 2000 : 0);
        atomic_bool interrupt = true;
        struct limits limits;
        limits_init(&limits, &budget);
        limits.deadline = kind == 1 ? clock_nanoseconds() + 1000000 : 0;
        limits.interrupt = kind == 2 ? &interrupt : NULL;
        struct decision decision;
        decision_init(&decision, &budget);
        struct error error;
        assert_int_equal(definition_decide(&sample.part, &limits, &decision, &error), STATUS_OK);
        assert_int_equal(decision.verdict, VERDICT_UNKNOWN);
        const enum limit expected[] = {LIMIT_MEMORY, LIMIT_TIME, LIMIT_INTERRUPT};
        assert_int_equal(decision.limit, expected[kind]);
        decision_release(&decision);
        assert_int_equal(budget.used, 0);
    }
    sample_release(&sample);
    subject_close(&subject);
}

/* ---- The generators themselves ---- */

static void count(void *context, const struct part *part)
{
    (void)part;
    ++*(uint64_t *)context;
}

/* An operation on a register with one value is a write, completed or pending, or a read, completed
 * with nil, 1 or an unknown result, or pending: six. */
static void enumeration_is_complete(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("register"));
    uint64_t visited = 0;
    struct enumeration enumeration = {
        .operations = 1, .values = 1, .keep_one_in = 1, .visit = count, .context = &visited};
    assert_int_equal(sample_enumerate(&subject, &enumeration), 6);
    assert_int_equal(visited, 6);
    /* In sequence: 4 completed ones before any of the 6. Overlapping: pairs without order. */
    enumeration.operations = 2;
    assert_int_equal(sample_enumerate(&subject, &enumeration), 4 * 6 + 6 * 7 / 2);
    subject_close(&subject);
}

static bool is_violation(void *context, const struct part *part)
{
    struct subject *subject = context;
    struct limits limits;
    limits_init(&limits, &subject->budget);
    struct decision decision;
    decision_init(&decision, &subject->budget);
    struct error error;
    assert_int_equal(definition_decide(part, &limits, &decision, &error), STATUS_OK);
    bool violation = decision.verdict == VERDICT_VIOLATION;
    decision_release(&decision);
    return violation;
}

static void shrinking_keeps_what_matters(void **unused)
{
    (void)unused;
    struct subject subject;
    subject_open(&subject, workload_find("queue"));
    struct sample sample = {0};
    sample_parse(&sample, &subject,
                 "enqueue 1 [0 1]; enqueue 2 [2 3]; enqueue 3 [4 5]; dequeue 2 [6 7];"
                 "dequeue nil [8 9]; dequeue ? [10 _]");
    sample_shrink(&sample, is_violation, &subject);
    struct text text = TEXT_EMPTY;
    sample_print(&sample.part, &text);
    /* One operation that nothing explains is enough. */
    assert_string_equal(text_string(&text), "dequeue 2 [0 1] @3");
    text_release(&text);
    sample_release(&sample);
    subject_close(&subject);
}

/* What is printed is read back as the same part; random parts are well formed, and about as many
 * violate as the tests of the monitors count on. */
static void random_parts_are_sound(void **unused)
{
    (void)unused;
    size_t workload_count;
    const struct workload *all = workloads(&workload_count);
    for (size_t w = 0; w < workload_count; w++) {
        if (strcmp(all[w].spec, "register") && strcmp(all[w].spec, "queue") &&
            strcmp(all[w].spec, "stack"))
            continue;
        struct subject subject;
        subject_open(&subject, &all[w]);
        struct random random;
        random_seed(&random, 7 + w);
        struct sample sample = {0}, back = {0};
        int violations = 0, total = 500;
        for (int i = 0; i < total; i++) {
            struct shape shape = {.operations = 1 + random_below(&random, 7),
                                  .processes = 1 + random_below(&random, 4),
                                  .values = 2,
                                  .pending_percent = 10,
                                  .unknown_percent = 5,
                                  .mutate_percent = i % 2 ? 100 : 0,
                                  .eagerness = random_below(&random, 4)};
            sample_random(&sample, &subject, &random, &shape);
            bool violation = is_violation(&subject, &sample.part);
            assert_true(!violation || shape.mutate_percent > 0);
            if (i % 2) {
                /* A few more changes spoil nearly every part of some size. */
                for (int k = 0; k < 8 && !violation; k++) {
                    sample_mutate(&sample, &subject, &random);
                    violation = is_violation(&subject, &sample.part);
                }
            }
            violations += violation;
            struct text text = TEXT_EMPTY, again = TEXT_EMPTY;
            sample_print(&sample.part, &text);
            sample_parse(&back, &subject, text_string(&text));
            sample_print(&back.part, &again);
            assert_string_equal(text_string(&text), text_string(&again));
            assert_int_equal(sample.part.positions, 2 * sample.part.count - sample.part.pending);
            for (uint32_t k = 0; k < sample.part.count; k++)
                assert_memory_equal(&sample.intervals[k].call, &back.intervals[k].call,
                                    sizeof(struct call));
            text_release(&text);
            text_release(&again);
        }
        print_message("%s: %d of %d violate\n", all[w].name, violations, total);
        assert_in_range(violations, total / 4, total / 2);
        sample_release(&sample);
        sample_release(&back);
        subject_close(&subject);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_histories_of_herlihy_and_wing),
        cmocka_unit_test(the_empty_history_is_linearizable),
        cmocka_unit_test(precedence_decides),
        cmocka_unit_test(a_pending_operation_may_or_may_not_have_happened),
        cmocka_unit_test(an_unknown_result_may_be_anything),
        cmocka_unit_test(a_witness_is_checked_for_everything),
        cmocka_unit_test(limits_make_the_verdict_unknown),
        cmocka_unit_test(enumeration_is_complete),
        cmocka_unit_test(shrinking_keeps_what_matters),
        cmocka_unit_test(random_parts_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

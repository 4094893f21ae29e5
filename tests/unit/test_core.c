/* Cores: of small violations of every object, found by every engine, both halves of the definition
 * are tried by an oracle that shares nothing with the search for cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/core.h"
#include "decide/relax.h"
#include "support/generate.h"
#include "support/oracle.h"

#define VIOLATIONS 60 /* at least so many of each workload */
#define SAMPLES    4000

static void print_part(const struct part *part, const struct core *core)
{
    struct text text = TEXT_EMPTY;
    sample_print(part, &text);
    fprintf(stderr, "%s\ncore:", text_string(&text));
    for (size_t i = 0; core && i < core->members.length; i++)
        fprintf(stderr, " %u", core->members.items[i]);
    fprintf(stderr, "\n");
    text_release(&text);
}

/* What is wrong with the core, null if nothing is. */
static const char *core_fault(const struct part *part, const struct core *core)
{
    bool member[ORACLE_MOST] = {0};
    if (!core->complete)
        return "the core is not complete";
    for (size_t i = 0; i < core->members.length; i++) {
        if (i > 0 && core->members.items[i] <= core->members.items[i - 1])
            return "the core is not ascending";
        member[core->members.items[i]] = true;
    }
    if (oracle_relaxed_linearizable(part, member))
        return "the core is linearizable";
    for (size_t i = 0; i < core->members.length; i++) {
        member[core->members.items[i]] = false;
        if (!oracle_relaxed_linearizable(part, member))
            return "a smaller core exists";
        member[core->members.items[i]] = true;
    }
    return NULL;
}

/* Finds the core of a violating part as `method` decides it. */
static void check_core(const struct part *part, enum method method, struct limits *limits)
{
    struct decision decision;
    struct core core;
    struct error error;
    enum method used;
    decision_init(&decision, limits->budget);
    core_init(&core, limits->budget);
    assert_int_equal(part_decide(part, method, limits, &decision, &used, &error), STATUS_OK);
    if (decision.verdict != VERDICT_VIOLATION)
        print_part(part, NULL);
    assert_int_equal(decision.verdict, VERDICT_VIOLATION);
    if (core_find(part, &decision, used, limits, &core, &error) != STATUS_OK) {
        print_part(part, NULL);
        fail_msg("%s", error.message);
    }
    const char *fault = core_fault(part, &core);
    if (fault) {
        print_part(part, &core);
        fail_msg("%s: %s", method_name(used), fault);
    }
    core_release(&core);
    decision_release(&decision);
}

struct limited {
    unsigned complete, some, none; /* cores */
};

/* Within so many steps, or so many bytes more than there are (0: any number), what is found is a
 * violation, and said to be complete only if it is minimal. */
static void check_limited_core(const struct part *part, const struct decision *decision,
                               enum method used, struct limits *limits, uint64_t steps,
                               size_t bytes, struct limited *limited)
{
    struct core core;
    struct error error;
    const char *fault = NULL;
    bool member[ORACLE_MOST] = {0};
    core_init(&core, limits->budget);
    limits->most_work = steps;
    limits->budget->limit = bytes ? atomic_load(&limits->budget->used) + bytes : 0;
    assert_int_equal(core_find(part, decision, used, limits, &core, &error), STATUS_OK);
    limits->most_work = limits->budget->limit = 0;
    atomic_store(&limits->budget->refused, false);
    for (size_t i = 0; i < core.members.length; i++)
        member[core.members.items[i]] = true;
    if (core.complete)
        fault = core_fault(part, &core);
    else if (core.members.length && oracle_relaxed_linearizable(part, member))
        fault = "what was found is linearizable";
    if (fault) {
        print_part(part, &core);
        fail_msg("%s, %zu bytes: %s", method_name(used), bytes, fault);
    }
    limited->complete += core.complete;
    limited->some += !core.complete && core.members.length;
    limited->none += !core.members.length;
    core_release(&core);
}

static void check_limits(const struct part *part, enum method method, struct limits *limits,
                         struct limited *limited)
{
    struct decision decision;
    struct error error;
    enum method used;
    decision_init(&decision, limits->budget);
    assert_int_equal(part_decide(part, method, limits, &decision, &used, &error), STATUS_OK);
    for (uint64_t steps = 1; steps < 4000; steps += 1 + steps / 4)
        check_limited_core(part, &decision, used, limits, steps, 0, limited);
    for (size_t bytes = 1; bytes < 20000; bytes += 1 + bytes / 16)
        check_limited_core(part, &decision, used, limits, 0, bytes, limited);
    decision_release(&decision);
}

static void limits_leave_no_wrong_core(void **unused)
{
    (void)unused;
    size_t count;
    const struct workload *all = workloads(&count);
    struct limited limited = {0};
    for (size_t i = 0; i < count; i++) {
        struct subject subject;
        struct random random;
        struct limits limits;
        struct sample sample = {0};
        subject_open(&subject, &all[i]);
        random_seed(&random, 2000 + i);
        limits_init(&limits, &subject.budget);
        const struct shape shape = {
            .operations = 7, .processes = 3, .values = 2, .mutate_percent = 100, .eagerness = 1};
        do
            sample_random(&sample, &subject, &random, &shape);
        while (oracle_linearizable(&sample.part));
        check_limits(&sample.part, METHOD_AUTO, &limits, &limited);
        check_limits(&sample.part, METHOD_SEARCH, &limits, &limited);
        sample_release(&sample);
        subject_close(&subject);
    }
    print_message("cores within limits: %u complete, %u others, %u none\n", limited.complete,
                  limited.some, limited.none);
    assert_true(limited.complete > 0 && limited.some > 0 && limited.none > 0);
}

/* Random parts of one workload until there were enough violations. */
static unsigned check_workload(const struct workload *workload, uint64_t seed)
{
    struct subject subject;
    struct random random;
    struct limits limits;
    subject_open(&subject, workload);
    random_seed(&random, seed);
    limits_init(&limits, &subject.budget);
    unsigned violations = 0;
    struct sample sample = {0};
    for (unsigned i = 0; i < SAMPLES && violations < VIOLATIONS; i++) {
        struct shape shape = {.operations = 3 + random_below(&random, 7),
                              .processes = 1 + random_below(&random, 4),
                              .values = random_below(&random, 4),
                              .pending_percent = random_below(&random, 30),
                              .unknown_percent = random_below(&random, 20),
                              .mutate_percent = 100,
                              .eagerness = random_below(&random, 3)};
        sample_random(&sample, &subject, &random, &shape);
        if (oracle_linearizable(&sample.part))
            continue;
        violations++;
        check_core(&sample.part, METHOD_AUTO, &limits);
        check_core(&sample.part, METHOD_SEARCH, &limits);
        if (sample.part.count <= 6)
            check_core(&sample.part, METHOD_DEFINITION, &limits);
    }
    sample_release(&sample);
    subject_close(&subject);
    return violations;
}

static void small_violations_have_cores(void **unused)
{
    (void)unused;
    size_t count;
    const struct workload *all = workloads(&count);
    unsigned total = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned violations = check_workload(&all[i], 1000 + i);
        if (violations < VIOLATIONS / 2)
            fail_msg("%s: only %u violations", all[i].name, violations);
        total += violations;
    }
    assert_true(total >= 800);
}

/* Leaving out what is of no use changes no verdict. */
static void relaxing_keeps_the_verdict(void **unused)
{
    (void)unused;
    size_t count;
    const struct workload *all = workloads(&count);
    for (size_t i = 0; i < count; i++) {
        struct subject subject;
        struct random random;
        struct sample sample = {0};
        unsigned left_out = 0, violations = 0;
        subject_open(&subject, &all[i]);
        random_seed(&random, 77 + i);
        for (unsigned j = 0; j < 600; j++) {
            struct shape shape = {.operations = 4 + random_below(&random, 7),
                                  .processes = 2 + random_below(&random, 4),
                                  .values = 2 + random_below(&random, 2),
                                  .pending_percent = 10 + random_below(&random, 40),
                                  .mutate_percent = 100};
            sample_random(&sample, &subject, &random, &shape);
            if (sample.part.count == 0)
                continue;
            bool members[ORACLE_MOST];
            for (uint32_t k = 0; k < sample.part.count; k++)
                members[k] = random_chance(&random, 15, 16);
            struct relaxed relaxed;
            assert_true(relaxed_init(&relaxed, &sample.part, &subject.budget));
            relaxed_make(&relaxed, &sample.part, members);
            bool expected = oracle_relaxed_linearizable(&sample.part, members);
            if (oracle_linearizable(&relaxed.part) != expected) {
                print_part(&sample.part, NULL);
                print_part(&relaxed.part, NULL);
                fail_msg("%s: relaxed it is %slinearizable", all[i].name, expected ? "not " : "");
            }
            left_out += sample.part.count - relaxed.part.count;
            violations += !expected;
            relaxed_release(&relaxed);
        }
        if (left_out < 80 || violations < 12)
            fail_msg("%s: %u left out, %u violations", all[i].name, left_out, violations);
        sample_release(&sample);
        subject_close(&subject);
    }
}

/* ---- by hand ---- */

struct fixture {
    struct subject subject;
    struct sample sample;
    struct limits limits;
    struct decision decision;
    struct core core;
};

static void fixture_open(struct fixture *fixture, const char *workload, const char *text)
{
    *fixture = (struct fixture){0};
    subject_open(&fixture->subject, workload_find(workload));
    sample_parse(&fixture->sample, &fixture->subject, text);
    limits_init(&fixture->limits, &fixture->subject.budget);
    decision_init(&fixture->decision, &fixture->subject.budget);
    core_init(&fixture->core, &fixture->subject.budget);
    struct error error;
    enum method used;
    const struct part *part = &fixture->sample.part;
    assert_int_equal(
        part_decide(part, METHOD_AUTO, &fixture->limits, &fixture->decision, &used, &error),
        STATUS_OK);
    assert_int_equal(fixture->decision.verdict, VERDICT_VIOLATION);
    assert_int_equal(
        core_find(part, &fixture->decision, used, &fixture->limits, &fixture->core, &error),
        STATUS_OK);
}

static void fixture_close(struct fixture *fixture)
{
    core_release(&fixture->core);
    decision_release(&fixture->decision);
    sample_release(&fixture->sample);
    subject_close(&fixture->subject);
}

static void assert_core(const char *workload, const char *text, const char *expected)
{
    struct fixture fixture;
    fixture_open(&fixture, workload, text);
    struct text found = TEXT_EMPTY;
    for (size_t i = 0; i < fixture.core.members.length; i++)
        text_format(&found, "%s%u", i > 0 ? " " : "", fixture.core.members.items[i]);
    assert_true(fixture.core.complete);
    assert_string_equal(text_string(&found), expected);
    text_release(&found);
    fixture_close(&fixture);
}

/* Each of two hundred additions may have happened or not, where it is pending: no sum of them is
 * more than all of them, and behind 1000 no other is less. */
static void cores_of_counters(void)
{
    struct text text = TEXT_EMPTY;
    int sum = 0;
    for (int i = 0; i < 200; sum += 1 + i % 9, i++)
        text_format(&text, "add %d [%d %d]; ", 1 + i % 9, 2 * i, 2 * i + 1);
    const size_t length = text.length;
    text_format(&text, "read %d [400 401]", sum + 1);
    assert_core("counter", text_string(&text), "200");
    text.length = length;
    text_format(&text, "read %d [400 401]; read %d [402 403]", sum, sum - 1);
    assert_core("counter", text_string(&text), "200 201");
    text.length = length; /* all of them are in the first read: 2 and 5 do not lead to the next */
    text_format(&text, "read %d [400 401]; add 5 [402 403]; add 2 [404 405]; read %d [406 407]",
                sum, sum + 6);
    assert_core("counter", text_string(&text), "200 203");
    text_release(&text);
}

static void cores_leave_out_what_does_not_matter(void **unused)
{
    (void)unused;
    /* Nothing ever writes 9. */
    assert_core("register", "write 1 [0 1]; read 1 [2 3]; read 9 [4 5]; write 2 [6 7]", "2");
    /* The write of 1 had completed when the read of nil began. */
    assert_core("register", "write 1 [0 1]; write 2 [2 5]; read nil [3 4]; read 2 [6 7]", "0 2");
    /* Each write can happen once only. */
    assert_core("register",
                "write 1 [0 _]; write 2 [1 _]; read 1 [3 4]; read 2 [5 6]; read 1 [7 8]", "2 3 4");
    /* Both hold it; the third may not have happened. */
    assert_core("mutex", "acquire [0 1]; acquire [2 3]; acquire [4 _]", "0 1");
    /* 1 was there before the enqueue of 2 even began, which need not have completed for it. */
    assert_core("queue", "enqueue 1 [0 1]; enqueue 2 [2 3]; dequeue 2 [4 5]; dequeue 1 [6 7]",
                "0 2");
    /* The dequeue of 5, were it pending, could take 1 away. */
    assert_core("queue",
                "enqueue 5 [0 1]; dequeue 5 [2 3]; enqueue 1 [4 5]; enqueue 2 [6 7]; "
                "dequeue 2 [8 9]",
                "1 2 4");
    /* Nobody ever adds 9; eighteen pending pushes have more orders than could be tried. */
    struct text text = TEXT_EMPTY;
    for (int i = 0; i < 18; i++)
        text_format(&text, "push-%s %d [%d %d]; ", i % 2 ? "front" : "back", 10 + i, 2 * i,
                    2 * i + 1);
    text_append(&text, "pop-front 9 [40 41]");
    assert_core("deque", text_string(&text), "18");
    text_clear(&text);
    for (int i = 0; i < 18; i++)
        text_format(&text, "txn [[:write :k%d %d] [:write :k%d %d]] [%d %d]; ", i % 6, i,
                    (i + 1) % 6, i, 2 * i, 2 * i + 1);
    text_append(&text, "txn [[:read :k0 nil] [:read :k1 nil]] [[:read :k0 99] [:read :k1 1]] "
                       "[40 41]");
    assert_core("multi-register", text_string(&text), "18");
    text_release(&text);
    cores_of_counters();
}

/* A part too large for the core's share of work still gets what was found. */
static void a_core_is_found_among_many(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    text_append(&text, "write 1 [0 1]");
    for (unsigned i = 2; i < 300; i++)
        text_format(&text, "; write %u [%u %u]; read %u [%u %u]", i, 4 * i, 4 * i + 1, i, 4 * i + 2,
                    4 * i + 3);
    text_append(&text, "; read 7 [2000 2001]; read 299 [2002 2003]");
    struct fixture fixture;
    fixture_open(&fixture, "register", text_string(&text));
    assert_true(fixture.core.complete);
    assert_true(fixture.core.members.length <= 4);
    text_release(&text);
    fixture_close(&fixture);
}

static void an_interrupted_search_leaves_no_wrong_core(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture, "register", "write 1 [0 1]; read nil [2 3]; write 2 [4 5]");
    atomic_bool interrupt = true;
    fixture.limits.interrupt = &interrupt;
    struct error error;
    assert_int_equal(core_find(&fixture.sample.part, &fixture.decision, METHOD_SEARCH,
                               &fixture.limits, &fixture.core, &error),
                     STATUS_OK);
    assert_false(fixture.core.complete);
    assert_int_equal(fixture.core.members.length, 0);
    fixture_close(&fixture);
}

static void a_violation_that_is_none_is_reported(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture, "register", "write 1 [0 1]; read nil [2 3]");
    /* As a broken engine would have it. */
    fixture.sample.intervals[1].call.result = fixture.sample.intervals[0].call.argument;
    struct error error;
    assert_int_equal(core_find(&fixture.sample.part, &fixture.decision, METHOD_SEARCH,
                               &fixture.limits, &fixture.core, &error),
                     STATUS_INTERNAL);
    assert_non_null(strstr(error.message, "please report"));
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_leave_out_what_does_not_matter),
        cmocka_unit_test(a_core_is_found_among_many),
        cmocka_unit_test(an_interrupted_search_leaves_no_wrong_core),
        cmocka_unit_test(a_violation_that_is_none_is_reported),
        cmocka_unit_test(relaxing_keeps_the_verdict),
        cmocka_unit_test(limits_leave_no_wrong_core),
        cmocka_unit_test(small_violations_have_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The search led by the reads: banks with many transfers at once, objects that only look like one,
 * and limits reached on the way. An order that it finds is replayed here as everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>

#include "decide/witness.h"
#include "lin/spec.h"
#include "monitor/decision.h"
#include "search/search.h"
#include "support/generate.h"

#define TRANSFER                                                                                   \
    "    op transfer(int a, int b, int m) {\n"                                                     \
    "        if (balance[a] < m) return false;\n"                                                  \
    "        balance[a] -= m;\n"                                                                   \
    "        balance[b] += m;\n"                                                                   \
    "        return true;\n"                                                                       \
    "    }\n"
#define READ                                                                                       \
    "    op read() { return [balance[1], balance[2], balance[3], balance[4], balance[5]]; }\n"

static const struct workload bank = {
    .name = "bank",
    .spec = "register",
    .calls = {{"transfer", "[# # #]", NULL}, {"read", NULL, NULL}}};

static const struct workload mixed_bank = {.name = "bank with more",
                                           .spec = "register",
                                           .calls = {{"transfer", "[# # #]", NULL},
                                                     {"read", NULL, NULL},
                                                     {"look", "#", NULL},
                                                     {"other", "#", NULL}}};

/* A subject of a specification in `.lin`. */
static void open_lin(struct subject *subject, const struct workload *workload, const char *text)
{
    struct spec_request request = {0};
    struct error error;
    subject_open(subject, workload);
    spec_destroy(subject->spec);
    assert_int_equal(lin_spec_from_text("bank.lin", text, NULL, &request, subject->pool,
                                        &subject->budget, &subject->spec, &error),
                     STATUS_OK);
}

static void decide_part(struct subject *subject, const struct part *part, uint64_t most_work,
                        struct decision *decision)
{
    struct limits limits;
    limits_init(&limits, &subject->budget);
    limits.most_work = most_work;
    struct error error;
    assert_int_equal(search_decide(part, &limits, decision, &error), STATUS_OK);
    if (decision->verdict == VERDICT_LINEARIZABLE)
        assert_true(witness_is_valid(part, decision->linearization.items,
                                     decision->linearization.length, &limits, NULL));
}

/* Decides a correct history of the shape; processes are always busy. How much was explored. */
static uint64_t expect_shape_linearizable(const struct workload *workload, const char *text,
                                          const struct shape *shape, uint64_t seed)
{
    struct subject subject;
    struct sample sample = {0};
    struct decision decision;
    struct random random;
    open_lin(&subject, workload, text);
    random_seed(&random, seed);
    sample_random(&sample, &subject, &random, shape);
    decision_init(&decision, &subject.budget);
    decide_part(&subject, &sample.part, UINT64_C(100000000), &decision);
    print_message("%s: %" PRIu64 " explored\n", workload->name, decision.explored);
    assert_int_equal(decision.verdict, VERDICT_LINEARIZABLE);
    uint64_t explored = decision.explored;
    decision_release(&decision);
    sample_release(&sample);
    subject_close(&subject);
    return explored;
}

static void expect_linearizable(const struct workload *workload, const char *text,
                                uint32_t operations, uint32_t processes, uint64_t seed)
{
    struct shape shape = {.operations = operations, .processes = processes, .values = 5};
    expect_shape_linearizable(workload, text, &shape, seed);
}

/* Of 30 transfers and reads at once there are 2^30 sets that may have taken effect. */
static void a_bank_with_thirty_busy_processes_is_decided(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 3; seed++)
        expect_linearizable(&bank, "spec bank {\n    int balance[6] = 100;\n" TRANSFER READ "}\n",
                            800, 30, seed);
}

/* With few reads, or few accounts and small amounts, many sets have the right sum, and most are
 * wrong: that is to be seen before everything behind them has been tried. */
static void a_wrong_set_is_soon_found_out(void **unused)
{
    (void)unused;
    static const uint32_t few_reads[] = {7, 3};
    struct shape shape = {.operations = 2500, .processes = 30, .values = 5, .weights = few_reads};
    /* The first search pauses after 20000 + 4 * 2500; then about one configuration an operation. */
    uint64_t most = 20000 + 5 * 2500;
    const char *text = "spec bank {\n    int balance[6] = 100;\n" TRANSFER READ "}\n";
    assert_in_range(expect_shape_linearizable(&bank, text, &shape, 9), 1, most);
    shape = (struct shape){.operations = 2500, .processes = 30, .values = 3};
    text = "spec bank {\n    int balance[4] = 100;\n" TRANSFER
           "    op read() { return [balance[1], balance[2], balance[3]]; }\n}\n";
    assert_in_range(expect_shape_linearizable(&bank, text, &shape, 10), 1, most);
}

static void the_state_may_be_a_map_or_a_list(void **unused)
{
    (void)unused;
    expect_linearizable(
        &bank,
        "spec bank {\n    map balance = {1: 90, 2: 90, 3: 90, 4: 90, 5: 90};\n" TRANSFER
        "    op read() { return balance; }\n}\n",
        800, 24, 4);
    expect_linearizable(
        &bank, "spec bank {\n    list balance = [0, 90, 90, 90, 90, 90];\n" TRANSFER READ "}\n",
        800, 24, 5);
}

/* Accounts are read one at a time as well, and something happens that does not add. The guess that
 * operations add is then wrong for some, and for `close` of what a read answers too. */
static void objects_that_only_resemble_a_bank_are_decided(void **unused)
{
    (void)unused;
    static const char *const others[] = {
        "op other(int a) { balance[a] += 3; return ok; }",
        "op other(int a) { balance[a] = 100; return ok; }",
        "op other(int a) { if (balance[a] % 2 == 0) balance[a] += 2; else balance[a] -= 1;"
        " return ok; }",
        "op other(int a) { seen = a; return seen; }",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        struct text text = TEXT_EMPTY;
        text_format(&text,
                    "spec bank {\n    int balance[6] = 100;\n    int seen;\n%s%s"
                    "    op look(int a) { return balance[a] + seen - seen; }\n    %s\n}\n",
                    TRANSFER, READ, others[i]);
        expect_linearizable(&mixed_bank, text_string(&text), 600, 22, 6 + i);
        text_release(&text);
    }
}

/* Money cannot come from nowhere: no set of transfers leads to such a read. */
static void a_wrong_sum_is_a_violation(void **unused)
{
    (void)unused;
    struct subject subject;
    struct sample sample = {0};
    struct decision decision;
    struct random random;
    struct shape shape = {.operations = 400, .processes = 22, .values = 5};
    open_lin(&subject, &bank, "spec bank {\n    int balance[6] = 100;\n" TRANSFER READ "}\n");
    random_seed(&random, 7);
    sample_random(&sample, &subject, &random, &shape);
    uint32_t last = 0;
    for (uint32_t i = 0; i < sample.part.count; i++)
        if (sample.intervals[i].call.read_only)
            last = i;
    sample.intervals[last].call.result = test_value(subject.pool, "[100 100 100 100 101]");
    decision_init(&decision, &subject.budget);
    decide_part(&subject, &sample.part, 0, &decision);
    assert_int_equal(decision.verdict, VERDICT_VIOLATION);
    assert_true(decision.explored > 20000 + 4 * 400); /* it was led in between */
    decision_release(&decision);
    sample_release(&sample);
    subject_close(&subject);
}

/* Whatever the budget, the answer is right or `unknown`, and all memory is given back. */
static void limits_are_respected(void **unused)
{
    (void)unused;
    struct subject subject;
    struct sample sample = {0};
    struct random random;
    struct shape shape = {.operations = 500, .processes = 30, .values = 5};
    open_lin(&subject, &bank, "spec bank {\n    int balance[6] = 100;\n" TRANSFER READ "}\n");
    random_seed(&random, 8);
    sample_random(&sample, &subject, &random, &shape);
    uint32_t decided = 0, refused = 0;
    for (size_t room = 1 << 16; !decided; room += room / 8) {
        struct decision decision;
        decision_init(&decision, &subject.budget);
        subject.budget.limit = atomic_load(&subject.budget.used) + room;
        atomic_store(&subject.budget.refused, false);
        struct limits limits;
        limits_init(&limits, &subject.budget);
        struct error error;
        assert_int_equal(search_decide(&sample.part, &limits, &decision, &error), STATUS_OK);
        assert_int_not_equal(decision.verdict, VERDICT_VIOLATION);
        decided += decision.verdict == VERDICT_LINEARIZABLE;
        refused += decision.verdict == VERDICT_UNKNOWN;
        if (decision.verdict == VERDICT_UNKNOWN)
            assert_int_equal(decision.limit, LIMIT_MEMORY);
        subject.budget.limit = 0;
        decision_release(&decision);
    }
    assert_true(refused > 10);
    for (uint64_t work = 4096; work < UINT64_C(1) << 22; work *= 4) {
        struct decision decision;
        decision_init(&decision, &subject.budget);
        decide_part(&subject, &sample.part, work, &decision);
        assert_int_not_equal(decision.verdict, VERDICT_VIOLATION);
        decision_release(&decision);
    }
    sample_release(&sample);
    subject_close(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bank_with_thirty_busy_processes_is_decided),
        cmocka_unit_test(a_wrong_set_is_soon_found_out),
        cmocka_unit_test(the_state_may_be_a_map_or_a_list),
        cmocka_unit_test(objects_that_only_resemble_a_bank_are_decided),
        cmocka_unit_test(a_wrong_sum_is_a_violation),
        cmocka_unit_test(limits_are_respected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

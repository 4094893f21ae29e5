/* What is said when a limit is reached: nothing that has not been checked, but also what had been
 * found by then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "petri/cover.h"

/* A row of places through which tokens go; one, or any number. Two are wanted at the end. */
static void make_chain(struct net *net, uint32_t places, bool open)
{
    for (uint32_t p = 0; p < places; p++)
        net_add_place(net, "p", p == 0, p == 0 && open);
    for (uint32_t p = 0; p + 1 < places; p++)
        net_add_transition(net, NULL, 0, &(struct arc){p, 1}, 1, &(struct arc){p + 1, 1}, 1);
    net_add_target(net, &(struct arc){places - 1, 2}, 1);
}

struct counts {
    unsigned decided, unknown, found;
};

static void solve_within(const struct net *net, size_t memory, enum verdict right,
                         struct counts *counts)
{
    struct budget budget;
    struct limits limits;
    struct coverage coverage;
    struct error error;
    budget_init(&budget, NULL, memory);
    limits_init(&limits, &budget);
    assert_int_equal(cover_solve(net, &budget, &limits, NULL, &coverage, &error), STATUS_OK);
    if (coverage.verdict == VERDICT_UNKNOWN) {
        assert_int_equal(coverage.limit, LIMIT_MEMORY);
        assert_true(coverage.found == VERDICT_UNKNOWN || coverage.found == right);
        counts->unknown++;
        counts->found += coverage.found == right;
    } else {
        assert_int_equal(coverage.verdict, right);
        counts->decided++;
    }
    coverage_release(&coverage);
    assert_int_equal(budget.used, 0);
}

/* With less and less memory: first the check of the proof has none, then the engines. */
static void try_all_memory(uint32_t places, bool open, struct counts *counts)
{
    struct budget budget;
    struct net net;
    budget_init(&budget, NULL, 0);
    net_init(&net, &budget);
    make_chain(&net, places, open);
    *counts = (struct counts){0};
    for (size_t memory = (size_t)8 << 20; memory > 1 << 12; memory -= memory / 32 + 1)
        solve_within(&net, memory, open ? VERDICT_UNSAFE : VERDICT_SAFE, counts);
    net_release(&net);
    assert_int_equal(budget.used, 0);
    assert_true(counts->decided > 0 && counts->unknown > 0);
}

static void what_was_found_but_not_checked_is_told(void **unused)
{
    (void)unused;
    struct counts counts;
    try_all_memory(2000, false, &counts);
    assert_true(counts.found > 0);
    try_all_memory(40, true, &counts);
}

/* Reading is work, too. */
static void adding_ends_when_a_limit_is_reached(void **unused)
{
    (void)unused;
    struct budget budget;
    struct limits limits;
    struct net net;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    limits.deadline = 1; /* long ago */
    net_init(&net, &budget);
    net.limits = &limits;
    unsigned added = 0;
    while (added < 100000 && net_add_place(&net, "p", 0, false) != NET_NONE)
        added++;
    assert_true(added < 100000 && net.refused);
    net_release(&net);
    assert_int_equal(budget.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_found_but_not_checked_is_told),
        cmocka_unit_test(adding_ends_when_a_limit_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Evidence as it is written down, place by place, the first one too; and a certificate that is none
 * is no certificate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "petri/cover.h"
#include "petri/evidence.h"

/* Two tokens, or any number where the first place is open, go from it to the second and back. The
 * third has none, unless it leaks. */
static void make_net(struct net *net, bool open, bool leaks)
{
    const struct arc first = {0, 1}, second = {1, 1}, third = {2, 1};
    net_add_place(net, "first", 1, open);
    net_add_place(net, "second", 1, false);
    net_add_place(net, "third", 0, false);
    net_add_transition(net, NULL, 0, &first, 1, &second, 1);
    net_add_transition(net, NULL, 0, &second, 1, &first, 1);
    if (leaks)
        net_add_transition(net, NULL, 0, &second, 1, &third, 1);
    net_add_target(net, leaks || open ? &third : &(struct arc){0, 3}, 1);
}

struct solved {
    struct budget budget;
    struct net net;
    struct coverage coverage;
};

static void solve(struct solved *solved, bool open, bool leaks, unsigned engines)
{
    struct limits limits;
    struct error error;
    budget_init(&solved->budget, NULL, 0);
    net_init(&solved->net, &solved->budget);
    make_net(&solved->net, open, leaks);
    limits_init(&limits, &solved->budget);
    const struct cover_options options = {.engines = engines};
    assert_int_equal(
        cover_solve(&solved->net, &solved->budget, &limits, &options, &solved->coverage, &error),
        STATUS_OK);
    assert_int_equal(solved->coverage.verdict, leaks ? VERDICT_UNSAFE : VERDICT_SAFE);
}

static void release(struct solved *solved)
{
    coverage_release(&solved->coverage);
    net_release(&solved->net);
    assert_int_equal(solved->budget.used, 0);
}

static void assert_written(const struct solved *solved, const char *expected)
{
    char *written = NULL;
    size_t length = 0, lines = 0;
    FILE *out = open_memstream(&written, &length);
    const size_t told = evidence_write(&solved->coverage, &solved->net, out);
    fclose(out);
    for (const char *at = written; *at; at++)
        lines += *at == '\n';
    assert_string_equal(written, expected);
    assert_int_equal(told, lines);
    free(written);
}

#define PAIRS "{\"place\":0,\"with\":[0]}\n{\"place\":1,\"with\":[0,1]}\n"

static void what_is_written_names_every_place(void **unused)
{
    (void)unused;
    struct solved solved;
    solve(&solved, false, true, COVER_ALL);
    assert_written(&solved, "{\"start\":[[0,1],[1,1]]}\n{\"fire\":[2]}\n");
    release(&solved);
    solve(&solved, false, false, COVER_FORWARD);
    assert_written(&solved, PAIRS "{\"marking\":[[0,1],[1,1]]}\n"
                                  "{\"marking\":[[1,2]]}\n{\"marking\":[[0,2]]}\n");
    release(&solved);
    solve(&solved, false, false, COVER_BACKWARD | COVER_INVARIANTS);
    assert_written(&solved, PAIRS "{\"weights\":[[0,1],[1,1]]}\n");
    release(&solved);
    solve(&solved, true, false, COVER_FORWARD);
    assert_written(&solved, PAIRS "{\"marking\":[[0,-1],[1,-1]]}\n");
    release(&solved);
}

/* The same evidence under another name, or without its pairs. */
static void a_certificate_that_is_none_is_refused(void **unused)
{
    (void)unused;
    static const unsigned engines[] = {COVER_FORWARD, COVER_BACKWARD};
    for (size_t i = 0; i < 2; i++) {
        struct solved solved;
        struct error error;
        solve(&solved, true, false, engines[i]);
        struct certificate certificate = solved.coverage.certificate;
        assert_int_equal(certificate_check(&certificate, &solved.net, &solved.budget, NULL, &error),
                         STATUS_OK);
        certificate.kind = CERTIFICATE_NONE;
        assert_int_equal(certificate_check(&certificate, &solved.net, &solved.budget, NULL, &error),
                         STATUS_INTERNAL);
        certificate = solved.coverage.certificate;
        certificate.pairs = NULL;
        assert_int_equal(certificate_check(&certificate, &solved.net, &solved.budget, NULL, &error),
                         STATUS_INTERNAL);
        release(&solved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_names_every_place),
                                       cmocka_unit_test(a_certificate_that_is_none_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random small nets: the engines must agree with each other and with two oracles, certificates and
 * runs must pass their checks and fail them once they are spoiled, and what is written must be the
 * same net when it is read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petri/cover.h"
#include "petri/format.h"
#include "support/net_random.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 2500};

struct tally {
    unsigned safe, unsafe, too_large, proved_shortest, certificates[3], spoiled;
    unsigned larger[3]; /* certificates of more than two markings */
};

struct comparing {
    struct budget budget;
    struct tally *tally;
    char message[256];
};

static bool complain(struct comparing *comparing, const char *format, ...) PRINTF_LIKE(2, 3);

/* Always false. */
static bool complain(struct comparing *comparing, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(comparing->message, sizeof comparing->message, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- spoiled evidence ---- */

/* A set closed forwards that holds what can be reached and nothing more is closed no longer when
 * one of its largest markings is missing; nor is one closed backwards, of what leads to a target
 * and nothing more, without one of its smallest. */
static bool reject_spoiled_set(struct comparing *comparing, struct coverage *coverage,
                               const struct net *net)
{
    struct certificate *certificate = &coverage->certificate;
    struct error error;
    size_t length = certificate->markings.length;
    struct arcs last = length ? certificate->markings.items[length - 1] : (struct arcs){0};
    for (size_t i = 0; i < length; i++) {
        struct arcs missing = certificate->markings.items[i];
        certificate->markings.items[i] = last;
        certificate->markings.length--;
        enum status status = certificate_check(certificate, net, &comparing->budget, NULL, &error);
        certificate->markings.items[i] = missing;
        certificate->markings.length++;
        comparing->tally->spoiled++;
        if (status != STATUS_INTERNAL)
            return complain(comparing, "a certificate without its marking %zu is accepted", i);
    }
    return true;
}

/* Of the shortest run nothing can be left out. */
static bool reject_spoiled_run(struct comparing *comparing, struct coverage *coverage,
                               const struct net *net)
{
    struct run *run = &coverage->run;
    struct error error;
    for (size_t i = 0; i < run->transitions.length; i++) {
        struct run shorter = {.initial = run->initial};
        vector_init(&shorter.transitions, &comparing->budget);
        for (size_t k = 0; k < run->transitions.length; k++)
            if (k != i)
                assert_true(vector_push(&shorter.transitions, run->transitions.items[k]));
        enum status status = run_check(net, &shorter, &comparing->budget, NULL, &error);
        vector_release(&shorter.transitions);
        comparing->tally->spoiled++;
        if (status != STATUS_INTERNAL)
            return complain(comparing, "a run shorter than the shortest is accepted");
    }
    return true;
}

/* ---- one net ---- */

static bool solve(struct comparing *comparing, const struct net *net, unsigned engines,
                  struct coverage *coverage)
{
    struct error error = {0};
    struct limits limits;
    limits_init(&limits, &comparing->budget);
    const struct cover_options options = {.engines = engines};
    enum status status = cover_solve(net, &comparing->budget, &limits, &options, coverage, &error);
    if (status == STATUS_OK)
        return true;
    return complain(comparing, "engines %u: status %d: %s", engines, (int)status, error.message);
}

/* cover_solve has checked the evidence already; what is left are the lengths, and to spoil it. */
static bool compare_evidence(struct comparing *comparing, struct coverage *coverage,
                             const struct net *net, unsigned shortest)
{
    size_t length = coverage->run.transitions.length;
    if (coverage->verdict == VERDICT_SAFE) {
        comparing->tally->certificates[coverage->certificate.kind]++;
        comparing->tally->larger[coverage->certificate.kind] +=
            coverage->certificate.markings.length > 2;
        return reject_spoiled_set(comparing, coverage, net);
    }
    if (length < shortest || (coverage->shortest && length != shortest))
        return complain(comparing, "a run of %zu%s, the shortest has %u", length,
                        coverage->shortest ? " called shortest" : "", shortest);
    comparing->tally->proved_shortest += coverage->shortest;
    return !coverage->shortest || reject_spoiled_run(comparing, coverage, net);
}

static bool compare_engines(struct comparing *comparing, const struct net *net,
                            enum oracle_answer answer, unsigned shortest)
{
    enum verdict expected = answer == ORACLE_SAFE ? VERDICT_SAFE : VERDICT_UNSAFE;
    for (unsigned engines = COVER_FORWARD; engines <= COVER_ALL; engines++) {
        struct coverage coverage;
        if (engines == COVER_INVARIANTS) /* which decide nothing by themselves */
            continue;
        bool good = solve(comparing, net, engines, &coverage);
        if (good && answer != ORACLE_TOO_LARGE && coverage.verdict != expected)
            good = complain(comparing, "engines %u: verdict %d, expected %d", engines,
                            (int)coverage.verdict, (int)expected);
        if (good && answer != ORACLE_TOO_LARGE)
            good = compare_evidence(comparing, &coverage, net, shortest);
        expected = answer == ORACLE_TOO_LARGE ? coverage.verdict : expected;
        coverage_release(&coverage);
        if (!good)
            return false;
    }
    return true;
}

/* Reads what was written in a format, and solves it. */
static bool compare_written(struct comparing *comparing, const struct net *net,
                            enum net_format format, enum verdict expected)
{
    char *written = NULL, *property = NULL;
    size_t length = 0, property_length = 0;
    struct error error = {0};
    struct script script, prop;
    struct arena arena;
    struct net again;
    struct coverage coverage;
    FILE *out = open_memstream(&written, &length);
    assert_int_equal(net_write(net, format, out, &error), STATUS_OK);
    fclose(out);
    out = open_memstream(&property, &property_length);
    net_write_prop(net, out);
    fclose(out);
    arena_init(&arena, &comparing->budget);
    net_init(&again, &comparing->budget);
    assert_int_equal(script_from_text("net", written, length, &arena, &script, &error), STATUS_OK);
    assert_int_equal(script_from_text("p", property, property_length, &arena, &prop, &error),
                     STATUS_OK);
    enum status status = format == NET_SPEC   ? net_read_spec(&script, &again, &error)
                         : format == NET_PNML ? net_read_pnml(&script, &again, &error)
                                              : net_read_tts(&script, &again, &error);
    if (status == STATUS_OK && format == NET_TTS)
        status = net_read_prop(&prop, &again, &error);
    bool good = status == STATUS_OK ||
                complain(comparing, "cannot be read again: %u: %s", error.line, error.message);
    if (good) {
        good = solve(comparing, &again, COVER_ALL, &coverage);
        if (good && coverage.verdict != expected)
            good = complain(comparing, "read again from %s: verdict %d, expected %d",
                            net_format_names[format], (int)coverage.verdict, (int)expected);
        coverage_release(&coverage);
    }
    net_release(&again);
    arena_release(&arena);
    free(written);
    free(property);
    return good;
}

static bool compare(struct comparing *comparing, const struct net_sample *sample)
{
    unsigned shortest = 0;
    struct net net;
    enum oracle_answer answer = net_oracle_layers(sample, &shortest);
    enum oracle_answer seen = net_oracle_explicit(sample);
    if (answer != ORACLE_TOO_LARGE && seen != ORACLE_TOO_LARGE && seen != answer)
        return complain(comparing, "the oracles differ: %d and %d", (int)answer, (int)seen);
    if (answer == ORACLE_TOO_LARGE && seen == ORACLE_SAFE)
        answer = seen;
    net_init(&net, &comparing->budget);
    net_sample_build(sample, &net);
    bool good = compare_engines(comparing, &net, answer, shortest);
    enum verdict expected = answer == ORACLE_SAFE ? VERDICT_SAFE : VERDICT_UNSAFE;
    if (good && answer != ORACLE_TOO_LARGE)
        good = compare_written(comparing, &net, NET_SPEC, expected) &&
               compare_written(comparing, &net, NET_TTS, expected) &&
               compare_written(comparing, &net, NET_PNML, expected);
    net_release(&net);
    comparing->tally->safe += answer == ORACLE_SAFE;
    comparing->tally->unsafe += answer == ORACLE_UNSAFE;
    comparing->tally->too_large += answer == ORACLE_TOO_LARGE;
    return good;
}

static bool still_differs(void *context, const struct net_sample *sample)
{
    return !compare(context, sample);
}

static void report(struct comparing *comparing, struct net_sample *sample, uint64_t seed)
{
    struct net net;
    struct error error;
    net_sample_shrink(sample, still_differs, comparing);
    compare(comparing, sample);
    net_init(&net, &comparing->budget);
    net_sample_build(sample, &net);
    fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, comparing->message);
    assert_int_equal(net_write(&net, NET_SPEC, stderr, &error), STATUS_OK);
    net_release(&net);
}

static void the_engines_agree_with_the_oracles(void **unused)
{
    (void)unused;
    struct tally tally = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct comparing comparing = {.tally = &tally};
        struct random random;
        struct net_sample sample;
        budget_init(&comparing.budget, NULL, (size_t)1 << 30);
        random_seed(&random, seed);
        net_sample_random(&random, &sample);
        if (!compare(&comparing, &sample)) {
            report(&comparing, &sample, seed);
            fail();
        }
        assert_int_equal(comparing.budget.used, 0);
    }
    print_message(
        "seeds %llu to %llu: %u safe, %u unsafe (%u times with a run proved shortest), %u "
        "too large for the oracles; %u covers, %u bases, %u and %u of more than two markings, "
        "%u times spoiled\n",
        (unsigned long long)seeds.first, (unsigned long long)(seeds.first + seeds.count - 1),
        tally.safe, tally.unsafe, tally.proved_shortest, tally.too_large,
        tally.certificates[CERTIFICATE_COVER], tally.certificates[CERTIFICATE_BASIS],
        tally.larger[CERTIFICATE_COVER], tally.larger[CERTIFICATE_BASIS], tally.spoiled);
    /* So that the test cannot come to compare next to nothing. */
    assert_true(tally.too_large < seeds.count / 20);
    assert_true(tally.safe > seeds.count / 5);
    assert_true(tally.unsafe > seeds.count / 5);
    assert_true(tally.proved_shortest > tally.unsafe);
    assert_true(tally.certificates[CERTIFICATE_COVER] > seeds.count / 20);
    assert_true(tally.certificates[CERTIFICATE_BASIS] > seeds.count / 20);
    assert_true(tally.larger[CERTIFICATE_COVER] > seeds.count / 100);
    assert_true(tally.larger[CERTIFICATE_BASIS] > seeds.count / 100);
}

/* test_cover_random [FIRST_SEED COUNT] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_engines_agree_with_the_oracles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

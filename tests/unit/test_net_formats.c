/* Reading and writing nets: what is understood, and what is said of the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petri/cover.h"
#include "petri/format.h"

struct fixture {
    struct budget budget;
    struct arena arena;
    struct net net;
    struct error error;
};

typedef enum status read_net(const struct script *script, struct net *net, struct error *error);

static enum status read_text(struct fixture *fixture, read_net *read, const char *text)
{
    struct script script;
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    net_init(&fixture->net, &fixture->budget);
    enum status status =
        script_from_text("net", text, strlen(text), &fixture->arena, &script, &fixture->error);
    return status == STATUS_OK ? read(&script, &fixture->net, &fixture->error) : status;
}

static void close(struct fixture *fixture)
{
    net_release(&fixture->net);
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
}

static const char spec[] = "# a comment\n"
                           "vars\n"
                           "  a _b c3\n"
                           "rules\n"
                           "  a >= 2, _b >= 1 -> a' = a - 1, c3' = c3 + 4;\n"
                           "  true -> a' = a+1, _b' = _b;\n"
                           "  c3 >= 1 -> ;\n"
                           "init a >= 3, _b = 0\n"
                           "target c3 >= 2, a >= 1\n"
                           "  _b >= 7\n"
                           "  _b >= 0\n"
                           "invariants a = 1, c3 = 2\n"
                           "  _b = 1\n";

static void assert_arcs(struct arcs arcs, const struct arc *expected, uint32_t count)
{
    assert_int_equal(arcs.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(arcs.items[i].place, expected[i].place);
        assert_int_equal(arcs.items[i].count, expected[i].count);
    }
}

static void a_spec_is_read_as_it_says(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(read_text(&fixture, net_read_spec, spec), STATUS_OK);
    const struct net *net = &fixture.net;
    assert_int_equal(net->places.length, 3);
    assert_string_equal(net->places.items[1].name, "_b");
    assert_true(net->places.items[0].open && net->places.items[0].initial == 3);
    assert_true(!net->places.items[1].open && net->places.items[1].initial == 0);
    assert_true(net->places.items[2].open); /* init does not name it */
    assert_int_equal(net->transitions.length, 3);
    assert_int_equal(net->transitions.items[1].line, 6);
    const struct arc takes[] = {{0, 2}, {1, 1}}, gives[] = {{0, 1}, {1, 1}, {2, 4}};
    assert_arcs(net->transitions.items[0].takes, takes, 2);
    assert_arcs(net->transitions.items[0].gives, gives, 3);
    const struct arc one[] = {{0, 1}}, looked[] = {{2, 1}};
    assert_arcs(net->transitions.items[1].takes, NULL, 0);
    assert_arcs(net->transitions.items[1].gives, one, 1);
    assert_arcs(net->transitions.items[2].takes, looked, 1);
    assert_arcs(net->transitions.items[2].gives, looked, 1);
    assert_int_equal(net->targets.length, 3);
    assert_int_equal(net->targets.items[2].count, 0);
    const struct arc target[] = {{0, 1}, {2, 2}};
    assert_arcs(net->targets.items[0], target, 2);
    assert_int_equal(net->invariants.length, 2);
    close(&fixture);
}

static const struct {
    const char *text;
    uint32_t line;
    const char *message; /* what it begins with */
} wrong_specs[] = {
    {"", 1, "expected 'vars', found the end of the file"},
    {"vars a a", 1, "expected a place that is not declared yet, found 'a'"},
    {"vars a\n7", 2, "expected the name of a place, or `rules`, found '7'"},
    {"vars a\nrules\nb >= 1 -> ;", 3, "expected a place that `vars` declares, found 'b'"},
    {"vars a rules\na = 1 -> ;", 2,
     "expected '>='; only Petri nets are decided, without conditions from above, found '='"},
    {"vars a rules\na in [0, 1] -> ;", 2,
     "expected '>='; only Petri nets are decided, without conditions from above, found 'in'"},
    {"vars a rules a >= 1, a >= 2 -> ;", 1, "expected one condition for each place"},
    {"vars a rules a >= x -> ;", 1, "expected a number of tokens, found 'x'"},
    {"vars a rules a >= 1 a' = a;", 1, "expected '->', found 'a'"},
    {"vars a b rules a >= 1 -> b' = a;", 1,
     "expected the same place again; only Petri nets are decided, without transfers, found 'a'"},
    {"vars a b rules a >= 1 -> b' = b + a;", 1,
     "expected a number of tokens; only Petri nets are decided, without transfers, found 'a'"},
    {"vars a rules a >= 1 -> a' = 0;", 1,
     "expected the same place again; only Petri nets are decided, without resets, found '0'"},
    {"vars a rules a >= 1 ->\na' = a - 2;", 2,
     "expected a guard of at least 2 for what is taken, found 1"},
    {"vars a rules true -> a' = a + 1, a' = a + 1;", 1,
     "expected one change for each place, found a second one"},
    {"vars a rules true -> a' = a + 1 init", 1, "expected ',' or ';', found 'init'"},
    {"vars a rules\ninit\na in [0, 2] target a >= 1", 3,
     "expected '>=' or '=' (intervals are not supported), found 'in'"},
    {"vars a rules init a = 1, a = 1 target a >= 1", 1, "expected each place once, found 'a'"},
    {"vars a rules init a = 1 a", 1, "expected ',' or `target`, found 'a'"},
    {"vars a rules init a = 1 target\na = 1", 2, "expected '>='; only Petri nets"},
    {"vars a rules init a = 1 target", 1, "expected the name of a place, found the end"},
    {"vars a b rules init a = 1 target\na >= 1,\n b >= 1 a >= 2", 3,
     "expected ',' between the conditions of a target, or another target on a line of its own, "
     "found 'a'"},
    {"vars a rules init a = 4000000000 target a >= 1", 1,
     "expected a number of tokens, at most 1000000000, found a larger number"},
    {"vars a rules init a = 1 target a >= 1 invariants a >= 1", 1, "expected '=', found '>='"},
    {"vars a rules init a = 1 target a >= 1 rules", 1, "expected 'invariants', found 'rules'"},
    {"vars a rules init a = 1 target a >= 1 \x01", 1,
     "expected the name of a place, found byte 0x01"},
};

static void a_wrong_spec_is_refused_with_its_place(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(wrong_specs); i++) {
        struct fixture fixture;
        enum status status = read_text(&fixture, net_read_spec, wrong_specs[i].text);
        const char *message = wrong_specs[i].message;
        if (status != STATUS_INPUT || fixture.error.line != wrong_specs[i].line ||
            strncmp(fixture.error.message, message, strlen(message)) != 0)
            fail_msg("%s: status %d, line %u: %s", wrong_specs[i].text, (int)status,
                     fixture.error.line, fixture.error.message);
        close(&fixture);
    }
}

static void a_thread_system_is_read_as_it_says(void **unused)
{
    (void)unused;
    struct fixture fixture;
    struct script property;
    const char *text = "# two and three\n2 3\n0 0 -> 1 2\n1 2 +> 0 1\n";
    assert_int_equal(read_text(&fixture, net_read_tts, text), STATUS_OK);
    assert_int_equal(
        script_from_text("prop", "1|2,2,1", 7, &fixture.arena, &property, &fixture.error),
        STATUS_OK);
    assert_int_equal(net_read_prop(&property, &fixture.net, &fixture.error), STATUS_OK);
    const struct net *net = &fixture.net;
    assert_int_equal(net->controls, 2);
    assert_int_equal(net->places.length, 5);
    assert_string_equal(net->places.items[4].name, "l2");
    assert_true(net->places.items[0].initial == 1 && !net->places.items[0].open);
    assert_true(net->places.items[2].initial == 0 && net->places.items[2].open);
    const struct arc step[] = {{1, 1}, {4, 1}}, taken[] = {{1, 1}, {4, 1}};
    const struct arc spawned[] = {{0, 1}, {3, 1}, {4, 1}}, target[] = {{1, 1}, {3, 1}, {4, 2}};
    assert_arcs(net->transitions.items[0].gives, step, 2);
    assert_arcs(net->transitions.items[1].takes, taken, 2);
    assert_arcs(net->transitions.items[1].gives, spawned, 3);
    assert_arcs(net->targets.items[0], target, 3);
    close(&fixture);
}

static const struct {
    const char *text;
    uint32_t line;
    const char *message;
} wrong_systems[] = {
    {"", 1, "expected the number of shared states, found the end of the file"},
    {"0 1", 1, "expected at least one shared and one local state"},
    {"1 1\n1 0 -> 0 0", 2, "expected a shared state, at most 0, found a larger number"},
    {"1 1\n0 0 ~> 0 0", 2, "expected '->' or '+>', found '~>'"},
    {"1 2\n0 0 -> 0 1 1 ~> 0", 2,
     "expected the end of the line (transfers are not supported), found '1'"},
    {"1 1\n0 0 -> 0", 2, "expected a local state, found the end of the file"},
};

static void a_wrong_thread_system_is_refused_with_its_place(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(wrong_systems); i++) {
        struct fixture fixture;
        enum status status = read_text(&fixture, net_read_tts, wrong_systems[i].text);
        const char *message = wrong_systems[i].message;
        if (status != STATUS_INPUT || fixture.error.line != wrong_systems[i].line ||
            strncmp(fixture.error.message, message, strlen(message)) != 0)
            fail_msg("%s: status %d, line %u: %s", wrong_systems[i].text, (int)status,
                     fixture.error.line, fixture.error.message);
        close(&fixture);
    }
}

static char *write_text(const struct net *net, enum net_format format)
{
    char *written = NULL;
    size_t length = 0;
    struct error error;
    FILE *out = open_memstream(&written, &length);
    assert_int_equal(net_write(net, format, out, &error), STATUS_OK);
    fclose(out);
    return written;
}

/* What is read is written, and that is read, so that it is written the same. */
static void what_is_written_is_the_same_net(void **unused)
{
    (void)unused;
    static const char threads[] = "2 3\n0 0 -> 1 2\n1 2 +> 0 1\n1 1 +> 1 1\n";
    const struct {
        read_net *read;
        enum net_format format;
        const char *text;
    } cases[] = {{net_read_spec, NET_SPEC, spec}, {net_read_tts, NET_TTS, threads}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct fixture first, second;
        assert_int_equal(read_text(&first, cases[i].read, cases[i].text), STATUS_OK);
        char *once = write_text(&first.net, cases[i].format);
        assert_int_equal(read_text(&second, cases[i].read, once), STATUS_OK);
        char *twice = write_text(&second.net, cases[i].format);
        assert_string_equal(once, twice);
        assert_int_equal(first.net.transitions.length, second.net.transitions.length);
        if (cases[i].format == NET_TTS)
            assert_string_equal(once, threads); /* nothing is simulated */
        for (size_t t = 0; t < first.net.transitions.length; t++) {
            const struct net_transition *was = &first.net.transitions.items[t];
            const struct net_transition *is = &second.net.transitions.items[t];
            assert_arcs(is->takes, was->takes.items, was->takes.count);
            assert_arcs(is->gives, was->gives.items, was->gives.count);
        }
        close(&first);
        close(&second);
        free(once);
        free(twice);
    }
}

/* A property names one shared state and local ones: with other targets a net is simulated. */
static void threads_are_written_as_they_are_if_their_target_is_a_property(void **unused)
{
    (void)unused;
    static const char threads[] = "2 3\n0 0 -> 1 2\n";
    static const struct {
        struct arc target[2];
        uint32_t count;
        bool is_property;
    } cases[] = {{{{1, 1}, {3, 1}}, 2, true},  {{{1, 1}, {3, 2}}, 2, true},
                 {{{1, 2}, {3, 1}}, 2, false}, {{{1, 1}}, 1, false},
                 {{{0, 1}, {1, 1}}, 2, false}, {{{2, 1}, {3, 1}}, 2, false}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct fixture fixture;
        assert_int_equal(read_text(&fixture, net_read_tts, threads), STATUS_OK);
        net_add_target(&fixture.net, cases[i].target, cases[i].count);
        char *written = write_text(&fixture.net, NET_TTS);
        if ((strcmp(written, threads) == 0) != cases[i].is_property)
            fail_msg("target %zu: written as\n%s", i, written);
        free(written);
        close(&fixture);
    }
}

static void names_that_mist_does_not_take_are_numbered(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(read_text(&fixture, net_read_tts, "1 1\n"), STATUS_OK);
    net_add_place(&fixture.net, "top == null", 2, false);
    net_add_target(&fixture.net, &(struct arc){2, 1}, 1); /* mist's format has one at least */
    char *written = write_text(&fixture.net, NET_SPEC);
    assert_non_null(strstr(written, "x0 = 1, x1 >= 0, x2 = 2"));
    free(written);
    written = write_text(&fixture.net, NET_PNML);
    assert_non_null(strstr(written, "<text>top == null</text>"));
    free(written);
    close(&fixture);
    struct error error;
    assert_int_equal(read_text(&fixture, net_read_pnml, "<pnml><net id='n'/></pnml>"), STATUS_OK);
    assert_int_equal(net_write(&fixture.net, NET_SPEC, stdout, &error), STATUS_USAGE);
    close(&fixture);
}

/* The net of net.h, as one would build it. */
static void a_net_can_be_built(void **unused)
{
    (void)unused;
    struct budget budget;
    struct limits limits;
    struct net net;
    struct coverage coverage;
    struct error error;
    budget_init(&budget, NULL, 0);
    limits_init(&limits, &budget);
    net_init(&net, &budget);
    uint32_t idle = net_add_place(&net, "idle", 0, true);
    uint32_t inside = net_add_place(&net, "inside", 0, false);
    net_add_transition(&net, "enter", 0, &(struct arc){idle, 1}, 1, &(struct arc){inside, 1}, 1);
    net_add_target(&net, &(struct arc){inside, 2}, 1);
    assert_int_equal(cover_solve(&net, &budget, &limits, NULL, &coverage, &error), STATUS_OK);
    assert_int_equal(coverage.verdict, VERDICT_UNSAFE);
    assert_int_equal(coverage.run.transitions.length, 2);
    assert_int_equal(coverage.run.initial[idle], 2);
    coverage_release(&coverage);
    net_release(&net);
    assert_int_equal(budget.used, 0);
}

/* With any memory too small the answer is unknown, and nothing is left behind. */
static void little_memory_is_a_limit(void **unused)
{
    (void)unused;
    unsigned unknown = 0;
    for (size_t memory = 1 << 10; memory < (size_t)1 << 20; memory += memory / 8) {
        struct fixture fixture;
        struct budget budget;
        struct limits limits;
        struct coverage coverage;
        struct error error;
        assert_int_equal(read_text(&fixture, net_read_spec, spec), STATUS_OK);
        budget_init(&budget, NULL, memory);
        limits_init(&limits, &budget);
        assert_int_equal(cover_solve(&fixture.net, &budget, &limits, NULL, &coverage, &error),
                         STATUS_OK);
        if (coverage.verdict == VERDICT_UNKNOWN)
            assert_int_equal(coverage.limit, LIMIT_MEMORY);
        else
            assert_int_equal(coverage.verdict, VERDICT_UNSAFE);
        unknown += coverage.verdict == VERDICT_UNKNOWN;
        coverage_release(&coverage);
        assert_int_equal(budget.used, 0);
        close(&fixture);
    }
    assert_in_range(unknown, 1, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_is_read_as_it_says),
        cmocka_unit_test(a_wrong_spec_is_refused_with_its_place),
        cmocka_unit_test(a_thread_system_is_read_as_it_says),
        cmocka_unit_test(a_wrong_thread_system_is_refused_with_its_place),
        cmocka_unit_test(what_is_written_is_the_same_net),
        cmocka_unit_test(threads_are_written_as_they_are_if_their_target_is_a_property),
        cmocka_unit_test(names_that_mist_does_not_take_are_numbered),
        cmocka_unit_test(a_net_can_be_built),
        cmocka_unit_test(little_memory_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Any number of copies, `|||{..} @ P`: an answer must be right for every number from one on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "support/csp_model_test.h"
#include "support/seeds.h"

/* 'h', 'v', 'u', 'l' if that is because of a limit, or 'e' for an error. */
static char decide(struct csp_model_test *test, size_t assertion, bool depth_first,
                   struct text *reason)
{
    struct assertion_result result;
    enum status status =
        csp_model_test_decide(test, assertion, REDUCE_DEFAULT, depth_first, &result);
    if (status != STATUS_OK && status != STATUS_INPUT)
        fail_msg("status %d: %s", (int)status, test->error.message);
    text_clear(reason);
    text_append(reason, status == STATUS_OK ? text_string(&result.reason) : test->error.message);
    char answer = status != STATUS_OK          ? 'e'
                  : result.limit != LIMIT_NONE ? 'l'
                                               : "hvu"[result.answer];
    assertion_result_release(&result);
    return answer;
}

/* `expected`: a letter for each assertion; the last one's reason has `said` in it. */
static void expect(const char *text, const char *expected, const char *said)
{
    struct csp_model_test test;
    struct text reason = TEXT_EMPTY;
    csp_model_test_open(&test, text);
    assert_int_equal(test.module.assertions.length, strlen(expected));
    for (size_t i = 0; expected[i]; i++)
        for (unsigned way = 0; way < 2; way++) {
            char answer = decide(&test, i, way, &reason);
            if (answer != expected[i])
                fail_msg("%s\nassertion %zu: expected %c, found %c (%s)", text, i, expected[i],
                         answer, text_string(&reason));
        }
    if (!strstr(text_string(&reason), said))
        fail_msg("%s\nexpected `%s` in `%s`", text, said, text_string(&reason));
    text_release(&reason);
    csp_model_test_close(&test);
}

static void what_holds_for_every_number_holds(void **unused)
{
    (void)unused;
    /* a lock: one inside at most, whoever comes */
    expect(
        "var lock; var n;"
        "P = [lock == 0] take{lock = 1} -> in{n = n + 1} -> out{n = n - 1} -> give{lock = 0} -> P;"
        "Many = |||{..}@ P; S = take -> in -> out -> give -> S; #define two n == 2;"
        "#assert Many refines S; #assert Many refines<F> S; #assert Many refines<FD> S;"
        "#assert Many deadlockfree; #assert Many nonterminating; #assert Many divergencefree;"
        "#assert Many reaches two;",
        "hhhhhhv", "no reachable state");
    /* two inside at most, which needs counting up to two */
    expect(
        "var n:{0..2}; P = [n < 2] in{n = n + 1} -> out{n = n - 1} -> P; Many = |||{..}@ P;"
        "#define full n == 2; S = in -> T; T = in -> out -> T [] out -> S;"
        "#assert Many refines S; #assert Many reaches full with max(n); #assert Many deadlockfree;",
        "hhh", "counted up to 2");
}

static void what_some_number_violates_is_found(void **unused)
{
    (void)unused;
    static const char six[] = "var n; P = [n < 7] up{n = n + 1} -> Stop; Many = |||{..}@ P;"
                              "#define six n == 6; #assert Many reaches six;";
    expect(six, "h", "with 6 copies");
    /* one terminates; the second to come finds both of them in the way of each other */
    expect("var n; P = [n < 2] a{n = n + 1} -> ([n == 2] go -> Stop [] [n < 2] Skip); Many = "
           "|||{..}@ P;"
           "#assert Many deadlockfree;",
           "v", "with 2 copies");
    /* termination is of an exact number: not without all of them */
    expect("P = a -> Skip; Many = |||{..}@ P; S = a -> S; #assert Many refines S;", "v",
           "with 1 copy");
    /* a fault of the model is one only if some number runs into it */
    expect("var n:{0..3}; P = up{n = n + 1} -> Stop; Many = |||{..}@ P; S = up -> S;"
           "#assert Many refines S;",
           "e", "");
}

static void what_counting_cannot_tell_is_unknown(void **unused)
{
    (void)unused;
    expect("P = in -> out -> Stop; Many = |||{..}@ P; #assert Many deterministic;", "u",
           "1 to 4 copies");
    /* as many come out as have gone in, which many forget */
    expect("var d; P = [d < 12] in{d = d + 1} -> out{if (d == 0) {d = 30} else {d = d - 1}} -> P;"
           "Many = |||{..}@ P; #define far d == 30; #assert Many reaches far;",
           "u", "counting copies up to 3");
}

/* Processes at work are counted where it is known how many there are. */
static void processes_at_work_are_counted_in_few_copies(void **unused)
{
    (void)unused;
    expect("P = a -> Q; Q = b -> P; Many = |||{..}@ P; #define n #Q();"
           "#define three n == 3; #define five n == 5;"
           "#assert Many reaches three; #assert Many reaches five;",
           "hu", "what processes are at work");
    /* a component counts until its first step, and once, whatever hides or follows it */
    expect("P(i) = a.i -> b -> Skip; Q = c -> Skip; R = P(1) ||| P(2);"
           "M = ((P(1) \\ {a.1}); Q) || atomic{Q} || R; #define one #P(1) == 2 && #P(2) == 1;"
           "#define later #P(1) == 1 && #P(2) == 0 && #Q == 0; #define many #P(1) > 2 || #Q > 2;"
           "#assert M reaches one; #assert M reaches later; #assert M reaches many;",
           "hhv", "");
}

static void no_specification_has_any_number(void **unused)
{
    (void)unused;
    expect("P = a -> P; Q = b -> Many; Many = |||{..}@ P; #assert P refines Q;", "e",
           "expected a number of copies");
    struct csp_model_test test;
    struct text reason = TEXT_EMPTY;
    csp_model_test_open(&test, "P = a -> P;\nMany = |||{..}@ P;\n#assert P refines Many;");
    assert_int_equal(decide(&test, 0, false, &reason), 'e');
    assert_int_equal(test.error.line, 2);
    text_release(&reason);
    csp_model_test_close(&test);
}

/* ---- random models ---- */

static void write_process(struct random *random, struct text *text, unsigned depth)
{
    static const char *const prefixes[] = {
        "a ->",
        "b{x = 1 - x} ->",
        "[x == 0] a{x = 1} ->",
        "[x == 1] b{x = 0} ->",
        "[y < 2] c{y = y + 1} ->",
        "[y > 0] d{y = y - 1} ->",
        "tau{y = 0} ->",
        "s!1 ->",
        "s?v ->",
        "t!x ->",
        "t?v ->",
        "if (x == 0) { a -> Skip };",
        "atomic{ a -> b{x = 0} -> Skip };",
    };
    if (depth == 0) {
        static const char *const ends[] = {"P", "P", "P", "Skip", "Stop"};
        text_append(text, ends[random_below(random, ARRAY_LENGTH(ends))]);
        return;
    }
    if (random_chance(random, 1, 4)) {
        text_append_char(text, '(');
        write_process(random, text, depth - 1);
        text_append(text, random_chance(random, 1, 4) ? " <> " : " [] ");
        text_append(text, "a -> ");
        write_process(random, text, 0);
        text_append_char(text, ')');
        return;
    }
    /* programs with channels are the smaller part: most models have none */
    uint32_t kinds = random_chance(random, 1, 3) ? ARRAY_LENGTH(prefixes) : 7;
    const char *prefix = prefixes[random_below(random, kinds)];
    text_format(text, "(%s (", prefix);
    write_process(random, text, depth - 1);
    text_append(text, "))");
}

/* The model with these numbers of copies, null: any. */
static void write_model(uint64_t seed, const char *first, const char *second, struct text *text)
{
    static const char *const shapes[] = {
        "Main = |||{%s}@ P;",
        "Main = (|||{%s}@ P) ||| b{x = 1} -> Skip;",
        "Main = (|||{%s}@ P) \\ {a};",
        "Main = c -> (|||{%s}@ P);",
        "Main = (|||{%s}@ P) ||| (|||{%s}@ d{x = 0} -> Skip);",
        "Main = (|||{%s}@ P) || a -> b -> Skip;",
    };
    struct random random;
    random_seed(&random, seed);
    text_append(text,
                "var x; var y:{0..2}; channel s 0; channel t 1; #define goal x == 1 && y == 2;\n"
                "P = a -> ");
    write_process(&random, text, 1 + random_below(&random, 3));
    text_append(text, " [] b -> ");
    write_process(&random, text, 1 + random_below(&random, 2));
    text_append(text, ";\n");
    const char *shape = shapes[random_below(&random, ARRAY_LENGTH(shapes))];
    const char *numbers[] = {first, second};
    for (size_t at = 0, used = 0; shape[at]; at++) {
        if (shape[at] == '%')
            text_append(text, numbers[used++]), at++;
        else
            text_append_char(text, shape[at]);
    }
    text_append(text, "\nS = a -> S [] b -> S [] c -> (S [] d -> S)");
    text_append(text, random_chance(&random, 1, 2) ? " [] d -> S" : "");
    text_append(text, random_chance(&random, 1, 2) ? " [] Skip;\n" : ";\n");
    text_append(text, "#assert Main deadlockfree; #assert Main nonterminating;"
                      "#assert Main divergencefree; #assert Main deterministic;"
                      "#assert Main reaches goal; #assert Main refines S;"
                      "#assert Main refines<F> S; #assert Main refines<FD> S;");
}

#define ASSERTIONS 8
#define REACHES    4
#define MOST       4
#define LARGEST    3000000 /* bytes: larger models are left */

struct tally {
    unsigned holds, shown, unknown, limited;
};

/* Compares the answers for any number with those for these two numbers. */
static void compare(uint64_t seed, const char *any, const char *answers, unsigned first,
                    unsigned second)
{
    char numbers[2][8];
    struct text text = TEXT_EMPTY, reason = TEXT_EMPTY;
    struct csp_model_test test;
    snprintf(numbers[0], sizeof numbers[0], "%u", first);
    snprintf(numbers[1], sizeof numbers[1], "%u", second);
    write_model(seed, numbers[0], numbers[1], &text);
    csp_model_test_open(&test, text_string(&text));
    for (size_t i = 0; i < ASSERTIONS; i++) {
        char shown = i == REACHES ? 'h' : 'v', absent = i == REACHES ? 'v' : 'h';
        char answer = decide(&test, i, false, &reason);
        bool wrong = answers[i] == absent && answer != absent;
        /* what few copies of each show is found */
        wrong |=
            first == second && answer == shown && strchr("uhv", answers[i]) && answers[i] != shown;
        if (wrong)
            fail_msg("seed %lu, assertion %zu: %c with %u and %u, %c with any number\n%s",
                     (unsigned long)seed, i, answer, first, second, answers[i], any);
    }
    csp_model_test_close(&test);
    text_release(&text);
    text_release(&reason);
}

static void look_at(uint64_t seed, struct tally *tally)
{
    struct text any = TEXT_EMPTY, reason = TEXT_EMPTY;
    struct csp_model_test test;
    char answers[ASSERTIONS];
    write_model(seed, "..", "..", &any);
    csp_model_test_open(&test, text_string(&any));
    test.budget.limit = test.budget.used + LARGEST;
    for (size_t i = 0; i < ASSERTIONS; i++) {
        answers[i] = decide(&test, i, seed % 2, &reason);
        tally->holds += answers[i] == (i == REACHES ? 'v' : 'h');
        tally->shown += answers[i] == (i == REACHES ? 'h' : 'v');
        tally->unknown += answers[i] == 'u';
        tally->limited += answers[i] == 'l';
    }
    csp_model_test_close(&test);
    bool two = strstr(strstr(text_string(&any), "..") + 2, "{..}@ d") != NULL;
    for (unsigned first = 1; first <= MOST; first++)
        for (unsigned second = two ? 1 : first; second <= (two ? MOST - 1 : first); second++)
            compare(seed, text_string(&any), answers, first, second);
    text_release(&any);
    text_release(&reason);
}

static struct seeds seeds = {.first = 1, .count = 40};

static void answers_are_those_of_every_number_tried(void **unused)
{
    (void)unused;
    struct tally tally = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        look_at(seed, &tally);
    print_message("%u hold, %u shown, %u unknown, %u too large\n", tally.holds, tally.shown,
                  tally.unknown, tally.limited);
    assert_true(tally.holds > seeds.count && tally.shown > seeds.count);
}

/* test_csp_copies [FIRST_SEED [MODELS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_for_every_number_holds),
        cmocka_unit_test(what_some_number_violates_is_found),
        cmocka_unit_test(what_counting_cannot_tell_is_unknown),
        cmocka_unit_test(processes_at_work_are_counted_in_few_copies),
        cmocka_unit_test(no_specification_has_any_number),
        cmocka_unit_test(answers_are_those_of_every_number_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

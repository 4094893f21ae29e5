/* Temporal formulas about random `.lin` implementations: what `never` says is what `[] !` says, a
 * formula and its negation do not both hold, and what holds of all runs holds of the fair ones. The
 * search itself is compared with the definition by test_csp_temporal; every run it finds is
 * evaluated anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/lin_random.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"

#define MOST_WORK 20000

static struct seeds seeds = {.first = 1, .count = 900};

/* The text up to the last assertion, which is `never`, its condition and its options; false: it has
 * another one. */
static bool take_apart(const char *text, struct text *head, struct text *condition,
                       const char **options)
{
    const char *never = strstr(text, " never (");
    const char *end = never ? strstr(never, ") with") : NULL;
    if (!end)
        return false;
    text_append_bytes(head, text, (size_t)(never - text));
    text_append_bytes(condition, never + strlen(" never "), (size_t)(end + 1 - never) - 7);
    *options = end + 1;
    return true;
}

/* The verdict on the same implementation with another property in place of the last one; @ is the
 * condition. */
static enum verdict verdict_on(const char *head, const char *property, const char *condition,
                               const char *options, const char *fairness, reductions used,
                               uint64_t seed)
{
    struct text text = TEXT_EMPTY;
    struct lin_fixture fixture;
    size_t length = strcspn(options, ";");
    text_format(&text, "%s ", head);
    for (const char *at = property; *at; at++)
        if (*at == '@')
            text_append(&text, condition);
        else
            text_append_char(&text, *at);
    text_format(&text, "%.*s%s;\n", (int)length, options, fairness);
    enum verdict verdict = VERDICT_WRONG_TEXT;
    if (lin_fixture_open(&fixture, text_string(&text)))
        verdict = lin_verdict(&fixture, fixture.module.assertions.length - 1, used, MOST_WORK);
    if (verdict == VERDICT_WRONG_TEXT || verdict == VERDICT_INTERNAL)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, fixture.error.message,
                 text_string(&text));
    lin_fixture_close(&fixture);
    text_release(&text);
    return verdict;
}

static bool is_answer(enum verdict verdict)
{
    return verdict == VERDICT_HOLDS || verdict == VERDICT_VIOLATED;
}

/* Each of these is compared with its negation, and all runs with those that are fair. */
static const char *const formulas[][2] = {
    {"satisfies [] <> @", "satisfies <> [] !@"},
    {"satisfies [] (@ -> <> !running(0))", "satisfies <> (@ && [] running(0))"},
    {"satisfies running(1) R !@ || X @", "satisfies !(running(1) R !@ || X @)"},
    {"satisfies !@ W running(1)", "satisfies !running(1) U (@ && !running(1))"},
};

static unsigned compared, held, violated;

static void check(uint64_t seed, const char *head, const char *condition, const char *options)
{
    reductions used = seed % 2 ? REDUCE_DEFAULT : REDUCE_NONE;
    enum verdict never = verdict_on(head, "never @", condition, options, "", used, seed);
    enum verdict always = verdict_on(head, "satisfies [] !@", condition, options, "", used, seed);
    if (is_answer(never) && is_answer(always) && never != always)
        fail_msg("seed %llu: never %s, but [] ! %s\n%s %s", (unsigned long long)seed,
                 verdict_names[never], verdict_names[always], head, condition);
    compared += is_answer(never) && is_answer(always);
    for (size_t i = 0; i < ARRAY_LENGTH(formulas); i++) {
        enum verdict plain = verdict_on(head, formulas[i][0], condition, options, "", used, seed);
        enum verdict other = verdict_on(head, formulas[i][1], condition, options, "", used, seed);
        enum verdict weak =
            verdict_on(head, formulas[i][0], condition, options, ", fairness = weak", used, seed);
        enum verdict strong =
            verdict_on(head, formulas[i][0], condition, options, ", fairness = strong", used, seed);
        enum verdict reduced = verdict_on(head, formulas[i][0], condition, options, "",
                                          seed % 2 ? REDUCE_NONE : REDUCE_DEFAULT, seed);
        if (is_answer(plain) && is_answer(reduced) && plain != reduced)
            fail_msg("seed %llu: %s %s, with other reductions %s\n%s %s", (unsigned long long)seed,
                     formulas[i][0], verdict_names[plain], verdict_names[reduced], head, condition);
        if ((plain == VERDICT_HOLDS && other == VERDICT_HOLDS) ||
            (plain == VERDICT_HOLDS && weak == VERDICT_VIOLATED) ||
            (weak == VERDICT_HOLDS && strong == VERDICT_VIOLATED))
            fail_msg("seed %llu: %s %s, the negation %s, weak %s, strong %s\n%s %s",
                     (unsigned long long)seed, formulas[i][0], verdict_names[plain],
                     verdict_names[other], verdict_names[weak], verdict_names[strong], head,
                     condition);
        held += plain == VERDICT_HOLDS;
        violated += plain == VERDICT_VIOLATED;
    }
}

static void formulas_agree_with_never_and_with_one_another(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY, head = TEXT_EMPTY, condition = TEXT_EMPTY;
        const char *options;
        lin_random_print(seed, &text);
        if (take_apart(text_string(&text), &head, &condition, &options))
            check(seed, text_string(&head), text_string(&condition), options);
        text_release(&condition);
        text_release(&head);
        text_release(&text);
    }
    print_message("%u compared with never; %u formulas hold, %u are violated\n", compared, held,
                  violated);
    assert_true(compared > seeds.count / 20 && held > 0 && violated > seeds.count / 20);
}

/* An event is one of its operation whatever becomes of the values in the state behind it: once `a`
 * has answered, 2 is the only value left. */
static void events_are_seen_whatever_the_values_are(void **unused)
{
    (void)unused;
    static const char head[] =
        "impl two {\n    shared value s;\n    shared bool y;\n"
        "    op a(value v) only thread 0 { s = v; await (y); return v; }\n"
        "    op b(value w) only thread 1 {\n"
        "        value t = s; await (t != null); await (t != w);\n"
        "        s = null; y = true; await (!y); return w;\n    }\n}\nassert two";
    const reductions used[] = {REDUCE_DEFAULT, REDUCE_NONE};
    for (size_t i = 0; i < ARRAY_LENGTH(used); i++) {
        assert_int_equal(verdict_on(head, "satisfies [] !return.a", "",
                                    " with threads = 2, ops = 1, values = 2;", "", used[i], 0),
                         VERDICT_VIOLATED);
        assert_int_equal(verdict_on(head, "satisfies [] !return.b", "",
                                    " with threads = 2, ops = 1, values = 2;", "", used[i], 0),
                         VERDICT_HOLDS);
    }
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_seen_whatever_the_values_are),
        cmocka_unit_test(formulas_agree_with_never_and_with_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

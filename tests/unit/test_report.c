/* What is said of a violation whose core was not found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "report/report.h"
#include "report/result.h"

/* A violation of a register, reported as if no core had been found in time. */
struct fixture {
    lp_context *context;
    lp_history *history;
    lp_result *result;
    lp_result answer;
    lp_violation violation;
    struct report *report;
    struct result shown;
};

static int open_fixture(void **state)
{
    static const char text[] = "{:process 0 :type :invoke :f :read :value nil}"
                               "{:process 0 :type :ok :f :read :value 3}";
    struct fixture *fixture = calloc(1, sizeof *fixture);
    lp_history **histories;
    size_t count;
    lp_error error;
    fixture->context = lp_context_create(0);
    if (lp_history_parse(fixture->context, "test", text, strlen(text), NULL, &histories, &count,
                         &error) != LP_OK ||
        lp_check(fixture->context, histories[0], NULL, 0, NULL, &fixture->result, &error) != LP_OK)
        return 1;
    fixture->history = histories[0];
    free(histories);
    fixture->answer = *fixture->result;
    fixture->violation = fixture->result->violations[0];
    fixture->violation.core = NULL;
    fixture->violation.core_length = 0;
    fixture->violation.core_complete = false;
    fixture->answer.violations = &fixture->violation;
    fixture->report = report_create(fixture->history, &fixture->answer, false);
    fixture->shown.input = "test";
    report_fill(&fixture->shown, fixture->report);
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    result_release(&fixture->shown);
    report_destroy(fixture->report);
    lp_result_destroy(fixture->result);
    lp_history_destroy(fixture->history);
    lp_context_destroy(fixture->context);
    free(fixture);
    return 0;
}

/* An empty set of operations is no violation by itself: "core" would claim that it is. */
static void a_core_that_was_not_found_is_absent(void **state)
{
    const struct fixture *fixture = *state;
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&bytes, &length);
    result_json(&fixture->shown, out);
    fclose(out);
    assert_null(strstr(bytes, "\"core\":["));
    assert_non_null(strstr(bytes, "\"core_complete\":false"));
    free(bytes);
}

/* No limit was set by the user: what ended the looking is told, and not that time ran out. */
static void the_text_says_how_long_it_was_looked_for(void **state)
{
    const struct fixture *fixture = *state;
    const struct report_style style = {.terminal = {.columns = 200}};
    struct text text = TEXT_EMPTY;
    result_text(&fixture->shown, &style, &text);
    assert_null(strstr(text_string(&text), "no time"));
    assert_non_null(strstr(text_string(&text),
                           "No small set of operations that is a violation by itself was found: "
                           "looking for one may take as long as the verdict, and half a second."));
    text_release(&text);
}

/* Of a log that is followed a violation is certain before anything is known of why. */
static void expect_untold(lp_verdict told, lp_limit limit, bool exact, const char *expected)
{
    void *state = NULL;
    assert_int_equal(open_fixture(&state), 0);
    struct fixture *fixture = state;
    lp_result *result = fixture->result;
    lp_error error;
    lp_spec *spec;
    assert_int_equal(lp_spec_create(fixture->context, "register", NULL, &spec, &error), LP_OK);
    const lp_binding binding = {NULL, spec};
    const struct followed_words words = {
        .bindings = &binding, .binding_count = 1, .searched = true, .parts = 1};
    const lp_monitor_state followed = {
        .verdict = LP_VIOLATION, .operations = 7, .pending = 2, .line = 12, .exact = exact};
    result->verdict = told; /* what the search says of the operations that are kept */
    result->limit = limit;
    result_follow(result, &followed, &words);
    assert_int_equal(result->verdict, LP_VIOLATION);
    assert_int_equal(result->limit, LP_LIMIT_NONE);
    assert_int_equal(result->violation_count, 1);
    assert_int_equal(result->violations[0].core_length, 0);
    assert_string_equal(result->reason, expected);

    struct report *report = report_create(fixture->history, result, false);
    struct result shown = {.input = "log"};
    const struct report_style style = {.terminal = {.columns = 300}};
    struct text text = TEXT_EMPTY;
    report_fill(&shown, report);
    result_text(&shown, &style, &text);
    assert_non_null(
        strstr(text_string(&text), "log: violation (register, 7 operations, 2 pending"));
    assert_non_null(strstr(text_string(&text), expected));
    text_release(&text);
    result_release(&shown);
    report_destroy(report);
    lp_spec_destroy(spec);
    close_fixture(&state);
}

static void a_followed_violation_says_why_nothing_is_told(void **unused)
{
    (void)unused;
    expect_untold(LP_UNKNOWN, LP_LIMIT_TIME, false,
                  "no order of the operations is left; the search for those that show why took too "
                  "many steps (certain at the latest from line 12)");
    expect_untold(LP_LINEARIZABLE, LP_LIMIT_NONE, true,
                  "no order of the operations is left; the operations that are kept do not show "
                  "why (--keep keeps more) (certain from line 12)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_core_that_was_not_found_is_absent, open_fixture,
                                        close_fixture),
        cmocka_unit_test_setup_teardown(the_text_says_how_long_it_was_looked_for, open_fixture,
                                        close_fixture),
        cmocka_unit_test(a_followed_violation_says_why_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

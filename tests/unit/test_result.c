/* One result, written in each format: whatever was asked, the formats say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "report/result.h"

/* An assertion with everything that a result can have. */
static void fill(struct result *result, lp_answer verdict)
{
    *result = (struct result){.input = "a<b>.csp",
                              .limit = LP_LIMIT_TIME,
                              .verdict = verdict,
                              .words = result_answers,
                              .about = "P() deadlockfree",
                              .family = "models",
                              .decided = true,
                              .seconds = 0.25,
                              .has_replay = verdict == LP_VIOLATED};
    text_append(&result->reason, "it stops");
    text_append(&result->replay, "linchpin replay t.json");
    text_append(&result->subject, "a<b>.csp:3");
    result_fact(result, "%s", "reachability");
    result_count(result, 1000, "state", "states");
    node_add_text(&result->root, "input", result->input);
    result_add_verdict(result);
    result_add_seconds(result);
    result_add_reason(result);
    result_add_limit(result);
    text_append(node_add_line(&result->root, 4, STYLE_PLAIN), "seen: a deadlock");
}

static char *text_of(const struct result *result, bool quiet)
{
    const struct report_style style = {.terminal = {.columns = 80}, .quiet = quiet};
    struct text text = TEXT_EMPTY;
    result_text(result, &style, &text);
    return text_take(&text);
}

static void the_text_has_verdict_reason_evidence_and_command(void **state)
{
    struct result result;
    (void)state;
    fill(&result, LP_VIOLATED);
    char *text = text_of(&result, false);
    assert_string_equal(text, "a<b>.csp:3: violated: P() deadlockfree (reachability, 1,000 states, "
                              "0.25 s)\n"
                              "  it stops\n"
                              "    seen: a deadlock\n"
                              "\n  to step through it:\n"
                              "    linchpin replay t.json\n");
    free(text);
    result_release(&result);
}

static void quiet_leaves_the_verdict_and_a_reason_that_limits_it(void **state)
{
    struct result result;
    (void)state;
    fill(&result, LP_HOLDS);
    char *text = text_of(&result, true);
    assert_null(strstr(text, "it stops"));
    free(text);
    result.insistent = true;
    text = text_of(&result, true);
    assert_non_null(strstr(text, "it stops"));
    assert_null(strstr(text, "seen"));
    free(text);
    result_release(&result);
}

static char *json_of(lp_answer verdict)
{
    struct result result;
    char *bytes = NULL;
    size_t length;
    fill(&result, verdict);
    FILE *out = open_memstream(&bytes, &length);
    result_json(&result, out);
    fclose(out);
    result_release(&result);
    return bytes;
}

static void json_names_the_limit_of_what_is_unknown_only(void **state)
{
    (void)state;
    char *json = json_of(LP_UNDECIDED);
    assert_string_equal(json,
                        "{\"input\":\"a<b>.csp\",\"verdict\":\"unknown\",\"seconds\":0.250000,"
                        "\"reason\":\"it stops\",\"limit\":\"time\"}\n");
    free(json);
    json = json_of(LP_HOLDS);
    assert_null(strstr(json, "limit"));
    free(json);
}

/* A violation is a failure of the test, an answer that is not known an error of it. */
static void junit_tells_failures_from_errors(void **state)
{
    static const char *const expected[] = {[LP_HOLDS] = "/>\n",
                                           [LP_VIOLATED] = "<failure type=\"violated\"",
                                           [LP_UNDECIDED] = "<error type=\"unknown\""};
    (void)state;
    for (lp_answer verdict = LP_HOLDS; verdict <= LP_UNDECIDED; verdict++) {
        struct result result;
        struct text text = TEXT_EMPTY;
        fill(&result, verdict);
        result_junit(&result, "the story", &text);
        assert_non_null(strstr(text_string(&text), expected[verdict]));
        assert_non_null(strstr(text_string(&text), "name=\"a&lt;b&gt;.csp:3: P() deadlockfree\""));
        text_release(&text);
        result_release(&result);
    }
}

/* Rows are JSON's objects; columns name the cells that are for people, too. */
static void a_table_is_rows_in_text_and_a_list_in_json(void **state)
{
    static const struct column columns[] = {
        {"name", "rule", 0}, {"verdict", "ever", -7}, {"markings", "markings", 9}, {0}};
    struct result result = {.words = result_answers};
    char *bytes = NULL;
    size_t length;
    (void)state;
    struct node *table = node_add_table(&result.root, "questions", columns);
    for (uint64_t i = 0; i < 2; i++) {
        struct node *row = node_add_object(table, NULL);
        node_add_text(row, "name", i ? "range" : "a fault");
        node_add_boolean(row, "hidden", i > 0);
        node_add_cell(row, "verdict", "safe", "never");
        node_add_number(row, "markings", 1234 * i);
    }
    char *text = text_of(&result, false);
    assert_string_equal(strchr(text, '\n'), "\n\n    rule     ever      markings\n"
                                            "    a fault  never            0\n"
                                            "    range    never        1,234\n");
    FILE *out = open_memstream(&bytes, &length);
    result_json(&result, out);
    fclose(out);
    assert_string_equal(bytes, "{\"questions\":[{\"name\":\"a fault\",\"hidden\":false,"
                               "\"verdict\":\"safe\",\"markings\":0},"
                               "{\"name\":\"range\",\"hidden\":true,\"verdict\":\"safe\","
                               "\"markings\":1234}]}\n");
    free(bytes);
    free(text);
    result_release(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_has_verdict_reason_evidence_and_command),
        cmocka_unit_test(quiet_leaves_the_verdict_and_a_reason_that_limits_it),
        cmocka_unit_test(json_names_the_limit_of_what_is_unknown_only),
        cmocka_unit_test(junit_tells_failures_from_errors),
        cmocka_unit_test(a_table_is_rows_in_text_and_a_list_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

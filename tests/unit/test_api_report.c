/* The installed reports: what a program that links the library can show of an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"

static const char stale_read[] = "{:process 0, :type :invoke, :f :write, :value 1}\n"
                                 "{:process 0, :type :ok, :f :write, :value 1}\n"
                                 "{:process 1, :type :invoke, :f :read, :value nil}\n"
                                 "{:process 1, :type :ok, :f :read, :value 2}\n";

static const char adders[] = "var n = 0;"
                             "Add() = tau -> read.n -> Write(n);"
                             "Write(i) = write.i{n = i + 1} -> Stop;"
                             "Both() = Add() ||| Add();"
                             "#define two n == 2;"
                             "#assert Both() deadlockfree;";

/* A history and the answer about it. */
struct checked {
    lp_context *context;
    lp_history **histories;
    lp_result *result;
};

static void checked_open(struct checked *checked)
{
    lp_error error;
    size_t count;
    checked->context = lp_context_create(0);
    assert_int_equal(lp_history_parse(checked->context, "stale.edn", stale_read, strlen(stale_read),
                                      NULL, &checked->histories, &count, &error),
                     LP_OK);
    assert_int_equal(count, 1);
    assert_int_equal(
        lp_check(checked->context, checked->histories[0], NULL, 0, NULL, &checked->result, &error),
        LP_OK);
    assert_int_equal(checked->result->verdict, LP_VIOLATION);
}

static void checked_close(struct checked *checked)
{
    lp_result_destroy(checked->result);
    lp_history_destroy(checked->histories[0]);
    free(checked->histories);
    lp_context_destroy(checked->context);
}

static char *report_twice(const struct checked *checked, lp_report_form form,
                          const lp_report_options *options)
{
    size_t length;
    lp_report *report = lp_report_create(form, options);
    assert_non_null(report);
    lp_report_check(report, checked->context, checked->histories[0], NULL, 0, NULL, checked->result,
                    NULL);
    lp_report_check(report, checked->context, checked->histories[0], NULL, 0, NULL, checked->result,
                    "once more");
    char *written = lp_report_finish(report, &length);
    assert_non_null(written);
    assert_int_equal(strlen(written), length);
    return written;
}

static size_t count_of(const char *part, const char *text)
{
    size_t count = 0;
    while ((text = strstr(text, part))) {
        count++;
        text += strlen(part);
    }
    return count;
}

static void answers_are_told_in_text(void **unused)
{
    (void)unused;
    struct checked checked;
    checked_open(&checked);
    char *text = report_twice(&checked, LP_REPORT_TEXT, NULL);
    assert_non_null(strstr(text, "stale.edn: violation"));
    assert_non_null(strstr(text, "once more: violation"));
    assert_int_equal(count_of(checked.result->reason, text), 2);
    assert_null(strchr(text, '\033'));
    free(text);
    text = report_twice(
        &checked, LP_REPORT_TEXT,
        &(lp_report_options){
            .size = sizeof(lp_report_options), .columns = 60, .colour = true, .ascii = true});
    assert_non_null(strchr(text, '\033'));
    for (const char *letter = text; *letter; letter++)
        assert_true((unsigned char)*letter < 128);
    free(text);
    text = report_twice(&checked, LP_REPORT_TEXT,
                        &(lp_report_options){.size = sizeof(lp_report_options), .quiet = true});
    assert_int_equal(count_of("\n", text), 2);
    free(text);
    checked_close(&checked);
}

static void answers_are_told_in_json(void **unused)
{
    (void)unused;
    struct checked checked;
    checked_open(&checked);
    char *text = report_twice(&checked, LP_REPORT_JSON, NULL);
    assert_int_equal(count_of("\n", text), 2);
    assert_int_equal(count_of("\"verdict\":\"violation\"", text), 2);
    assert_int_equal(count_of("\"input\":\"once more\"", text), 1);
    free(text);
    checked_close(&checked);
}

static void answers_are_told_on_a_page(void **unused)
{
    (void)unused;
    struct checked checked;
    checked_open(&checked);
    char *text = report_twice(&checked, LP_REPORT_HTML, NULL);
    assert_true(strncmp(text, "<!doctype html>", 15) == 0 ||
                strncmp(text, "<!DOCTYPE html>", 15) == 0);
    assert_int_equal(count_of("class=\"answer\">", text), 2);
    assert_non_null(strstr(text, "</html>"));
    free(text);
    checked_close(&checked);
}

static void verifications_are_told_in_every_form(void **unused)
{
    (void)unused;
    static const char *const expected[] = {"adders:1: violated: Both() deadlockfree",
                                           "\"verdict\":\"violated\"", "class=\"answer\">"};
    lp_context *context = lp_context_create(0);
    lp_model *model;
    lp_verification *result;
    lp_error error;
    assert_int_equal(lp_model_parse(context, "adders", adders, strlen(adders), &model, &error),
                     LP_OK);
    assert_int_equal(lp_verify(context, model, 0, NULL, &result, &error), LP_OK);
    for (int form = LP_REPORT_TEXT; form <= LP_REPORT_HTML; form++) {
        lp_report *report = lp_report_create((lp_report_form)form, NULL);
        lp_report_verification(report, model, 0, result, NULL);
        char *text = lp_report_finish(report, NULL);
        assert_non_null(strstr(text, expected[form]));
        free(text);
    }
    lp_verification_destroy(result);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void a_report_may_be_given_up(void **unused)
{
    (void)unused;
    struct checked checked;
    checked_open(&checked);
    lp_report *report = lp_report_create(LP_REPORT_HTML, NULL);
    lp_report_check(report, checked.context, checked.histories[0], NULL, 0, NULL, checked.result,
                    NULL);
    lp_report_destroy(report);
    lp_report_destroy(NULL);
    checked_close(&checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_told_in_text),
        cmocka_unit_test(answers_are_told_in_json),
        cmocka_unit_test(answers_are_told_on_a_page),
        cmocka_unit_test(verifications_are_told_in_every_form),
        cmocka_unit_test(a_report_may_be_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

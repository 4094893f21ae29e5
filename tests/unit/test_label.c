/* Operations in a few words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "report/label.h"

static const struct terminal unicode = {.unicode = true, .columns = 80};
static const struct terminal ascii = {.columns = 80};

/* The label of the first operation of a history, given as what stands behind :f in its events
 * (`completion` null: none is recorded). */
static void expect_read(bool keyed_results, const char *spec, const char *invocation,
                        const char *type, const char *completion, const char *key,
                        const struct terminal *terminal, const char *label)
{
    struct text lines = TEXT_EMPTY, text = TEXT_EMPTY;
    lp_context *context = lp_context_create(0);
    lp_history **histories;
    lp_value value;
    lp_error error;
    size_t count;
    text_format(&lines, "{:process 0, :type :invoke, :f %s}\n", invocation);
    if (completion)
        text_format(&lines, "{:process 0, :type :%s, :f %s}\n", type, completion);
    assert_int_equal(lp_history_parse(context, "h", text_string(&lines), lines.length, NULL,
                                      &histories, &count, &error),
                     LP_OK);
    if (key)
        assert_int_equal(lp_value_parse(context, key, &value, &error), LP_OK);
    const lp_violation found = {.spec = spec, .keyed_results = keyed_results};
    struct report_operation operation = report_operation_find(histories[0], &found, 0);
    label_operation(&operation, key ? &value : NULL, terminal, &text);
    assert_string_equal(text_string(&text), label);
    lp_history_destroy(histories[0]);
    free(histories);
    lp_context_destroy(context);
    text_release(&lines);
    text_release(&text);
}

/* With a key, of a history whose results carry it. */
static void expect(const char *spec, const char *invocation, const char *type,
                   const char *completion, const char *key, const struct terminal *terminal,
                   const char *label)
{
    expect_read(key != NULL, spec, invocation, type, completion, key, terminal, label);
}

static void results_are_shown_where_there_are_any(void **unused)
{
    (void)unused;
    expect("queue", ":dequeue, :value nil", "ok", ":dequeue, :value 7", NULL, &unicode,
           "dequeue → 7");
    expect("queue", ":dequeue, :value nil", "ok", ":dequeue, :value 7", NULL, &ascii,
           "dequeue -> 7");
    expect("queue", ":dequeue, :value nil", "ok", ":dequeue, :value nil", NULL, &unicode,
           "dequeue → nil"); /* it was empty */
    expect("queue", ":deq, :value nil", "ok", ":deq, :value 1", NULL, &unicode, "deq → 1");
    expect("set", ":add, :value 3", "ok", ":add, :value true", NULL, &unicode, "add 3 → true");
    expect("priority-queue", ":delete_min, :value nil", "ok", ":delete_min, :value 4", NULL,
           &unicode, "delete_min → 4");
}

/* Jepsen repeats the argument in the completion, and writes nil where there is nothing. */
static void what_is_no_result_is_not_shown(void **unused)
{
    (void)unused;
    expect("queue", ":enqueue, :value 7", "ok", ":enqueue, :value 7", NULL, &unicode, "enqueue 7");
    expect("mutex", ":acquire, :value nil", "ok", ":acquire, :value nil", NULL, &unicode,
           "acquire");
    expect("semaphore(3)", ":release, :value nil", "ok", ":release, :value nil", NULL, &unicode,
           "release");
    expect("cas-register", ":cas, :value [0 1]", "ok", ":cas, :value [0 1]", NULL, &unicode,
           "cas [0 1]");
}

static void what_became_of_it_is_said(void **unused)
{
    (void)unused;
    expect("cas-register", ":cas, :value [0 1]", "fail", ":cas, :value [0 1]", NULL, &unicode,
           "cas [0 1] failed");
    expect("queue", ":dequeue, :value nil", "info", ":dequeue, :value nil", NULL, &unicode,
           "dequeue → ?");
    expect("queue", ":dequeue, :value nil", NULL, NULL, NULL, &unicode, "dequeue → ?");
    expect("queue", ":enqueue, :value 7", NULL, NULL, NULL, &unicode, "enqueue 7");
    expect("cas-register", ":cas, :value [0 1]", NULL, NULL, NULL, &unicode, "cas [0 1]");
}

static void the_key_is_left_out(void **unused)
{
    (void)unused;
    expect("register", ":read, :value [:x nil]", "ok", ":read, :value [:x 5]", ":x", &unicode,
           "read → 5");
    expect("register", ":write, :value [:x 5]", "ok", ":write, :value [:x 5]", ":x", &unicode,
           "write 5");
    expect("cas-register", ":cas, :value [3 [1 2]]", "ok", ":cas, :value [3 [1 2]]", "3", &unicode,
           "cas [1 2]");
    expect("map", ":put, :value [\"a\" 1]", "ok", ":put, :value [\"a\" 1]", "\"a\"", &unicode,
           "put 1");
    expect("map", ":cas, :value [\"a\" 1 2]", "ok", ":cas, :value [\"a\" 1 2]", "\"a\"", &unicode,
           "cas [1 2]");
    expect("map", ":get, :value \"a\"", "ok", ":get, :value 1", "\"a\"", &unicode, "get → 1");
    expect("register", ":write, :value [:y 5]", "ok", ":write, :value [:y 5]", ":x", &unicode,
           "write [:y 5]"); /* another key: all of it */
    expect_read(true, "map", ":get, :value :x", "ok", ":get, :value [:x 5]", ":x", &unicode,
                "get → 5");
    expect_read(false, "map", ":get, :value :x", "ok", ":get, :value [:x 5]", ":x", &unicode,
                "get → [:x 5]"); /* a value that is a list of two */
}

/* Where the operation with this index of a history in JSON is said to stand. */
static void expect_place(const char *events, uint32_t index, bool whole, const char *place)
{
    struct text text = TEXT_EMPTY;
    lp_context *context = lp_context_create(0);
    lp_history **histories;
    lp_error error;
    size_t count;
    assert_int_equal(
        lp_history_parse(context, "h", events, strlen(events), NULL, &histories, &count, &error),
        LP_OK);
    label_place(histories[0], index, whole, &text);
    assert_string_equal(text_string(&text), place);
    lp_history_destroy(histories[0]);
    free(histories);
    lp_context_destroy(context);
    text_release(&text);
}

#define CALL(process)    "{\"process\": " process ", \"type\": \"invoke\", \"f\": \"read\"}"
#define RETURNS(process) "{\"process\": " process ", \"type\": \"ok\", \"f\": \"read\"}"

static void lines_are_named(void **unused)
{
    (void)unused;
    const char *lines = CALL("0") "\n" CALL("1") "\n\n" RETURNS("0") "\n";
    expect_place(lines, 0, true, "lines 1 and 4");
    expect_place(lines, 0, false, "line 1");
    expect_place(lines, 1, true, "line 2"); /* never returned */
}

/* Lines say nothing where all is in one. */
static void operations_of_one_line_are_numbered(void **unused)
{
    (void)unused;
    const char *line = "[" CALL("0") "," RETURNS("0") "," CALL("1") "," RETURNS("1") "]";
    expect_place(line, 0, true, "operation 0");
    expect_place(line, 1, false, "operation 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_shown_where_there_are_any),
        cmocka_unit_test(what_is_no_result_is_not_shown),
        cmocka_unit_test(what_became_of_it_is_said),
        cmocka_unit_test(the_key_is_left_out),
        cmocka_unit_test(lines_are_named),
        cmocka_unit_test(operations_of_one_line_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The sentence of a violation that the search found, or a monitor that was vague, and the
 * operations shown beside its core. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    lp_context *context;
    lp_history *history;
    lp_spec *spec;
    lp_result *result;
};

/* Decides a history in EDN; it has to be a violation. */
static void fixture_open(struct fixture *fixture, const char *spec, lp_method method,
                         const char *text)
{
    lp_history **histories;
    size_t count;
    lp_error error;
    fixture->context = lp_context_create(0);
    if (lp_history_parse(fixture->context, "test", text, strlen(text), NULL, &histories, &count,
                         &error) != LP_OK)
        fail_msg("%s", error.message);
    fixture->history = histories[0];
    free(histories);
    assert_int_equal(lp_spec_create(fixture->context, spec, NULL, &fixture->spec, &error), LP_OK);
    lp_binding binding = {.spec = fixture->spec};
    lp_check_options options = {.size = sizeof options, .method = method};
    assert_int_equal(lp_check(fixture->context, fixture->history, &binding, 1, &options,
                              &fixture->result, &error),
                     LP_OK);
    assert_int_equal(fixture->result->verdict, LP_VIOLATION);
}

static void fixture_close(struct fixture *fixture)
{
    lp_result_destroy(fixture->result);
    lp_spec_destroy(fixture->spec);
    lp_history_destroy(fixture->history);
    lp_context_destroy(fixture->context);
}

/* Processes 0, 1, 2 one operation after the other: an invocation and its completion. */
#define RAN(process, f, argument, type, result)                                                    \
    "{:process " process " :type :invoke :f :" f " :value " argument "}"                           \
    "{:process " process " :type :" type " :f :" f " :value " result "}\n"

static void assert_told(const char *spec, const char *text, const char *reason,
                        size_t context_length, uint32_t context)
{
    struct fixture fixture;
    fixture_open(&fixture, spec, LP_METHOD_SEARCH, text);
    assert_string_equal(fixture.result->reason, reason);
    assert_string_equal(fixture.result->violations[0].reason, reason);
    assert_int_equal(fixture.result->violations[0].context_length, context_length);
    if (context_length > 0)
        assert_int_equal(fixture.result->violations[0].context[0], context);
    fixture_close(&fixture);
}

static void a_read_of_what_nobody_wrote(void **unused)
{
    (void)unused;
    assert_told("register", RAN("0", "write", "1", "ok", "1") RAN("1", "read", "nil", "ok", "3"),
                "`read -> 3` by process 1 saw what was never written, and the initial value is nil",
                0, 0);
    assert_told(
        "map", RAN("0", "put", "[:a 1]", "ok", "nil") RAN("1", "get", ":a", "ok", "3"),
        "`get :a -> 3` by process 1 saw what was never written, and the initial value is nil", 0,
        0);
}

static void a_read_of_what_was_written_later(void **unused)
{
    (void)unused;
    assert_told("register", RAN("1", "read", "nil", "ok", "3") RAN("0", "write", "3", "ok", "3"),
                "`read -> 3` by process 1 returned before any operation began that writes 3", 1, 1);
}

static void a_read_of_what_failed(void **unused)
{
    (void)unused;
    assert_told("cas-register",
                RAN("0", "write", "1", "ok", "1") RAN("2", "write", "3", "fail", "3")
                    RAN("1", "read", "nil", "ok", "3"),
                "`read -> 3` by process 1 saw what was never written, and the initial value is nil",
                1, 1);
}

static void a_read_of_what_was_overwritten(void **unused)
{
    (void)unused;
    assert_told("register",
                RAN("0", "write", "1", "ok", "1") RAN("0", "write", "2", "ok", "2")
                    RAN("1", "read", "nil", "ok", "1"),
                "`read -> 1` by process 1 began after `write 2` by process 0 had completed, and "
                "nothing wrote 1 in between",
                0, 0);
    assert_told("cas-register",
                RAN("0", "write", "1", "ok", "1") RAN("0", "cas", "[1 2]", "ok", "[1 2]")
                    RAN("1", "read", "nil", "ok", "1"),
                "`read -> 1` by process 1 began after `cas [1 2] -> true` by process 0 had "
                "completed, and nothing wrote 1 in between",
                1, 0);
}

/* What is pending may have written 1, but not twice. */
static void a_read_of_what_is_pending(void **unused)
{
    (void)unused;
    const char *twice =
        "{:process 0 :type :invoke :f :write :value 1}" RAN("1", "write", "2", "ok", "2")
            RAN("1", "read", "nil", "ok", "1") RAN("1", "write", "2", "ok", "2")
                RAN("1", "read", "nil", "ok", "1");
    assert_told("register", twice,
                "there is no legal order of `read -> 1` by process 1, `write 2` by process 1 and "
                "`read -> 1` by process 1",
                1, 0);
    const char *cas =
        "{:process 0 :type :invoke :f :cas :value [7 1]}" RAN("1", "write", "1", "ok", "1")
            RAN("1", "write", "2", "ok", "2") RAN("1", "read", "nil", "ok", "1");
    assert_told("cas-register", cas,
                "`read -> 1` by process 1 began after `write 2` by process 1 had completed, and "
                "nothing wrote 1 in between",
                0, 0);
}

/* The monitor sees 3 and 4 in turn, and cannot say which of them came back. */
static void a_monitor_that_blames_one_of_two(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture, "cas-register", LP_METHOD_MONITOR,
                 RAN("0", "write", "1", "ok", "1") RAN("1", "cas", "[1 3]", "ok", "[1 3]")
                     RAN("0", "write", "4", "ok", "4") RAN("1", "read", "nil", "ok", "3")
                         RAN("1", "read", "nil", "ok", "4"));
    assert_string_equal(fixture.result->reason,
                        "`read -> 3` by process 1 began after `write 4` by process 0 had "
                        "completed, and nothing wrote 3 in between");
    fixture_close(&fixture);
}

/* Appends only ever make a string longer, so what was there before a get began must be in it. */
static void a_get_that_lacks_what_was_appended(void **unused)
{
    (void)unused;
    const char *shorter =
        RAN("0", "append", "[:a \"x\"]", "ok", "nil") RAN("0", "append", "[:a \"y\"]", "ok", "nil")
            RAN("1", "get", ":a", "ok", "\"xy\"") RAN("2", "get", ":a", "ok", "\"x\"");
    struct fixture fixture;
    fixture_open(&fixture, "map", LP_METHOD_SEARCH, shorter);
    const char *reason = fixture.result->reason;
    assert_true(
        strcmp(reason, "`get :a -> \"x\"` by process 2 began after `append [:a \"y\"]` by process "
                       "0 had completed, but lacks \"y\"") == 0 ||
        strcmp(reason, "`get :a -> \"x\"` by process 2 began after `get :a -> \"xy\"` by process 1 "
                       "had completed, but lacks \"y\"") == 0);
    assert_int_equal(fixture.result->violations[0].evidence_length, 2);
    fixture_close(&fixture);

    assert_told("map",
                RAN("0", "append", "[:a \"x\"]", "ok", "nil")
                    RAN("2", "append", "[:a \"y\"]", "info", "nil")
                        RAN("1", "get", ":a", "ok", "\"y\""),
                "`get :a -> \"y\"` by process 1 began after `append [:a \"x\"]` by process 0 had "
                "completed, but lacks \"x\"",
                1, 1);
}

/* Their ends tell long strings apart: of 92 columns the first 29 and the last 28. */
static void long_values_are_told_by_both_ends(void **unused)
{
    (void)unused;
#define LONG "0123456789012345678901234567890123456789"
    assert_told("register", RAN("1", "read", "nil", "ok", "\"<" LONG LONG ">\""),
                "`read -> \"<0123456789012345678...45678901234567890123456789>\"` by process 1 "
                "saw what was never written, and the initial value is nil",
                0, 0);
}

static void other_objects_list_the_core(void **unused)
{
    (void)unused;
    assert_told("queue",
                RAN("0", "enqueue", "1", "ok", "1") RAN("0", "enqueue", "2", "ok", "2")
                    RAN("1", "dequeue", "nil", "ok", "2"),
                "there is no legal order of `enqueue 1` by process 0 and `dequeue -> 2` by "
                "process 1",
                1, 1);
    assert_told("queue(1)",
                RAN("0", "enqueue", "1", "ok", "true") RAN("1", "enqueue", "2", "ok", "true"),
                "there is no legal order of `enqueue 1 -> true` by process 0 and `enqueue 2 -> "
                "true` by process 1",
                0, 0);
}

/* They keep their values as a queue does, and have operations of their own. */
static void containers_without_an_order_list_the_core(void **unused)
{
    (void)unused;
    assert_told("unordered-queue", RAN("1", "dequeue", "nil", "ok", "2"),
                "`dequeue -> 2` by process 1 is not legal, whatever took effect before it", 0, 0);
    assert_told("priority-queue", RAN("1", "delete-min", "nil", "ok", "2"),
                "`delete-min -> 2` by process 1 is not legal, whatever took effect before it", 0,
                0);
    assert_told("grow-set", RAN("1", "read", "nil", "ok", "[2]"),
                "`read -> #{2}` by process 1 is not legal, whatever took effect before it", 0, 0);
}

/* Whatever else a transaction read: in the middle its text is left out. */
static void a_transaction_names_the_read_that_fits_no_state(void **unused)
{
    (void)unused;
    static const char illegal[] = "is not legal, whatever took effect before it";
    static const struct {
        const char *argument, *result, *why;
    } cases[] = {
        {"[[:r :x nil] [:r :y nil] [:r :y nil]]", "[[:r :x nil] [:r :y nil] [:r :y 3]]",
         ": `[:read :y 3]` in it comes behind `[:read :y nil]`"},
        {"[[:w :y 4] [:r :x nil] [:r :y nil]]", "[[:w :y 4] [:r :x nil] [:r :y 3]]",
         ": `[:read :y 3]` in it comes behind `[:write :y 4]`"},
        {"[[:r :x nil] [:r :y nil]]", "[[:r :x 1] [:r :y 7]]",
         ": `[:read :y 7]` in it read what is never written"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 RAN("0", "write", "[:x 1]", "ok", "nil") RAN("0", "write", "[:y 3]", "ok", "nil")
                     RAN("1", "txn", "%s", "ok", "%s"),
                 cases[i].argument, cases[i].result);
        struct fixture fixture;
        fixture_open(&fixture, "multi-register", LP_METHOD_SEARCH, text);
        const char *end = strstr(fixture.result->reason, illegal);
        assert_non_null(end);
        assert_string_equal(end + strlen(illegal), cases[i].why);
        fixture_close(&fixture);
    }
}

/* Not the parsed form of the answer, which has room for more. */
static void a_swap_that_was_not_done_is_told_as_the_history_says_it(void **unused)
{
    (void)unused;
    assert_told("map",
                RAN("0", "put", "[:x 1]", "ok", "nil") RAN("1", "cas", "[:x 1 3]", "ok", "false"),
                "there is no legal order of `put [:x 1]` by process 0 and `cas [:x 1 3] -> false` "
                "by process 1",
                0, 0);
}

/* As the monitors say it, which are for containers that have room for any number. */
static void a_value_that_cannot_have_been_there(void **unused)
{
    (void)unused;
    assert_told("queue", RAN("1", "dequeue", "nil", "ok", "2"),
                "value 2 was dequeued but never enqueued", 0, 0);
    assert_told("queue(1)",
                RAN("0", "enqueue", "1", "ok", "true") RAN("0", "enqueue", "2", "ok", "false")
                    RAN("1", "dequeue", "nil", "ok", "2"),
                "value 2 was dequeued but never enqueued", 1, 0);
    assert_told("queue(2)",
                RAN("1", "dequeue", "nil", "ok", "2") RAN("0", "enqueue", "2", "ok", "true"),
                "value 2 was dequeued before it was enqueued", 1, 1);
    assert_told("stack(2)",
                RAN("0", "push", "2", "ok", "true") RAN("1", "pop", "nil", "ok", "2")
                    RAN("2", "pop", "nil", "ok", "2"),
                "value 2 was popped twice", 1, 0);
    assert_told("deque(2)",
                RAN("0", "push-front", "2", "ok", "true") RAN("1", "pop-back", "nil", "ok", "2")
                    RAN("2", "pop-front", "nil", "ok", "2"),
                "value 2 was popped twice", 1, 0);
    assert_told("queue(2, initial = [2])",
                RAN("1", "dequeue", "nil", "ok", "2") RAN("2", "dequeue", "nil", "ok", "2"),
                "value 2 was dequeued twice", 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_of_what_nobody_wrote),
        cmocka_unit_test(a_read_of_what_was_written_later),
        cmocka_unit_test(a_read_of_what_failed),
        cmocka_unit_test(a_read_of_what_was_overwritten),
        cmocka_unit_test(a_read_of_what_is_pending),
        cmocka_unit_test(a_monitor_that_blames_one_of_two),
        cmocka_unit_test(a_get_that_lacks_what_was_appended),
        cmocka_unit_test(long_values_are_told_by_both_ends),
        cmocka_unit_test(other_objects_list_the_core),
        cmocka_unit_test(containers_without_an_order_list_the_core),
        cmocka_unit_test(a_transaction_names_the_read_that_fits_no_state),
        cmocka_unit_test(a_swap_that_was_not_done_is_told_as_the_history_says_it),
        cmocka_unit_test(a_value_that_cannot_have_been_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

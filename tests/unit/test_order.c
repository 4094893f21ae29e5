/* The order of events by their times: what must hold of it, on examples and on random histories;
 * and what a check makes of two orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/order.h"
#include "history/writing.h"
#include "support/reading.h"

#define EVENT(process, type, time)                                                                 \
    "{:process " #process ", :type :" type ", :f :read, :time " #time "}\n"
#define CALL(process, time)   EVENT(process, "invoke", time)
#define RETURN(process, time) EVENT(process, "ok", time)

/* The lines of the file in the order of the times, "1 3 2"; or the error with its line. */
static void tell_order(const char *text, size_t length, struct text *told)
{
    struct library library;
    struct histories histories;
    struct error error = {0};
    library_open(&library, 0);
    assert_int_equal(library_read(&library, text, length, "edn", 1, 0, &histories, &error),
                     STATUS_OK);
    struct history *history = histories.items.items[0];
    enum status status = order_apply(history, ORDER_TIME, &error);
    if (status == STATUS_OK) {
        struct written_event *events;
        assert_int_equal(writing_order(history, &events, &error), STATUS_OK);
        for (uint32_t i = 0; i < history->positions; i++) {
            const struct operation *operation = &history->operations.items[events[i].operation];
            text_format(told, "%s%u", i ? " " : "",
                        events[i].response ? operation->response_line : operation->invoke_line);
        }
        for (size_t i = 1; i < history->operations.length; i++)
            assert_true(history->operations.items[i - 1].invoke <
                        history->operations.items[i].invoke);
        writing_order_release(history, events);
    } else {
        assert_int_equal(status, STATUS_INPUT);
        text_format(told, "%u: %s", error.line, error.message);
    }
    histories_release(&histories);
    library_close(&library);
}

static void assert_order(const char *text, const char *expected)
{
    struct text told = TEXT_EMPTY;
    tell_order(text, strlen(text), &told);
    assert_string_equal(text_string(&told), expected);
    text_release(&told);
}

static void events_are_ordered_by_time(void **unused)
{
    (void)unused;
    assert_order(CALL(0, 1) RETURN(0, 4) CALL(1, 2) RETURN(1, 3), "1 3 4 2");
    assert_order(CALL(0, -5) RETURN(0, 0) CALL(1, -9223372036854775807), "3 1 2");
    assert_order("", "");
}

static void of_equal_times_calls_come_before_returns(void **unused)
{
    (void)unused;
    assert_order(CALL(0, 1) RETURN(0, 2) CALL(1, 2) RETURN(1, 3), "1 3 2 4");
    assert_order(CALL(0, 7) RETURN(0, 7) CALL(1, 7) RETURN(1, 7), "1 3 2 4");
    /* what did not happen, or may happen later, precedes nothing */
    assert_order(CALL(0, 1) EVENT(0, "fail", 2) CALL(1, 2) CALL(0, 2), "1 2 3 4");
}

static void a_process_stays_in_its_own_order(void **unused)
{
    (void)unused;
    /* process 0 returns and calls at 5: others' calls before it, others' returns behind it */
    assert_order(CALL(1, 1) CALL(0, 1) RETURN(0, 5) CALL(0, 5) RETURN(1, 5) CALL(2, 5),
                 "1 2 6 3 4 5");
    assert_order(CALL(0, 5) RETURN(0, 5) CALL(0, 5) RETURN(0, 5), "1 2 3 4");
}

static void where_both_cannot_hold_there_is_no_order(void **unused)
{
    (void)unused;
    assert_order(CALL(0, 1) RETURN(0, 5) CALL(0, 5) CALL(1, 1) RETURN(1, 5) CALL(1, 5),
                 "6: expected an order of the events at one time in which calls precede returns "
                 "and each process stays in its own order, found none at 5, where process 0 and "
                 "process 1 both return and call again");
    assert_order(CALL(0, 3) RETURN(0, 2),
                 "2: expected the events of process 0 in the order of their times, found 2 after 3 "
                 "in line 1");
    assert_order(CALL(0, 3) "{:process 0, :type :ok, :f :read}",
                 "2: expected an integer of at most 64 bits as `time` of every event, to order "
                 "them by, found the completion of `read` without");
    assert_order("{:process 0, :type :invoke, :f :read, :time \"10:20\"}",
                 "1: expected an integer of at most 64 bits as `time` of every event, to order "
                 "them by, found \"10:20\"");
}

static void annotations_keep_their_place_in_time(void **unused)
{
    (void)unused;
    static const char text[] =
        CALL(0, 10) RETURN(0, 20) "{:process :nemesis, :type :info, :f :kill, :time 4}\n" CALL(
            1, 5) "{:process :nemesis, :type :info, :f :heal}\n" RETURN(1, 6);
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, strlen(text), NULL);
    assert_int_equal(order_apply(history, ORDER_TIME, NULL), STATUS_OK);
    assert_int_equal(history->annotations.items[0].position, 0); /* 4, before all */
    assert_int_equal(history->annotations.items[0].line, 3);
    assert_int_equal(history->annotations.items[1].position, 1); /* before the event behind it */
    history_destroy(history);
    library_close(&library);
}

static void a_refusing_budget_is_a_limit(void **unused)
{
    (void)unused;
    static const char text[] = CALL(0, 1) RETURN(0, 4) CALL(1, 2) RETURN(1, 3);
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, strlen(text), NULL);
    size_t used = library.budget.used, refused = 0;
    enum status status = STATUS_LIMIT;
    for (size_t more = 1; status == STATUS_LIMIT; more += 8) {
        library.budget.limit = used + more;
        status = order_apply(history, ORDER_TIME, NULL);
        refused += status == STATUS_LIMIT;
        assert_int_equal(library.budget.used, used);
    }
    assert_int_equal(status, STATUS_OK);
    assert_true(refused > 3);
    assert_int_equal(history->operations.items[1].response, 2); /* before that of process 0 */
    library.budget.limit = 0;
    history_destroy(history);
    library_close(&library);
}

/* ---- random histories ---- */

#define MOST 12

struct random_event {
    unsigned process, time;
    bool returns;
};

/* Whether `a` must come before `b`; `a` stands before `b` in the file or not. */
static bool must_precede(const struct random_event *events, size_t a, size_t b)
{
    if (events[a].process == events[b].process)
        return a < b;
    if (events[a].time != events[b].time)
        return events[a].time < events[b].time;
    return !events[a].returns && events[b].returns;
}

/* Takes away what nothing precedes, as long as there is something: is all taken in the end? */
static bool has_order(const struct random_event *events, size_t count)
{
    bool taken[MOST] = {false};
    for (size_t round = 0; round < count; round++) {
        size_t found = count;
        for (size_t i = 0; i < count && found == count; i++) {
            bool free = !taken[i];
            for (size_t j = 0; j < count; j++)
                free = free && (j == i || taken[j] || !must_precede(events, j, i));
            found = free ? i : count;
        }
        if (found == count)
            return false;
        taken[found] = true;
    }
    return true;
}

static size_t random_events(struct random *random, struct random_event *events, struct text *text)
{
    unsigned last[3] = {0};
    bool running[3] = {false};
    size_t count = random_below(random, MOST + 1);
    for (size_t i = 0; i < count; i++) {
        unsigned process = random_below(random, 3);
        last[process] += random_below(random, 2);
        events[i] = (struct random_event){process, last[process], running[process]};
        text_format(text, "{:process %u, :type :%s, :f :read, :time %u}\n", process,
                    running[process] ? "ok" : "invoke", last[process]);
        running[process] = !running[process];
    }
    return count;
}

/* The lines told, each once, and none in front of one that must precede it. */
static void assert_respects(const struct random_event *events, size_t count, const char *told)
{
    size_t order[MOST];
    for (size_t i = 0; i < count; i++) {
        char *end;
        order[i] = strtoul(told, &end, 10) - 1;
        told = end;
        for (size_t j = 0; j < i; j++)
            assert_false(order[i] == order[j] || must_precede(events, order[i], order[j]));
    }
}

static void an_order_is_found_if_there_is_one(void **unused)
{
    (void)unused;
    struct random random;
    unsigned without = 0;
    random_seed(&random, 1);
    for (int round = 0; round < 4000; round++) {
        struct random_event events[MOST];
        struct text text = TEXT_EMPTY, told = TEXT_EMPTY;
        size_t count = random_events(&random, events, &text);
        tell_order(text_string(&text), text.length, &told);
        bool found = !strstr(text_string(&told), "expected");
        if (found != has_order(events, count))
            fail_msg("round %d: %s of\n%s", round, text_string(&told), text_string(&text));
        if (found)
            assert_respects(events, count, text_string(&told));
        without += !found;
        text_release(&text);
        text_release(&told);
    }
    assert_in_range(without, 100, 3900);
}

/* ---- two orders, one verdict ---- */

#define LINE(process, type, f, value, time)                                                        \
    "{:process " #process ", :type :" type ", :f :" f ", :value " #value ", :time " #time "}\n"
#define WRITE(process, value, from, to)                                                            \
    LINE(process, "invoke", "write", value, from) LINE(process, "ok", "write", value, to)
#define READ(process, value, from, to)                                                             \
    LINE(process, "invoke", "read", nil, from) LINE(process, "ok", "read", value, to)

struct answer {
    lp_status status;
    lp_verdict verdict;
    char message[1024]; /* of the error, or of the first warning */
    uint32_t line;
};

static struct answer check(const char *text, lp_order order, const lp_check_options *options)
{
    lp_context *context = lp_context_create(0);
    lp_history **histories;
    size_t count;
    lp_error error = {0};
    lp_read_options read = {.size = sizeof read, .order = order};
    struct answer answer = {.message = ""};
    assert_int_equal(
        lp_history_parse(context, "name", text, strlen(text), &read, &histories, &count, &error),
        LP_OK);
    lp_result *result;
    answer.status = lp_check(context, histories[0], NULL, 0, options, &result, &error);
    if (answer.status == LP_OK) {
        answer.verdict = result->verdict;
        if (result->warning_count) {
            answer.line = result->warnings[0].line;
            snprintf(answer.message, sizeof answer.message, "%s", result->warnings[0].message);
        }
        lp_result_destroy(result);
    } else {
        answer.line = error.line;
        snprintf(answer.message, sizeof answer.message, "%s", error.message);
    }
    lp_history_destroy(histories[0]);
    free(histories);
    lp_context_destroy(context);
    return answer;
}

/* Logs of two clients one behind the other. */
#define BEHIND WRITE(0, 1, 10, 20) WRITE(0, 2, 30, 40) READ(1, 1, 25, 27)

static void a_violation_of_one_order_is_not_told(void **unused)
{
    (void)unused;
    struct answer answer = check(BEHIND, LP_ORDER_UNSAID, NULL);
    assert_int_equal(answer.status, LP_INPUT);
    assert_int_equal(answer.line, 5);
    assert_string_equal(answer.message,
                        "the times run backwards: 25 in line 5, after 40 in line 4; in the order "
                        "of the file the history is a violation, in that of the times it is "
                        "linearizable; say whether the order of the file is meant or that of the "
                        "times (--order=file, --order=time)");
    answer = check(BEHIND, LP_ORDER_FILE, NULL);
    assert_int_equal(answer.verdict, LP_VIOLATION);
    assert_string_equal(answer.message, "");
    answer = check(BEHIND, LP_ORDER_TIME, NULL);
    assert_int_equal(answer.verdict, LP_LINEARIZABLE);
    assert_string_equal(answer.message, "");
}

static void assert_warns(const char *text, lp_verdict verdict, const char *end)
{
    struct answer answer = check(text, LP_ORDER_UNSAID, NULL);
    assert_int_equal(answer.status, LP_OK);
    assert_int_equal(answer.verdict, verdict);
    assert_non_null(strstr(answer.message, end));
}

static void what_both_orders_say_is_told_with_a_warning(void **unused)
{
    (void)unused;
    assert_warns(
        WRITE(0, 1, 10, 20) READ(1, 2, 5, 7), LP_VIOLATION,
        "5 in line 3, after 20 in line 2; the order of the file was taken; in the order "
        "of the times it is a violation too; what is told is the violation in the order of "
        "the file");
    assert_warns(WRITE(0, 1, 10, 20) READ(1, 1, 15, 17), LP_LINEARIZABLE,
                 "; in the order of the times it is linearizable too");
    assert_warns(WRITE(0, 1, 10, 20) READ(1, 1, 5, 7), LP_LINEARIZABLE,
                 "; in the order of the times it is a violation");
    assert_warns(WRITE(0, 1, 10, 20) READ(0, 1, 5, 7), LP_LINEARIZABLE,
                 "; the times give none (expected the events of process 0 in the order of their "
                 "times, found 5 after 20 in line 2)");
}

static void without_an_order_by_time_nobody_is_accused(void **unused)
{
    (void)unused;
    struct answer answer = check(WRITE(0, 1, 10, 20) READ(0, 2, 5, 7), LP_ORDER_UNSAID, NULL);
    assert_int_equal(answer.status, LP_INPUT);
    assert_non_null(strstr(answer.message, "there is no order by the times to compare with"));
    answer = check(WRITE(0, 1, 10, 20) READ(0, 2, 5, 7), LP_ORDER_FILE, NULL);
    assert_int_equal(answer.verdict, LP_VIOLATION);
}

/* Seconds with a fraction, dates as texts: nobody can order by them here, and nobody is told that
 * they were. */
static void times_that_are_no_integers_are_told(void **unused)
{
    (void)unused;
    static const char fractions[] = "{:process 0 :type :invoke :f :read :time 7}\n"
                                    "{:process 0 :type :ok :f :read :value nil :time 1.5}\n"
                                    "{:process 0 :type :invoke :f :read :time \"now\"}\n";
    static const char json[] =
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"read\",\"time\":1700000.112}\n";
    static const char dates[] = "{:process 0 :type :invoke :f :read :time \"2024-01-31\"}\n"
                                "{:process 0 :type :ok :f :read :value nil :time nil}\n";
    assert_warns(fractions, LP_LINEARIZABLE,
                 "`time` is no integer of at most 64 bits: 1.5 in line 2; such times are ignored, "
                 "and the order of the file was taken");
    assert_warns(json, LP_LINEARIZABLE, "1700000.112 in line 1; such times are ignored");
    assert_warns(dates, LP_LINEARIZABLE, "\"2024-01-31\" in line 1; such times are ignored");
    assert_order(fractions,
                 "2: expected an integer of at most 64 bits as `time` of every event, to "
                 "order them by, found 1.5");
    struct answer answer = check(fractions, LP_ORDER_FILE, NULL);
    assert_string_equal(answer.message, "");
}

static void times_that_do_not_run_backwards_say_nothing(void **unused)
{
    (void)unused;
    struct answer answer = check(WRITE(0, 1, 5, 5) READ(1, 2, 5, 5), LP_ORDER_UNSAID, NULL);
    assert_int_equal(answer.verdict, LP_VIOLATION);
    assert_string_equal(answer.message, "");
}

static void few_operations_can_be_an_error(void **unused)
{
    (void)unused;
    lp_check_options two = {.size = sizeof two, .require = 2},
                     three = {.size = sizeof three, .require = 3};
    assert_int_equal(check(WRITE(0, 1, 1, 2) READ(1, 1, 3, 4), LP_ORDER_UNSAID, &two).status,
                     LP_OK);
    struct answer answer = check(WRITE(0, 1, 1, 2) READ(1, 1, 3, 4), LP_ORDER_UNSAID, &three);
    assert_int_equal(answer.status, LP_INPUT);
    assert_string_equal(answer.message, "expected at least 3 operations, as required, found 2");
}

/* ---- operations with times ---- */

/* Whether the first of two moments comes first: by time, of equal ones calls before returns, then
 * by number. */
static bool comes_first(int64_t time, bool returns, uint32_t number, int64_t other_time,
                        bool other_returns, uint32_t other)
{
    if (time != other_time)
        return time < other_time;
    return returns != other_returns ? other_returns : number < other;
}

/* A time among few or many, near zero, near both ends of what there is, or as clocks tell it. */
static int64_t random_time(struct random *random, int64_t from, uint32_t scale)
{
    static const int64_t bases[] = {0, -40, INT64_MIN + 1, INT64_MAX - 100, 1760000000000000000};
    int64_t base = from == INT64_MIN ? bases[random_below(random, 5)] : from;
    int64_t more = (int64_t)random_below(random, 40) << random_below(random, scale);
    return base > INT64_MAX - more ? INT64_MAX : base + more;
}

static void operations_with_times_stand_in_their_order(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 7);
    for (unsigned round = 0; round < 300; round++) {
        uint32_t count = random_below(&random, 60), scale = 1 + random_below(&random, 50);
        lp_context *context = lp_context_create(0);
        lp_history *history = lp_history_create(context, "timed");
        for (uint32_t i = 0; i < count; i++) {
            int64_t called = random_time(&random, INT64_MIN, scale);
            assert_int_equal(lp_history_interval(
                                 history, lp_value_integer(context, i), "f", LP_VALUE_NIL, called,
                                 random_below(&random, 5) ? LP_OUTCOME_OK : LP_OUTCOME_UNKNOWN,
                                 LP_VALUE_NIL, random_time(&random, called, scale), NULL),
                             LP_OK);
        }
        assert_int_equal(lp_history_close(history, NULL), LP_OK);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < count; j++) {
                lp_operation a = lp_history_operation(history, i);
                lp_operation b = lp_history_operation(history, j);
                if (i != j)
                    assert_int_equal(a.invoke < b.invoke,
                                     comes_first(a.invoke_time, false, i, b.invoke_time, false, j));
                if (b.response == LP_NEVER)
                    continue;
                assert_int_equal(a.invoke < b.response,
                                 comes_first(a.invoke_time, false, i, b.response_time, true, j));
                if (i != j && a.response != LP_NEVER)
                    assert_int_equal(
                        a.response < b.response,
                        comes_first(a.response_time, true, i, b.response_time, true, j));
            }
        lp_history_destroy(history);
        lp_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_ordered_by_time),
        cmocka_unit_test(of_equal_times_calls_come_before_returns),
        cmocka_unit_test(a_process_stays_in_its_own_order),
        cmocka_unit_test(where_both_cannot_hold_there_is_no_order),
        cmocka_unit_test(annotations_keep_their_place_in_time),
        cmocka_unit_test(a_refusing_budget_is_a_limit),
        cmocka_unit_test(an_order_is_found_if_there_is_one),
        cmocka_unit_test(a_violation_of_one_order_is_not_told),
        cmocka_unit_test(what_both_orders_say_is_told_with_a_warning),
        cmocka_unit_test(without_an_order_by_time_nobody_is_accused),
        cmocka_unit_test(times_that_are_no_integers_are_told),
        cmocka_unit_test(times_that_do_not_run_backwards_say_nothing),
        cmocka_unit_test(few_operations_can_be_an_error),
        cmocka_unit_test(operations_with_times_stand_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

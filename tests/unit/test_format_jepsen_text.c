/* Jepsen's tab-separated text, and the log that holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"
#include "support/telling.h"

static void text_and_log_are_read_as_the_same_events(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "{:process 3 :type :invoke :f :write :value 2}\n"
        "{:process :nemesis :type :info :f :start :value nil}\n"
        "{:process 3 :type :ok :f :write :value 2}\n"
        "{:process 1 :type :invoke :f :cas :value [1 2]}\n"
        "{:process 1 :type :fail :f :cas :value :timed-out}\n",
        "3\t:invoke\t:write\t2\n"
        ":nemesis\t:info\t:start\tnil\n"
        "3\t:ok\t:write\t2\n\n"
        "1\t:invoke\t:cas\t[1 2]\n"
        "1\t:fail\t:cas\t:timed-out\tbecause \"of\n",
        "INFO  jepsen.util - 3\t:invoke\t:write\t2\r\n"
        "WARN  jepsen.core - 3 things happened: (\r\n"
        "INFO  jepsen.util - :nemesis\t:info\t:start\tnil\r\n"
        "INFO  jepsen.util - 3\t:ok\t:write\t2\r\n"
        "INFO  jepsen.util - waiting\r\n"
        "INFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]\r\n"
        "INFO  jepsen.util - 1\t:fail\t:cas\t:timed-out",
        "2024-01-31 10:20:30,400{GMT}\tINFO\t[jepsen test runner] jepsen.core: Running\n"
        "2024-01-31 10:20:30,401{GMT}\tINFO\t[jepsen worker 3] jepsen.util: 3\t:invoke\t:write\t2\n"
        "2024-01-31 10:20:30,402{GMT}\tINFO\t[jepsen worker n] jepsen.util: "
        ":nemesis\t:info\t:start\tnil\n"
        "2024-01-31 10:20:30,403{GMT}\tINFO\t[jepsen worker 3] jepsen.util: 3\t:ok\t:write\t2\n"
        "2024-01-31 10:20:30,404{GMT}\tINFO\t[jepsen worker 1] jepsen.util: "
        "1\t:invoke\t:cas\t[1 2]\n"
        "2024-01-31 10:20:30,405{GMT}\tINFO\t[jepsen worker 1] jepsen.util: "
        "1\t:fail\t:cas\t:timed-out\n",
    };
    struct library library;
    library_open(&library, 0);
    struct history *expected = library_read_one(&library, texts[0], strlen(texts[0]), "edn");
    assert_int_equal(expected->operations.length, 2);
    for (size_t i = 1; i < ARRAY_LENGTH(texts); i++) {
        struct history *found = library_read_one(&library, texts[i], strlen(texts[i]), NULL);
        assert_string_equal(found->format, "jepsen-text");
        const char *difference = history_difference(expected, found);
        if (difference)
            fail_msg("%s of %s", difference, texts[i]);
        history_destroy(found);
    }
    size_t length;
    char *written = library_write(expected, "jepsen-text", &length);
    assert_string_equal(written, "3\t:invoke\t:write\t2\n"
                                 ":nemesis\t:info\t:start\tnil\n"
                                 "3\t:ok\t:write\t2\n"
                                 "1\t:invoke\t:cas\t[1 2]\n"
                                 "1\t:fail\t:cas\t:timed-out\n");
    free(written);
    history_destroy(expected);
    library_close(&library);
}

static void a_missing_value_is_not_nil(void **unused)
{
    (void)unused;
    static const char text[] = "0\t:invoke\t:acquire\n0\t:ok\t:acquire\n"
                               "0\t:invoke\t:read\tnil\n0\t:ok\t:read\tnil\n";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, strlen(text), NULL);
    assert_false(history->operations.items[0].result_recorded);
    assert_true(history->operations.items[1].result_recorded);
    history_destroy(history);
    library_close(&library);
}

/* Whatever names a process: its lines are events, and so never passed over. */
static void processes_may_have_any_one_word_as_their_name(void **unused)
{
    (void)unused;
    static const char text[] = "0\t:invoke\t:read\tnil\n"
                               "n1\t:info\t:start\tnil\n"
                               "\"n2\"\t:info\t:start\tnil\n"
                               ":n3\t:info\t:start\tnil\n";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, strlen(text), NULL);
    assert_int_equal(history->annotations.length, 3);
    size_t length;
    char *written = library_write(history, "jepsen-text", &length);
    assert_string_equal(written, text);
    free(written);
    history_destroy(history);
    library_close(&library);
    assert_refuses("jepsen-text", "lein\nc0\t:invoke\t:read\tnil\nc0\t:ok\t:read\t1\n", 2,
                   "expected an integer as `process` (events of others are skipped as annotations, "
                   "and here all would be), found c0");
}

static void ill_formed_lines_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t line;
        const char *message;
    } cases[] = {
        {"0\t:invoke\t:read\tnil\nrubbish", 2,
         "expected an event such as `3 <tab> :invoke <tab> :read <tab> nil`, found `rubbish`"},
        {"0\t:invoke\t:read\tnil\n1\t:begin\t:read\tnil", 2,
         "expected an event such as `3 <tab> :invoke <tab> :read <tab> nil`, found "
         "`1\t:begin\t:read\tnil`"},
        {"\n0\t:invoke\t:read\t[1\n", 2, "expected a value or ], found the end"},
        {"0\t:invoke\t:read\t[1]x\n", 1, "expected white space between fields, found `x`"},
        {"0\t:invoke\t\n", 1, "expected a value, found the end"},
        {"0\t:invoke\t7\n", 1, "expected the name of an operation as `f`, found an event without"},
        {"0\t:invoke\t:read\tnil\n0\t:invoke\t:read\tnil", 2,
         "expected process 0 to complete `read` of line 1 first, found another invocation"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_refuses("jepsen-text", cases[i].text, cases[i].line, cases[i].message);
}

/* What surrounds events on a console, in the layouts of several versions of Jepsen: nothing of it
 * is an event, though much has keywords, numbers and types. */
#define CONSOLE_BEFORE                                                                             \
    "$ lein run test --concurrency 2\n"                                                            \
    "SLF4J: Class path contains multiple SLF4J bindings.\n"                                        \
    "SLF4J: Found binding in [jar:file:/root/.m2/slf4j.jar!/org/slf4j/impl/Binder.class]\n"        \
    "lein test jepsen.register-test\n"                                                             \
    "07:00:57.636 [main] INFO  jepsen.cli - Test options:\n"                                       \
    " {:concurrency 2,\n"                                                                          \
    " :type :ok,\n"                                                                                \
    " :ssh\n"                                                                                      \
    " {:username \"root\",\n"                                                                      \
    "  :private-key-path nil}}\n"                                                                  \
    "INFO [2017-07-14 07:00:58,463] jepsen node n5 - jepsen.os.debian :n5 setting up debian\n"     \
    "INFO [2024-01-06 15:00:18,110] jepsen test runner - jepsen.core Running test:\n"              \
    "{:args []\n"                                                                                  \
    " :db\n"                                                                                       \
    " #object[jepsen.db$reify__16142\n"                                                            \
    "         \"0x4867e76b\"]\n"                                                                   \
    " :last-op {:process 0\n"                                                                      \
    "           :type :ok\n"                                                                       \
    "           :f :write}\n"                                                                      \
    " 0 :first\n"                                                                                  \
    " 1 :second}\n"
#define CONSOLE_BEFORE_LINES 21
#define CONSOLE_AFTER                                                                              \
    "WARN  jepsen.core - Process 1 indeterminate\n"                                                \
    "java.lang.AssertionError: Assert failed: false\n"                                             \
    "        at jepsen.core$worker$fn__6900.invoke(core.clj:140)\n"                                \
    "\tat clojure.lang.AFn.call(AFn.java:18) ~[clojure-1.9.0.jar:na]\n"                            \
    "Caused by: java.net.SocketTimeoutException: Read timed out\n"                                 \
    "INFO  jepsen.util - Everything looks good\n"                                                  \
    "{:valid? true}\n"
#define CONSOLE_AFTER_LINES 7

static void a_console_log_is_read_for_its_events(void **unused)
{
    (void)unused;
    static const char *const logs[] = {
        CONSOLE_BEFORE "INFO  jepsen.util - 0\t:invoke\t:write\t2\n"
                       "INFO  jepsen.util - :nemesis\t:info\t:start\tnil\n" CONSOLE_AFTER
                       "INFO  jepsen.util - 0\t:ok\t:write\t2\n",
        CONSOLE_BEFORE
        "INFO [2019-04-01 11:25:23,722] jepsen worker 0 - jepsen.util 0\t:invoke\t:write\t2\n"
        "INFO [2019-04-01 11:25:23,723] jepsen nemesis - jepsen.util :nemesis\t:info\t:start\tnil\n"
        /* the first letter was lost in copying */
        "NFO [2019-04-01 11:25:23,724] jepsen worker 0 - jepsen.util "
        "0\t:ok\t:write\t2\n" CONSOLE_AFTER,
        /* tabs have become blanks */
        CONSOLE_BEFORE "INFO  jepsen.util - 0   :invoke :write  2\n" CONSOLE_AFTER
                       "INFO  jepsen.util - :nemesis :info :start nil\n"
                       "INFO  jepsen.util - 0   :ok     :write  2\n",
        /* without the logger */
        CONSOLE_BEFORE CONSOLE_AFTER "0\t:invoke\t:write\t2\n:nemesis\t:info\t:start\tnil\n"
                                     "0   :ok     :write  2\n",
    };
    struct library library;
    library_open(&library, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(logs); i++) {
        assert_reads(NULL, logs[i], "0 invoke write 2\nnote :nemesis \"start\" nil\n0 ok 2\n");
        struct history *history = library_read_one(&library, logs[i], strlen(logs[i]), NULL);
        assert_string_equal(history->format, "jepsen-text");
        assert_int_equal(history->passed_over, CONSOLE_BEFORE_LINES + CONSOLE_AFTER_LINES);
        history_destroy(history);
    }
    library_close(&library);
}

#define LOGGED "INFO  jepsen.util - 0\t:invoke\t:read\tnil\n"

static void a_damaged_event_of_a_log_is_not_passed_over(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t line;
        const char *message;
    } cases[] = {
        {LOGGED "INFO  jepsen.util - 0\t:o", 2,
         "expected invoke, ok, fail or info as `type`, found `:o`"},
        {LOGGED "INFO  jepsen.util - 0\t:", 2, "expected a keyword, found `:`"},
        {LOGGED "INFO  jepsen.util - 0", 2, "expected a value, found the end"},
        {LOGGED "INFO  jepsen.util - 0\t:ok\t:read\t[1 2", 2,
         "expected a value or ], found the end"},
        {"lein\n" LOGGED "0\t:okay\t:read\t1\n", 3,
         "expected invoke, ok, fail or info as `type`, found `:okay`"},
        {"lein\n" LOGGED "0 :okay :read 1\n", 3,
         "expected invoke, ok, fail or info as `type`, found `:okay`"},
        {LOGGED
         "INFO  jepsen.util - 0\t:ok\t:read\tnilINFO  jepsen.util - 1\t:invoke\t:read\tnil\n",
         2, "expected one event on a line, found `1\t:invoke\t:read\tnil`"},
        {"lein\n\nSLF4J: no\n", 1,
         "expected events such as `3 <tab> :invoke <tab> :read <tab> nil`, found none in 2 lines"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_refuses("jepsen-text", cases[i].text, cases[i].line, cases[i].message);
}

/* A newline was lost: the second event would be, too. */
static void lines_that_have_run_together_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *second;
    } cases[] = {
        {"0\t:ok\t:read\tnil1\t:invoke\t:read\tnil", "nil1\t:invoke\t:read\tnil"},
        {"0\t:ok\t:read\tnil 1\t:invoke\t:read\tnil", "1\t:invoke\t:read\tnil"},
        {"0\t:ok\t:read\tnil :nemesis\t:info\t:start\tnil", ":nemesis\t:info\t:start\tnil"},
        {"0 :ok :read 21 :invoke :read nil", "21 :invoke :read nil"},
        {"0 :ok :read 2 1 :invoke :read nil", "1 :invoke :read nil"},
        {"0\t:info\t:read\tnil\t:timed-out1\t:invoke\t:read\tnil",
         ":timed-out1\t:invoke\t:read\tnil"},
        {"0\t:ok\t:read\t[1 2] 1\t:invoke\t:read\tnil", "1\t:invoke\t:read\tnil"},
        {"0\t:ok\t:read1\t:invoke\t:read", ":read1\t:invoke\t:read"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        for (unsigned logged = 0; logged < 2; logged++) {
            char text[200], message[200];
            snprintf(text, sizeof text, "%s0\t:invoke\t:read\tnil\n%s%s\n", logged ? "lein\n" : "",
                     logged ? "INFO  jepsen.util - " : "", cases[i].line);
            snprintf(message, sizeof message, "expected one event on a line, found `%s`",
                     cases[i].second);
            assert_refuses("jepsen-text", text, logged ? 3 : 2, message);
        }
}

/* Behind the value there may be an error, and in the value keywords of all kinds. */
static void errors_behind_the_value_are_for_people(void **unused)
{
    (void)unused;
    static const char *const lines[] = {
        "0\t:info\t:read\tnil\t:timed-out",
        "0\t:info\t:read\tnil\t[:fail :not-leader]",
        "0\t:info\t:read\tnil\tindeterminate: {:type :ok :f :read}",
        "0\t:info\t:read\tnil\t{:process 1 :type :invoke :f :read}",
        "0\t:info\t:read\tnil\t:info",
        "0\t:info\t:read\t[1 :ok :read]\t:timed-out",
        "0 :info :read nil :timed-out",
        "0 :info :read nil :fail",
    };
    struct library library;
    library_open(&library, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(lines); i++) {
        char text[200];
        int length = snprintf(text, sizeof text, "0\t:invoke\t:read\tnil\n%s\n", lines[i]);
        struct history *history = library_read_one(&library, text, (size_t)length, NULL);
        assert_int_equal(history->operations.length, 1);
        history_destroy(history);
    }
    library_close(&library);
}

/* Setting up the nodes may take longer than what a format is recognised from. */
static void a_log_is_recognised_before_its_first_event(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    for (unsigned i = 0; i < 2000; i++)
        text_format(&text, "INFO  jepsen.os.debian - :n%u setting up debian, for a while\n", i);
    text_append(&text, LOGGED);
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text_string(&text), text.length, NULL);
    assert_int_equal(history->operations.length, 1);
    assert_int_equal(history->passed_over, 2000);
    history_destroy(history);
    library_close(&library);
    text_release(&text);
}

static void what_cannot_be_said_is_named(void **unused)
{
    (void)unused;
    assert_cannot_write("edn", "{:process 0 :type :invoke :f :get :key 1}", "jepsen-text", "a key");
    assert_cannot_write("edn", "{:process 0 :type :invoke :f :get :object :m}", "jepsen-text",
                        "an object");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_log_are_read_as_the_same_events),
        cmocka_unit_test(a_missing_value_is_not_nil),
        cmocka_unit_test(processes_may_have_any_one_word_as_their_name),
        cmocka_unit_test(ill_formed_lines_are_refused),
        cmocka_unit_test(a_console_log_is_read_for_its_events),
        cmocka_unit_test(a_damaged_event_of_a_log_is_not_passed_over),
        cmocka_unit_test(lines_that_have_run_together_are_refused),
        cmocka_unit_test(errors_behind_the_value_are_for_people),
        cmocka_unit_test(a_log_is_recognised_before_its_first_event),
        cmocka_unit_test(what_cannot_be_said_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

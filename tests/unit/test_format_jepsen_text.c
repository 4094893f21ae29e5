/* Jepsen's tab-separated text, and the log that holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

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
        cmocka_unit_test(ill_formed_lines_are_refused),
        cmocka_unit_test(what_cannot_be_said_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

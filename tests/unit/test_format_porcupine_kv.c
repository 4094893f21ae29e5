/* Porcupine's key-value logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support/telling.h"

#define LINE(type, f, value)                                                                       \
    "{:process 9, :type :" type ", :f :" f ", :key \"0\", :value " value "}\n"

static void the_object_is_a_map_of_strings(void **unused)
{
    (void)unused;
    static const char input[] = LINE("invoke", "append", "\"x 9 0 y\"")
        LINE("ok", "append", "\"x 9 0 y\"") LINE("invoke", "get", "nil")
            LINE("ok", "get", "\"x 9 0 y\"") LINE("invoke", "put", "\"\"");
    assert_reads(NULL, input,
                 "9 invoke append \"x 9 0 y\" key=\"0\"\n9 ok\n"
                 "9 invoke get nil key=\"0\"\n9 ok \"x 9 0 y\"\n9 invoke put \"\" key=\"0\"\n");
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), NULL);
    assert_string_equal(history->format, "porcupine-kv");
    assert_string_equal(history->specification, "map");
    assert_true(history->initial_known);
    assert_true(history->initial == value_text(library.pool, KIND_STRING, "", 0));
    history_destroy(history);
    library_close(&library);
}

/* The plain lines are scanned, others parsed; both mean the same. */
static void lines_may_be_written_in_any_way(void **unused)
{
    (void)unused;
    assert_reads("porcupine-kv",
                 "; a comment\n"
                 "  {:key \"k\\n\" :value \"\\u0041\" :f :put :type :invoke :process 1 :more {:a "
                 "[1]}} ; so\n"
                 "\n"
                 "{:process 1, :type :info, :f :put, :key \"k\\n\", :value \"A\"}\r\n"
                 "{:process 1, :type :invoke, :f :get, :key \"k\\n\"}\n"
                 "{:process 1, :type :fail, :f :get, :key \"k\\n\", :error :timeout}\n",
                 "1 invoke put \"A\" key=\"k\\n\"\n1 info\n"
                 "1 invoke get nil key=\"k\\n\"\n1 fail\n");
}

/* Taken for other EDN, in which a missing key reads nil, they would be violations. */
static void get_without_answer_and_words_in_strings_do_not_hide_it(void **unused)
{
    (void)unused;
    assert_round_trip(NULL,
                      LINE("invoke", "get", "nil") LINE("info", "get", "nil")
                          LINE("invoke", "get", "nil") LINE("fail", "get", "nil")
                              LINE("invoke", "get", "nil") LINE("ok", "get", "\"\"")
                                  LINE("invoke", "put", "\"\\\" :time 3 :index 4 \""),
                      "porcupine-kv");
}

static void other_edn_with_keys_is_not_taken_for_it(void **unused)
{
    (void)unused;
    static const char *const inputs[] = {
        "{:process 9, :type :invoke, :f :put, :key \"0\", :value 7}\n",
        "{:process 9, :type :invoke, :f :put, :key 0, :value \"7\"}\n",
        "{:process 9, :type :invoke, :f :write, :key \"0\", :value \"7\"}\n",
        "{:process 9, :type :invoke, :f :put, :key \"0\", :value \"7\", :time 3}\n",
        "{:process 9, :type :invoke, :f :put, :value [\"0\" \"7\"]}\n",
        LINE("invoke", "get", "nil") LINE("ok", "get", "nil"),
        "{:process 9, :type :invoke, :f :put, :key \"0\", :value \"7\"}\n"
        "{:process -, :type :invoke, :f :put, :key \"0\", :value \"7\"}\n",
    };
    struct library library;
    library_open(&library, 0);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        struct history *history = library_read_one(&library, inputs[i], strlen(inputs[i]), NULL);
        assert_string_equal(history->format, "edn");
        history_destroy(history);
    }
    library_close(&library);
}

/* Reads more lines of such a log than it is recognised from, between two texts. */
static void assert_is_other(const char *before, const char *behind, bool other)
{
    static const char lines[] =
        LINE("invoke", "put", "\"a\"") LINE("ok", "put", "\"a\"") "; so\n\n";
    struct text input = TEXT_EMPTY;
    text_append(&input, before);
    while (input.length < (size_t)65 << 10)
        text_append(&input, lines);
    text_append(&input, behind);
    struct library library;
    library_open(&library, 0);
    struct random random;
    random_seed(&random, 1);
    struct histories read;
    enum status status =
        assert_same_in_blocks(&library, NULL, input.bytes, input.length, &random, &read);
    assert_int_equal(status, STATUS_OK);
    const struct history *history = read.items.items[0];
    assert_string_equal(history->format, other ? "edn" : "porcupine-kv");
    assert_int_equal(history->specification == NULL, other);
    assert_int_equal(history->initial_known, !other);
    /* Of what completions say, these logs mean only what a get found. */
    assert_int_equal(history->operations.items[5].result_recorded, other);
    histories_release(&read);
    library_close(&library);
    text_release(&input);
}

/* What it is cannot depend on where among thousands of lines the one stands that tells. */
static void one_line_tells_other_edn_wherever_it_stands(void **unused)
{
    (void)unused;
    static const char *const others[] = {
        "{:process 1, :type :invoke, :f :get, :key \"z\", :value nil}\n"
        "{:process 1, :type :ok, :f :get, :key \"z\", :value nil}\n",
        "{:process 1, :type :invoke, :f :delete, :key \"q\"}\n",
        "{:process 1, :type :invoke, :f :get-and-put, :key \"q\", :value \"1\"}\n",
        "{:process 1, :type :invoke, :f :put, :key \"q\", :value 1}\n",
        "{:process 1, :type :invoke, :f :put, :key :q, :value \"1\"}\n",
        "{:process 1, :type :invoke, :f :put, :key \"q\", :value \"1\", :index 3}\n",
        "{:process 1, :type :invoke, :f :put, :key \"q\",\n :value \"1\"}\n",
        "{:process 1, :type :invoke, :f :put, :value [\":key \" \"1\"], :more {:key \"q\"}}\n",
        "{:process :nemesis, :type :info, :f :put, :key \"q\", :value \"1\"}\n",
    };
    assert_is_other("", "", false);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_is_other(others[i], "", true);
        assert_is_other("", others[i], true);
    }
}

static void ill_formed_input_is_refused(void **unused)
{
    (void)unused;
    assert_refuses("porcupine-kv",
                   LINE("invoke", "get", "nil") "{:process 1, :type :invoke, :f :get}\n", 2,
                   "expected a `key`, as all operations of these logs have, found `get` without");
    assert_refuses("porcupine-kv", LINE("invoke", "get", "nil") "\n[", 3, NULL);
    assert_refuses("porcupine-kv", LINE("invoke", "get", "nil") "{:process 9,\n:type :ok}", 2,
                   NULL);
    assert_refuses("porcupine-kv",
                   "{:process 1, :type :invoke, :f :get, :key \"0\"} {:process 2}\n", 1, NULL);
    assert_refuses("porcupine-kv", LINE("invoke", "get", "nil") LINE("invoke", "get", "nil"), 2,
                   NULL);
    assert_refuses("porcupine-kv",
                   LINE("invoke", "get", "nil") "{:process 9, :type :ok, :f :get, :key \"1\"}", 2,
                   NULL);
    assert_refuses("porcupine-kv", LINE("invoke", "get", "nil") LINE("ok", "put", "\"\""), 2, NULL);
    assert_refuses("porcupine-kv", LINE("begin", "get", "nil"), 1, NULL);
    assert_refuses("porcupine-kv",
                   LINE("invoke", "get", "nil") "{:process :nemesis, :type :info, :f :start}", 2,
                   "expected an integer as `process`, found another value");
}

static void what_was_read_is_written_back(void **unused)
{
    (void)unused;
    assert_round_trip(NULL,
                      LINE("invoke", "append", "\"x \\\"9 0 y\"")
                          LINE("info", "append", "\"x \\\"9 0 y\"") LINE("invoke", "get", "nil")
                              LINE("ok", "get", "\"\"") LINE("invoke", "put", "\"a\"")
                                  LINE("fail", "put", "\"a\"") LINE("invoke", "put", "\"a\""),
                      "porcupine-kv");
    /* Keys may have stood in the values. */
    static const char input[] = "{:process 1 :type :invoke :f :put :value [\"k\" \"v\"]}\n"
                                "{:process 1 :type :ok :f :put :value nil}\n"
                                "{:process 2 :type :invoke :f :get :value \"k\"}\n";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), "edn");
    size_t length;
    char *written = library_write(history, "porcupine-kv", &length);
    assert_string_equal(written, "{:process 1, :type :invoke, :f :put, :key \"k\", :value \"v\"}\n"
                                 "{:process 1, :type :ok, :f :put, :key \"k\", :value \"v\"}\n"
                                 "{:process 2, :type :invoke, :f :get, :key \"k\", :value nil}\n");
    free(written);
    history_destroy(history);
    library_close(&library);
}

static void what_such_a_log_cannot_say_is_not_written(void **unused)
{
    (void)unused;
    static const struct {
        const char *input, *what;
    } cases[] = {
        {"{:process 0 :type :invoke :f :delete :value \"k\"}",
         "an operation other than get, put and append"},
        {"{:process 0 :type :invoke :f :put :value [3 \"v\"]}", "a key that is no string"},
        {"{:process 0 :type :invoke :f :put :value \"v\"}", "a key that is no string"},
        {"{:process 0 :type :invoke :f :put :key \"k\" :value 3}", "a value that is no string"},
        {"{:process 0 :type :invoke :f :get :key \"k\"} {:process 0 :type :ok :f :get :value nil}",
         "a value that is no string"},
        {"{:process 0 :type :invoke :f :get :key \"k\" :object :m}", "an object"},
        {"{:process 0 :type :invoke :f :get :key \"k\" :value 3}", "an argument beside the key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_cannot_write("edn", cases[i].input, "porcupine-kv", cases[i].what);
    assert_cannot_write("tla", "<<[op |-> \"get\", proc |-> \"A\", key |-> \"k\"]>>",
                        "porcupine-kv", "a process that is no integer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_object_is_a_map_of_strings),
        cmocka_unit_test(lines_may_be_written_in_any_way),
        cmocka_unit_test(get_without_answer_and_words_in_strings_do_not_hide_it),
        cmocka_unit_test(other_edn_with_keys_is_not_taken_for_it),
        cmocka_unit_test(one_line_tells_other_edn_wherever_it_stands),
        cmocka_unit_test(ill_formed_input_is_refused),
        cmocka_unit_test(what_was_read_is_written_back),
        cmocka_unit_test(what_such_a_log_cannot_say_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

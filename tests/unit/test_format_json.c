/* The native format: both roads through a line give the same, arrays and lines give the same, and
 * what is wrong is named with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/json_events.h"
#include "support/telling.h"
#include "value/print.h"

#define PLAIN                                                                                      \
    "{\"process\": 0, \"type\": \"invoke\", \"f\": \"write\", \"value\": 3}\n"                     \
    "{\"process\": 0, \"type\": \"ok\", \"f\": \"write\", \"value\": 3}\n"

static void layouts_are_read_alike(void **unused)
{
    (void)unused;
    static const char *const layouts[] = {
        "\xef\xbb\xbf{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":3}\r\n \r\n\r\n"
        "\t{ \"value\" : 3 , \"f\" : \"write\" , \"type\" : \"ok\" , \"process\" : 0 } ",
        "[{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":3},\n"
        "{\"process\":0,\"type\":\"ok\",\"f\":\"write\",\"value\":3}]\n",
        "\n [\n {\n  \"process\": 0,\n  \"type\": \"invoke\",\n  \"f\": \"write\",\n  \"value\": "
        "3\n"
        " },\n {\n  \"process\": 0, \"type\": \"ok\", \"f\": \"write\",\n  \"value\": 3\n }\n]",
        "{\"process\": 0, \"type\": \"invoke\", \"f\": \"wr\\u0069te\", \"value\": 3, \"error\": "
        "[1.5e3, {\"a\": [\"\\ud83d\\ude00\"]}]}\n"
        "{\"process\": 0, \"type\": \"ok\", \"value\": 3, \"index\": 12345678901234567890}\n",
    };
    struct library library;
    library_open(&library, 0);
    struct history *expected = library_read_one(&library, PLAIN, strlen(PLAIN), "json");
    for (size_t i = 0; i < ARRAY_LENGTH(layouts); i++) {
        struct history *found = library_read_one(&library, layouts[i], strlen(layouts[i]), NULL);
        assert_string_equal(found->format, "json");
        const char *difference = history_difference(expected, found);
        if (difference)
            fail_msg("%s of %s", difference, layouts[i]);
        history_destroy(found);
    }
    history_destroy(expected);
    library_close(&library);
}

static void empty_files_are_empty_histories(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"", "[]", " [ ]\n", " \n\t\r\n", "\xef\xbb\xbf"};
    struct library library;
    library_open(&library, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        struct history *history = library_read_one(&library, texts[i], strlen(texts[i]), NULL);
        assert_int_equal(history->operations.length, 0);
        history_destroy(history);
    }
    library_close(&library);
}

static void values_are_kept(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"null", "nil"},
        {"-0", "0"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"1000000000000000000", "1000000000000000000"},
        {"9223372036854775808", "9223372036854775808"}, /* a symbol */
        {"1.0", "1.0"},
        {"1e2", "100.0"},
        {"\"a\\nb\"", "\"a\\nb\""},
        {"\"\\u0000\"", "\"\\u0000\""},
        {"\"\xc3\xa9\\\\\"", "\"\xc3\xa9\\\\\""},
        {"\"\xc3\xa9\"", "\"\xc3\xa9\""},
        {"[[1, [2, [3, [4, [5]]]]], []]", "[[1 [2 [3 [4 [5]]]]] []]"},
        {"{\"b\": [true, false], \"a\": {}}", "{\"a\" {}, \"b\" [true false]}"},
        {"[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3]",
         "[1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3]"},
    };
    struct library library;
    library_open(&library, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char line[400];
        int length =
            snprintf(line, sizeof line,
                     "{\"process\":0,\"type\":\"invoke\",\"f\":\"x\",\"value\":%s}", cases[i][0]);
        struct history *history = library_read_one(&library, line, (size_t)length, NULL);
        struct text text = TEXT_EMPTY;
        value_print_edn(history->operations.items[0].argument, &text);
        assert_string_equal(text_string(&text), cases[i][1]);
        text_release(&text);
        history_destroy(history);
    }
    library_close(&library);
}

static void fields_are_kept(void **unused)
{
    (void)unused;
    static const char text[] =
        "{\"process\":4,\"type\":\"invoke\",\"f\":\"put\",\"value\":1,\"key\":\"k\","
        "\"object\":\"m\",\"time\":-7}\n"
        "{\"process\":\"nemesis\",\"type\":\"info\",\"f\":\"start\"}\n"
        "{\"process\":4,\"type\":\"ok\",\"f\":\"put\",\"key\":\"k\",\"object\":null,\"time\":1.5}\n"
        "{\"process\":4,\"type\":\"invoke\",\"f\":\"get\",\"key\":null}\n";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, strlen(text), NULL);
    assert_int_equal(history->operations.length, 2);
    const struct operation *put = &history->operations.items[0];
    assert_true(put->has_key && value_text_is(put->key, "k"));
    assert_true(value_text_is(history->objects.items[put->object], "m"));
    assert_int_equal(put->invoke_time, -7);
    assert_int_equal(put->response_time, TIME_NONE);
    assert_false(put->result_recorded);
    assert_int_equal(history->annotations.length, 1);
    assert_int_equal(history->annotations.items[0].type, EVENT_INFO);
    assert_false(history->operations.items[1].has_key);
    assert_int_equal(history->operations.items[1].object, NO_OBJECT);
    history_destroy(history);
    library_close(&library);
}

#define EVENT "an event such as {\"process\": 0, \"type\": \"invoke\", \"f\": \"read\"}"

static const struct {
    const char *text;
    uint32_t line;
    const char *message;
} ill_formed[] = {
    {PLAIN "{\"process\": 0,", 3, "expected one event on a line, found a line that ends within it"},
    {PLAIN "{\"process\": 0}", 3,
     "expected a `type`: invoke, ok, fail or info, found an event without"},
    {PLAIN "\n{}", 4,
     "expected who calls under the key `process`, an integer or a name, found an event without"},
    {PLAIN "{\"process\":null,\"type\":\"ok\"}", 3,
     "expected a process other than nil, found null"},
    {PLAIN "{\"process\":1,\"type\":\"begin\"}", 3,
     "expected invoke, ok, fail or info as `type`, found \"begin\""},
    {PLAIN "{\"process\":1,\"type\":7}", 3, "expected invoke, ok, fail or info as `type`, found 7"},
    {PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":null}", 3,
     "expected the name of an operation as `f`, found an event without"},
    {PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":\"\"}", 3,
     "expected the name of an operation as `f`, found \"\""},
    {PLAIN "{\"process\":1,\"process\":1,\"type\":\"invoke\",\"f\":\"x\"}", 3,
     "expected `process` only once, found 1"},
    {PLAIN "{\"type\":\"ok\",\"type\":\"ok\",\"process\":0}", 3,
     "expected `type` only once, found \"ok\""},
    {PLAIN "42", 3, "expected " EVENT ", found 42"},
    {PLAIN "[]", 3, "expected " EVENT ", found an array"},
    {PLAIN PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":\"x\"} {\"process\":1,\"type\":\"ok\"}",
     5, "expected one event on a line, found several"},
    {PLAIN "{\"process\":01,\"type\":\"invoke\",\"f\":\"x\"}", 3,
     "expected JSON, found parse error: after key and value, inside map, I expect ',' or '}' near "
     "`{\"process\":01,\"ty`"},
    {PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":\"\xff\"}", 3,
     "expected JSON, found lexical error: invalid bytes in UTF8 string near "
     "`\"}`"},
    {PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":\"\xed\xa0\x80\"}", 3,
     "expected UTF-8, found a string with other bytes"},
    {PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":\"\\ud800\"}", 3,
     "expected a pair of escaped surrogates, found one alone"},
    {PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":\"\\ud800\\u0041\"}", 3,
     "expected a pair of escaped surrogates, found one alone"},
    {PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":\"\\udc00\"}", 3,
     "expected a pair of escaped surrogates, found one alone"},
    {PLAIN "{\"process\":0,\"type\":\"fail\",\"f\":\"write\"}", 3,
     "expected an invocation first, found `fail` of process 0, which is in no operation"},
    {PLAIN "{\"process\":\"a\",\"type\":\"ok\",\"f\":\"x\"}", 3,
     "expected an invocation first, found `ok` of process \"a\", which is in no operation"},
    {PLAIN "{\"process\":\"a\",\"type\":\"invoke\"}", 3,
     "expected the name of an operation as `f`, found an event without"},
    {PLAIN "{\"process\":\"a\",\"type\":\"info\",\"f\":\"x\"}\n"
           "{\"process\":\"a\",\"type\":\"invoke\",\"f\":\"x\"}",
     3,
     "expected an invocation first, found `info` of process \"a\", which is in no operation (it "
     "is a client: it invokes in line 4)"},
    {"{\"process\":\"a\",\"type\":\"invoke\",\"f\":\"x\"}\n"
     "{\"process\":\"a\",\"type\":\"info\",\"f\":\"x\"}\n"
     "{\"process\":\"a\",\"type\":\"info\",\"f\":\"x\"}",
     3, "expected an invocation first, found `info` of process \"a\", which is in no operation"},
    {"[" PLAIN "]", 2,
     "expected JSON, found parse error: after array element, I expect ',' or ']' near `{\"proc`"},
    {"[\n{\"process\":1,\"type\":\"invoke\",\"f\":\"x\"},\n", 3,
     "expected JSON, found parse error: premature EOF"},
    {"[\n\n{\"process\":1,\n\"type\":\"invoke\"}]", 3,
     "expected the name of an operation as `f`, found an event without"},
    {"[\n[]]", 2, "expected " EVENT ", found an array"},
    {"[{\"process\":1,\n\n\"type\":8}]", 3, "expected invoke, ok, fail or info as `type`, found 8"},
    {"[{\"process\":1,\n\n\"type\":\"invoke\",\"f\":\"\\ud800x\"}]", 3,
     "expected a pair of escaped surrogates, found one alone"},
    {"[] x", 1, "expected JSON, found parse error: trailing garbage near `[] x`"},
    {"[] []", 1, "expected JSON, found parse error: trailing garbage near `[] []`"},
};

static void ill_formed_text_is_refused_at_its_line(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(ill_formed); i++)
        assert_refuses("json", ill_formed[i].text, ill_formed[i].line, ill_formed[i].message);
}

/* A recorder may number some clients and name others; only what invokes nothing is no client. */
static void named_processes_that_invoke_are_clients(void **unused)
{
    (void)unused;
    static const char lines[] =
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"write\",\"value\":1}\n"
        "{\"process\":\"nemesis\",\"type\":\"info\",\"f\":\"kill\",\"value\":\"n1\"}\n"
        "{\"process\":\"c0\",\"type\":\"invoke\",\"f\":\"read\"}\n"
        "{\"process\":\"c0\",\"type\":\"ok\",\"value\":7}\n"
        "{\"process\":\"c1\",\"type\":\"invoke\",\"f\":\"read\"}\n"
        "{\"process\":\"c1\",\"type\":\"info\",\"f\":\"read\"}\n"
        "{\"process\":0,\"type\":\"ok\",\"f\":\"write\"}\n";
    static const char told[] = "0 invoke write 1\n"
                               "note \"nemesis\" \"kill\" \"n1\"\n"
                               "\"c0\" invoke read nil\n"
                               "\"c0\" ok 7\n"
                               "\"c1\" invoke read nil\n"
                               "\"c1\" info\n"
                               "0 ok\n";
    assert_reads("json", lines, told);
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, lines, strlen(lines), NULL);
    size_t length;
    char *written = library_write(history, "json", &length);
    assert_reads("json", written, told);
    free(written);
    history_destroy(history);
    library_close(&library);
}

static void assert_writes_none(const char *text, const char *format, const char *message)
{
    struct library library;
    struct error error = {0};
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, strlen(text), format);
    FILE *out = tmpfile();
    assert_int_equal(format_find("json")->write(history, out, &error), STATUS_INPUT);
    assert_string_equal(error.message, message);
    assert_int_equal(ftell(out), 0);
    fclose(out);
    history_destroy(history);
    library_close(&library);
}

/* JSON has strings only: what differs elsewhere must not become one process. */
static void processes_that_json_would_confuse_are_not_written(void **unused)
{
    (void)unused;
    assert_writes_none("H == << [op|->\"E\", val|->1, proc|->\"A\"],\n"
                       "        [op|->\"E\", val|->2, proc|->A] >>\n",
                       "tla", "the format json cannot say apart two processes of one name: A");
    assert_writes_none("H == << [op|->\"E\", val|->1, proc|-><<1>>] >>\n", "tla",
                       "the format json cannot say a process that is neither a number nor a "
                       "text: [1]");
}

static void depth_is_bounded(void **unused)
{
    (void)unused;
    struct library library;
    library_open(&library, 0);
    struct text text = TEXT_EMPTY;
    text_append(&text, "{\"process\":0,\"type\":\"invoke\",\"f\":\"x\",\"value\":");
    for (int i = 0; i < 100000; i++)
        text_append(&text, "[");
    struct histories histories;
    struct error error = {0};
    assert_int_equal(
        library_read(&library, text_string(&text), text.length, "json", 1, 0, &histories, &error),
        STATUS_INPUT);
    assert_string_equal(error.message,
                        "expected at most 200 collections within one another, found more");
    text_release(&text);
    library_close(&library);
}

/* What one format reads another can write and read again, at the bound as well. */
static void the_deepest_values_are_written(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    text_append(&text, "{:process 0 :type :invoke :f :x :value ");
    for (int i = 0; i < 200; i++)
        text_append(&text, "[");
    for (int i = 0; i < 200; i++)
        text_append(&text, "]");
    text_append(&text, "}");
    assert_round_trip("edn", text_string(&text), "json");
    assert_round_trip("edn", text_string(&text), "edn");
    assert_round_trip("edn", text_string(&text), "jepsen-text");
    text_release(&text);
}

static void what_cannot_be_said_is_named(void **unused)
{
    (void)unused;
    assert_cannot_write("tla", "<< [op|->\"E\", val|->\"x\", proc|->\"A\"] >>", "edn",
                        "a process that is no integer"); /* for JSON it is a client's name */
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, PLAIN, strlen(PLAIN), "json");
    history->operations.items[0].argument = value_text(library.pool, KIND_STRING, "\xff", 1);
    struct error error;
    assert_int_equal(format_find("json")->write(history, stderr, &error), STATUS_INPUT);
    assert_string_equal(error.message,
                        "the format json cannot say a text that is not UTF-8, or more than 200 "
                        "collections within one another, which operation 0 (`write`) has");
    history_destroy(history);
    library_close(&library);
}

/* A line of pieces that are often, not always, an event. */
static size_t random_line(struct random *random, char *line)
{
    static const char *const pieces[] = {
        "\"process\":",
        "\"type\":",
        "\"f\":",
        "\"value\":",
        "\"time\":",
        "\"key\":",
        "\"object\":",
        "\"index\":",
        "\"x y\":",
        "0",
        "-12",
        "1.5",
        "01",
        "\"invoke\"",
        "\"ok\"",
        "\"fail\"",
        "\"info\"",
        "\"read\"",
        "\"a longer text of many letters\"",
        "\"\\u0041\"",
        "\"\xc3\xa9\"",
        "\"\xff\"",
        "null",
        "true",
        "false",
        "nul",
        "[1, 2]",
        "[[], \"a\"]",
        "[1,]",
        "{}",
        "{\"a\": 1}",
        ",",
        " ",
        "\t",
        "}",
        "1234567890123456789",
        "123456789012345678",
        "-",
        ",\"value\": [1, null, [\"b\"]]",
        ",\"key\": 3",
        ",\"time\": 5",
    };
    size_t length = 0;
    if (random_chance(random, 4, 5))
        length =
            (size_t)sprintf(line, "{\"process\": %u, \"type\": \"%s\", \"f\": \"x\"",
                            random_below(random, 3), random_chance(random, 1, 2) ? "invoke" : "ok");
    else
        line[length++] = '{';
    for (size_t i = random_below(random, 5); i > 0; i--) {
        const char *name = pieces[random_below(random, 9)];
        const char *other = pieces[9 + random_below(random, ARRAY_LENGTH(pieces) - 9)];
        if (random_chance(random, 4, 5))
            length += (size_t)sprintf(line + length, ", %s %s", name, other);
        else
            length += (size_t)sprintf(line + length, "%s", other);
    }
    if (random_chance(random, 9, 10))
        line[length++] = '}';
    line[length] = '\n';
    return length;
}

static void both_roads_agree(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 21);
    struct library library;
    library_open(&library, 0);
    struct read_options options = {.threads = 1, .limits = &library.limits};
    struct source *source;
    assert_int_equal(source_open_memory("name", "", 0, &library.budget, &source, NULL), STATUS_OK);
    struct read_context context = {
        .source = source, .pool = library.pool, .budget = &library.budget, .options = &options};
    struct json_scanner *scanner = calloc(1, sizeof *scanner);
    size_t taken = 0, left = 0;
    char line[2000] = {0};
    size_t length = 0;
    for (int round = 0; round < 200000; round++) {
        static const char letters[] = " \t\"\\,:{}[]09-nx\x01\x1f\x7f\xc3\xa9";
        if (length > 0 && random_chance(&random, 1, 3)) /* nearly the same line again */
            line[random_below(&random, (uint32_t)length)] =
                letters[random_below(&random, sizeof letters - 1)];
        else
            length = random_line(&random, line);
        struct event fast, slow;
        bool scanned = json_scan_line(scanner, library.pool, line, length, 5, &fast);
        struct json_reader *reader = json_reader_create(&context);
        struct error error;
        enum status status = json_read_line(reader, line, length, 5, &slow, &error);
        json_reader_destroy(reader);
        taken += scanned;
        left += !scanned && status == STATUS_OK;
        if (!scanned)
            continue;
        if (status != STATUS_OK)
            fail_msg("%s is scanned, but %s", line, error.message);
        assert_true(event_is_same(&fast, &slow));
    }
    assert_true(taken > 20000 && left > 2000);
    free(scanner);
    source_close(source);
    library_close(&library);
}

/* Lines of a few processes, well-formed but for some. */
static size_t random_lines(struct random *random, char *text, size_t room, bool array)
{
    bool running[4] = {false};
    size_t length = (size_t)sprintf(text, array ? "[" : ""), count = random_below(random, 40);
    for (size_t i = 0; i < count && length + 300 < room; i++) {
        uint32_t process = random_below(random, 4);
        static const char *const ends[] = {"ok", "ok", "fail", "info"};
        const char *type = running[process] ? ends[random_below(random, 4)] : "invoke";
        running[process] = !running[process];
        if (random_chance(random, 1, 200))
            type = "invoke";
        static const char *const values[] = {"",
                                             ", \"value\": 3",
                                             ", \"value\": null",
                                             ", \"value\": \"\\n\"",
                                             ", \"value\": [1, {\"a\": 1.5}]",
                                             ", \"value\": \"\xc3\xa9\", \"time\": 77"};
        if (array && i > 0)
            length +=
                (size_t)sprintf(text + length, ",%s", random_chance(random, 1, 2) ? "\n" : "");
        length +=
            (size_t)sprintf(text + length, "{\"process\": %u, \"type\": \"%s\", \"f\": \"x\"%s}",
                            process, type, values[random_below(random, ARRAY_LENGTH(values))]);
        if (!array)
            length +=
                (size_t)sprintf(text + length, "%s%s", random_chance(random, 1, 9) ? "\r" : "",
                                i + 1 < count || random_chance(random, 1, 2) ? "\n" : "");
    }
    return length + (size_t)sprintf(text + length, array ? "]" : "");
}

static void threads_blocks_and_writing_change_nothing(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 22);
    size_t refused = 0, read = 0;
    for (int round = 0; round < 2000; round++) {
        char text[8000];
        bool array = random_chance(&random, 1, 4);
        size_t length = random_lines(&random, text, sizeof text, array);
        struct library library;
        library_open(&library, 0);
        struct histories histories;
        if (assert_same_in_blocks(&library, "json", text, length, &random, &histories) ==
            STATUS_OK) {
            const struct history *history = histories.items.items[0];
            read += history->operations.length > 5;
            static const char *const formats[] = {"json", "edn"};
            for (size_t i = 0; i < ARRAY_LENGTH(formats); i++) {
                size_t size;
                char *written = library_write(history, formats[i], &size);
                struct history *again = library_read_one(&library, written, size, formats[i]);
                const char *difference = history_difference(history, again);
                if (difference)
                    fail_msg("%s as %s: %s", difference, formats[i], written);
                history_destroy(again);
                free(written);
            }
        } else {
            refused++;
        }
        histories_release(&histories);
        library_close(&library);
    }
    assert_true(refused > 50 && read > 500);
}

static void long_lines_are_read(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    text_append(&text, PLAIN "{\"process\":1,\"type\":\"invoke\",\"f\":\"x\",\"value\":\"");
    for (int i = 0; i < 3000000; i++)
        text_append_char(&text, (char)('a' + i % 26));
    text_append(&text, "\"}\n");
    text_append(&text, PLAIN);
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct library library;
        library_open(&library, 0);
        struct histories histories;
        assert_int_equal(library_read(&library, text_string(&text), text.length, NULL, threads, 0,
                                      &histories, NULL),
                         STATUS_OK);
        const struct history *history = histories.items.items[0];
        size_t length;
        assert_int_equal(history->operations.length, 3);
        assert_non_null(value_get_text(history->operations.items[1].argument, &length));
        assert_int_equal(length, 3000000);
        assert_int_equal(history->operations.items[2].invoke_line, 4);
        histories_release(&histories);
        library_close(&library);
    }
    text_release(&text);
}

static void memory_is_a_limit(void **unused)
{
    (void)unused;
    for (int array = 0; array < 2; array++) {
        struct text text = TEXT_EMPTY;
        for (int i = 0; i < 3000; i++)
            text_format(&text,
                        "%s{\"process\":%d,\"type\":\"invoke\",\"f\":\"x\",\"value\":\"%s value "
                        "%d\"}",
                        !array ? "\n"
                        : i    ? ","
                               : "[",
                        i, i % 3 ? "" : "\\n", i);
        text_append(&text, array ? "]" : "\n");
        bool refused = false, read = false;
        for (size_t limit = 30000; limit < 8000000; limit = limit * 4 / 3)
            for (unsigned threads = 1; threads <= 2; threads++) {
                struct library library;
                library_open(&library, limit);
                struct histories histories;
                enum status status = library_read(&library, text_string(&text), text.length, "json",
                                                  threads, 5000, &histories, NULL);
                assert_true(status == STATUS_OK || status == STATUS_LIMIT);
                refused |= status == STATUS_LIMIT;
                read |= status == STATUS_OK;
                histories_release(&histories);
                library_close(&library);
            }
        assert_true(refused && read);
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_read_alike),
        cmocka_unit_test(empty_files_are_empty_histories),
        cmocka_unit_test(values_are_kept),
        cmocka_unit_test(fields_are_kept),
        cmocka_unit_test(ill_formed_text_is_refused_at_its_line),
        cmocka_unit_test(named_processes_that_invoke_are_clients),
        cmocka_unit_test(processes_that_json_would_confuse_are_not_written),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(the_deepest_values_are_written),
        cmocka_unit_test(what_cannot_be_said_is_named),
        cmocka_unit_test(both_roads_agree),
        cmocka_unit_test(threads_blocks_and_writing_change_nothing),
        cmocka_unit_test(long_lines_are_read),
        cmocka_unit_test(memory_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

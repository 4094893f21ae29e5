/* Jepsen's EDN in its layouts, from one thread or several, and what is refused of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/edn_events.h"
#include "support/telling.h"

#define PLAIN                                                                                      \
    "{:process 0, :type :invoke, :f :write, :value 3}\n"                                           \
    "{:process 0, :type :ok, :f :write, :value 3}\n"

static void expect_same(const char *text, const char *other)
{
    struct library library;
    library_open(&library, 0);
    struct history *a = library_read_one(&library, text, strlen(text), "edn");
    struct history *b = library_read_one(&library, other, strlen(other), NULL);
    assert_string_equal(b->format, "edn");
    const char *difference = history_difference(a, b);
    if (difference)
        fail_msg("%s: %s", other, difference);
    history_destroy(a);
    history_destroy(b);
    library_close(&library);
}

static void layouts_are_read_alike(void **unused)
{
    (void)unused;
    static const char *const layouts[] = {
        "[{:process 0, :type :invoke, :f :write, :value 3}\n"
        " {:process 0, :type :ok, :f :write, :value 3}]",
        "({:process 0, :type :invoke, :f :write, :value 3} {:process 0, :type :ok, :f :write, "
        ":value 3})\n\n",
        "; a comment\n[\n{:process 0\n :type :invoke\n :f :write :value 3}\n\n\n"
        "#_ {:process 9} {:process 0, :type :ok\n, :f :write, :value ; why\n 3}\n] ; the end",
        "\xef\xbb\xbf"
        "{:process 0, :type :invoke, :f :write, :value 3}\r\n"
        "{:process 0, :type :ok, :f :write, :value 3} \t\r\n",
        "#jepsen.history.Op{:index 0, :time 0.5, :type :invoke, :process 0, :f :write, :value 3}\n"
        "#jepsen.history.Op {:type :ok, :process 0, :f :write, :value 3, :error #object[x 0x1f "
        "\"}\"]}",
        "[{ #_ :seen #_{:was 1} :process 0, :type :invoke, :f :write, :value #_4 3}\n"
        "{:process 0, :type :ok, :value 3}]",
        "{:value 3 :f \"write\" :type invoke :process 0N :error [[[[[[[[{} #{}]]]]]]]]}\n"
        "{:process 0, :type :ok, :value 3}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(layouts); i++)
        expect_same(PLAIN, layouts[i]);
    expect_same("", "()\n");
    expect_same("", "; nothing\n[ ; happened\n]");
}

static void events_keep_what_they_say(void **unused)
{
    (void)unused;
    static const char text[] =
        "{:process 4, :type :invoke, :f :txn, :value [[:read :x nil]], :key \"k\", :object :q, "
        ":time 7}\n"
        "{:process :nemesis, :type :info, :f :start, :value \"n1\", :time 8}\n"
        "{:process 4, :type :ok, :f :txn, :time 9}\n"
        "{:process 5, :type :invoke, :f :read, :value nil}\n"
        "{:process 5, :type :info, :f :read, :value :timed-out}\n"
        "{:process 5, :type :invoke, :f :read}\n";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, strlen(text), NULL);
    assert_int_equal(history->operations.length, 3);
    assert_int_equal(history->annotations.length, 1);
    const struct operation *operations = history->operations.items;
    size_t length;
    assert_non_null(value_get_items(operations[0].argument, &length));
    assert_int_equal(length, 1);
    assert_true(operations[0].has_key && value_text_is(operations[0].key, "k"));
    assert_true(value_text_is(history->objects.items[operations[0].object], "q"));
    assert_int_equal(operations[0].invoke_time, 7);
    assert_int_equal(operations[0].response_time, 9);
    assert_int_equal(operations[0].outcome, OUTCOME_OK);
    assert_false(operations[0].result_recorded);
    assert_int_equal(operations[1].outcome, OUTCOME_UNKNOWN);
    assert_true(value_text_is(operations[1].result, "timed-out"));
    assert_int_equal(operations[1].response, 3);
    assert_int_equal(operations[2].response, POSITION_NEVER);
    assert_int_equal(operations[2].invoke_line, 6);
    assert_int_equal(history->annotations.items[0].line, 2);
    assert_int_equal(history->annotations.items[0].position, 1);
    history_destroy(history);
    library_close(&library);
}

/* Metadata and namespaces may stand wherever a form may. */
static void metadata_is_passed_over(void **unused)
{
    (void)unused;
    static const char told[] = "0 invoke write {:a/x 1}\n0 ok 1\n";
    static const char *const texts[] = {
        "^:op {:process 0, :type :invoke, :f :write, :value #:a{:x 1}}\n"
        "{:process ^:p 0, ^:t :type ^Keyword :ok, ^{:k 1} :f :write, :value ^long 1}\n",
        "^{:source \"a [log]\", :n [1]}\n[^:op\n{:process 0, :type :invoke, :f :write,\n"
        ":value #:a{:x 1}}\n{:process 0, :type :ok, :f :write, :value 1}]",
        "[^:a ^:b #jepsen.history.Op{:process 0, :type :invoke, :f :write, :value {:a/x 1}}\n"
        "#jepsen.history.Op ^:c {:process 0, :type :ok, :f :write, :value 1}]",
        "#^{:old true} {:process 0, :type :invoke, :f :write, :value #::a {:x 1}}\n"
        "{^:a :process 0, :type :ok, :f :write, :value 1}\n",
        /* a namespace around an event is passed over like a tag */
        "#:op{:process 0, :type :invoke, :f :write, :value #:a{:x 1}}\n"
        "#:op{:process 0, :type :ok, :f :write, :value 1}\n",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        assert_reads(NULL, texts[i], told);
        assert_reads("edn", texts[i], told);
    }
    assert_refuses("edn", PLAIN "^:a", 3, "expected a value behind its metadata, found the end");
    assert_refuses("edn", "[" PLAIN "^:a ]", 3, "expected a value behind its metadata, found `]`");
}

static void ill_formed_text_is_refused_at_its_line(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t line;
        const char *message;
    } cases[] = {
        {PLAIN "{:process 0, :type :invoke", 3, "expected a value, found the end"},
        {PLAIN "{:type :invoke, :f :read}", 3,
         "expected who calls under the key `process`, an integer or a name, found an event "
         "without"},
        {PLAIN "\n{:process 0, :f :read}", 4,
         "expected a `type`: invoke, ok, fail or info, found an event without"},
        {PLAIN "{:process 0, :type :begin, :f :read}", 3,
         "expected invoke, ok, fail or info as `type`, found :begin"},
        {PLAIN "{:process 0, :type :invoke}", 3,
         "expected the name of an operation as `f`, found an event without"},
        {PLAIN "{:process 0, :type :invoke, :f 7}", 3,
         "expected the name of an operation as `f`, found an event without"},
        {PLAIN "{:process 0, :process 1, :type :invoke, :f :read}", 3,
         "expected `process` only once, found 1"},
        {PLAIN "{:process nil, :type :invoke, :f :read}", 3,
         "expected a process other than nil, found nil"},
        {PLAIN "42", 3,
         "expected an event such as {:process 0, :type :invoke, :f :read}, found `42`"},
        {PLAIN "]", 3,
         "expected an event such as {:process 0, :type :invoke, :f :read}, found `]`"},
        {PLAIN "[" PLAIN "]", 3,
         "expected an event such as {:process 0, :type :invoke, :f :read}, found `[`"},
        {"[" PLAIN, 1, "expected ] at the end of the events, found the end of the file"},
        {"[" PLAIN ")", 3,
         "expected an event such as {:process 0, :type :invoke, :f :read}, found `)`"},
        {"(" PLAIN ")" PLAIN, 3,
         "expected nothing behind the bracket around all events, found `{`"},
        {PLAIN "{:process 0, :type :ok, :f :write}", 3,
         "expected an invocation first, found `ok` of process 0, which is in no operation"},
        {PLAIN "{:process 0, :type :invoke, :f :write, :value 01}", 3,
         "expected a number, found `01`"},
        {"{:process \"c1\", :type :invoke, :f :read}\n{:process \"c1\", :type :ok, :f :read}", 1,
         "expected an integer as `process` (events of others are skipped as annotations, and here "
         "all would be), found \"c1\""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_refuses("edn", cases[i].text, cases[i].line, cases[i].message);
}

/* Pieces of events and of nonsense, so that brackets, comments and events span blocks. */
static size_t random_text(struct random *random, char *text, size_t room)
{
    static const char *const pieces[] = {
        "{:process 0, :type :invoke, :f :a, :value 1}\n",
        "{:process 0, :type :ok, :f :a, :value [1 \"x\" :y]}\n",
        "{:process 1, :type :invoke,\n :f :b, :key \"k\"}\n",
        "{:process 1, :type :info\n, :f :b} ",
        "{:process :nemesis, :type :info, :f :cut, :value nil}\n",
        " ; a comment {\n",
        "\n",
        "#_ ",
        "{:process 2, :type :invoke, :f :c, :value \"a\nb\"}",
        "{:process 2, :type :ok, :f :c, :value nil, :time 4}\r\n",
        "^{:a\n1} {:process :nemesis, :type :info, :f :cut, :value #:ns{:a 1}}\n",
        "[",
        "]",
        "{",
        "\"",
    };
    size_t length = 0, count = random_below(random, 60);
    bool sound = random_chance(random, 3, 4);
    size_t running[3] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t pick = random_below(random, sound ? 11 : ARRAY_LENGTH(pieces));
        static const signed char process[] = {0, 0, 1, 1, -1, -1, -1, -1, 2, 2, -1};
        if (sound && (pick == 7 || (process[pick] >= 0 && running[process[pick]] != pick % 2)))
            continue;
        if (sound && process[pick] >= 0)
            running[process[pick]] = !running[process[pick]];
        size_t size = strlen(pieces[pick]);
        if (length + size > room)
            break;
        memcpy(text + length, pieces[pick], size);
        length += size;
    }
    return length;
}

static void threads_and_blocks_change_nothing(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 11);
    size_t refused = 0, read = 0;
    for (int round = 0; round < 3000; round++) {
        char text[4000];
        size_t length = random_text(&random, text, sizeof text);
        struct library library;
        library_open(&library, 0);
        struct histories histories;
        if (assert_same_in_blocks(&library, "edn", text, length, &random, &histories) == STATUS_OK)
            read += histories.items.items[0]->operations.length > 5;
        else
            refused++;
        histories_release(&histories);
        library_close(&library);
    }
    assert_true(refused > 200 && read > 500);
}

/* What the fast scanner takes, the general reader takes for the same event. */
static void the_scanner_agrees_with_the_reader(void **unused)
{
    (void)unused;
    static const char *const pieces[] = {
        "{",
        "}",
        ":process ",
        "0",
        "-7",
        ":type ",
        ":invoke",
        ":ok",
        ":info",
        ":fail",
        ":f ",
        ":read",
        "\"write\"",
        ":value ",
        "[1 2]",
        "nil",
        "[:a []]",
        "123456789012345678",
        "1.5",
        "007",
        ":time ",
        ":key ",
        ":object ",
        ":index ",
        " ",
        ", ",
        "true",
        "\"\\n\"",
        "\"é\"",
        "-",
        "x",
        ":type :invoke, ",
        ":process 3, ",
        "{:process 1 :f :read :type :ok ",
        "#{1}",
    };
    struct random random;
    random_seed(&random, 12);
    struct library library;
    library_open(&library, 0);
    struct scan_names *names = calloc(1, sizeof *names);
    size_t taken = 0;
    for (int round = 0; round < 300000; round++) {
        char line[400] = "";
        size_t length = 0;
        if (random_chance(&random, 3, 4))
            length = (size_t)sprintf(line, "{:process %u, :type :invoke, :f :x",
                                     random_below(&random, 3));
        for (size_t i = random_below(&random, 8); i > 0; i--) {
            const char *piece = pieces[random_below(&random, ARRAY_LENGTH(pieces))];
            length += (size_t)sprintf(line + length, " %s", piece);
        }
        if (random_chance(&random, 3, 4))
            line[length++] = '}';
        line[length] = '\n';
        struct event fast, slow;
        if (!edn_scan_line(names, library.pool, line, length, 5, &fast))
            continue;
        taken++;
        struct edn_cursor cursor;
        edn_open(&cursor, library.pool, line, length, "f", 5, NULL);
        if (edn_space(&cursor) != STATUS_OK || edn_event(&cursor, &slow) != STATUS_OK ||
            edn_space(&cursor) != STATUS_OK || cursor.at != cursor.end)
            fail_msg("only the scanner takes %s", line);
        edn_close(&cursor);
        assert_true(event_is_same(&fast, &slow));
    }
    assert_true(taken > 10000);
    free(names);
    library_close(&library);
}

static void what_is_written_reads_back(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 13);
    for (int round = 0; round < 500; round++) {
        char text[4000];
        size_t length = random_text(&random, text, sizeof text), written_length;
        struct library library;
        library_open(&library, 0);
        struct histories histories;
        if (library_read(&library, text, length, "edn", 1, 0, &histories, NULL) == STATUS_OK) {
            const struct history *history = histories.items.items[0];
            char *written = library_write(history, "edn", &written_length);
            struct history *again = library_read_one(&library, written, written_length, "edn");
            assert_null(history_difference(history, again));
            history_destroy(again);
            free(written);
        }
        histories_release(&histories);
        library_close(&library);
    }
}

static void memory_is_a_limit(void **unused)
{
    (void)unused;
    char *text = malloc(200000);
    size_t length = 0;
    for (int i = 0; length < 190000; i++)
        length += (size_t)sprintf(text + length,
                                  "{:process %d, :type :invoke, :f :x,%s :value \"value %d\"}\n", i,
                                  i % 3 ? "" : "\n", i);
    bool refused = false, read = false;
    for (size_t limit = 30000; limit < 8000000; limit = limit * 4 / 3)
        for (unsigned threads = 1; threads <= 2; threads++) {
            struct library library;
            library_open(&library, limit);
            struct histories histories;
            enum status status =
                library_read(&library, text, length, NULL, threads, 5000, &histories, NULL);
            assert_true(status == STATUS_OK || status == STATUS_LIMIT);
            refused |= status == STATUS_LIMIT;
            read |= status == STATUS_OK;
            histories_release(&histories);
            library_close(&library);
        }
    assert_true(refused && read);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_read_alike),
        cmocka_unit_test(events_keep_what_they_say),
        cmocka_unit_test(metadata_is_passed_over),
        cmocka_unit_test(ill_formed_text_is_refused_at_its_line),
        cmocka_unit_test(threads_and_blocks_change_nothing),
        cmocka_unit_test(the_scanner_agrees_with_the_reader),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(memory_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

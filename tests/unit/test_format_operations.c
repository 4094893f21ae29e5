/* Dumps of porcupine.Operation, and JSON trees under them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support/telling.h"

#define ENQUEUE "\"Input\":{\"f\":\"enqueue\",\"value\":1}"

static void an_operation_a_line_or_an_array(void **unused)
{
    (void)unused;
    const char *told = "0 invoke enqueue 1\n1 invoke dequeue nil\n0 ok nil\n1 ok 1\n";
    assert_reads(NULL,
                 "{\"ClientId\":0," ENQUEUE ",\"Call\":10,\"Output\":null,\"Return\":25,"
                 "\"Metadata\":{\"any\":[\"thing\"]}}\n"
                 "{\"ClientId\":1,\"Input\":{\"f\":\"dequeue\"},\"Call\":20,\"Output\":1,"
                 "\"Return\":26}\n",
                 told);
    assert_reads(NULL,
                 "[ {\"ClientId\": 0, " ENQUEUE ", \"Call\": 10, \"Output\": {}, \"Return\": 25},\n"
                 "  {\"ClientId\": 1, \"Input\": {\"F\": \"dequeue\", \"Value\": null}, "
                 "\"Call\": 20, \"Output\": {\"Value\": 1, \"Error\": \"\", \"Fail\": false},\n"
                 "   \"Return\": 26} ]\n",
                 told);
    assert_reads("porcupine-operations", "null\n", "");
    assert_reads("porcupine-operations", "[]", "");
    assert_reads("porcupine-operations", "\n \t", "");
}

static void intervals_are_closed(void **unused)
{
    (void)unused;
    /* Touching intervals overlap: the call at 20 comes before the return at 20. */
    assert_reads(NULL,
                 "{\"ClientId\":1,\"Input\":{\"f\":\"dequeue\"},\"Call\":20,\"Output\":1,"
                 "\"Return\":30}\n"
                 "{\"ClientId\":0," ENQUEUE ",\"Call\":10,\"Output\":null,\"Return\":20}\n",
                 "0 invoke enqueue 1\n1 invoke dequeue nil\n0 ok nil\n1 ok 1\n");
}

static void records_are_numbered_as_they_stand(void **unused)
{
    (void)unused;
    static const char input[] =
        "{\"ClientId\":1,\"Input\":{\"f\":\"dequeue\"},\"Call\":20,\"Output\":1,"
        "\"Return\":30}\n"
        "{\"ClientId\":2," ENQUEUE ",\"Call\":10,\"Output\":null,\"Return\":15}\n";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), NULL);
    assert_int_equal(history->operations.items[0].record, 1);
    assert_int_equal(history->operations.items[0].invoke_line, 2);
    assert_int_equal(history->operations.items[1].record, 0);
    assert_true(history->operations.items[0].invoke_time == 10);
    assert_true(history->operations.items[0].response_time == 15);
    assert_null(history->specification);
    history_destroy(history);
    library_close(&library);
}

static void what_may_have_happened_and_what_did_not(void **unused)
{
    (void)unused;
    static const char *const unknown[] = {"\"Return\":0",
                                          "\"Return\":-1",
                                          "\"Return\":null",
                                          "\"Return\":9223372036854775807",
                                          "\"Metadata\":null",
                                          "\"Return\":9,\"Output\":{\"error\":\"timeout\"}",
                                          "\"Return\":9,\"Output\":{\"value\":3,\"error\":true}"};
    struct text text = TEXT_EMPTY;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        text_clear(&text);
        text_format(&text,
                    "{\"ClientId\":7," ENQUEUE ",\"Call\":5,%s}\n"
                    "{\"ClientId\":7,\"Input\":{\"f\":\"dequeue\"},\"Call\":6,\"Return\":7}",
                    unknown[i]);
        assert_reads(NULL, text_string(&text),
                     "7 invoke enqueue 1\n7 info\n7 invoke dequeue nil\n7 ok\n");
    }
    text_release(&text);
    assert_reads(NULL, "{\"ClientId\":7," ENQUEUE ",\"Call\":5,\"Output\":{\"fail\":true}}",
                 "7 invoke enqueue 1\n7 fail\n");
    /* A moment at the beginning of time, or before it, is one like any other. */
    assert_reads(NULL, "{\"ClientId\":7," ENQUEUE ",\"Call\":0,\"Return\":0}",
                 "7 invoke enqueue 1\n7 ok\n");
    assert_reads(NULL, "{\"ClientId\":7," ENQUEUE ",\"Call\":-9,\"Return\":-4}",
                 "7 invoke enqueue 1\n7 ok\n");
}

static void client_0_throughout_tells_clients_apart_only_if_none_overlap(void **unused)
{
    (void)unused;
    assert_reads(NULL,
                 "{\"ClientId\":0," ENQUEUE ",\"Call\":1,\"Return\":2}"
                 "{" ENQUEUE ",\"Call\":3,\"Return\":4}",
                 "0 invoke enqueue 1\n0 ok\n0 invoke enqueue 1\n0 ok\n");
    assert_reads(NULL,
                 "{\"ClientId\":0," ENQUEUE ",\"Call\":1,\"Return\":3}"
                 "{\"ClientId\":0," ENQUEUE ",\"Call\":3,\"Return\":4}"
                 "{\"ClientId\":0," ENQUEUE ",\"Call\":5,\"Return\":6}",
                 "0 invoke enqueue 1\n1 invoke enqueue 1\n0 ok\n1 ok\n2 invoke enqueue 1\n2 ok\n");
    assert_refuses(NULL,
                   "{\"ClientId\":0," ENQUEUE ",\"Call\":1,\"Return\":3}\n"
                   "{\"ClientId\":0," ENQUEUE ",\"Call\":2,\"Return\":4}\n"
                   "{\"ClientId\":1," ENQUEUE ",\"Call\":5,\"Return\":6}\n",
                   2, NULL);
}

static void results_of_every_kind(void **unused)
{
    (void)unused;
#define GET "{\"ClientId\":1,\"Input\":{\"f\":\"get\",\"key\":\"k\",\"object\":\"m\"},\"Call\":1,"
    assert_reads(NULL, GET "\"Output\":{\"value\":3,\"revision\":4},\"Return\":2}",
                 "1 invoke get nil key=\"k\" object=m\n1 ok {\"revision\" 4, \"value\" 3}\n");
    assert_reads(NULL, GET "\"Output\":{\"value\":{\"value\":3}},\"Return\":2}",
                 "1 invoke get nil key=\"k\" object=m\n1 ok {\"value\" 3}\n");
    assert_reads(NULL,
                 GET "\"Output\":[1.5,true,\"a\\u00e9\\n\",9223372036854775807,"
                     "9223372036854775808,[]],\"Return\":2}",
                 "1 invoke get nil key=\"k\" object=m\n"
                 "1 ok [1.5 true \"a\xc3\xa9\\n\" 9223372036854775807 9223372036854775808 []]\n");
#undef GET
}

static void what_was_read_is_written_back(void **unused)
{
    (void)unused;
    assert_round_trip(
        NULL,
        "{\"ClientId\":3,\"Input\":{\"f\":\"get\",\"key\":[1],\"object\":\"m\"},\"Call\":20,"
        "\"Output\":{\"value\":null},\"Return\":30}"
        "{\"ClientId\":1,\"Input\":{\"f\":\"put\",\"value\":[1,\"\\\"\"]},\"Call\":10,"
        "\"Return\":30}"
        "{\"ClientId\":2," ENQUEUE ",\"Call\":10}"
        "{\"ClientId\":2," ENQUEUE ",\"Call\":11,\"Output\":{\"fail\":true},\"Return\":12}",
        "porcupine-operations");
    /* Text names for processes, and no times. */
    static const char input[] =
        "H == << [op |-> \"E\", val |-> 1, proc |-> \"A\"], [op |-> \"D\", proc |-> \"B\"], "
        "[op |-> \"Ok\", proc |-> \"B\"], [op |-> \"Info\", proc |-> \"A\"], "
        "[op |-> \"D\", proc |-> \"A\"] >>";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), NULL);
    size_t length;
    char *written = library_write(history, "porcupine-operations", &length);
    assert_string_equal(written,
                        "{\"ClientId\":0,\"Input\":{\"f\":\"enqueue\",\"value\":1},\"Call\":0,"
                        "\"Output\":{\"error\":\"unknown\"},\"Return\":9223372036854775807}\n"
                        "{\"ClientId\":1,\"Input\":{\"f\":\"dequeue\"},\"Call\":1,\"Return\":2}\n"
                        "{\"ClientId\":0,\"Input\":{\"f\":\"dequeue\"},\"Call\":4,"
                        "\"Output\":{\"error\":\"unknown\"},\"Return\":9223372036854775807}\n");
    free(written);
    history_destroy(history);
    library_close(&library);
}

static void ill_formed_input_is_refused(void **unused)
{
    (void)unused;
    static const char operation[] = "an operation {\"ClientId\":..., \"Input\":..., \"Call\":..., "
                                    "\"Output\":..., \"Return\":...}";
    static const struct {
        const char *input;
        uint32_t line;
        const char *message; /* %s: `operation` */
    } cases[] = {
        {"\n7", 2, "expected %s, found the number 7"},
        {"[[]]", 1, "expected %s, found an array"},
        {"{}", 1, "expected %s, found one without Input"},
        {"{" ENQUEUE "}", 1, "expected %s, found one without Call"},
        {"{" ENQUEUE ",\"Call\":1.5}", 1,
         "expected Call to be an integer of at most 64 bits, found the number 1.5"},
        {"{" ENQUEUE ",\"Call\":1,\n\"Return\":9223372036854775808}", 2,
         "expected Return to be an integer of at most 64 bits, found the number "
         "9223372036854775808"},
        {"{" ENQUEUE ",\"Call\":1,\"ClientId\":\"a\"}", 1,
         "expected ClientId to be an integer of at most 64 bits, found the text a"},
        {"{\"Input\":7,\"Call\":1}", 1,
         "expected an Input {\"f\": \"enqueue\", \"value\": 1} whose f is a text, found the number "
         "7"},
        {"{\"Input\":{\"f\":\n7},\"Call\":1}", 2,
         "expected an Input {\"f\": \"enqueue\", \"value\": 1} whose f is a text, found the number "
         "7"},
        {"{\"Input\":{\"f\":\"a\",\n\"val\":7},\"Call\":1}", 2,
         "expected one f, value, key or object in Input, found val"},
        {"{\"Input\":{\"f\":\"a\",\"f\":\"b\"},\"Call\":1}", 1,
         "expected one f, value, key or object in Input, found f"},
        {"{\"ClientId\":1," ENQUEUE ",\"Call\":5,\"Return\":4}", 1, NULL},
        {"{" ENQUEUE ",\"Call\":5\n,}", 2,
         "expected JSON, found parse error: invalid object key (must be a string) near `,}`"},
        {"{" ENQUEUE ",\"Call\":5\n", 2, "expected JSON, found parse error: premature EOF"},
        {"{\"Input\":\"\xff\"}", 1, NULL},
        {"{\"Input\":\n\"\xc0\x80\"}", 2, "expected UTF-8, found a string with other bytes"},
        {"{\"Input\":\n\"\\ud800\"}", 2, "expected a pair of escaped surrogates, found one alone"},
    };
    struct text text = TEXT_EMPTY;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *message = cases[i].message, *place = message ? strstr(message, "%s") : NULL;
        text_clear(&text);
        if (place) {
            text_append_bytes(&text, message, (size_t)(place - message));
            text_append(&text, operation);
            message = place + 2;
        }
        text_append(&text, message ? message : "");
        assert_refuses("porcupine-operations", cases[i].input, cases[i].line,
                       message ? text_string(&text) : NULL);
    }
    text_release(&text);
}

static void nesting_is_bounded(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    text_append(&text, "{\"Input\":{\"f\":\"a\",\"value\":");
    for (int i = 0; i < 100000; i++)
        text_append(&text, i % 2 ? "[" : "{\"a\":");
    assert_refuses("porcupine-operations", text_string(&text), 1,
                   "expected at most 200 collections within one another, found more");
    text_release(&text);
}

/* Blocks end anywhere: values of all lengths around the size of a block. */
static void values_may_span_blocks(void **unused)
{
    (void)unused;
    struct library library;
    library_open(&library, 0);
    for (size_t length = 65000; length < 66000; length += 37) {
        struct text text = TEXT_EMPTY;
        text_append(&text, "{\"ClientId\":1,\n\"Input\":{\"f\":\"enqueue\",\"value\":\"");
        for (size_t i = 0; i < length; i++)
            text_append_char(&text, "ab"[i % 2]);
        text_append(&text, "\"},\n\"Call\":1234567890,\"Return\":1234567891}\n\n"
                           "{\"ClientId\":1,\"Input\":{\"f\":\"dequeue\"},\"Call\":1234567892}");
        struct history *history = library_read_one(&library, text.bytes, text.length, NULL);
        size_t read;
        assert_non_null(value_get_text(history->operations.items[0].argument, &read));
        assert_int_equal(read, length);
        assert_true(history->operations.items[0].response_time == 1234567891);
        assert_int_equal(history->operations.items[1].invoke_line, 5);
        history_destroy(history);
        text_release(&text);
    }
    library_close(&library);
}

static void memory_is_limited(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    text_append(&text, "{\"ClientId\":1,\"Input\":{\"f\":\"enqueue\",\"value\":\"");
    for (size_t i = 0; i < 8 << 20; i++)
        text_append_char(&text, 'a');
    struct library library;
    struct histories histories;
    struct error error = {0};
    library_open(&library, 4 << 20);
    assert_int_equal(library_read(&library, text.bytes, text.length, "porcupine-operations", 1, 0,
                                  &histories, &error),
                     STATUS_LIMIT);
    assert_string_equal(error.message, "the memory limit was reached while reading");
    library_close(&library);
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operation_a_line_or_an_array),
        cmocka_unit_test(intervals_are_closed),
        cmocka_unit_test(records_are_numbered_as_they_stand),
        cmocka_unit_test(what_may_have_happened_and_what_did_not),
        cmocka_unit_test(client_0_throughout_tells_clients_apart_only_if_none_overlap),
        cmocka_unit_test(results_of_every_kind),
        cmocka_unit_test(what_was_read_is_written_back),
        cmocka_unit_test(ill_formed_input_is_refused),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(values_may_span_blocks),
        cmocka_unit_test(memory_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

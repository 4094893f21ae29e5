/* TLA+ sequences of records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support/telling.h"

/* The four histories of Herlihy and Wing's figure 1, as the TLA+ text writes them. */
static const char figure_1[] =
    "---- MODULE Figure1 ----\n"
    "EXTENDS Naturals, Sequences \\* what follows is figure 1\n"
    "\n"
    "(* Three processes (* A, B, C *) and three values: << [op|->\"E\"] >> *)\n"
    "H1 == <<\n"
    "        [op|->\"E\", val|->\"x\", proc|->\"A\"],\n"
    "        [op|->\"E\", val|->\"y\", proc|->\"B\"],\n"
    "        [op|->\"Ok\", proc|->\"B\"],\n"
    "        [op|->\"Ok\", proc|->\"A\"],\n"
    "        \\* B dequeues x.\n"
    "        [op|->\"D\",  proc|->\"B\"],\n"
    "        [op|->\"Ok\", val|->\"x\", proc|->\"B\"],\n"
    "        [op|->\"D\",  proc|->\"A\"],\n"
    "        [op|->\"Ok\", val|->\"y\", proc|->\"A\"],\n"
    "        [op|->\"E\", val|->\"z\", proc|->\"A\"]>>\n"
    "ASSUME IsLinearizableHistory(H1)\n"
    "\n"
    "H2 == <<\n"
    "        [op|->\"E\", val|->\"x\", proc|->\"A\"],\n"
    "        [op|->\"Ok\", proc|->\"A\"],\n"
    "        [op|->\"E\", val|->\"y\", proc|->\"B\"],\n"
    "        [op|->\"D\",  proc|->\"A\"],\n"
    "        [op|->\"Ok\", proc|->\"B\"],\n"
    "        [op|->\"Ok\", val|->\"y\", proc|->\"A\"]\n"
    ">>\n"
    "H3 == <<\n"
    "        [op|->\"E\", val|->\"x\", proc|->\"A\"],\n"
    "        [op|->\"D\", proc|-> \"B\"],\n"
    "        [op|->\"Ok\", val|->\"x\", proc|->\"B\"]>>\n"
    "Enq == [op|->\"E\", val|->\"y\", proc|->\"B\"]\n"
    "H5 == H3 \\o <<Enq>>\n"
    "Other == <<1, 2>>\n"
    "H4 == <<\n"
    "        [op|->\"E\", val|->\"x\", proc|->\"A\"],\n"
    "        [op|->\"E\", val|->\"y\", proc|->\"B\"],\n"
    "        [op|->\"Ok\", proc|->\"A\"],\n"
    "        [op|->\"Ok\", proc|->\"B\"],\n"
    "        [op|->\"D\", proc|-> \"A\"],\n"
    "        [op|->\"D\", proc|-> \"C\"],\n"
    "        [op|->\"Ok\", val|->\"y\", proc|->\"A\"],\n"
    "        [op|->\"Ok\", val|->\"y\", proc|->\"C\"]\n"
    ">>\n"
    "====\n";

static void a_module_holds_several_histories(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *told;
    } expected[] = {
        {"name#H1", "\"A\" invoke enqueue \"x\"\n\"B\" invoke enqueue \"y\"\n\"B\" ok\n"
                    "\"A\" ok\n\"B\" invoke dequeue nil\n\"B\" ok \"x\"\n"
                    "\"A\" invoke dequeue nil\n\"A\" ok \"y\"\n\"A\" invoke enqueue \"z\"\n"},
        {"name#H2", "\"A\" invoke enqueue \"x\"\n\"A\" ok\n\"B\" invoke enqueue \"y\"\n"
                    "\"A\" invoke dequeue nil\n\"B\" ok\n\"A\" ok \"y\"\n"},
        {"name#H3", "\"A\" invoke enqueue \"x\"\n\"B\" invoke dequeue nil\n\"B\" ok \"x\"\n"},
        {"name#H4", "\"A\" invoke enqueue \"x\"\n\"B\" invoke enqueue \"y\"\n\"A\" ok\n"
                    "\"B\" ok\n\"A\" invoke dequeue nil\n\"C\" invoke dequeue nil\n"
                    "\"A\" ok \"y\"\n\"C\" ok \"y\"\n"},
    };
    struct library library;
    struct histories histories;
    struct error error = {0};
    library_open(&library, 0);
    if (library_read(&library, figure_1, strlen(figure_1), NULL, 1, 0, &histories, &error) !=
        STATUS_OK)
        fail_msg("%u: %s", error.line, error.message);
    assert_int_equal(histories.items.length, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct history *history = histories.items.items[i];
        struct text text = TEXT_EMPTY;
        history_tell(history, &text);
        assert_string_equal(history->name, expected[i].name);
        assert_string_equal(text_string(&text), expected[i].told);
        assert_string_equal(history->specification, "queue");
        assert_string_equal(history->format, "tla");
        text_release(&text);
    }
    assert_int_equal(histories.items.items[0]->operations.items[0].invoke_line, 6);
    assert_int_equal(histories.items.items[0]->operations.items[2].response_line, 12);
    histories_release(&histories);
    library_close(&library);
}

static void a_file_may_be_the_sequence_alone(void **unused)
{
    (void)unused;
    static const char input[] = "<<[proc |-> 1, op |-> \"push\", val |-> {2, 1}]>>\n";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), NULL);
    assert_string_equal(history->name, "name");
    assert_null(history->specification);
    history_destroy(history);
    library_close(&library);
    assert_reads(NULL, "<<[proc |-> 1, op |-> \"push\", val |-> {2, 1}]>>\n",
                 "1 invoke push #{1 2}\n");
    assert_reads(NULL, "H == << >> \\* |->\n", "");
}

static void values_of_every_kind(void **unused)
{
    (void)unused;
    assert_reads(NULL,
                 "H == <<\n"
                 "[op |-> \"write\", val |-> <<-7, TRUE, FALSE, NULL, v1, \"a\\\"\\\\\\n\">>,"
                 " proc |-> p1, key |-> <<>>, object |-> \"q\"],\n"
                 "[op |-> \"Fail\", proc |-> p1],\n"
                 "[op |-> \"W\", val |-> [x |-> -9223372036854775808, y |-> {}], proc |-> 2],\n"
                 "[op |-> \"Info\", proc |-> 2],\n"
                 "[op |-> \"R\", proc |-> 2], [op |-> \"Ok\", proc |-> 2, val |-> {}]>>",
                 "p1 invoke write [-7 true false nil v1 \"a\\\"\\\\\\n\"] key=[] object=q\n"
                 "p1 fail\n"
                 "2 invoke write {\"x\" -9223372036854775808, \"y\" #{}}\n"
                 "2 info\n"
                 "2 invoke read nil\n"
                 "2 ok #{}\n");
}

static void what_was_read_is_written_back(void **unused)
{
    (void)unused;
    assert_round_trip(NULL,
                      "H == << [op |-> \"E\", val |-> \"a\\\\\\\"\\t|->\", proc |-> \"A\"],\n"
                      "[op |-> \"Ok\", proc |-> \"A\"],\n"
                      "[op |-> \"D\", proc |-> 7, key |-> k, object |-> \"o\"],\n"
                      "[op |-> \"Ok\", proc |-> 7, val |-> NULL],\n"
                      "[op |-> \"txn\", proc |-> 7, val |-> <<[r |-> {1, -2}], TRUE>>],\n"
                      "[op |-> \"Info\", proc |-> 7],\n"
                      "[op |-> \"D\", proc |-> 7]\n"
                      ">>",
                      "tla");
    assert_round_trip(NULL, "H == << >> \\* |->", "tla");
}

#define RECORD "[op |-> \"E\", val |-> 1, proc |-> 1]"

static void ill_formed_input_is_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *input;
        uint32_t line;
        const char *message;
    } cases[] = {
        {"a |-> b\nH == <<1>>", 1,
         "expected a history H == << [op |-> ..., proc |-> ...], ... >>, found none"},
        {"H == << " RECORD " \\* never closed\n", 2,
         "expected a comma or >>, found the end of the file"},
        {"H == << " RECORD "\n", 2, "expected a comma or >>, found the end of the file"},
        {"H == << " RECORD ",\n>>", 2, "expected a record behind the comma, found >>"},
        {"H == << " RECORD ",\n2>>", 2, "expected a record [op |-> ..., proc |-> ...], found 2"},
        {"H == << " RECORD " >> \\o << >>", 1,
         "expected the end of the history's definition, found \\"},
        {"H == <<\n[op |-> \"E\", val |-> 1]>>", 2,
         "expected the field proc in the record, found none"},
        {"H == <<\n[val |-> 1, proc |-> 1]>>", 2,
         "expected the field op in the record, found none"},
        {"H == <<\n[op |-> \"E\", proc |-> 1, arg |-> 2]>>", 2,
         "expected one of the fields op, val, proc, key, object, found arg"},
        {"H == <<\n[op |-> \"E\", op |-> \"D\", proc |-> 1]>>", 2,
         "expected each field only once, found op"},
        {"H == <<\n[op |-> E, proc |-> 1]>>", 2,
         "expected the operation's name as a string, found E"},
        {"H == <<\n[op |-> \"E\", proc -> 1]>>", 2, "expected |->, found -"},
        {"H == <<\n[op |-> \"E\", val |-> , proc |-> 1]>>", 2, "expected a value, found ,"},
        {"H == <<\n[op |-> \"E\", val |-> 9223372036854775808, proc |-> 1]>>", 2,
         "expected an integer of at most 64 bits, found 9223372036854775808"},
        {"H == <<\n[op |-> \"E\", val |-> 99999999999999999999, proc |-> 1]>>", 2,
         "expected an integer of at most 64 bits, found 99999999999999999999"},
        {"H == <<\n[op |-> \"E\", val |-> -x, proc |-> 1]>>", 2,
         "expected a number behind -, found x"},
        {"H == <<\n[op |-> \"E\", val |-> {1 2}, proc |-> 1]>>", 2,
         "expected a comma or }, found 2"},
        {"H == <<\n[op |-> \"E\", val |-> [1 |-> 2], proc |-> 1]>>", 2,
         "expected the name of a field, found 1"},
        {"H == <<\n[op |-> \"E\", val |-> \"x, proc |-> 1]>>\n", 2,
         "expected \" at the end of the string, found the end of the line"},
        {"H == <<\n[op |-> \"E\", val |-> \"\xff\"]>>\n", 2,
         "expected UTF-8, found a string with other bytes"},
        {"H == <<\n(* [op |-> \"E\"]>>", 2,
         "expected *) at the end of the comment, found the end of the file"},
        {"H == << " RECORD ",\n" RECORD " >>", 2, NULL},
        {"H == <<\n[op |-> \"Ok\", proc |-> 1]>>", 2, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refuses("tla", cases[i].input, cases[i].line, cases[i].message);
}

static void nesting_is_bounded(void **unused)
{
    (void)unused;
    struct text text = TEXT_EMPTY;
    text_append(&text, "H == <<[op |-> \"E\", val |-> ");
    for (int i = 0; i < 100000; i++)
        text_append(&text, i % 2 ? "<<" : "{");
    assert_refuses("tla", text_string(&text), 1, "expected a value nested less deep, found {");
    text_release(&text);
}

static void what_tla_cannot_say_is_not_written(void **unused)
{
    (void)unused;
    static const char what[] = "a value that is a real number, or a map whose keys are no names";
    assert_cannot_write("porcupine-operations",
                        "{\"Input\":{\"f\":\"a\",\"value\":1.5},\"Call\":1}", "tla", what);
    assert_cannot_write("porcupine-operations",
                        "{\"Input\":{\"f\":\"a\",\"value\":{\"a b\":1}},\"Call\":1}", "tla", what);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_holds_several_histories),
        cmocka_unit_test(a_file_may_be_the_sequence_alone),
        cmocka_unit_test(values_of_every_kind),
        cmocka_unit_test(what_was_read_is_written_back),
        cmocka_unit_test(ill_formed_input_is_refused),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(what_tla_cannot_say_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* LiMo's histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support/telling.h"

static void assert_specification(const char *input, const char *expected)
{
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), NULL);
    if (expected)
        assert_string_equal(history->specification, expected);
    else
        assert_null(history->specification);
    assert_string_equal(history->format, "limo");
    history_destroy(history);
    library_close(&library);
}

static void the_object_decides_what_operations_are_called(void **unused)
{
    (void)unused;
    static const char calls[] = "[1] call add(1)\n[1] return\n[2] call remove\n[2] return 1\n";
    static const struct {
        const char *object, *specification, *add, *remove;
    } cases[] = {
        {"atomic-queue", "queue", "enqueue", "dequeue"},
        {"queue", "queue", "enqueue", "dequeue"},
        {"atomic-stack", "stack", "push", "pop"},
        {"atomic-priorityqueue", "priority-queue", "insert", "delete-min"},
        {"atomic-set", "set", "add", "remove"},
        {"atomic-turnstile", "turnstile", "add", "remove"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text input = TEXT_EMPTY, told = TEXT_EMPTY;
        text_format(&input, "# @object %s\n%s", cases[i].object, calls);
        text_format(&told, "1 invoke %s 1\n1 ok\n2 invoke %s nil\n2 ok 1\n", cases[i].add,
                    cases[i].remove);
        assert_reads(NULL, text_string(&input), text_string(&told));
        assert_specification(text_string(&input), cases[i].specification);
        text_release(&input);
        text_release(&told);
    }
    assert_reads(NULL, calls, "1 invoke add 1\n1 ok\n2 invoke remove nil\n2 ok 1\n");
    assert_specification(calls, NULL);
}

static void lines_may_be_indented_and_calls_be_without_parentheses(void **unused)
{
    (void)unused;
    assert_reads(NULL,
                 "# from a paper\n"
                 "# @object atomic-stack\n"
                 "\n"
                 "[0] call push 1\n"
                 "    [1]  call   pop()  \n"
                 "\t[0] return\r\n"
                 "\n"
                 "    [1] return   1\n"
                 "[0] call pop",
                 "0 invoke push 1\n1 invoke pop nil\n0 ok\n1 ok 1\n0 invoke pop nil\n");
}

static void values_are_opaque(void **unused)
{
    (void)unused;
    assert_reads(NULL,
                 "# @object atomic-stack\n"
                 "[1] call push(a)\n[1] return\n"
                 "[1] call push(?<0,1>)\n[1] return\n"
                 "[1] call push(007)\n[1] return\n"
                 "[1] call push(7N)\n[1] return\n"
                 "[1] call push(-7)\n[1] return\n"
                 "[1] call push( -7 )\n[1] return\n"
                 "[1] call push(1.50)\n[1] return\n"
                 "[1] call push(a (b) c)\n[1] return\n"
                 "[1] call push([1 2])\n[1] return\n"
                 "[1] call push([1,2])\n[1] return\n"
                 "[1] call push(\"a\")\n[1] return\n"
                 "[1] call push(true)\n",
                 "1 invoke push \"a\"\n1 ok\n"
                 "1 invoke push \"?<0,1>\"\n1 ok\n"
                 "1 invoke push \"007\"\n1 ok\n"
                 "1 invoke push \"7N\"\n1 ok\n"
                 "1 invoke push -7\n1 ok\n"
                 "1 invoke push -7\n1 ok\n"
                 "1 invoke push \"1.50\"\n1 ok\n"
                 "1 invoke push \"a (b) c\"\n1 ok\n"
                 "1 invoke push [1 2]\n1 ok\n"
                 "1 invoke push \"[1,2]\"\n1 ok\n"
                 "1 invoke push \"a\"\n1 ok\n"
                 "1 invoke push true\n");
}

static void results_may_stand_in_the_call_or_nowhere(void **unused)
{
    (void)unused;
    assert_reads(NULL,
                 "# @object atomic-queue\n"
                 "[1] call deq(?<0,1>)\n[1] return\n"
                 "[1] call deq(3)\n[1] return 3\n"
                 "[1] call deq\n[1] return empty\n"
                 "[1] call deq\n[1] return Empty\n"
                 "[1] call deq\n[1] return\n"
                 "[1] call deq(4)\n",
                 "1 invoke dequeue nil\n1 ok \"?<0,1>\"\n"
                 "1 invoke dequeue nil\n1 ok 3\n"
                 "1 invoke dequeue nil\n1 ok nil\n"
                 "1 invoke dequeue nil\n1 ok nil\n"
                 "1 invoke dequeue nil\n1 ok nil\n"
                 "1 invoke dequeue 4\n");
    /* Of other objects a plain return says nothing. */
    assert_reads(NULL, "[1] call read\n[1] return\n", "1 invoke read nil\n1 ok\n");
}

static void ill_formed_input_is_refused(void **unused)
{
    (void)unused;
    static const char expected[] =
        "expected [NUMBER] call NAME(VALUE) or [NUMBER] return VALUE, found ";
    static const char *const lines[] = {
        "call push(1)",  "[] call push(1)", "[a] call push(1)", "[-1] call push(1)",
        "[1] push(1)",   "[1] call",        "[1] call (1)",     "[1] calls push(1)",
        "[1] returns 1", "[1 call push(1)", "0 crash",
    };
    struct text input = TEXT_EMPTY, message = TEXT_EMPTY;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        text_clear(&input);
        text_clear(&message);
        text_format(&input, "# @object atomic-stack\n[7] call pop\n  %s\n", lines[i]);
        text_format(&message, "%s%s", expected, lines[i]);
        assert_refuses("limo", text_string(&input), 3, text_string(&message));
    }
    text_release(&input);
    text_release(&message);
    assert_refuses(NULL, "[1] call push(1\n", 1,
                   "expected ) at the end of the call, found the end of the line");
    assert_refuses(NULL, "# @object atomic-stack\n[1] call pop(3)\n[1] return 4\n", 3,
                   "expected the return of what `pop` was called with in line 2, found another "
                   "value");
    assert_refuses(NULL, "# @object stack\n[1] call add(3)\n# @object atomic-queue\n", 3,
                   "expected one @object for all operations, found queue behind stack");
    assert_refuses(NULL, "[1] call pop\n[1] call pop\n", 2, NULL);
    assert_refuses(NULL, "[1] call pop\n[2] return 3\n", 2, NULL);
    assert_refuses(NULL, "[1] call push(\xff)\n", 1, "expected UTF-8, found other bytes");
}

/* Not passed over, as if the operations were of no object that has names for them. */
static void an_object_far_behind_the_beginning_is_refused(void **unused)
{
    (void)unused;
    struct text input = TEXT_EMPTY;
    uint32_t lines = 1;
    for (; input.length < (size_t)64 << 10; lines += 2)
        text_append(&input, "[1] call add(@object queue)\n[1] return\n");
    size_t length = input.length;
    text_append(&input, "# @object atomic-stack\n");
    assert_refuses(NULL, text_string(&input), lines,
                   "expected @object within the first 64 KiB, found it behind operations that were "
                   "read without");
    input.bytes[length] = 0;
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input.bytes, length, NULL);
    assert_null(history->specification); /* what stands in a value says nothing */
    history_destroy(history);
    library_close(&library);
    text_release(&input);
}

static void what_was_read_is_written_back(void **unused)
{
    (void)unused;
    assert_round_trip(NULL,
                      "# @object atomic-priorityqueue\n"
                      "[1] call add(1)\n[2] call add(b (c)\n[1] return\n[3] call poll(1)\n"
                      "[2] return\n[3] return\n[4] call poll\n[4] return empty\n"
                      "[5] call add([\"empty\" empty])\n[5] return\n[6] call poll\n",
                      "limo");
    assert_round_trip(NULL, "# @object atomic-queue\n", "limo");
    assert_round_trip(NULL, "[1] call pop(1)\n[1] return 2\n[2] call pop\n[2] return\n", "limo");
    assert_round_trip(NULL, "[1] call f\n[1] return a\n[2] call add(2)\n[2] return true\n", "limo");
    /* Other formats' strings that would read as something else. */
    static const char input[] =
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"enqueue\",\"value\":\"empty\"}\n"
        "{\"process\":1,\"type\":\"invoke\",\"f\":\"enqueue\",\"value\":\"7\"}\n"
        "{\"process\":2,\"type\":\"invoke\",\"f\":\"enqueue\",\"value\":\" a\\n\"}\n"
        "{\"process\":3,\"type\":\"invoke\",\"f\":\"enqueue\",\"value\":\"\"}\n"
        "{\"process\":1,\"type\":\"info\",\"f\":\"enqueue\",\"value\":\"7\"}\n"
        "{\"process\":0,\"type\":\"ok\",\"f\":\"enqueue\",\"value\":\"empty\"}\n";
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, input, strlen(input), NULL);
    size_t length;
    char *written = library_write(history, "limo", &length);
    assert_string_equal(written, "# @object atomic-queue\n"
                                 "[1] call enqueue(\"empty\")\n[2] call enqueue(\"7\")\n"
                                 "[3] call enqueue(\" a\\n\")\n[4] call enqueue(\"\")\n"
                                 "[1] return\n");
    assert_reads(NULL, written,
                 "1 invoke enqueue \"empty\"\n2 invoke enqueue \"7\"\n"
                 "3 invoke enqueue \" a\\n\"\n4 invoke enqueue \"\"\n1 ok\n");
    free(written);
    history_destroy(history);
    library_close(&library);
}

static void what_limo_cannot_say_is_not_written(void **unused)
{
    (void)unused;
    static const struct {
        const char *input, *what;
    } cases[] = {
        {"{:process 0 :type :invoke :f :pop}\n{:process 0 :type :fail :f :pop}",
         "an operation that did not happen"},
        {"{:process 0 :type :invoke :f :get :key 3}", "a key"},
        {"{:process 0 :type :invoke :f :get :object :q}", "an object"},
        {"{:process 0 :type :invoke :f :push :value a}",
         "a value that is a symbol, or text that no line can hold"},
        {"{:process 0 :type :invoke :f \"a b\"}", "such a name"},
        {"{:process 0 :type :invoke :f :pop}\n{:process 0 :type :ok :f :pop}",
         "a result that was not recorded"},
        {"{:process 0 :type :invoke :f :pop :value 1}\n{:process 0 :type :ok :f :pop :value 2}",
         "an argument that is not the result"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_cannot_write("edn", cases[i].input, "limo", cases[i].what);
}

/* Real files: the operations that their authors list, by a plain count of the lines. */
static void real_files_have_their_operations(void **unused)
{
    (void)unused;
    static const struct {
        const char *file, *specification;
        size_t operations, nothing; /* `return empty` */
    } cases[] = {
        {"ScalObject-msq.0.log", "queue", 10000, 104}, {"ScalObject-ukq.00.log", "queue", 10, 1},
        {"my-sync-stack.0.log", "stack", 531, 1},      {"my-sync-stack.3.log", "stack", 507, 16},
        {"my-sync-stack.8.log", "stack", 486, 3},      {"my-unsafe-stack.0.log", "stack", 528, 36},
        {"my-unsafe-stack.9.log", "stack", 517, 26},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text path = TEXT_EMPTY;
        text_format(&path, SHARED_DIR "/data/histories/limo/%s", cases[i].file);
        FILE *file = fopen(text_string(&path), "rb");
        text_release(&path);
        if (!file)
            skip();
        char *bytes = malloc(1 << 20);
        size_t length = fread(bytes, 1, 1 << 20, file), nothing = 0;
        fclose(file);
        struct library library;
        library_open(&library, 0);
        struct history *history = library_read_one(&library, bytes, length, NULL);
        assert_int_equal(history->operations.length, cases[i].operations);
        assert_string_equal(history->specification, cases[i].specification);
        for (size_t o = 0; o < history->operations.length; o++) {
            const struct operation *operation = &history->operations.items[o];
            const char *name = history_function_name(history, operation->function);
            assert_int_equal(operation->outcome, OUTCOME_OK);
            nothing += (!strcmp(name, "dequeue") || !strcmp(name, "pop")) &&
                       operation->result == VALUE_NIL;
        }
        assert_int_equal(nothing, cases[i].nothing);
        size_t written_length;
        char *written = library_write(history, "limo", &written_length);
        struct history *again = library_read_one(&library, written, written_length, NULL);
        assert_null(history_difference(history, again));
        history_destroy(again);
        free(written);
        history_destroy(history);
        library_close(&library);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_object_decides_what_operations_are_called),
        cmocka_unit_test(lines_may_be_indented_and_calls_be_without_parentheses),
        cmocka_unit_test(values_are_opaque),
        cmocka_unit_test(results_may_stand_in_the_call_or_nowhere),
        cmocka_unit_test(ill_formed_input_is_refused),
        cmocka_unit_test(an_object_far_behind_the_beginning_is_refused),
        cmocka_unit_test(what_was_read_is_written_back),
        cmocka_unit_test(what_limo_cannot_say_is_not_written),
        cmocka_unit_test(real_files_have_their_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

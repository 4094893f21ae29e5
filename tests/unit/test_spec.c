/* Sequential specifications: the tables are complete, creation and binding refuse what is wrong and
 * say why, calls are printed in the object's own terms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "spec/builtin.h"
#include "support/generate.h"
#include "support/script.h"

/* --- the tables --- */

static void every_table_is_complete(void **unused)
{
    (void)unused;
    size_t count;
    const struct spec_class *const *classes = spec_classes(&count);
    assert_int_equal(count, 17);
    for (size_t i = 0; i < count; i++) {
        const struct spec_class *class = classes[i];
        const struct spec_class *named = spec_class_find(class->name, strlen(class->name));
        assert_true(named == class || (class->parameters && !named->parameters));
        assert_true(spec_class_is_builtin(class));
        assert_non_null(class->summary);
        assert_non_null(class->init);
        assert_non_null(class->step);
        assert_non_null(class->print_state);
        assert_true(!class->open == !class->apply && !class->open == !class->close);
        for (size_t j = 0; j < class->operation_count; j++) {
            const struct spec_operation *operation = &class->operations[j];
            assert_non_null(operation->argument);
            assert_non_null(operation->result);
            assert_null(strchr(operation->name, '_'));
            int found = spec_operation_find(class, operation->name, strlen(operation->name));
            assert_int_equal(found, j);
            for (size_t k = 0; operation->aliases[k]; k++) {
                const char *alias = operation->aliases[k];
                assert_int_equal(spec_operation_find(class, alias, strlen(alias)), j);
            }
        }
    }
}

static void hyphen_and_underscore_are_the_same(void **unused)
{
    (void)unused;
    const struct spec_class *class = spec_class_find("priority_queue", 14);
    assert_non_null(class);
    assert_int_equal(spec_operation_find(class, "delete_min", 10), 1);
    assert_int_equal(spec_operation_find(class, "delete-min", 10), 1);
    assert_int_equal(spec_operation_find(class, "Delete-min", 10), -1);
    assert_null(spec_class_find("Queue", 5));
}

/* --- creation --- */

#define SPECIFICATIONS                                                                             \
    "expected a specification (register, cas-register, mutex, semaphore(n), queue, queue(n), "     \
    "unordered-queue, stack, stack(n), set, grow-set, counter, priority-queue, deque, deque(n), "  \
    "multi-register, map), found "

static const struct {
    const char *text; /* NAME, or NAME = INITIAL */
    const char *message;
} bad_requests[] = {
    {"quee", SPECIFICATIONS "quee; did you mean queue?"},
    {"Priority_Queue", SPECIFICATIONS "Priority_Queue; did you mean priority-queue?"},
    {"elephant", SPECIFICATIONS "elephant"},
    {"", SPECIFICATIONS},
    {"a name that is longer than any that we would compare with", SPECIFICATIONS "a"},
    {"register(3)", "expected register without parameters, found register(3)"},
    {"queue(0)", "queue: expected how many values it holds at most, at least 1, as in queue(2)"},
    {"stack(1, 2)", "stack: expected how many values it holds at most, at least 1, as in stack(2)"},
    {"deque()", "parameters of deque: expected integers, `initial = VALUE` or `owned` in "
                "parentheses, found ()"},
    {"deque(2) = [1 2 3]", "initial value of deque: expected a list of at most 2 values, found 3"},
    {"queue 3", "parameters of queue: expected integers, `initial = VALUE` or `owned` in "
                "parentheses, found 3"},
    {"semaphore(x)", "parameters of semaphore: expected integers, `initial = VALUE` or `owned` in "
                     "parentheses, found (x)"},
    {"semaphore(3", "parameters of semaphore: expected integers, `initial = VALUE` or `owned` in "
                    "parentheses, found (3"},
    {"semaphore(3) x", "parameters of semaphore: expected integers, `initial = VALUE` or `owned` "
                       "in parentheses, found (3) x"},
    {"semaphore(99999999999999999999)",
     "parameters of semaphore: expected integers, `initial = VALUE` or `owned` in parentheses, "
     "found (99999999999999999999)"},
    {"semaphore(1,2,3,4,5)", "parameters of semaphore: expected integers, `initial = VALUE` or "
                             "`owned` in parentheses, found (1,2,3,4,5)"},
    {"semaphore", "semaphore: expected its number of permits, at least 1, as in semaphore(3)"},
    {"semaphore(0)", "semaphore: expected its number of permits, at least 1, as in semaphore(3)"},
    {"semaphore(1, 2)",
     "semaphore: expected its number of permits, at least 1, as in semaphore(3)"},
    {"semaphore(3) = 4", "initial value of semaphore: expected the number of free permits, from 0 "
                         "to its parameter, found 4"},
    {"mutex = 3", "initial value of mutex: expected free or held, found 3"},
    {"queue = 3", "initial value of queue: expected a list of values other than nil, front first "
                  "(of a stack: bottom first), found 3"},
    {"stack = [1 nil]", "initial value of stack: expected a list of values other than nil, front "
                        "first (of a stack: bottom first), found [1 nil]"},
    {"set = {1 2}",
     "initial value of set: expected a list or set of values other than nil, found {1 2}"},
    {"counter = 1.5", "initial value of counter: expected an integer, found 1.5"},
    {"priority-queue = [1 \"x\"]",
     "initial value of priority-queue: expected a list of numbers of 64 bits, found [1 \"x\"]"},
};

static void wrong_requests_are_explained(void **unused)
{
    (void)unused;
    struct made made;
    struct error error;
    for (size_t i = 0; i < ARRAY_LENGTH(bad_requests); i++) {
        assert_int_equal(made_open(&made, bad_requests[i].text, false, false, &error),
                         STATUS_USAGE);
        assert_string_equal(error.message, bad_requests[i].message);
        assert_null(made.spec);
        made_close(&made);
    }
    assert_int_equal(made_open(&made, "queue", true, false, &error), STATUS_USAGE);
    assert_string_equal(error.message, "queue has no owner to be checked");
    made_close(&made);
    assert_int_equal(made_open(&made, "queue", false, true, &error), STATUS_USAGE);
    assert_string_equal(error.message, "queue has no reads of nil to be left unchecked");
    made_close(&made);
    assert_int_equal(made_open(&made, "mutex = held", true, false, &error), STATUS_USAGE);
    assert_string_equal(error.message,
                        "initial value of mutex: expected free (nobody could release it when only "
                        "its owner may), found held");
    made_close(&made);
}

/* --- binding --- */

static const struct {
    const char *spec, *operation, *argument;
    const char *result; /* null: not completed */
    const char *message;
} bad_shapes[] = {
    {"queue", "enqueue", "nil", NULL,
     "enqueue: expected a value other than nil (which reads as empty), found nil"},
    {"stack", "push", "nil", NULL,
     "push: expected a value other than nil (which reads as empty), found nil"},
    {"deque", "push-front", "nil", NULL,
     "push-front: expected a value other than nil (which reads as empty), found nil"},
    {"deque", "push-back", "nil", NULL,
     "push-back: expected a value other than nil (which reads as empty), found nil"},
    {"set", "add", "nil", NULL, "add: expected an element, not nil, found nil"},
    {"set", "contains", "nil", "false", "contains: expected an element, not nil, found nil"},
    {"cas-register", "cas", "3", NULL, "cas: expected [old new], found 3"},
    {"cas-register", "cas", "[1 2 3]", NULL, "cas: expected [old new], found [1 2 3]"},
    {"cas-register", "cas", "#{1 2}", NULL, "cas: expected [old new], found #{1 2}"},
    {"counter", "add", "1.5", NULL, "add: expected an integer of 64 bits, found 1.5"},
    {"counter", "add", "nil", NULL, "add: expected an integer of 64 bits, found nil"},
    {"counter", "inc", "2", NULL, "inc: expected no argument (it adds 1), found 2"},
    {"counter", "read", "nil", "nil", "read: expected an integer of 64 bits as result, found nil"},
    {"priority-queue", "insert", "\"x\"", NULL,
     "insert: expected a number of 64 bits, found \"x\""},
    {"priority-queue", "insert", "nil", NULL, "insert: expected a number of 64 bits, found nil"},
    {"priority-queue", "insert", "12345678901234567890", NULL,
     "insert: expected a number of 64 bits, found 12345678901234567890"},
    {"priority-queue", "delete-min", "nil", "[1]",
     "delete-min: expected a number of 64 bits or nil as result, found [1]"},
    {"multi-register", "txn", "3", NULL, "txn: expected [[:read k nil] [:write k v] ...], found 3"},
    {"multi-register", "txn", "[[:read :x nil] [:add :x 1]]", NULL,
     "txn: expected [:read k nil] or [:write k v], found [:add :x 1]"},
    {"multi-register", "txn", "[[:write :x]]", NULL,
     "txn: expected [:read k nil] or [:write k v], found [:write :x]"},
    {"multi-register", "txn", "[[:write nil 1]]", NULL,
     "txn: expected [:read k nil] or [:write k v], found [:write nil 1]"},
    {"multi-register", "txn", "[[:read :x nil]]", "[]",
     "txn: expected the micro-operations of the invocation with the reads filled in, found []"},
    {"multi-register", "txn", "[[:read :x nil]]", "[[:read :y 1]]",
     "txn: expected the micro-operations of the invocation with the reads filled in, found "
     "[[:read :y 1]]"},
    {"multi-register", "txn", "[[:read :x nil]]", "[[:write :x 1]]",
     "txn: expected the micro-operations of the invocation with the reads filled in, found "
     "[[:write :x 1]]"},
    {"multi-register", "read", "nil", "1", "read: expected a key, not nil, found nil"},
    {"multi-register", "write", "3", NULL, "write: expected [k v], found 3"},
    {"map", "put", "3", NULL, "put: expected [k v], found 3"},
    {"map", "put", "[nil 3]", NULL,
     "put: expected a key, not nil, as the first component, found [nil 3]"},
    {"map", "put", "[:x nil]", NULL,
     "put: expected a value other than nil (which reads as missing), found [:x nil]"},
    {"map", "append", "[:x]", NULL, "append: expected [k s], found [:x]"},
    {"map", "get", "nil", "1", "get: expected a key, not nil, found nil"},
    {"map", "delete", "nil", NULL, "delete: expected a key, not nil, found nil"},
    {"map", "cas", "[:x 1]", NULL, "cas: expected [k old new], found [:x 1]"},
    {"map", "cas", "[:x 1 nil]", NULL,
     "cas: expected a value other than nil (which reads as missing), found [:x 1 nil]"},
    {"map", "put-if-revision", "[:x -1 1]", NULL,
     "put-if-revision: expected a revision (an integer from 0) as the second component, found "
     "[:x -1 1]"},
    {"map", "put-if-revision", "[:x \"a\" 1]", NULL,
     "put-if-revision: expected a revision (an integer from 0) as the second component, found "
     "[:x \"a\" 1]"},
};

static void wrong_shapes_are_explained(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(bad_shapes); i++) {
        struct made made;
        struct error error;
        assert_int_equal(made_open(&made, bad_shapes[i].spec, false, false, &error), STATUS_OK);
        const char *name = bad_shapes[i].operation, *result = bad_shapes[i].result;
        int operation = spec_operation_find(made.spec->class, name, strlen(name));
        struct recorded recorded = {
            .argument = test_value(made.pool, bad_shapes[i].argument),
            .result = result ? test_value(made.pool, result) : VALUE_NIL,
            .completed = result != NULL,
            .result_recorded = result != NULL,
        };
        struct call call;
        struct text complaint = TEXT_EMPTY;
        enum status status =
            spec_bind(made.spec, (uint16_t)operation, &recorded, &call, &complaint);
        assert_string_equal(text_string(&complaint), bad_shapes[i].message);
        assert_int_equal(status, STATUS_INPUT);
        text_release(&complaint);
        made_close(&made);
    }
}

/* --- printing --- */

static void calls_are_printed_for_people(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec, *call, *text;
    } calls[] = {
        {"queue", "enq 7 -> ok", "enqueue 7"},
        {"queue", "dequeue -> 3", "dequeue -> 3"},
        {"queue", "dequeue -> nil", "dequeue -> nil"},
        {"queue", "dequeue -> ?", "dequeue -> ?"},
        {"set", "add :x -> true", "add :x -> true"},
        {"cas-register", "cas [1 2]", "cas [1 2] -> true"},
        {"cas-register", "write [1 2]", "write [1 2]"},
        {"map", "put [\"x\" [1]]", "put [\"x\" [1]]"},
        {"map", "put-if-revision [\"x\" 3 1] -> {:ok false :revision 4}",
         "put-if-revision [\"x\" 3 1] -> {:ok false, :revision 4}"},
        {"multi-register", "txn [[r x nil] [w y 1]] -> ?", "txn [[:read x nil] [:write y 1]] -> ?"},
        {"mutex", "acquire 5", "acquire"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(calls); i++) {
        struct made made;
        struct error error;
        assert_int_equal(made_open(&made, calls[i].spec, false, false, &error), STATUS_OK);
        const char *at = calls[i].call;
        bool legal;
        struct call call = script_call(&made, &at, &legal);
        struct text text = TEXT_EMPTY;
        spec_print_call(made.spec, &call, &text);
        assert_string_equal(text_string(&text), calls[i].text);
        text_release(&text);
        made_close(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_is_complete),
        cmocka_unit_test(hyphen_and_underscore_are_the_same),
        cmocka_unit_test(wrong_requests_are_explained),
        cmocka_unit_test(wrong_shapes_are_explained),
        cmocka_unit_test(calls_are_printed_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

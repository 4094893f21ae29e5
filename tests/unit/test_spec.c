/* Sequential specifications: the tables are complete, creation and binding refuse what is wrong and
 * say why, every operation does what it should, and the two implementations of every object, step
 * and replay, agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "spec/spec.h"
#include "support/generate.h"
#include "value/print.h"

/* --- the tables --- */

static void every_table_is_complete(void **unused)
{
    (void)unused;
    size_t count;
    const struct spec_class *const *classes = spec_classes(&count);
    assert_int_equal(count, 12);
    for (size_t i = 0; i < count; i++) {
        const struct spec_class *class = classes[i];
        assert_ptr_equal(spec_class_find(class->name, strlen(class->name)), class);
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

struct fixture {
    struct budget budget;
    struct value_pool *pool;
    struct spec *spec;
};

/* `name`, then perhaps ` = INITIAL`. */
static enum status create(struct fixture *fixture, const char *text, bool owned, bool nil_reads,
                          struct error *error)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    fixture->pool = value_pool_create(&fixture->budget);
    char name[64] = {0};
    const char *initial = strstr(text, " = ");
    strncpy(name, text, initial ? (size_t)(initial - text) : sizeof name - 1);
    struct spec_request request = {.name = name, .owned = owned, .nil_reads = nil_reads};
    if (initial) {
        request.initial = test_value(fixture->pool, initial + 3);
        request.has_initial = true;
    }
    return spec_create(&request, fixture->pool, &fixture->budget, &fixture->spec, error);
}

static void fixture_close(struct fixture *fixture)
{
    spec_destroy(fixture->spec);
    value_pool_destroy(fixture->pool);
    assert_int_equal(fixture->budget.used, 0);
}

#define SPECIFICATIONS                                                                             \
    "expected a specification (register, cas-register, mutex, semaphore(n), queue, stack, set, "   \
    "counter, priority-queue, deque, multi-register, map), found "

static const struct {
    const char *text; /* NAME, or NAME = INITIAL */
    const char *message;
} bad_requests[] = {
    {"quee", SPECIFICATIONS "quee; did you mean queue?"},
    {"Priority_Queue", SPECIFICATIONS "Priority_Queue; did you mean priority-queue?"},
    {"elephant", SPECIFICATIONS "elephant"},
    {"", SPECIFICATIONS},
    {"a name that is longer than any that we would compare with", SPECIFICATIONS "a"},
    {"queue(3)", "queue takes no parameters"},
    {"queue 3", "parameters of queue: expected integers in parentheses, found 3"},
    {"semaphore(x)", "parameters of semaphore: expected integers in parentheses, found (x)"},
    {"semaphore(3", "parameters of semaphore: expected integers in parentheses, found (3"},
    {"semaphore(3) x", "parameters of semaphore: expected integers in parentheses, found (3) x"},
    {"semaphore(99999999999999999999)",
     "parameters of semaphore: expected integers in parentheses, found (99999999999999999999)"},
    {"semaphore(1,2,3,4,5)",
     "parameters of semaphore: expected integers in parentheses, found (1,2,3,4,5)"},
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
     "initial value of priority-queue: expected a list of numbers, found [1 \"x\"]"},
};

static void wrong_requests_are_explained(void **unused)
{
    (void)unused;
    struct fixture fixture;
    struct error error;
    for (size_t i = 0; i < ARRAY_LENGTH(bad_requests); i++) {
        assert_int_equal(create(&fixture, bad_requests[i].text, false, false, &error),
                         STATUS_USAGE);
        assert_string_equal(error.message, bad_requests[i].message);
        assert_null(fixture.spec);
        fixture_close(&fixture);
    }
    assert_int_equal(create(&fixture, "queue", true, false, &error), STATUS_USAGE);
    assert_string_equal(error.message, "queue has no owner to be checked");
    fixture_close(&fixture);
    assert_int_equal(create(&fixture, "queue", false, true, &error), STATUS_USAGE);
    assert_string_equal(error.message, "queue has no reads of nil to be left unchecked");
    fixture_close(&fixture);
    assert_int_equal(create(&fixture, "mutex = held", true, false, &error), STATUS_USAGE);
    assert_string_equal(error.message,
                        "initial value of mutex: expected free (nobody could release it when only "
                        "its owner may), found held");
    fixture_close(&fixture);
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
    {"priority-queue", "insert", "\"x\"", NULL, "insert: expected a number, found \"x\""},
    {"priority-queue", "insert", "nil", NULL, "insert: expected a number, found nil"},
    {"priority-queue", "delete-min", "nil", "[1]",
     "delete-min: expected a number or nil as result, found [1]"},
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
        struct fixture fixture;
        struct error error;
        assert_int_equal(create(&fixture, bad_shapes[i].spec, false, false, &error), STATUS_OK);
        const char *name = bad_shapes[i].operation, *result = bad_shapes[i].result;
        int operation = spec_operation_find(fixture.spec->class, name, strlen(name));
        struct recorded recorded = {
            .argument = test_value(fixture.pool, bad_shapes[i].argument),
            .result = result ? test_value(fixture.pool, result) : VALUE_NIL,
            .completed = result != NULL,
            .result_recorded = result != NULL,
        };
        struct call call;
        struct text complaint = TEXT_EMPTY;
        enum status status =
            spec_bind(fixture.spec, (uint16_t)operation, &recorded, &call, &complaint);
        assert_string_equal(text_string(&complaint), bad_shapes[i].message);
        assert_int_equal(status, STATUS_INPUT);
        text_release(&complaint);
        fixture_close(&fixture);
    }
}

/* --- what the operations do --- */

/* The states that step says are possible. */
struct states {
    const struct spec *spec;
    struct outcomes now, next;
};

static void states_open(struct states *states, const struct spec *spec, value key,
                        struct budget *budget)
{
    states->spec = spec;
    outcomes_init(&states->now, budget);
    outcomes_init(&states->next, budget);
    assert_true(spec->class->init(spec, key, &states->now));
    assert_int_equal(states->now.items.length, 1);
}

static void states_close(struct states *states)
{
    outcomes_release(&states->now);
    outcomes_release(&states->next);
}

/* Fills `next`; false if the call is illegal. */
static bool states_try(struct states *states, const struct call *call)
{
    outcomes_clear(&states->next);
    for (size_t i = 0; i < states->now.items.length; i++) {
        const struct outcome *item = &states->now.items.items[i];
        const uint64_t *words = states->now.words.items + item->start;
        size_t before = states->next.items.length;
        assert_true(
            states->spec->class->step(states->spec, words, item->length, call, &states->next));
        for (size_t j = before; j < states->next.items.length; j++) {
            const struct outcome *after = &states->next.items.items[j];
            assert_true(!call->result_known || after->result == call->result ||
                        !states->spec->class->operations[call->operation].result[0]);
            if (call->read_only) {
                assert_int_equal(after->length, item->length);
                assert_memory_equal(states->next.words.items + after->start, words,
                                    item->length * sizeof *words);
            }
        }
    }
    return states->next.items.length > 0;
}

static void states_advance(struct states *states)
{
    struct outcomes swap = states->now;
    states->now = states->next;
    states->next = swap;
}

static void print_states(const struct states *states, struct text *text)
{
    for (size_t i = 0; i < states->now.items.length; i++) {
        const struct outcome *item = &states->now.items.items[i];
        text_append(text, i > 0 ? " or " : "");
        states->spec->class->print_state(states->spec, states->now.words.items + item->start,
                                         item->length, text);
    }
}

/* Calls separated by `;`: an operation with its argument; then ` -> RESULT` if one was recorded,
 * `-> ?` if it is pending, nothing if it completed without one; `@2`: by process 2, else 0; `!` in
 * front: it is illegal, and the object stays as it is. Every script runs through step and through
 * replay; `end` is what the possible states print as. */
struct script {
    const char *spec; /* NAME, or NAME = INITIAL */
    const char *key;  /* of the part; null: whole */
    bool owned, nil_reads;
    const char *calls;
    const char *end;
};

static const struct script scripts[] = {
    {"register", NULL, false, false,
     "read -> nil; write 3; read -> 3; !read -> nil; write 4 -> 4; !read -> 3; read -> ?; read; "
     "write nil; read -> nil",
     "nil"},
    {"register = 0", NULL, false, false, "read -> 0; !read -> nil", "0"},
    {"register", NULL, false, true, "write 3; read -> nil; !read -> 4", "3"},
    {"register", NULL, false, false, "write 1; read 1; !read 2", "1"},
    {"cas-register = 1", NULL, false, false,
     "cas [1 2]; read -> 2; !cas [1 3]; cas [2 3] -> [2 3]; cas [3 4] -> true; !cas [4 5] -> "
     "false; cas [3 5] -> false; read -> 4; cas [9 9] -> ?; read -> 4; cas [4 9] -> ?; read -> 9",
     "9"},
    {"mutex", NULL, false, false, "!release; acquire; !acquire @1; release @1; acquire", "held"},
    {"mutex", NULL, true, false,
     "acquire @1; !acquire @1; !release @2; release @1; !release @1; acquire @2; release @2",
     "free"},
    {"mutex = held", NULL, false, false, "!acquire; release", "free"},
    {"mutex = free", NULL, true, false, "acquire", "held"},
    {"semaphore(2)", NULL, false, false,
     "!release; acquire; acquire @1; !acquire; release @2; release; !release", "2 of 2 free"},
    {"semaphore (2) = 0", NULL, false, false, "!acquire; release", "1 of 2 free"},
    {"queue", NULL, false, false,
     "deq -> nil; enq 1; enqueue 2 -> ok; !deq -> 2; !deq -> nil; deq -> 1; deq; deq -> nil; "
     "enqueue 1; dequeue 1; enqueue 4; enqueue 4; !dequeue 1; deq -> ?",
     "[4]"},
    {"queue = [7 8]", NULL, false, false, "enqueue 9; dequeue -> 7", "[8 9]"},
    {"stack = [7 8]", NULL, false, false,
     "push 9; pop -> 9; !pop -> 7; pop -> 8; pop -> 7; pop -> nil; push 1; !pop -> nil", "[1]"},
    {"set", NULL, false, false,
     "contains 1 -> false; add 1 -> true; !add 1 -> true; add 1 -> false; add 2 -> 2; add 2; "
     "!add 3 -> false; contains 2 -> true; remove 2; remove 2 -> false; !remove 1 -> false; "
     "add 3 -> ?; !remove 2 -> true; add :a",
     "#{1 3 :a}"},
    {"set = [2 1 2]", NULL, false, false, "!add 2 -> true; add 2 -> false", "#{1 2}"},
    {"set = #{1 2}", "2", false, false, "contains 2 -> true; remove 2 -> true; remove 2 -> false",
     "#{}"},
    {"set = #{1 2}", "3", false, false, "contains 3 -> false; add 3", "#{3}"},
    {"counter", NULL, false, false,
     "read -> 0; add 5; inc; !read -> 5; read -> 6; add -7; inc -> 9; read -> 0; read", "0"},
    {"counter = 9223372036854775807", NULL, false, false,
     "inc; !read -> -9223372036854775808; !read -> 9223372036854775807; read -> ?; add "
     "9223372036854775807; add 2; add -9223372036854775807; add -9223372036854775807; add -3; "
     "read -> 0; add -9223372036854775808; inc; inc; add -3; read",
     "-9223372036854775809"},
    {"priority-queue = [3 1.0]", NULL, false, false,
     "insert 2; !delete-min -> 2; delete_min -> 1; insert 1.5; delete-min -> 1.5; insert -4; "
     "insert 2.0; delete-min -> -4.0; delete-min -> 2.0; delete-min -> 2; !delete-min -> nil; "
     "delete-min; delete-min -> nil; insert 1e300; insert 9223372036854775807",
     "[9223372036854775807 1e+300]"},
    {"deque = [1 2]", NULL, false, false,
     "push-front 0; push_back 3; !pop-front -> 3; pop-back -> 3; pop-front -> 0; pop-back; "
     "pop-front -> 1; pop-front -> nil; pop-back -> nil; push-front 8; push-front 9",
     "[9 8]"},
    {"multi-register = {x 0 \"y\" 1}", NULL, false, false,
     "read :x -> 0; read \"y\" -> 1; read y -> 1; read :z -> nil; txn [[:read :x nil] [:write :z "
     "2]] -> [[:read :x 0] [:write :z 2]]; !txn [[:r :z nil]] -> [[:r :z nil]]; txn [[\"r\" :z "
     "nil] [w :x 5] [read :x]] -> [[r :z 2] [w :x 5] [r :x 5]]; !txn [[:write :x 7] [:read :x "
     "nil]] -> [[:write :x 7] [:read :x 5]]; write [:y 3]; txn [[:read :y nil]] -> [[:read :y]]; "
     "txn []; write [:z nil]; write [:x 1]; write [:x 0]",
     "{:y 3}"},
    {"multi-register = 0", ":x", false, true,
     "txn [[:read :x nil]] -> [[:read :x nil]]; !read :x -> 1; read :x -> nil; write [:x 2]; txn "
     "[[:read :x nil] [:write :x 4]] -> ?",
     "{:x 4}"},
    {"map", NULL, false, false,
     "get :x -> nil; put [:x 1]; get :x -> 1; !get :x -> nil; put [:y 2] -> [:y 2]; delete :x; "
     "delete :x; get :x -> nil; cas [:y 2 3]; !cas [:y 2 4]; cas [:y 2 4] -> false; !cas [:y 3 4] "
     "-> {:ok false}; cas [:x nil 6] -> {\"ok\" true}; !cas [:x nil 6]; get :y -> ?; get :y",
     "{:x 6, :y 3}"},
    {"map = 0", ":x", false, false, "get :x -> 0; delete :x; get :x -> nil; put [:x 0]", "{:x 0}"},
    {"map = {x 0, y 1}", NULL, false, false, "get :x -> 0; put [:x 5]; put [:x 0]; delete :y",
     "{:y nil}"},
    {"map", NULL, false, true, "put [:x 1]; get :x -> nil; !get :x -> 2", "{:x 1}"},
    {"map = \"\"", ":x", false, false,
     "get :x -> \"\"; append [:x \"a\"]; append [:x \"bc\"]; get :x -> \"abc\"; !append [:x 1]",
     "{:x \"abc\"}"},
    {"map", NULL, false, false,
     "append [:x \"a\"]; append [:x \"b\"]; append [:y 1]; append [:y \"c\"]; get :y -> [1 \"c\"]; "
     "put [:z 5]; !append [:z \"c\"]; !append [:z 1]",
     "{:x \"ab\", :y [1 \"c\"], :z 5}"},

    /* Revisions: an exact one must be met, an open one is settled by the first that shows it. */
    {"map", ":x", false, false,
     "put-if-revision [:x 0 1]; !put-if-revision [:x 0 2]; put-if-revision [:x 7 2]; "
     "!put-if-revision [:x 7 3]; put-if-revision [:x 8 3] -> true; get :x -> 3",
     "{:x 3}"},
    {"map", ":x", false, false,
     "get :x -> {:value nil :revision 0}; put [:x 1] -> {:revision 5}; !get :x -> {:value 1 "
     ":revision 6}; !get :x -> {:value 2 :revision 5}; get :x -> {\"value\" 1 \"revision\" 5}; "
     "get :x -> 1; !put-if-revision [:x 4 2]; put-if-revision [:x 4 2] -> false; "
     "!put-if-revision [:x 5 2] -> false; !put-if-revision [:x 5 2] -> {:ok true :revision 5}; "
     "put-if-revision [:x 5 2] -> {:ok true :revision 6}; !put [:x 1] -> {:revision 6}; "
     "put [:x 3]; !get :x -> {:value 3 :revision 6}; get :x -> {:value 3 :revision 9}; !get :x -> "
     "{:value 3 :revision 8}; !delete :x -> {:revision 9}; delete :x -> {:revision 10}; !delete "
     ":x -> {:revision 9}; delete :x -> {:revision 12}; !put [:x 1] -> {:revision 12}; "
     "put-if-revision [:x 0 4] -> {:revision 13}; get :x -> {:value 4 :revision 13}",
     "{:x 4}"},
    {"map", ":x", false, false,
     "put [:x 1] -> {:revision 5}; put-if-revision [:x 4 2] -> {:ok false :revision 8}; "
     "!put-if-revision [:x 4 2] -> {:ok false :revision 4}; !put-if-revision [:x 4 2] -> {:ok "
     "false :value 1 :revision 4}; put-if-revision [:x 4 2] -> {:ok false :value 1 :revision 5}; "
     "put [:x 2]; !put-if-revision [:x 7 2] -> {:ok false :value 2 :revision 7}; put-if-revision "
     "[:x 7 2] -> {:ok false :value 2 :revision 6}; !get :x -> {:value 2 :revision 7}; !append "
     "[:x 3]",
     "{:x 2}"},
    /* Pending: done or not, both stay possible until something tells. */
    {"map", ":x", false, false, "put [:x 1]; put-if-revision [:x 5 2] -> ?", "{:x 2} or {:x 1}"},
    {"map", ":x", false, false,
     "put [:x 1]; put-if-revision [:x 5 2] -> ?; get :x -> 2; !get :x -> 1", "{:x 2}"},
    {"map", ":x", false, false,
     "put [:x 1] -> {:revision 5}; put-if-revision [:x 5 2] -> ?; !get :x -> 1", "{:x 2}"},
    {"map", ":x", false, false,
     "put [:x 1] -> {:revision 5}; put-if-revision [:x 6 2] -> ?; !get :x -> 2", "{:x 1}"},
    {"map", ":x", false, false, "put-if-revision [:x 3 2] -> ?; get :x -> nil", "{:x nil}"},
    /* A value that looks like an answer with a revision, put as such. */
    {"map", ":x", false, false,
     "put [:x {:value 1 :revision 2}]; get :x -> {:value 1 :revision 2}; put [:x {:a 1}]; get :x "
     "-> {:a 1}; !get :x -> {:a 2}",
     "{:x {:a 1}}"},
};

/* Reads the next EDN value; false at the end of the call. */
static bool read_value(struct fixture *fixture, const char **at, value *v)
{
    *at += strspn(*at, " ");
    if (!**at || **at == ';' || **at == '@' || strncmp(*at, "->", 2) == 0)
        return false;
    size_t used;
    struct error error;
    assert_int_equal(
        value_parse_edn(fixture->pool, *at, strlen(*at), &used, "script", 1, v, &error), STATUS_OK);
    *at += used;
    return true;
}

/* Reads and binds one call up to behind its `;`. */
static struct call read_call(struct fixture *fixture, const char **at, bool *legal)
{
    *at += strspn(*at, " ");
    *legal = **at != '!';
    *at += !*legal;
    size_t length = strcspn(*at, " ;");
    int operation = spec_operation_find(fixture->spec->class, *at, length);
    assert_true(operation >= 0);
    *at += length;
    struct recorded recorded = {.completed = true};
    read_value(fixture, at, &recorded.argument);
    *at += strspn(*at, " ");
    if (strncmp(*at, "->", 2) == 0) {
        *at += 2;
        assert_true(read_value(fixture, at, &recorded.result));
        recorded.completed = recorded.result_recorded = !value_text_is(recorded.result, "?");
        *at += strspn(*at, " ");
    }
    if (**at == '@')
        recorded.process = (uint32_t)strtoul(*at + 1, (char **)at, 10);
    assert_true(!**at || **at == ';');
    *at += **at == ';';
    struct call call;
    struct text complaint = TEXT_EMPTY;
    if (spec_bind(fixture->spec, (uint16_t)operation, &recorded, &call, &complaint) != STATUS_OK)
        fail_msg("%s", text_string(&complaint));
    return call;
}

static void run_script(const struct script *script)
{
    struct fixture fixture;
    struct error error;
    if (create(&fixture, script->spec, script->owned, script->nil_reads, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    value key = script->key ? test_value(fixture.pool, script->key) : VALUE_NIL;
    struct states states;
    states_open(&states, fixture.spec, key, &fixture.budget);
    struct spec_object *object = spec_open(fixture.spec, key, &fixture.budget);
    assert_non_null(object);
    for (const char *at = script->calls; *at;) {
        const char *start = at;
        bool legal;
        struct call call = read_call(&fixture, &at, &legal);
        value answer = VALUE_REFUSED;
        enum applied applied = spec_apply(fixture.spec, object, &call, &answer);
        if (states_try(&states, &call) != legal || (applied == APPLIED_LEGAL) != legal)
            fail_msg("%s: %.*s", script->spec, (int)(at - start), start);
        if (!legal)
            continue;
        states_advance(&states);
        assert_true(answer != VALUE_REFUSED);
    }
    struct text end = TEXT_EMPTY;
    print_states(&states, &end);
    assert_string_equal(text_string(&end), script->end);
    text_release(&end);
    spec_close(fixture.spec, object);
    states_close(&states);
    fixture_close(&fixture);
}

static void operations_do_what_they_should(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(scripts); i++)
        run_script(&scripts[i]);
}

/* --- step and replay agree --- */

/* Workloads of their own beside the shared ones: initial values, mixed numbers, revisions. */
static const struct workload more_workloads[] = {
    {.name = "queue from a list",
     .spec = "queue",
     .initial = "[3 1 2]",
     .calls = {{"enqueue", "#", NULL}, {"dequeue", NULL, "nil #"}, {"dequeue", NULL, "nil #"}}},
    {.name = "stack from a list",
     .spec = "stack",
     .initial = "[3 1 2]",
     .calls = {{"push", "#", NULL}, {"pop", NULL, "nil #"}, {"pop", NULL, "nil #"}}},
    {.name = "deque from a list",
     .spec = "deque",
     .initial = "[3 1 2]",
     .calls = {{"push-front", "#", NULL},
               {"push-back", "#", NULL},
               {"pop-front", NULL, "nil #"},
               {"pop-back", NULL, "nil #"},
               {"pop-back", NULL, "nil #"}}},
    {.name = "large set",
     .spec = "set",
     .initial = "[1 2 30 31 32 33 34 35 36 37 38 39]",
     .calls = {{"add", "##", "true false"},
               {"remove", "##", "true false"},
               {"contains", "##", "true false"}}},
    {.name = "mixed numbers",
     .spec = "priority-queue",
     .initial = "[2 1.5 1.0 1]",
     .calls = {{"insert", "#", NULL},
               {"insert", "#.0", NULL},
               {"insert", "#.5", NULL},
               {"insert", "-#", NULL},
               {"delete-min", NULL, "nil # #.0 #.5 -#"},
               {"delete-min", NULL, "nil # #.0 #.5 -#"},
               {"delete-min", NULL, "nil # #.0 #.5 -#"}}},
    {.name = "revisions",
     .spec = "map",
     .key = ":a",
     .calls = {{"put", "[:a #]", "{:revision,#}"},
               {"get", ":a", "nil # {:value,#,:revision,#}"},
               {"delete", ":a", "{:revision,#}"},
               {"put-if-revision", "[:a # #]", "true false {:ok,true,:revision,#}"}}},
};

/* A random value of a template. */
static value random_value(const struct subject *subject, struct random *random, const char *text)
{
    int64_t numbers[8];
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        numbers[i] = 1 + random_below(random, 4);
    return text ? template_value(subject, text, numbers) : VALUE_NIL;
}

/* One of the results in a blank-separated list; what begins with a bracket is the only one. */
static value random_result(const struct subject *subject, struct random *random,
                           const char *results)
{
    if (*results == '[')
        return random_value(subject, random, results);
    uint32_t count = 1;
    for (const char *at = results; *at; at++)
        count += *at == ' ';
    for (uint32_t chosen = random_below(random, count); chosen > 0; chosen--)
        results = strchr(results, ' ') + 1;
    char one[64];
    size_t length = strcspn(results, " ");
    assert_true(length < sizeof one);
    memcpy(one, results, length);
    one[length] = 0;
    return random_value(subject, random, one);
}

/* A call with a result that is known and perhaps wrong, or not known. */
static struct call random_call(const struct subject *subject, struct random *random)
{
    uint32_t count = 0;
    while (subject->workload->calls[count].operation)
        count++;
    const struct call_template *template = &subject->workload->calls[random_below(random, count)];
    struct recorded recorded = {.argument = random_value(subject, random, template->argument),
                                .completed = random_chance(random, 4, 5),
                                .process = random_below(random, 3)};
    if (recorded.completed && template->results && random_chance(random, 4, 5)) {
        recorded.result_recorded = true;
        recorded.result = random_result(subject, random, template->results);
    }
    return subject_call(subject, template->operation, &recorded);
}

/* Makes the result one that the object gives in its (first possible) present state. */
static void correct(struct states *states, struct call *call)
{
    struct call free_call = *call;
    free_call.result_known = false;
    if (states_try(states, &free_call))
        call->result = states->next.items.items[0].result;
}

static void check_call(const struct subject *subject, struct states *states,
                       struct spec_object *object, const struct call *call)
{
    value answer = VALUE_REFUSED;
    enum applied applied = spec_apply(subject->spec, object, call, &answer);
    bool legal = states_try(states, call), found = false;
    for (size_t i = 0; i < states->next.items.length; i++)
        found |= states->next.items.items[i].result == answer;
    if (applied != (legal ? APPLIED_LEGAL : APPLIED_ILLEGAL) || found != legal) {
        struct text text = TEXT_EMPTY;
        print_states(states, &text);
        text_append(&text, ": ");
        spec_print_call(subject->spec, call, &text);
        fail_msg("%s: in %s", subject->workload->name, text_string(&text));
    }
    if (legal)
        states_advance(states);
}

static void compare_step_and_replay(const struct workload *workload, struct random *random)
{
    struct subject subject;
    subject_open(&subject, workload);
    for (int run = 0; run < 100; run++) {
        struct states states;
        states_open(&states, subject.spec, subject.key, &subject.budget);
        struct spec_object *object = spec_open(subject.spec, subject.key, &subject.budget);
        assert_non_null(object);
        for (uint32_t left = random_below(random, 80); left > 0; left--) {
            struct call call = random_call(&subject, random);
            bool plain = call.result_known && !call.read_only;
            if (plain && random_chance(random, 2, 3))
                correct(&states, &call);
            check_call(&subject, &states, object, &call);
        }
        spec_close(subject.spec, object);
        states_close(&states);
    }
    subject_close(&subject);
}

static void step_and_replay_agree(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 10);
    size_t count;
    const struct workload *shared = workloads(&count);
    for (size_t i = 0; i < count; i++)
        compare_step_and_replay(&shared[i], &random);
    for (size_t i = 0; i < ARRAY_LENGTH(more_workloads); i++)
        compare_step_and_replay(&more_workloads[i], &random);
}

/* A call that was bound once may be bound again, with another result. */
static void binding_again_changes_nothing(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 11);
    size_t count;
    const struct workload *shared = workloads(&count);
    for (size_t i = 0; i < count + ARRAY_LENGTH(more_workloads); i++) {
        struct subject subject;
        subject_open(&subject, i < count ? &shared[i] : &more_workloads[i - count]);
        for (int run = 0; run < 50; run++) {
            struct call call = random_call(&subject, &random), again;
            struct recorded recorded = {.argument = call.argument,
                                        .result = call.result,
                                        .completed = call.result_known,
                                        .result_recorded = call.result_known,
                                        .process = call.process};
            struct text complaint = TEXT_EMPTY;
            assert_int_equal(spec_bind(subject.spec, call.operation, &recorded, &again, &complaint),
                             STATUS_OK);
            assert_true(again.argument == call.argument && again.result == call.result);
            assert_true(again.result_known == call.result_known || !call.result_known);
            assert_int_equal(again.read_only, call.read_only);
        }
        subject_close(&subject);
    }
}

/* --- revisions against a run that knows them all --- */

/* A key of a store whose writes get ever larger revisions. */
struct store {
    value held;       /* nil: not there */
    int64_t revision; /* of the key, 0 if it is not there */
    int64_t last;     /* of the whole store */
};

static value PRINTF_LIKE(2, 3) format_value(const struct subject *subject, const char *format, ...)
{
    struct text text = TEXT_EMPTY;
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    value v = test_value(subject->pool, text_string(&text));
    text_release(&text);
    return v;
}

/* A write that is not conditional, or a deletion (`v` nil). */
static void write_to_store(struct store *store, struct random *random, value v)
{
    store->held = v;
    store->last += 1 + random_below(random, 3);
    store->revision = v == VALUE_NIL ? 0 : store->last;
}

static void put_if_revision(const struct subject *subject, struct store *store,
                            struct random *random, struct recorded *recorded)
{
    int64_t shown = store->revision, v = 1 + random_below(random, 3);
    int64_t expected = random_chance(random, 1, 2) ? shown : (int64_t)random_below(random, 20);
    bool told = random_chance(random, 1, 2);
    recorded->argument = format_value(subject, "[:a %lld %lld]", (long long)expected, (long long)v);
    if (expected == shown) {
        write_to_store(store, random, value_small(v));
        recorded->result =
            told ? format_value(subject, "{:ok true :revision %lld}", (long long)store->last)
                 : VALUE_TRUE;
        return;
    }
    recorded->result_recorded = recorded->completed;
    recorded->result = VALUE_FALSE;
    if (store->held != VALUE_NIL && told)
        recorded->result = format_value(subject, "{:ok false :value %lld :revision %lld}",
                                        (long long)value_small_get(store->held), (long long)shown);
}

/* Runs an operation in the store and records as much of its result as comes. */
static struct call run_in_store(const struct subject *subject, struct store *store,
                                struct random *random)
{
    struct recorded recorded = {.completed = random_chance(random, 5, 6)};
    recorded.result_recorded = recorded.completed && random_chance(random, 2, 3);
    recorded.argument = test_value(subject->pool, ":a");
    int v = 1 + (int)random_below(random, 3);
    switch (random_below(random, 4)) {
    case 0:
        write_to_store(store, random, value_small(v));
        recorded.argument = format_value(subject, "[:a %d]", v);
        recorded.result = format_value(subject, "{:revision %lld}", (long long)store->last);
        return subject_call(subject, "put", &recorded);
    case 1:
        write_to_store(store, random, VALUE_NIL);
        recorded.result = format_value(subject, "{:revision %lld}", (long long)store->last);
        return subject_call(subject, "delete", &recorded);
    case 2:
        recorded.result = store->held;
        if (store->held != VALUE_NIL && random_chance(random, 1, 2))
            recorded.result =
                format_value(subject, "{:value %lld :revision %lld}",
                             (long long)value_small_get(store->held), (long long)store->revision);
        return subject_call(subject, "get", &recorded);
    default:
        put_if_revision(subject, store, random, &recorded);
        return subject_call(subject, "put-if-revision", &recorded);
    }
}

/* What is not recorded never makes a correct run look wrong. */
static void correct_runs_of_a_store_are_legal(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 12);
    struct subject subject;
    subject_open(&subject, &more_workloads[ARRAY_LENGTH(more_workloads) - 1]);
    for (int run = 0; run < 5000; run++) {
        struct store store = {0};
        struct spec_object *object = spec_open(subject.spec, subject.key, &subject.budget);
        struct text calls = TEXT_EMPTY;
        for (uint32_t left = random_below(&random, 12); left > 0; left--) {
            struct call call = run_in_store(&subject, &store, &random);
            spec_print_call(subject.spec, &call, &calls);
            text_append(&calls, "; ");
            if (spec_apply(subject.spec, object, &call, NULL) != APPLIED_LEGAL)
                fail_msg("%s", text_string(&calls));
        }
        text_release(&calls);
        spec_close(subject.spec, object);
    }
    subject_close(&subject);
}

/* --- states and memory --- */

/* States that are the same have the same words, whatever led to them. */
static void states_have_one_form(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec, *key, *one_way, *other_way;
    } pairs[] = {
        {"set", NULL, "add 1; add 2; add 3; remove 2", "add 3; add 1"},
        {"priority-queue", NULL, "insert 2; insert 1.0; insert 3; delete-min",
         "insert 3; insert 2"},
        {"deque", NULL, "push-front 1; push-back 2", "push-back 1; push-back 2"},
        {"counter", NULL, "add 9223372036854775807; inc; add -9223372036854775807; inc", "add 2"},
        {"multi-register = {x 1}", NULL, "write [:x 2]; write [:y 3]; write [:x 1]",
         "txn [[:write :y 3]]"},
        {"multi-register = {x 1}", ":x", "write [:x 2]; write [:x 1]", ""},
        {"map", NULL, "put [:b 1]; put [:a 2]; put [:c 3]; delete :b", "put [:c 3]; put [:a 2]"},
        {"map = 0", NULL, "delete :a; put [:a 0]; put [:b 1]", "put [:b 1]"},
        {"map", ":a", "put [:a 1]; delete :a", ""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++) {
        struct fixture fixture;
        struct error error;
        assert_int_equal(create(&fixture, pairs[i].spec, false, false, &error), STATUS_OK);
        value key = pairs[i].key ? test_value(fixture.pool, pairs[i].key) : VALUE_NIL;
        struct states states[2];
        for (size_t j = 0; j < 2; j++) {
            states_open(&states[j], fixture.spec, key, &fixture.budget);
            for (const char *at = j == 0 ? pairs[i].one_way : pairs[i].other_way; *at;) {
                bool legal;
                struct call call = read_call(&fixture, &at, &legal);
                assert_true(states_try(&states[j], &call));
                states_advance(&states[j]);
            }
        }
        const struct outcome *one = states[0].now.items.items, *other = states[1].now.items.items;
        assert_int_equal(one->length, other->length);
        assert_memory_equal(states[0].now.words.items + one->start,
                            states[1].now.words.items + other->start,
                            one->length * sizeof(uint64_t));
        states_close(&states[0]);
        states_close(&states[1]);
        fixture_close(&fixture);
    }
}

/* Under any limit an object works, or says that it was refused, and gives its memory back. */
static void refusals_are_reported(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 13);
    size_t count;
    const struct workload *shared = workloads(&count);
    for (size_t i = 0; i < count; i++) {
        struct subject subject;
        subject_open(&subject, &shared[i]);
        bool refused = false, opened = false;
        for (size_t limit = 0; limit < 3000; limit += 16) {
            struct budget budget;
            budget_init(&budget, NULL, limit + 1);
            struct spec_object *object = spec_open(subject.spec, subject.key, &budget);
            opened |= object != NULL;
            refused |= object == NULL;
            enum applied applied = APPLIED_LEGAL;
            for (int j = 0; object && j < 60 && applied != APPLIED_REFUSED; j++) {
                struct call call = random_call(&subject, &random);
                applied = spec_apply(subject.spec, object, &call, NULL);
            }
            refused |= applied == APPLIED_REFUSED;
            assert_true(applied != APPLIED_REFUSED || budget.refused);
            spec_close(subject.spec, object);
            assert_int_equal(budget.used, 0);
        }
        assert_true(refused && opened);
        subject_close(&subject);
    }
}

static void calls_are_printed_for_people(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec, *call, *text;
    } calls[] = {
        {"queue", "enq 7 -> ok", "enqueue(7)"},
        {"queue", "dequeue -> 3", "dequeue() -> 3"},
        {"queue", "dequeue -> nil", "dequeue() -> nil"},
        {"queue", "dequeue -> ?", "dequeue() -> ?"},
        {"set", "add :x -> true", "add(:x) -> true"},
        {"cas-register", "cas [1 2]", "cas(1, 2) -> true"},
        {"cas-register", "write [1 2]", "write([1 2])"},
        {"map", "put [\"x\" [1]]", "put(\"x\", [1])"},
        {"map", "put-if-revision [\"x\" 3 1] -> {:ok false :revision 4}",
         "put-if-revision(\"x\", 3, 1) -> {:ok false, :revision 4}"},
        {"multi-register", "txn [[r x nil] [w y 1]] -> ?",
         "txn([[:read x nil] [:write y 1]]) -> ?"},
        {"mutex", "acquire 5", "acquire()"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(calls); i++) {
        struct fixture fixture;
        struct error error;
        assert_int_equal(create(&fixture, calls[i].spec, false, false, &error), STATUS_OK);
        const char *at = calls[i].call;
        bool legal;
        struct call call = read_call(&fixture, &at, &legal);
        struct text text = TEXT_EMPTY;
        spec_print_call(fixture.spec, &call, &text);
        assert_string_equal(text_string(&text), calls[i].text);
        text_release(&text);
        fixture_close(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_is_complete),
        cmocka_unit_test(hyphen_and_underscore_are_the_same),
        cmocka_unit_test(wrong_requests_are_explained),
        cmocka_unit_test(wrong_shapes_are_explained),
        cmocka_unit_test(operations_do_what_they_should),
        cmocka_unit_test(step_and_replay_agree),
        cmocka_unit_test(binding_again_changes_nothing),
        cmocka_unit_test(correct_runs_of_a_store_are_legal),
        cmocka_unit_test(states_have_one_form),
        cmocka_unit_test(refusals_are_reported),
        cmocka_unit_test(calls_are_printed_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

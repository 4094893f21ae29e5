/* What every operation of every built-in specification does: scripts, run through step and through
 * replay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "spec/replay.h"
#include "support/generate.h"
#include "support/script.h"

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
    {"mutex", NULL, false, false,
     "!try-acquire -> false; try_acquire -> true; !try-acquire -> true; !acquire; try-acquire -> "
     "false; try-acquire -> ?; release @1; try-acquire; !acquire; release; try-acquire -> 7",
     "held"},
    {"mutex", NULL, true, false,
     "try-acquire -> true @1; try-acquire -> false @1; try-acquire -> false @2; !release @2; "
     "release @1",
     "free"},
    {"semaphore(2)", NULL, false, false,
     "!release; acquire; acquire @1; !acquire; release @2; release; !release", "2 of 2 free"},
    {"semaphore (2) = 0", NULL, false, false, "!acquire; release", "1 of 2 free"},
    {"queue", NULL, false, false,
     "deq -> nil; enq 1; enqueue 2 -> ok; !deq -> 2; !deq -> nil; deq -> 1; deq; deq -> nil; "
     "enqueue 1; dequeue 1; enqueue 4; enqueue 4; !dequeue 1; deq -> ?",
     "[4]"},
    {"queue = [7 8]", NULL, false, false, "enqueue 9; dequeue -> 7", "[8 9]"},
    {"queue(2)", NULL, false, false,
     "deq -> nil; !enq 1 -> false; enq 1 -> true; enqueue 2; !enq 3 -> true; enq 3 -> false; enq "
     "4; "
     "deq -> 1; enq 5 -> ?; enq 6 -> ok; !deq -> 6; deq -> 2",
     "[5]"},
    {"stack(1) = [7]", NULL, false, false,
     "push 1 -> false; pop -> 7; pop -> nil; push 2 -> true; push 3 -> [3]; pop -> 2", "[]"},
    {"deque (2)", NULL, false, false,
     "push-front 1 -> true; push-back 2 -> true; push-front 3 -> false; push-back 3 -> false; "
     "pop-back -> 2; push-front 3 -> true; pop-back -> 1",
     "[3]"},
    {"unordered-queue", NULL, false, false,
     "deq -> nil; enq 1; enqueue 2 -> ok; enqueue 2; !deq -> nil; deq -> 2; !drain -> [2 2]; "
     "drain -> [2 1]; !drain -> [1]; drain -> []; deq -> nil; !dequeue -> 7; enqueue 3; drain -> "
     "[]",
     "[3]"},
    {"unordered-queue = [8 7 8]", NULL, false, false, "!drain -> [8 8 8]; drain -> [8]", "[7 8]"},
    /* Of a drain that nobody knows anything of, what follows tells. */
    {"unordered-queue", NULL, false, false,
     "enqueue 1; enqueue 2; drain -> ?; enqueue 3; !deq -> nil; deq -> 1; deq -> 3; !deq -> 1; "
     "deq -> nil; !deq -> 2",
     "[]"},
    {"grow-set", NULL, false, false,
     "read -> []; add 2; add 1 -> 1; add 2; read -> [1 2]; read -> [2 1]; read -> #{2 1}; "
     "!read -> [1]; !read -> [1 1 2]; !read -> [1 2 3]; add 3 -> ?; !read -> [1 2]; read; read -> "
     "?",
     "#{1 2 3}"},
    {"grow-set = [5]", NULL, false, false, "!read -> []; read -> [5]", "#{5}"},
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

static void run_script(const struct script *script)
{
    struct made made;
    struct error error;
    if (made_open(&made, script->spec, script->owned, script->nil_reads, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    value key = script->key ? test_value(made.pool, script->key) : VALUE_NIL;
    struct states states;
    states_open(&states, made.spec, key, &made.budget);
    struct spec_object *object = spec_open(made.spec, key, &made.budget);
    assert_non_null(object);
    for (const char *at = script->calls; *at;) {
        const char *start = at;
        bool legal;
        struct call call = script_call(&made, &at, &legal);
        value answer = VALUE_REFUSED;
        enum applied applied = spec_apply(made.spec, object, &call, &answer);
        if (states_try(&states, &call) != legal || (applied == APPLIED_LEGAL) != legal)
            fail_msg("%s: %.*s", script->spec, (int)(at - start), start);
        if (!legal)
            continue;
        states_advance(&states);
        assert_true(answer != VALUE_REFUSED);
    }
    struct text end = TEXT_EMPTY;
    states_print(&states, &end);
    assert_string_equal(text_string(&end), script->end);
    text_release(&end);
    spec_close(made.spec, object);
    states_close(&states);
    made_close(&made);
}

static void operations_do_what_they_should(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(scripts); i++)
        run_script(&scripts[i]);
}

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
        struct made made;
        struct error error;
        assert_int_equal(made_open(&made, pairs[i].spec, false, false, &error), STATUS_OK);
        value key = pairs[i].key ? test_value(made.pool, pairs[i].key) : VALUE_NIL;
        struct states states[2];
        for (size_t j = 0; j < 2; j++) {
            states_open(&states[j], made.spec, key, &made.budget);
            for (const char *at = j == 0 ? pairs[i].one_way : pairs[i].other_way; *at;) {
                bool legal;
                struct call call = script_call(&made, &at, &legal);
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
        made_close(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_do_what_they_should),
        cmocka_unit_test(states_have_one_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

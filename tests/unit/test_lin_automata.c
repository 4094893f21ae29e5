/* Violation automata in `.lin`: what the blocks of a file mean, and what is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lin/check.h"
#include "lin/parser.h"
#include "rules/lin_automata.h"

struct fixture {
    struct budget budget;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct error error;
};

static enum status open(struct fixture *fixture, const char *text)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    enum status status = script_from_text("a.lin", text, strlen(text), &fixture->arena,
                                          &fixture->script, &fixture->error);
    assert_int_equal(status, STATUS_OK);
    status = lin_parse(&fixture->script, &fixture->arena, &fixture->module, &fixture->error);
    return status == STATUS_OK ? lin_check(&fixture->module, &fixture->error) : status;
}

static void close(struct fixture *fixture)
{
    lin_module_release(&fixture->module);
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
}

static void make(struct fixture *fixture, size_t number, struct violation_automaton *made)
{
    assert_true(number < fixture->module.automata.length);
    assert_true(lin_automaton_make(fixture->module.automata.items[number], &fixture->arena, made));
}

static void open_right(struct fixture *fixture, const char *text)
{
    if (open(fixture, text) != STATUS_OK)
        fail_msg("%u: %s", fixture->error.line, fixture->error.message);
}

static uint32_t next(const struct violation_automaton *automaton, uint32_t state,
                     enum violation_event event, const char *method, unsigned colour)
{
    uint32_t number = violation_automaton_find_method(automaton, method, strlen(method));
    assert_true(number < automaton->method_count);
    return violation_automaton_next(automaton, state, event, number, colour);
}

#define CALL VIOLATION_CALL
#define RET  VIOLATION_RETURN
#define DEAD VIOLATION_DEAD

static void test_letters_mean_what_they_say(void **state)
{
    (void)state;
    struct fixture fixture;
    struct violation_automaton made;
    open_right(&fixture, "automaton a of queue {\n"
                         "  for prefixes; rule \"what it is\"; single 1, 3;\n"
                         "  accepting complete state y { others -> dead; }\n"
                         "  initial state x {\n"
                         "    call Enq(1, 2), ret Deq -> y;\n"
                         "    DeqEmpty(3) -> y;\n"
                         "    call Deq(2) -> dead;\n"
                         "    others -> x;\n"
                         "  }\n"
                         "  accepting state z { }\n"
                         "}\n");
    make(&fixture, 0, &made);
    assert_string_equal(made.name, "a");
    assert_string_equal(made.object, "queue");
    assert_string_equal(made.rule, "what it is");
    assert_true(made.for_prefixes && !made.for_histories);
    assert_int_equal(made.single, 2 | 8);
    assert_int_equal(made.method_count, 3);
    assert_int_equal(made.state_count, 3);
    assert_int_equal(made.initial, 1);
    assert_string_equal(made.state_names[2], "z");
    assert_true(made.accepting[0] && made.complete[0] && made.accepting[2] && !made.complete[2]);
    assert_false(made.accepting[1]);
    assert_int_equal(next(&made, 1, CALL, "Enq", 2), 0);
    assert_int_equal(next(&made, 1, CALL, "Enq", 3), 1);
    assert_int_equal(next(&made, 1, RET, "Enq", 1), 1);
    assert_int_equal(next(&made, 1, RET, "Deq", 3), 0);
    assert_int_equal(next(&made, 1, CALL, "Deq", 1), 1);
    assert_int_equal(next(&made, 1, CALL, "Deq", 2), DEAD);
    assert_int_equal(next(&made, 1, CALL, "DeqEmpty", 3), 0);
    assert_int_equal(next(&made, 1, RET, "DeqEmpty", 3), 0);
    assert_int_equal(next(&made, 1, RET, "DeqEmpty", 2), 1);
    assert_int_equal(next(&made, 0, CALL, "Enq", 1), DEAD); /* others -> dead */
    assert_int_equal(next(&made, 2, CALL, "Enq", 1), DEAD); /* nothing said */
    close(&fixture);
}

/* `others` is of what is not marked, `marked others` of what is. */
static void test_marked_letters(void **state)
{
    (void)state;
    struct fixture fixture;
    struct violation_automaton made;
    open_right(&fixture, "automaton a of register {\n"
                         "  initial state x { marked call Read(1) -> y; others -> x; }\n"
                         "  accepting state y { marked others -> x; marked ret Read(2) -> y; }\n"
                         "}\n");
    make(&fixture, 0, &made);
    assert_int_equal(made.method_count, 4); /* Write, Read, ReadInit, ReadM */
    uint32_t copy = violation_automaton_marked(&made, 1);
    assert_string_equal(made.methods[copy], "ReadM");
    assert_int_equal(next(&made, 0, CALL, "ReadM", 1), 1);
    assert_int_equal(next(&made, 0, CALL, "ReadM", 2), DEAD);
    assert_int_equal(next(&made, 0, CALL, "Read", 1), 0);
    assert_int_equal(next(&made, 1, RET, "ReadM", 2), 1);
    assert_int_equal(next(&made, 1, RET, "ReadM", 1), 0);
    assert_int_equal(next(&made, 1, RET, "Read", 1), DEAD);
    close(&fixture);
}

#define BAG                                                                                        \
    "spec bag(N) { list l; op take() { return first(l); } op put(value v) { l = [v]; return ok; }" \
    " op two(value a, value b) { return ok; } }\n"
#define STATES "initial accepting state x { others -> x; }"

/* One automaton says the methods of all; inputs come first. */
static void test_methods_of_a_specification_of_the_file(void **state)
{
    (void)state;
    struct fixture fixture;
    struct violation_automata automata;
    open_right(&fixture, BAG "automaton a of bag { " STATES " }\n"
                             "automaton b of bag(3) { method Take = take() -> value;\n"
                             "  method None = take() -> empty; method Odd = take() -> odd;\n"
                             "  input Put = put(value) -> ok; method Has = put(value) -> false;\n"
                             "  " STATES " }\n"
                             "automaton c of bag( 4 ) { " STATES " }\n"
                             "automaton d of queue { " STATES " }\n");
    assert_int_equal(lin_automata_of(&fixture.module, "bag(3)", &fixture.arena, &automata),
                     STATUS_OK);
    assert_int_equal(automata.count, 2);
    assert_string_equal(automata.items[0].name, "a");
    assert_string_equal(automata.items[1].name, "b");
    const struct rule_object *object = automata.object;
    assert_false(object->values_are_processes);
    assert_int_equal(object->method_count, 5);
    assert_string_equal(object->methods[0].name, "Put");
    assert_int_equal(object->methods[0].role, METHOD_ADDS);
    assert_int_equal(object->methods[1].role, METHOD_ANSWERS);
    assert_int_equal(object->methods[2].role, METHOD_EMPTY);
    assert_int_equal(object->methods[2].result, RESULT_ITS_OWN);
    assert_int_equal(object->methods[3].role, METHOD_EMPTY);
    assert_int_equal(object->methods[3].result, RESULT_SYMBOL);
    assert_string_equal(object->methods[3].symbol, "odd");
    assert_int_equal(object->methods[4].role, METHOD_ASKS);
    assert_int_equal(object->methods[4].result, RESULT_FALSE);
    assert_int_equal(lin_automata_of(&fixture.module, "bag(4)", &fixture.arena, &automata),
                     STATUS_OK);
    assert_int_equal(automata.count, 2);
    assert_string_equal(automata.items[1].name, "c");
    assert_int_equal(lin_automata_of(&fixture.module, "queue", &fixture.arena, &automata),
                     STATUS_OK);
    assert_int_equal(automata.count, 1);
    assert_ptr_equal(automata.object, rule_object_find("queue"));
    assert_int_equal(lin_automata_of(&fixture.module, "ba", &fixture.arena, &automata), STATUS_OK);
    assert_int_equal(automata.count, 0);
    close(&fixture);
}

/* Where an input has no value, values are who calls. */
static void test_values_can_be_processes(void **state)
{
    (void)state;
    struct fixture fixture;
    open_right(&fixture,
               "spec gate { bool b; op enter() { return ok; } op leave() { return ok; } }\n"
               "automaton a of gate { input In = enter(); method Out = leave();\n"
               "  " STATES " }\n");
    const struct rule_object *object = fixture.module.automata.items[0]->object;
    assert_true(object->values_are_processes);
    assert_int_equal(object->methods[0].role, METHOD_ADDS);
    assert_int_equal(object->methods[1].role, METHOD_ANSWERS);
    close(&fixture);
}

static const struct {
    const char *text;
    uint32_t line;
    const char *message;
} wrong[] = {
    {"automaton a {", 1, "expected `of` and the specification"},
    {"automaton a of bag { " STATES " }", 1, "of this file or a built-in one, found `bag`"},
    {"automaton a of map { " STATES " }", 1, "or the methods of `map` in one of its automata"},
    {"automaton a of semaphore { " STATES " }", 1, "semaphore(N) or set, or the methods of"},
    {"automaton a of queue { " STATES " }\nautomaton a of queue { " STATES " }", 2,
     "expected a new name, found `a` again"},
    {"automaton a of queue {\nstate x { }\n}", 1, "an `initial` state in `a`, found none"},
    {"automaton a of queue {\ninitial state x { }\n}", 1, "an `accepting` state in `a`"},
    {"automaton a of queue {\n" STATES "\ninitial state y { }\n}", 3, "one `initial` state"},
    {"automaton a of queue {\n" STATES "\nstate x { }\n}", 3, "a new name, found `x` again"},
    {"automaton a of queue {\n" STATES "\nstate dead { }\n}", 3, "other than `dead`"},
    {"automaton a of queue {\ncomplete state x { }\n}", 2, "expected `initial`, `accepting`"},
    {"automaton a of queue {\naccepting x { }\n}", 2, "expected `state`, found `x`"},
    {"automaton a of queue {\nfor ever;\n}", 2, "`histories` or `prefixes`, found `ever`"},
    {"automaton a of queue {\nfor histories;\nfor prefixes;\n}", 3, "expected one `for`"},
    {"automaton a of queue {\nrule what;\n}", 2, "in quotes, found `what`"},
    {"automaton a of queue {\nrule \"a\";\nrule \"b\";\n}", 3, "expected one `rule`"},
    {"automaton a of queue {\nsingle 4;\n}", 2, "a colour (1, 2 or 3), found `4`"},
    {"automaton a of queue {\nsingle 1, 1;\n}", 2, "each colour once"},
    {"automaton a of queue {\ninitial state x {\ncall Enq(0) -> x;\n}}", 3, "a colour (1, 2 or 3)"},
    {"automaton a of queue {\n" STATES "\nstate y {\ncall Enq(1) -> z;\n}}", 4,
     "a state of `a`, or `dead`, found `z`"},
    {"automaton a of queue {\n" STATES "\nstate y {\ncall Push(1) -> y;\n}}", 4,
     "a method of `queue` (Enq, Deq, DeqEmpty), found `Push`"},
    {"automaton a of queue {\n" STATES "\nstate y {\ncall Enq, Enq(2) -> y;\n}}", 4,
     "each letter once in a state, found `call Enq(2)` again"},
    {"automaton a of queue {\n" STATES "\nstate y {\nothers -> x;\nothers -> y;\n}}", 5,
     "`others` once in a state"},
    {"automaton a of queue {\n" STATES "\nstate y {\ncall Enq(1) y;\n}}", 4, "`->`"},
    {"automaton a of queue {\ninput Enq = enqueue(value);\n" STATES "}", 2,
     "expected no methods, for those of `queue` are known"},
    {BAG "automaton a of bag {\nmethod T = take() -> value;\n" STATES "}", 3, "an `input` among"},
    {BAG "automaton a of bag {\ninput P = pop(value);\n" STATES "}", 3,
     "an operation of `bag`, found `pop`"},
    {BAG "automaton a of bag {\ninput P = put();\n" STATES "}", 3, "expected `put(value)`"},
    {BAG "automaton a of bag {\ninput P = two(value);\n" STATES "}", 3, "one parameter or none"},
    {BAG "automaton a of bag {\ninput P = put(value);\ninput P = put(value);\n" STATES "}", 4,
     "a new name, found `P` again"},
    {BAG "automaton a of bag {\ninput P = put(value);\nmethod PM = take();\n" STATES "}", 4,
     "a name that is not `P` with an M"},
    {BAG "automaton a of bag {\ninput P = put(value) -> value;\n" STATES "}", 3,
     "one value of a method"},
    {BAG "automaton a of bag {\ninput P = put(value);\ninput T = take();\n" STATES "}", 4,
     "an operation with a value, as `P` is one"},
    {BAG "automaton a of bag {\ninput T = take();\nmethod P = put(value);\n" STATES "}", 4,
     "without value and answer, as `T` is one"},
    {BAG "automaton a of bag {\ninput P = put(value);\n" STATES "}\n"
         "automaton b of bag {\ninput P = put(value);\n" STATES "}",
     6, "the methods of `bag` once, found them again: `a` says them"},
};

static void test_says_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fixture fixture;
        if (open(&fixture, wrong[i].text) != STATUS_INPUT)
            fail_msg("expected '%s' of: %s", wrong[i].message, wrong[i].text);
        if (!strstr(fixture.error.message, wrong[i].message))
            fail_msg("expected '%s' in: %s", wrong[i].message, fixture.error.message);
        if (fixture.error.line != wrong[i].line)
            fail_msg("expected line %u of: %s", wrong[i].line, fixture.error.message);
        close(&fixture);
    }
}

/* So many states, or methods with their copies, are too many. */
static void test_limits(void **state)
{
    (void)state;
    struct fixture fixture;
    struct text text = TEXT_EMPTY;
    text_append(&text, "automaton a of queue { " STATES "\n");
    for (unsigned i = 0; i < 1000; i++)
        text_format(&text, "state s%u { }\n", i);
    text_append(&text, "}");
    assert_int_equal(open(&fixture, text_string(&text)), STATUS_INPUT);
    assert_non_null(strstr(fixture.error.message, "at most 1000 states"));
    close(&fixture);
    text_clear(&text);
    text_append(&text, BAG "automaton a of bag { input P = put(value);\n");
    for (unsigned i = 0; i < 14; i++)
        text_format(&text, "method T%u = take();\n", i);
    text_append(&text, "initial accepting state x { marked P, marked T0 -> x; } }");
    assert_int_equal(open(&fixture, text_string(&text)), STATUS_INPUT);
    assert_non_null(
        strstr(fixture.error.message, "at most 16 methods and marked copies, found 17"));
    close(&fixture);
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters_mean_what_they_say),
        cmocka_unit_test(test_marked_letters),
        cmocka_unit_test(test_methods_of_a_specification_of_the_file),
        cmocka_unit_test(test_values_can_be_processes),
        cmocka_unit_test(test_says_what_is_wrong),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

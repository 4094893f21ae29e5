/* Which implementations any number of threads can be decided for: each thing that is allowed, each
 * offence with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "lin/class.h"
#include "lin/opaque.h"
#include "spec/builtin.h"
#include "support/lin_fixture.h"

/* The class check of the one implementation of `text`. */
static enum status check(struct lin_fixture *fixture, const char *text, const char *spec,
                         enum lin_class_of asked, struct lin_class *found)
{
    if (!lin_fixture_open(fixture, text))
        fail_msg("%u: %s", fixture->error.line, fixture->error.message);
    const struct spec_class *class = spec_class_find(spec, strlen(spec));
    assert_non_null(class);
    return lin_class_check(&fixture->module, fixture->module.objects.items[0], class, asked, found,
                           &fixture->error);
}

static void expect_offence(const char *spec, const char *text, unsigned line, const char *message)
{
    struct lin_fixture fixture;
    struct lin_class found;
    if (check(&fixture, text, spec, LIN_CLASS_ANY_THREADS, &found) != STATUS_INPUT)
        fail_msg("expected an offence in %s", text);
    print_message("%u: %.*s\n", fixture.error.line, (int)strcspn(fixture.error.message, "\n"),
                  fixture.error.message);
    assert_int_equal(fixture.error.line, line);
    assert_non_null(strstr(fixture.error.message, message));
    lin_fixture_close(&fixture);
}

static struct lin_class expect_member(const char *spec, const char *text)
{
    struct lin_fixture fixture;
    struct lin_class found;
    if (check(&fixture, text, spec, LIN_CLASS_ANY_THREADS, &found) != STATUS_OK)
        fail_msg("%u: %s", fixture.error.line, fixture.error.message);
    lin_fixture_close(&fixture);
    return found;
}

#define COPIED "values may only be copied and compared with null"

/* ---- values ---- */

static void values_are_copied(void **state)
{
    (void)state;
    expect_member("stack", "impl i {\n"
                           "    record both { value v; int(0..3) tag; }\n"
                           "    struct node { value item; both b; node next; }\n"
                           "    shared value slot[2];\n"
                           "    shared both one;\n"
                           "    value take(value v) { return v != null ? v : null; }\n"
                           "    op push(value v) {\n"
                           "        value w = take(v);\n"
                           "        value old = swap(slot[0], w);\n"
                           "        slot[1] = old;\n"
                           "        one = both(v, 1);\n"
                           "        both b = swap(one, both(w, 2));\n"
                           "        if (b.v == null || null != w) w = v;\n"
                           "        bool done = cas(slot[0], null, v);\n"
                           "        done = cas(one, both(null, 1), both(v, 2));\n"
                           "        return ok;\n"
                           "    }\n"
                           "    op pop() {\n"
                           "        value v = slot[0];\n"
                           "        if (v == null) return empty;\n"
                           "        return v;\n"
                           "    }\n"
                           "}\n");
}

static void values_are_not_compared(void **state)
{
    (void)state;
    expect_offence("stack",
                   "impl i { shared value x;\n"
                   "    op push(value v) {\n"
                   "        value w = x;\n"
                   "        if (v == w) return ok;\n"
                   "        return ok;\n"
                   "    }\n"
                   "}\n",
                   4, COPIED);
    expect_offence("stack",
                   "impl i { shared value x;\n"
                   "    op push(value v) { value w = x;\n"
                   "        bool b = w != (v == null ? null : v);\n"
                   "        return ok;\n"
                   "    }\n"
                   "}\n",
                   3, COPIED);
    expect_offence("stack",
                   "impl i { record both { value v; int(0..3) tag; }\n"
                   "    shared both x;\n"
                   "    op push(value v) {\n"
                   "        both b = x;\n"
                   "        assert (b == both(v, 0));\n"
                   "        return ok;\n"
                   "    }\n"
                   "}\n",
                   5, COPIED);
}

/* A constant tells a value apart from all others, wherever it is compared. */
static void values_are_not_compared_with_constants(void **state)
{
    (void)state;
    expect_offence("stack",
                   "const int N = 2; impl i { shared value x;\n"
                   "op push(value v) { if (v == N) x = v; return ok; }\n"
                   "op pop() { return empty; } }\n",
                   2, "found one of a value with a constant");
    expect_offence("stack",
                   "impl i(K = 1) { shared value x;\n"
                   "op push(value v) { x = v; return ok; }\n"
                   "op pop() { bool b = K + 1 != x; return empty; } }\n",
                   3, "found one of a value with a constant");
    expect_offence("stack",
                   "impl i { shared value x;\n"
                   "void f(value v) {\n"
                   "switch (v) { case null: return; case 1: return; } }\n"
                   "op push(value v) { f(v); return ok; }\n"
                   "op pop() { return empty; } }\n",
                   3, "expected null as the label of a value");
    expect_member("stack", "impl i { shared value x;\n"
                           "op push(value v) { switch (v) { case null: return ok; } return ok; }\n"
                           "op pop() { return empty; } }\n");
}

static void answers_are_no_lists(void **state)
{
    (void)state;
    expect_offence("stack",
                   "impl i { shared value x; shared value y;\n"
                   "op push(value v) { x = v; return ok; }\n"
                   "op pop() { value a = x; return [a, y]; } }\n",
                   3, "found a list");
}

static void a_function_that_compares_is_found(void **state)
{
    (void)state;
    expect_offence("stack",
                   "impl i { shared value x;\n"
                   "    bool same(value a, value b) {\n"
                   "        return a == b; }\n"
                   "    op push(value v) { value w = x;\n"
                   "        if (same(v, w)) x = v;\n"
                   "        return ok; }\n"
                   "}\n",
                   3, COPIED);
    expect_member("stack", "impl i { shared value x;\n"
                           "    bool same(value a, value b) { return a == b; }\n"
                           "    op push(value v) { x = v; return ok; }\n"
                           "}\n"); /* nobody calls it */
}

static void values_are_not_swapped_for_others(void **state)
{
    (void)state;
    expect_offence("stack",
                   "impl i { shared value x;\n"
                   "    op push(value v) {\n"
                   "        value w = x;\n"
                   "        while (!cas(x, w, v)) { }\n"
                   "        return ok;\n"
                   "    }\n"
                   "}\n",
                   4, COPIED);
    expect_offence("stack",
                   "impl i { record both { value v; int(0..3) tag; }\n"
                   "    shared both x;\n"
                   "    op push(value v) {\n"
                   "        both b = x;\n"
                   "        while (!cas(x, b, both(v, 0))) { }\n"
                   "        return ok;\n"
                   "    }\n"
                   "}\n",
                   5, COPIED);
}

static void the_rest_is_compared_freely(void **state)
{
    (void)state;
    expect_member("stack", "impl i {\n"
                           "    struct node { value item; int(0..3) n; node next; }\n"
                           "    record tagged { node ptr; int(0..3) tag; }\n"
                           "    shared tagged top;\n"
                           "    shared node head;\n"
                           "    shared int(0..3) count;\n"
                           "    shared bool busy;\n"
                           "    op push(value v) {\n"
                           "        lock(busy);\n"
                           "        tagged t = top;\n"
                           "        node h = head;\n"
                           "        if (t == tagged(h, 1) && t.ptr == h) t = tagged(null, 2);\n"
                           "        bool done = cas(top, t, tagged(h, 0));\n"
                           "        done = cas(head, h, null);\n"
                           "        int n = fetch_add(count, 0);\n"
                           "        done = cas(count, n, 1);\n"
                           "        int c = choose(0..2);\n"
                           "        either { c = 1; } or { c = 2; }\n"
                           "        assume (c > 0);\n"
                           "        await (count < 3);\n"
                           "        atomic { assert (count < 3); }\n"
                           "        for (int k = 0; k < c; k++) n = k;\n"
                           "        unlock(busy);\n"
                           "        return ok;\n"
                           "    }\n"
                           "}\n");
}

/* ---- threads ---- */

static void threads_are_alike(void **state)
{
    (void)state;
    expect_offence("mutex",
                   "impl i { shared bool flag[2];\n"
                   "    op acquire() {\n"
                   "        flag[thread] = true;\n"
                   "        return ok; }\n"
                   "}\n",
                   3, "`only thread 0` is one thread's");
    expect_offence("mutex",
                   "impl i {\n"
                   "    shared bool flag[threads];\n"
                   "    op acquire() { flag[0] = true; return ok; }\n"
                   "}\n",
                   2, "`threads`");
    expect_offence("mutex",
                   "impl i { shared int(0..3) n;\n"
                   "    init {\n"
                   "        n = threads; }\n"
                   "    op acquire() { n = 0; return ok; }\n"
                   "}\n",
                   3, "`threads`");
    expect_member("mutex", "impl i(K = 1) { shared bool held;\n"
                           "    op acquire() only thread K { lock(held); return ok; }\n"
                           "}\n");
}

static void no_load_is_linked(void **state)
{
    (void)state;
    expect_offence("mutex",
                   "impl i { shared bool held;\n"
                   "    op acquire() {\n"
                   "        bool h = ll(held);\n"
                   "        bool done = sc(held, true);\n"
                   "        return ok; }\n"
                   "}\n",
                   3, "`ll`");
}

/* ---- memory ---- */

static void what_is_shared_is_bounded(void **state)
{
    (void)state;
    expect_offence("mutex",
                   "impl i {\n"
                   "    shared bool held;\n"
                   "    shared int next;\n"
                   "    op acquire() { lock(held); return ok; }\n"
                   "}\n",
                   3, "int(0..3)");
    expect_offence("stack",
                   "impl i {\n"
                   "    struct node {\n"
                   "        value item;\n"
                   "        int tag; }\n"
                   "    shared node top;\n"
                   "    op push(value v) { top = null; return ok; }\n"
                   "}\n",
                   4, "bounded");
    expect_offence("stack",
                   "impl i {\n"
                   "    struct node { value item; }\n"
                   "    record tagged { node ptr;\n"
                   "        int tag; }\n"
                   "    record twice { tagged one; }\n"
                   "    shared twice top;\n"
                   "    op push(value v) { twice t = top; return ok; }\n"
                   "}\n",
                   4, "bounded");
    expect_member("mutex",
                  "impl i { shared bool held;\n"
                  "    record pair { int a; int b; }\n"
                  "    op acquire() { pair p; p.a = 1; int n = p.a; lock(held); return ok; }\n"
                  "}\n");
}

static void nodes_that_operations_make_are_seen(void **state)
{
    (void)state;
    struct lin_class found =
        expect_member("stack", "impl i { struct node { value item; }\n"
                               "    shared node top;\n"
                               "    node make() { return new node; }\n"
                               "    init { top = make(); }\n"
                               "    op push(value v) { top = null; return ok; }\n"
                               "}\n");
    assert_false(found.makes_nodes);
    found = expect_member("stack", "impl i { struct node { value item; }\n"
                                   "    shared node top;\n"
                                   "    node make() { return new node; }\n"
                                   "    init { top = make(); }\n"
                                   "    op push(value v) { node n = make(); top = n; return ok; }\n"
                                   "}\n");
    assert_true(found.makes_nodes);
}

/* ---- what the rules know of operations ---- */

static void parameters_are_one_value(void **state)
{
    (void)state;
    expect_offence("register",
                   "impl i { shared int(0..3) x;\n"
                   "    op write(\n"
                   "             int(0..3) v) { x = v; return ok; }\n"
                   "}\n",
                   3, "of type `value`");
    expect_offence("cas-register",
                   "impl i { shared value x;\n"
                   "    op cas(value a,\n"
                   "           value b) { x = b; return true; }\n"
                   "}\n",
                   3, "found another");
}

static void answers_are_no_numbers(void **state)
{
    (void)state;
    expect_offence("register",
                   "impl i { shared value x;\n"
                   "    op write(value v) { x = v; return 3; }\n"
                   "    op read() {\n"
                   "        return 7; }\n"
                   "}\n",
                   4, "found an int");
    expect_offence("register",
                   "impl i { shared bool x;\n"
                   "    op read() { bool b = x;\n"
                   "        return b ? 1 : 2; }\n"
                   "}\n",
                   3, "found an int");
    expect_member("register",
                  "impl i { shared value x;\n"
                  "    int one() { return 1; }\n"
                  "    op read() { int n = one(); if (n == 2) return full; return x; }\n"
                  "}\n");
}

/* For violation automata of a number of threads only what is done with values counts. */
static void to_copy_values_is_less(void **state)
{
    static const char compares[] = "impl i { shared value x; op push(value v) {\n"
                                   "    value w = x;\n"
                                   "    if (w == v) return ok; return ok; } }\n";
    struct lin_fixture fixture;
    struct lin_class found;
    (void)state;
    assert_int_equal(check(&fixture,
                           "impl i { shared value x; shared int n; shared bool flag[threads];\n"
                           "    op push(value v) { value w = ll(x); n = thread;\n"
                           "        flag[thread] = sc(x, v); return ok; } }\n",
                           "stack", LIN_CLASS_COPIES, &found),
                     STATUS_OK);
    lin_fixture_close(&fixture);
    assert_int_equal(check(&fixture, compares, "stack", LIN_CLASS_COPIES, &found), STATUS_INPUT);
    assert_int_equal(fixture.error.line, 3);
    assert_non_null(strstr(fixture.error.message, "for violation automata values may only be"));
    lin_fixture_close(&fixture);
}

static void points_are_left_out(void **state)
{
    (void)state;
    expect_member("register",
                  "impl i { shared value x; shared value y;\n"
                  "    op write(value v) { x = v; linearize x == y ? ok : full; return ok; }\n"
                  "}\n");
}

/* The condition of the one assertion; *values: what it compares with one another. */
static enum status check_condition(struct lin_fixture *fixture, const char *text, uint32_t *values)
{
    if (!lin_fixture_open(fixture, text))
        fail_msg("%u: %s", fixture->error.line, fixture->error.message);
    return lin_class_check_condition(&fixture->module, fixture->module.objects.items[0],
                                     fixture->module.assertions.items[0].condition, values,
                                     &fixture->error);
}

/* So many values must be told apart as are compared with others; of a record each of its own. */
static void what_a_condition_compares_is_counted(void **state)
{
    (void)state;
    static const struct {
        const char *condition;
        uint32_t values;
    } cases[] = {
        {"a == null && b != null", 0}, {"a == b", 2},     {"a == b || b != s[0]", 4}, {"p == q", 4},
        {"p == both(null, null)", 0},  {"n > 1 && l", 0},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct lin_fixture fixture;
        struct text text = TEXT_EMPTY;
        uint32_t values = 99;
        text_format(&text,
                    "impl i { record both { value v; value w; } shared value a; shared value b;\n"
                    "shared value s[2]; shared both p; shared both q; shared bool l;\n"
                    "shared int(0..3) n; op f() { return ok; } }\n"
                    "assert i never (%s) with threads = any;\n",
                    cases[i].condition);
        assert_int_equal(check_condition(&fixture, text_string(&text), &values), STATUS_OK);
        assert_int_equal(values, cases[i].values);
        text_release(&text);
        lin_fixture_close(&fixture);
    }
}

static void a_condition_names_no_thread(void **state)
{
    (void)state;
    struct lin_fixture fixture;
    uint32_t values;
    assert_int_equal(check_condition(&fixture,
                                     "impl i { shared bool l; op f() { return ok; } }\n"
                                     "assert i never (l &&\n"
                                     "    running(1, f)) with threads = any;\n",
                                     &values),
                     STATUS_INPUT);
    assert_int_equal(fixture.error.line, 3);
    assert_non_null(strstr(fixture.error.message, "found `running`"));
    lin_fixture_close(&fixture);
}

/* What a specification answers, and whether it only copies values: of the first in the text. */
static void expect_specification(const char *text, bool copies, bool symbol)
{
    struct lin_fixture fixture;
    if (!lin_fixture_open(&fixture, text))
        fail_msg("%u: %s", fixture.error.line, fixture.error.message);
    const struct lin_object *spec = fixture.module.objects.items[0];
    print_message("%s\n", text);
    assert_true(lin_copies_values(spec, NULL) == copies);
    assert_true(lin_answers_symbol(spec->operations[0]) == symbol);
    lin_fixture_close(&fixture);
}

/* An empty list, null and lengths say nothing of which values there are. */
static void a_specification_that_copies_is_known(void **state)
{
    (void)state;
    expect_specification("spec s { list q; op f(value v) { if (q == [] || v == null) return empty; "
                         "q = but_first(q) + [v]; return ok; } }",
                         true, false);
    expect_specification(
        "spec s { value x; op f(value v) { if (x == v) return same; return ok; } }", false, true);
    expect_specification("spec s { list q; op f(value v) { return v in q; } }", false, false);
    expect_specification("spec s { set q; op f(value v) { q = q + {v}; return ok; } }", false,
                         false);
    expect_specification("spec s { list q; op f(value v) { return len(q) > 3 ? full : ok; } }",
                         true, true);
    expect_specification("spec s { bool b; op f() { return b == true; } }", true, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_copied),
        cmocka_unit_test(values_are_not_compared),
        cmocka_unit_test(values_are_not_compared_with_constants),
        cmocka_unit_test(answers_are_no_lists),
        cmocka_unit_test(a_function_that_compares_is_found),
        cmocka_unit_test(values_are_not_swapped_for_others),
        cmocka_unit_test(the_rest_is_compared_freely),
        cmocka_unit_test(threads_are_alike),
        cmocka_unit_test(no_load_is_linked),
        cmocka_unit_test(what_is_shared_is_bounded),
        cmocka_unit_test(nodes_that_operations_make_are_seen),
        cmocka_unit_test(parameters_are_one_value),
        cmocka_unit_test(answers_are_no_numbers),
        cmocka_unit_test(to_copy_values_is_less),
        cmocka_unit_test(points_are_left_out),
        cmocka_unit_test(what_a_condition_compares_is_counted),
        cmocka_unit_test(a_condition_names_no_thread),
        cmocka_unit_test(a_specification_that_copies_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

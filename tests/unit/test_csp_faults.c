/* Wrong models of CSP#: each message says what was expected and what was found, at the place that a
 * person would point to. In the texts that place is marked by a backtick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/csp_model_test.h"

struct fault_case {
    const char *text;
    const char *message; /* how it begins */
};

/* The text without its mark; the mark's line and column. */
static char *unmark(const char *text, uint32_t *line, uint32_t *column)
{
    const char *mark = strchr(text, '`');
    char *plain = test_malloc(strlen(text) + 1);
    size_t before = (size_t)(mark - text);
    memcpy(plain, text, before);
    strcpy(plain + before, mark + 1);
    *line = *column = 1;
    for (size_t i = 0; i < before; i++) {
        *column = text[i] == '\n' ? 1 : *column + 1;
        *line += text[i] == '\n';
    }
    return plain;
}

/* The caret stands under the column, in a line indented by four. */
static size_t caret_column(const char *message)
{
    const char *last = strrchr(message, '\n');
    return last ? strcspn(last + 1, "^") - 3 : 0;
}

static void expect_fault(const struct fault_case *expected)
{
    struct csp_model_test test;
    struct assertion_result result;
    uint32_t line, column;
    char *text = unmark(expected->text, &line, &column);
    enum status status = csp_model_test_try(&test, text);
    if (status == STATUS_OK && test.module.assertions.length) {
        status = csp_model_test_decide(&test, 0, REDUCE_NONE, false, &result);
        assertion_result_release(&result);
    }
    if (status != STATUS_INPUT)
        fail_msg("%s\nis taken for right", text);
    if (strncmp(test.error.message, expected->message, strlen(expected->message)) != 0 ||
        test.error.line != line || caret_column(test.error.message) != column)
        fail_msg("%s\nexpected %u:%u: %s\nfound %u: %s", text, line, column, expected->message,
                 test.error.line, test.error.message);
    csp_model_test_close(&test);
    test_free(text);
}

#define EXPECT_ALL(cases)                                                                          \
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)                                               \
    expect_fault(&(cases)[i])

static void names_that_mean_nothing_here(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"P = a -> `Qq;", "expected a process, found `Qq`, which is not declared"},
        {"P = Stop;\nunreached = a -> `Qq;",
         "expected a process, found `Qq`, which is not declared"},
        {"var x; P = a -> `x;", "expected a process, found `x`, which is a variable"},
        {"var x; P = `x -> Stop;", "expected an event, found `x`, which is a variable"},
        {"channel c 1; P = `c.1 -> Stop;", "expected an event, found `c`, which is a channel"},
        {"Q = Stop; P = `Q -> Stop;", "expected an event, found `Q`, which is a process"},
        {"P = `c!1 -> Stop;", "expected a channel, found `c`, which is not declared"},
        {"var x; P = a{x = `y + 1} -> Stop;",
         "expected a variable or constant, found `y`, which is not declared"},
        {"P = a{`z = 1} -> Stop;",
         "expected a variable or constant, found `z`, which is not declared"},
        {"P = a{var t = 1;} -> b.`t -> Stop;",
         "expected a variable or constant, found `t`, which is not declared"},
        {"P = (||| i:{0..2}@ a.i -> Stop); Q = b.`i -> Stop;",
         "expected a variable or constant, found `i`, which is not declared"},
        {"channel c 1; P = c?x -> Stop [] e.`x -> Stop;",
         "expected a variable or constant, found `x`, which is not declared"},
        {"P = [`n > 0] Stop;", "expected a variable or constant, found `n`, which is not declared"},
        {"P = case { true: Stop `m: Stop };",
         "expected a variable or constant, found `m`, which is not declared"},
        {"P = Stop \\{a.`i};", "expected a variable or constant, found `i`, which is not declared"},
        {"#define goal `q == 1; P = Stop;",
         "expected a variable or constant, found `q`, which is not declared"},
        {"P = e.`call(f, 1) -> Stop;", "expected a macro or a function of channels"},
        {"Q(i) = Stop; P = `Q;", "expected 1 argument for `Q`, found 0"},
        {"Q(i, j) = Stop; P = `Q(1);", "expected 2 arguments for `Q`, found 1"},
        {"Q(i) = Stop;\n#define n #`Q();\nP = [n == 0] a -> Skip;",
         "expected 1 argument for `Q`, found 0"},
        {"var x; Q(i) = Stop;\n#define n #Q(`x);\nP = e{x = 1} -> e.n -> Skip;",
         "expected a constant as an argument of a process whose number is asked for"},
        {"var x;\n#define n #`x;\nP = [n == 0] a -> Skip;",
         "expected a process, found `x`, which is a variable"},
        {"P = Stop; #alphabet `Z {a};", "expected a process, found `Z`, which is not declared"},
        {"var P; `P = Stop;", "expected a new name, found `P`, which is a variable already"},
        {"#define N 1; var `N;", "expected a new name, found `N`, which is a constant or macro"},
    };
    EXPECT_ALL(cases);
}

static void declarations_that_cannot_be(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"var x = `*;", "expected a range with both bounds for `= *`, found none"},
        {"var x:{0..} = `*;", "expected a range with both bounds for `= *`, found none"},
        {"channel c `-1;", "expected the size of the buffer from 0 to 2147483647, found -1"},
        {"var a[`0];", "expected the size of an array from 1"},
        {"var `x:{1..3};", "expected `x` between 1 and 3, found 0, its initial value"},
        {"var x:{3..`1};", "expected the greatest value from 3 to 2147483647, found 1"},
        {"var y; var x:{0..`y};", "expected a constant as the greatest value"},
        {"var a[2] = [1, 2, `3];", "expected 2 elements, found more"},
        {"var a[3] = `[1, 2];", "expected 3 elements, found 2"},
        {"var a[2][2] = [`[1, 2], [3, 4]];", "expected a number (arrays of several dimensions"},
        {"var<Tree> `t;", "expected a type of PAT's library (List, SerializableList, Set, Queue, "
                          "Stack, HashTable), found `Tree`"},
        {"#import \"`My.Lib\";", "expected PAT.Math, a library of PAT's own"},
        {"#define `a a + 1; var x = a;", "expected a definition that ends, found `a`"},
    };
    EXPECT_ALL(cases);
}

/* What a file is, in the place of what is wrong with it as a model of CSP#. */
static void files_of_other_languages(void **unused)
{
    (void)unused;
#define FOUND "expected a model of PAT's module for CSP, found "
    static const struct fault_case cases[] = {
        {"P = a -> `Wait[5]; Q;\nQ = Stop;\n#assert P deadlockfree;",
         FOUND "`Wait[`: this is a file of PAT's module for real-time systems (RTS)"},
        {"// Wait[5] is a comment\nP = (a -> P) `timeout[3] Q; Q = Stop;", FOUND "`timeout[`"},
        {"P = (a -> P) `deadline[3];", FOUND "`deadline[`"},
        {"P = (a -> P) `within[3];", FOUND "`within[`"},
        {"P = a `->> P;", FOUND "`->>`"},
        {"P = `pcase { 8: a -> P 2: b -> P };",
         FOUND "`pcase`: this is a file of PAT's module for probabilistic systems (PCSP)"},
        {"var x; P = `pcase { [prob 8] a -> P };", FOUND "`pcase`"},
        {"#define g true; P = a -> P; #assert P reaches g `with prob;", FOUND "`with prob`"},
        {"  `-- a buffer\nchannel in, out: {0..3}\n",
         FOUND "`--`: this is a file of machine-readable CSP, which FDR reads"},
        {"channel a, b\n`datatype T = x | y\n", FOUND "`datatype`"},
        {"P = a -> P\n`assert P :[deadlock free]\n", FOUND "`assert`"},
        {"P = a -> P `|~| Q\n", FOUND "`|~|`"},
        /* Arrays may have such names. */
        {"var Wait[3]; var timeout[2]; P = a{Wait[0] = timeout[1]} -> `;",
         "expected a process, found `;`"},
    };
    EXPECT_ALL(cases);
}

static void assertions_about_nothing(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"P = Stop;\n#assert `Z deadlockfree;", "expected a process, found `Z`"},
        {"P = Stop; #assert `P(1) deadlockfree;", "expected 0 arguments for `P`, found 1"},
        {"P = Stop; #assert P refines `S;", "expected a process, found `S`"},
        {"P = Stop; #assert `P reaches goal;",
         "expected a proposition that `#define` gives, found `goal`"},
        {"P = Stop;\n#assert `P linearizes register(initial = 09);",
         "initial value: expected a number, found `09`"},
        {"P = Stop; #assert `P linearizes register(initial = 5 6);",
         "parameters of register: expected integers, `initial = VALUE` or `owned` in parentheses, "
         "found "
         "(initial = 5 6)"},
        {"P = Stop; #assert `P linearizes register(initial 5);",
         "expected `initial = VALUE`, found `5)`"},
        {"P = Stop; #assert `P linearizes register(initialise = 5);",
         "parameters of register: expected integers"},
    };
    EXPECT_ALL(cases);
}

static void faults_at_run_time(void **unused)
{
    (void)unused;
    static const struct fault_case cases[] = {
        {"var x:{0..1}; P = a{`x = x + 1} -> P; #assert P deadlockfree;",
         "expected `x` between 0 and 1, found 2"},
        {"var a[2]; var i; P = e{i = i + 1} -> f.`a[i] -> P; #assert P deadlockfree;",
         "expected an index from 0 to 1, found 2"},
        {"var x; P = e.(1 `/ x) -> P; #assert P deadlockfree;", "division by zero"},
        {"var x; P = [`x] a -> P; #assert P deadlockfree;", "expected a boolean, found an integer"},
        {"var x; P = e{x = (x + 1) % 3} -> P;\n#define typo `x = 5;\n#assert P reaches typo;",
         "expected a boolean, found an integer: `=` assigns, `==` compares"},
        {"var x; P = e{x = (x + 1) % 3} -> P;\n#define typo `x = 5;\n#assert P |= [] typo;",
         "expected a boolean, found an integer: `=` assigns, `==` compares"},
        {"var x; P = a -> P;\n#define typo `x = 5;\nQ = [typo] a -> Q; #assert Q deadlockfree;",
         "expected a boolean, found an integer: `=` assigns, `==` compares"},
        {"var x; P = a{`while (x = 5) { x = 1 }} -> P; #assert P deadlockfree;",
         "expected a boolean, found an integer: `=` assigns, `==` compares"},
        {"var x; P = a{`if (x = 5) { x = 1 }} -> P; #assert P deadlockfree;",
         "expected a boolean, found an integer: `=` assigns, `==` compares"},
        {"var b = false; P = a -> P;\n#define p `b = true;\n#assert P reaches p;",
         "expected a condition, found an assignment: `=` assigns, `==` compares"},
        {"var b = false; P = a -> P;\n#define p `b = true;\n#assert P |= [] p;",
         "expected a condition, found an assignment: `=` assigns, `==` compares"},
        {"var b = false; P = a -> P;\n#define p !(`b = true);\n#assert P reaches p;",
         "expected a condition, found an assignment inside it: `=` assigns, `==` compares"},
        {"var x; P = a -> Stop;\n#define number `x;\n#assert P |= X a || number;",
         "expected a boolean, found an integer"},
        {"var x; P = a -> Stop;\n#define two x == 0 `&& x;\n#assert P reaches two;",
         "expected a boolean, found an integer"},
        {"var x; P = a{x = x + 1} -> if (x == 3) { b{x = 1 `/ 0} -> P } else { P };"
         "#assert P |= X a;",
         "division by zero"},
        {"var x; P = a{x = x + 1} -> if (x < 3) { P };\n#define half 6 `/ (3 - x) > 0;\n"
         "#assert P |= X a || half;",
         "division by zero"},
        {"var b = true; P = e{b = b `+ 1} -> P; #assert P deadlockfree;",
         "expected two integers, found a boolean and an integer"},
        {"`P(x:{0..1}) = a -> P(x + 1); #assert P(0) deadlockfree;",
         "expected `x` of `P` between 0 and 1, found 2"},
        {"`P = ifa (true) { P } else { a -> P }; #assert P deadlockfree;",
         "expected a step before `P` comes up again, found none"},
        {"P = a -> Q; Q = assert(1 `> 2); #assert P deadlockfree;",
         "an assertion of the model fails"},
        {"var x; P = `e.x -> Stop || Stop; #assert P deadlockfree;",
         "expected an alphabet that can be computed, found the event `e`"},
        {"var x; P = Q(`x) || Stop; Q(i) = a -> Stop; #assert P deadlockfree;",
         "expected an alphabet that can be computed, found `Q` with an argument"},
        {"P = Q(0) || Stop; Q(i) = a.i -> `Q(i + 1); #assert P deadlockfree;",
         "expected an alphabet that can be computed, found `Q` again"},
        {"channel c[2] 1; var i = 2; P = c[`i]!1 -> P; #assert P deadlockfree;",
         "expected an index from 0 to 1 of the channels `c`, found 2"},
        {"channel c[2] 1; P = `c!1 -> P; #assert P deadlockfree;",
         "expected an index after the array of channels"},
        {"var a[3]; P = e.`a -> Stop; #assert P deadlockfree;", "expected an index after `a`"},
        {"P(i) = a{`i = 1} -> Stop; #assert P(0) deadlockfree;",
         "expected a variable, found `i`, which is a parameter and cannot change"},
    };
    EXPECT_ALL(cases);
}

static void expect_message(const char *text, const char *message)
{
    struct csp_model_test test;
    struct assertion_result result;
    enum status status = csp_model_test_try(&test, text);
    if (status == STATUS_OK) {
        status = csp_model_test_decide(&test, 0, REDUCE_DEFAULT, false, &result);
        assertion_result_release(&result);
    }
    assert_int_equal(status, STATUS_INPUT);
    if (strncmp(test.error.message, message, strlen(message)) != 0)
        fail_msg("expected: %s\nfound: %.300s", message, test.error.message);
    csp_model_test_close(&test);
}

/* Whoever walks the tree of a model recurs: there is an end to how deep it may be. */
static void models_without_measure(void **unused)
{
    (void)unused;
    enum {
        MANY = 20000
    };
    struct text text = TEXT_EMPTY;
    text_append(&text, "var x; P = a{x = ");
    for (unsigned i = 0; i < MANY; i++)
        text_append(&text, "1 + ");
    text_append(&text, "1} -> Stop;");
    expect_message(text_string(&text), "expected at most 2000 operators in a row, found more");
    text_clear(&text);
    for (unsigned i = 0; i < MANY; i++)
        text_format(&text, "P%u = a -> P%u;", i, i + 1);
    text_format(&text, "P%u = Stop; Q = P0 || P0; #assert Q deadlockfree;", MANY);
    expect_message(text_string(&text),
                   "expected an alphabet that can be computed, found more than 5000 processes");
    text_clear(&text);
    for (unsigned i = 0; i < MANY; i++)
        text_format(&text, "#define b%u {b%u};", i, i + 1);
    text_format(&text, "var x; #define b%u {x = 1}; P = a{b0} -> Stop; #assert P deadlockfree;",
                MANY);
    expect_message(text_string(&text), "expected a definition that ends, found `b200`");
    text_clear(&text);
    text_append(&text, "var x; #define d0 x == 0;");
    for (unsigned i = 1; i < 60; i++) /* each twice as long as the one before */
        text_format(&text, "#define d%u d%u && d%u;", i, i - 1, i - 1);
    text_append(&text, "P = a{x = 1 - x} -> P; #assert P reaches d59;");
    expect_message(text_string(&text), "expected at most 262144 operations in one expression");
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_mean_nothing_here),
        cmocka_unit_test(declarations_that_cannot_be),
        cmocka_unit_test(files_of_other_languages),
        cmocka_unit_test(assertions_about_nothing),
        cmocka_unit_test(faults_at_run_time),
        cmocka_unit_test(models_without_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

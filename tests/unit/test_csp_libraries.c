/* PAT's libraries in CSP# models: random programs that call methods of collections and functions,
 * with the answers that arrays and loops written here find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "support/csp_model_test.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 400};

#define VARIABLES 3  /* collections of one type in a model */
#define CALLS     12 /* of methods, one after the other */
#define MOST      64 /* items of a collection, keys and values apart */
#define MOST_KEYS 5

/* A collection as it should be: items in their order; of a table keys and values in turn. */
struct plain {
    int items[MOST];
    int count;
};

struct program {
    struct random random;
    struct plain plain[VARIABLES];
    struct text statements, expected; /* the program; what must hold behind it */
    unsigned answers;
};

static int item_at(const struct plain *plain, int item, int step)
{
    for (int i = 0; i < plain->count; i += step)
        if (plain->items[i] == item)
            return i;
    return -1;
}

static void take_out(struct plain *plain, int at)
{
    memmove(plain->items + at, plain->items + at + 1,
            (size_t)(plain->count - at - 1) * sizeof *plain->items);
    plain->count--;
}

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static void add_once(struct plain *plain, int item)
{
    if (item_at(plain, item, 1) < 0)
        plain->items[plain->count++] = item;
    qsort(plain->items, (size_t)plain->count, sizeof *plain->items, compare);
}

static unsigned below(struct program *program, unsigned bound)
{
    return random_below(&program->random, bound);
}

/* `r[n] = call;`, and what r[n] must be. */
static void answers(struct program *program, const char *call, const char *expected)
{
    text_format(&program->statements, "r[%u] = %s; ", program->answers, call);
    text_format(&program->expected, " && r[%u] == %s", program->answers++, expected);
}

static void answers_number(struct program *program, const char *call, long number)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%ld", number);
    answers(program, call, expected);
}

/* Asks everything of one collection. */
static void ask(struct program *program, const char *type, unsigned which)
{
    const struct plain *plain = &program->plain[which];
    char call[64];
    int item = (int)below(program, MOST_KEYS);
    if (strcmp(type, "HashTable") == 0) {
        int at = item_at(plain, item, 2);
        snprintf(call, sizeof call, "c%u.ContainsKey(%d)", which, item);
        answers(program, call, at >= 0 ? "true" : "false");
        snprintf(call, sizeof call, "c%u.GetValue(%d)", which, item);
        if (at >= 0)
            answers_number(program, call, plain->items[at + 1]);
        return;
    }
    snprintf(call, sizeof call, "c%u.Contains(%d)", which, item);
    answers(program, call, item_at(plain, item, 1) >= 0 ? "true" : "false");
    snprintf(call, sizeof call, "c%u.Count()", which);
    answers_number(program, call, plain->count);
    snprintf(call, sizeof call, "c%u.IsEmpty()", which);
    answers(program, call, plain->count == 0 ? "true" : "false");
    if (plain->count == 0)
        return;
    snprintf(call, sizeof call, "c%u.%s", which, strcmp(type, "Queue") == 0 ? "First()" : "Peek()");
    if (strcmp(type, "Queue") == 0)
        answers_number(program, call, plain->items[0]);
    else if (strcmp(type, "Stack") == 0)
        answers_number(program, call, plain->items[plain->count - 1]);
    if (strcmp(type, "Queue") == 0) {
        snprintf(call, sizeof call, "c%u.Last()", which);
        answers_number(program, call, plain->items[plain->count - 1]);
    }
    if (strcmp(type, "List") == 0) {
        int at = (int)below(program, (unsigned)plain->count);
        snprintf(call, sizeof call, "c%u.Get(%d)", which, at);
        answers_number(program, call, plain->items[at]);
    }
}

/* Changes an item of a list, by its index, or takes it out. */
static void change_at(struct program *program, unsigned which)
{
    struct plain *plain = &program->plain[which];
    const unsigned at = below(program, (unsigned)plain->count);
    const int item = (int)below(program, MOST_KEYS);
    if (below(program, 2)) {
        text_format(&program->statements, "c%u.Set(%u, %d); ", which, at, item);
        plain->items[at] = item;
    } else {
        text_format(&program->statements, "c%u.RemoveAt(%u); ", which, at);
        take_out(plain, (int)at);
    }
}

/* Changes one collection. */
static void change(struct program *program, const char *type, unsigned which)
{
    struct plain *plain = &program->plain[which];
    struct text *out = &program->statements;
    int item = (int)below(program, MOST_KEYS), at = item_at(plain, item, 1);
    bool removes = below(program, 3) == 0;
    if (strcmp(type, "HashTable") == 0) {
        int entered = (int)below(program, 9);
        text_format(out, "c%u.Add(%d, %d); ", which, item, entered);
        if (item_at(plain, item, 2) < 0) {
            plain->items[plain->count] = item;
            plain->items[plain->count + 1] = entered;
            plain->count += 2;
        }
    } else if (below(program, 16) == 0) {
        text_format(out, "c%u.Clear(); ", which);
        plain->count = 0;
    } else if (strcmp(type, "List") == 0 && plain->count && below(program, 3) == 0) {
        change_at(program, which);
    } else if (!removes) {
        text_format(out, "c%u.%s(%d); ", which,
                    strcmp(type, "Queue") == 0   ? "Enqueue"
                    : strcmp(type, "Stack") == 0 ? "Push"
                                                 : "Add",
                    item);
        if (strcmp(type, "Set") == 0)
            add_once(plain, item);
        else
            plain->items[plain->count++] = item;
    } else if (strcmp(type, "Queue") == 0 || strcmp(type, "Stack") == 0) {
        if (plain->count == 0)
            return;
        bool first = strcmp(type, "Queue") == 0;
        text_format(out, "c%u.%s(); ", which, first ? "Dequeue" : "Pop");
        take_out(plain, first ? 0 : plain->count - 1);
    } else {
        text_format(out, "c%u.Remove(%d); ", which, item);
        if (at >= 0)
            take_out(plain, at);
    }
}

/* Makes a collection of two, or compares two. */
static void of_two(struct program *program, const char *type)
{
    unsigned to = below(program, VARIABLES), a = below(program, VARIABLES),
             b = below(program, VARIABLES), which = below(program, 4);
    const struct plain *left = &program->plain[a], *right = &program->plain[b];
    struct plain made = {.count = 0};
    static const char *const names[] = {"Union", "Substract", "Intersect"};
    bool is_set = strcmp(type, "Set") == 0;
    if (strcmp(type, "HashTable") == 0 || (!is_set && left->count + right->count > MOST / 4))
        return;
    for (int i = 0; !is_set && i < left->count; i++)
        made.items[made.count++] = left->items[i];
    for (int i = 0; !is_set && i < right->count; i++)
        made.items[made.count++] = right->items[i];
    for (int i = 0; is_set && i < left->count; i++)
        if (which == 0 || (item_at(right, left->items[i], 1) >= 0) == (which == 2))
            add_once(&made, left->items[i]);
    for (int i = 0; is_set && which == 0 && i < right->count; i++)
        add_once(&made, right->items[i]);
    if (is_set && which == 3) {
        char call[64];
        bool common = false;
        for (int i = 0; i < left->count; i++)
            common |= item_at(right, left->items[i], 1) >= 0;
        snprintf(call, sizeof call, "c%u.IsDisjoint(c%u)", a, b);
        answers(program, call, common ? "false" : "true");
        snprintf(call, sizeof call, "c%u.IsOverlapping(c%u)", a, b);
        answers(program, call, common ? "true" : "false");
        return;
    }
    text_format(&program->statements, "c%u = c%u.%s(c%u, c%u); ", to, below(program, VARIABLES),
                is_set ? names[which] : "Concat", a, b);
    program->plain[to] = made;
}

static void expect_reached(const char *text)
{
    struct csp_model_test test;
    struct assertion_result result;
    enum status status = csp_model_test_try(&test, text);
    if (status == STATUS_OK)
        status = csp_model_test_decide(&test, 0, REDUCE_DEFAULT, false, &result);
    if (status != STATUS_OK || result.answer != HOLDS)
        fail_msg("%s\nis not as expected: %s", text, test.error.message);
    assertion_result_release(&result);
    csp_model_test_close(&test);
}

static void methods_do_what_arrays_do(void **unused)
{
    (void)unused;
    static const char *const types[] = {"List", "Set", "Queue", "Stack", "HashTable"};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct program program = {.answers = 0};
        struct text text = TEXT_EMPTY;
        const char *type = types[seed % ARRAY_LENGTH(types)];
        random_seed(&program.random, seed);
        for (unsigned i = 0; i < CALLS; i++) {
            change(&program, type, below(&program, VARIABLES));
            if (below(&program, 3) == 0)
                of_two(&program, type);
            ask(&program, type, below(&program, VARIABLES));
        }
        text_format(&text, "#import \"PAT.Lib.%s\"; var r[%u];", type, 6 * CALLS);
        for (unsigned i = 0; i < VARIABLES; i++)
            text_format(&text, "var<%s> c%u;", type, i);
        text_format(&text, "P = e{%s} -> Stop; #define right true%s; #assert P reaches right;",
                    text_string(&program.statements), text_string(&program.expected));
        expect_reached(text_string(&text));
        text_release(&text);
        text_release(&program.statements);
        text_release(&program.expected);
    }
}

/* ---- functions ---- */

static long power(long base, long exponent)
{
    long result = 1;
    for (long i = 0; i < exponent; i++)
        result *= base;
    return result;
}

static void functions_do_what_loops_do(void **unused)
{
    (void)unused;
    for (long a = -9; a <= 9; a++)
        for (long b = -9; b <= 9; b++) {
            struct text text = TEXT_EMPTY;
            long root = 0;
            while ((root + 1) * (root + 1) <= labs(a))
                root++;
            text_format(&text,
                        "var a = %ld; var b = %ld; P = e{a = a} -> Stop; #define right"
                        " call(Max, a, b) == %ld && call(min, %ld, b) == %ld && call(Abs, a) == %ld"
                        " && call(Sign, a) == %ld && call(Sqrt, call(abs, a)) == %ld",
                        a, b, a > b ? a : b, a, a < b ? a : b, labs(a),
                        (long)(a > 0) - (long)(a < 0), root);
            if (b >= 0)
                text_format(&text, " && call(Pow, a, b) == %ld && call(Pow, %ld, b) == %ld",
                            power(a, b), a, power(a, b));
            text_format(&text, "; #assert P reaches right;");
            expect_reached(text_string(&text));
            text_release(&text);
        }
    expect_reached("P = Stop; #define right call(Pow, 2, 30) == 1073741824 &&"
                   " call(Pow, -2, -1) == 0 && call(Pow, -1, -3) == -1 && call(Pow, 0, 0) == 1 &&"
                   " call(Sqrt, 2147483647) == 46340 && call(Pow, 46340, 2) == 2147395600;"
                   "#assert P reaches right;");
}

/* Decides the first assertion of a model that is wrong. */
static void expect_message(const char *text, const char *message)
{
    struct csp_model_test test;
    struct assertion_result result;
    enum status status = csp_model_test_try(&test, text);
    if (status == STATUS_OK) {
        status = csp_model_test_decide(&test, 0, REDUCE_DEFAULT, false, &result);
        assertion_result_release(&result);
    }
    if (status != STATUS_INPUT || !strstr(test.error.message, message))
        fail_msg("%s\nexpected %s\nfound %s", text, message, test.error.message);
    csp_model_test_close(&test);
}

static void what_libraries_do_not_have(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {
        {"var r; P = e{r = call(Pow, 2, 31)} -> Stop; #assert P deadlockfree;",
         "expected an integer of 32 bits, found a greater one"},
        {"var r = -9; P = e{r = call(Pow, r, 11)} -> Stop; #assert P deadlockfree;",
         "expected an integer of 32 bits, found a smaller one"},
        {"var r; P = e{r = call(Sqrt, r - 1)} -> Stop; #assert P deadlockfree;",
         "found the root of a negative number"},
        {"var r; P = e{r = call(Pow, r, -1)} -> Stop; #assert P deadlockfree;",
         "found a negative power of 0"},
        {"var r; P = e{r = call(Abs, r == 0)} -> Stop; #assert P deadlockfree;",
         "expected an integer, found a boolean"},
        {"var r; P = e{r = call(Max, r)} -> Stop; #assert P deadlockfree;",
         "expected 2 arguments for `Max`, found 1"},
        {"var<List> l; var<Set> s; P = e{l = s.Union(s, s)} -> Stop; #assert P deadlockfree;",
         "expected a collection of the type of `l`"},
        {"var<List> l; var<Set> s; P = e{s = s.Union(s, l)} -> Stop; #assert P deadlockfree;",
         "expected a variable of the type of `s` as argument of `Union`"},
        {"var<List> l; var<List> k; P = e{l.Add(k)} -> Stop; #assert P deadlockfree;",
         "expected an integer or a boolean, found a collection"},
        {"var<List> l; var x; P = e{x = l.Concat(l, l)} -> Stop; #assert P deadlockfree;",
         "expected an integer or a boolean, found a collection"},
        {"var<HashTable> t; var x; P = e{x = t.GetValue(1)} -> Stop; #assert P deadlockfree;",
         "expected a key of the table, found one that it lacks"},
        {"var<Set> s; P = e{s$Field = 1} -> Stop; #assert P deadlockfree;",
         "expected a field of `s`, found `Field`"},
        {"var s; P = e{s$Field = 1} -> Stop; #assert P deadlockfree;",
         "expected a variable of a collection type before `$`, found `s`"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        expect_message(cases[i][0], cases[i][1]);
}

static void fields_belong_to_their_list(void **unused)
{
    (void)unused;
    expect_reached("var<List> l; var<SerializableList> k; var x;"
                   "P = e{l$Field = 5; l$Property = l$Field + 3; k$Field = 2; x = l$Property} ->"
                   " f{l.Add(x)} -> g{x = l$Field; l = l.Concat(l, l)} -> Stop;"
                   "#define done x == 5 && l$Field == 0 && l$Property == 0 && k$Field == 2 &&"
                   " l.Count() == 2 && l.Get(1) == 8; #assert P reaches done;");
}

static void macros_have_values_and_read_arrays(void **unused)
{
    (void)unused;
    expect_reached("var a = [4, 1, 5]; var b[2][2] = [1, 2, 3, 4]; var x; var<Queue> q;"
                   "#define sum(v, n) {var i = 0; var s = 0; while (i < n) {s = s + v[i]; i++;} s};"
                   "#define twice(v) call(sum, v, 3) + call(sum, v, 3);"
                   "#define corner(m) m[1][1];"
                   "#define next {q.Enqueue(7); q.Dequeue()};"
                   "P = e{x = call(twice, a) + call(corner, b)} -> f{x = x + next} ->"
                   " g{var c = [1, 2, 3]; x = x + call(sum, c, 2)} -> Stop;"
                   "#define done x == 20 + 4 + 7 + 3 && q.Count() == 0; #assert P reaches done;");
    expect_message("var a[2]; #define set(v) {v[0] = 1;}; P = e{call(set, a)} -> Stop;"
                   "#assert P deadlockfree;",
                   "expected an array, found `v`, which is none");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_do_what_arrays_do),
        cmocka_unit_test(functions_do_what_loops_do),
        cmocka_unit_test(what_libraries_do_not_have),
        cmocka_unit_test(fields_belong_to_their_list),
        cmocka_unit_test(macros_have_values_and_read_arrays),
    };
    seeds_from_arguments(&seeds, count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

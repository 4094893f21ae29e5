/* Inductive rules: what is understood of them, what they derive, and that nothing else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lin/check.h"
#include "lin/parser.h"
#include "lin/rules.h"
#include "spec/rule_set_forget.h"
#include "spec/rule_set_words.h"
#include "support/rule_derivation.h"

#define SEED UINT64_C(20261123)

static const char *const shipped[] = {"queue",     "stack", "register",      "mutex",
                                      "semaphore", "set",   "priority_queue"};

/* ---- rules from text ---- */

struct fixture {
    struct budget budget;
    struct arena arena;
    struct lin_module module;
    struct error error;
};

static enum status read_script(struct fixture *fixture, const struct script *script)
{
    enum status status = lin_parse(script, &fixture->arena, &fixture->module, &fixture->error);
    return status == STATUS_OK ? lin_check(&fixture->module, &fixture->error) : status;
}

static void open_fixture(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
}

static enum status read_text(struct fixture *fixture, const char *text)
{
    static struct script script;
    open_fixture(fixture);
    enum status status =
        script_from_text("a.lin", text, strlen(text), &fixture->arena, &script, &fixture->error);
    assert_int_equal(status, STATUS_OK);
    return read_script(fixture, &script);
}

static const struct rule_set *read_shipped(struct fixture *fixture, const char *name)
{
    static struct script script;
    char path[512];
    snprintf(path, sizeof path, "%s/examples/rules/%s.lin", SOURCE_DIR, name);
    open_fixture(fixture);
    enum status status = script_read(path, &fixture->arena, NULL, &script, &fixture->error);
    if (status == STATUS_OK)
        status = read_script(fixture, &script);
    if (status != STATUS_OK)
        fail_msg("%s: %s", path, fixture->error.message);
    return fixture->module.rules.items[0]->set;
}

static void close(struct fixture *fixture)
{
    lin_module_release(&fixture->module);
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
}

#define METHODS                                                                                    \
    "rules r {\n input A = put(value); method B = take() -> value; method C = take() -> empty;\n"
#define RULES METHODS "rule R0: empty;\n"

static void mistakes_have_a_place(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        unsigned line;
        const char *message;
    } mistakes[] = {
        {"rules r", 1, "expected `{`, found the end of the file"},
        {"rules r of { }", 1, "expected a name (a specification), found `{`"},
        {"rules r {\n fact; }", 2, "expected `input`, `method`, `rule`, `values` or `}`"},
        {"rules r { values\nequal; }", 2, "expected `distinct` or `ordered`, found `equal`"},
        {"rules r { values ordered;\nvalues ordered; }", 2, "expected one `values`"},
        {"rules r { input A put(value); }", 1, "expected `=` and the operation"},
        {"rules r { input A = put(v); }", 1, "expected `)` or `value`, found `v`"},
        {"rules r { input A = put(value) -> 3; }", 1, "(what it answers: `value`, `empty`"},
        {METHODS "rule R0: empty\n}", 4, "expected `;` after the rule"},
        {RULES "rule R: u where => u A; }", 4, "expected a name (a variable, or `matched`)"},
        {RULES "rule R: u where u A* => u A; }", 4, "expected `in` and methods, found `A`"},
        {RULES "rule R: u where u in A => u A; }", 4, "expected `*` after the methods"},
        {RULES "rule R: u where u in {A, } => u A; }", 4, "expected a name (a method)"},
        {RULES "rule R: u where matched(A u) => u A; }", 4, "expected `,` between method"},
        {RULES "rule R: u where u in A* u A; }", 4, "expected `=>` before the expression"},
        {RULES "rule R: u => ; }", 4, "expected a name (a variable or a method)"},
        {"rules r { }", 1, "expected methods and rules, found no rule"},
        {"rules r { rule R0: empty; }", 1, "expected methods and rules, found no method"},
        {"rules r { input A = put(value); rule R0: empty; }\nrules r { }", 2, "`r` again"},
        {"rules r {\n input A = put(value); input A = get(value); rule R: empty; }", 2,
         "found `A` again"},
        {"rules r { input empty = put(value); rule R: empty; }", 1, "other than `empty`"},
        {"rules r { input A = put(value) -> value; rule R: empty; }", 1, "one value of a method"},
        {"rules r { input A = put(value); method B = put(); rule R: empty; }", 1,
         "expected `put` with a value everywhere or nowhere"},
        {METHODS "rule R: A;\n }", 3, "expected the empty execution, `: empty;`, as the first"},
        {RULES "rule R: empty; }", 4, "expected the empty execution as the first rule only"},
        {RULES "rule R0: A; }", 4, "expected a new name, found `R0` again"},
        {RULES "rule R: u u => u A; }", 4, "expected each variable once, found `u` again"},
        {RULES "rule R: u A => u A; }", 4, "expected a variable, found the method `A`"},
        {RULES "rule R: u where v in A* => u A; }", 4,
         "expected a variable of the rule, found `v`"},
        {RULES "rule R: u where u in D* => u A; }", 4, "expected a method (A, B, C), found `D`"},
        {RULES "rule R: u where matched(D, u) => u A; }", 4, "found `D`"},
        {RULES "rule R: u where matched(A, A) => u A; }", 4, "of the rule, found `A`"},
        {RULES "rule R: u => u A D; }", 4, "expected a method (A, B, C), found `D`"},
        {RULES "rule R: u v => v A u; }", 4, "variables in their order, `u` next, found `v`"},
        {RULES "rule R: u => u A u; }", 4, "expected each variable once, found `u` again"},
        {RULES "rule R: u\n v => u A; }", 5, "every variable in the expression, found none of `v`"},
        {RULES "rule R: u => u* A; }", 4, "expected `u` without a star: it is a variable"},
        {RULES "rule R: u => A u A; }", 4,
         "a method at most once in an expression, found `A` again"},
        {RULES "rule R: u => A u A*; }", 4, "a method at most once in an expression"},
        {RULES "rule R: u => A* u; }", 4, "expected a method without a star in `R`"},
        {RULES "rule R: u => u; }", 4, "expected a method without a star in `R`"},
        {"rules r { values distinct; input A = put(value); method B = take() -> value;\n"
         "rule R0: empty; rule R: u => u B; }",
         2,
         "expected an input method in `R`, which brings its value in, found none: values are "
         "distinct"},
        {"rules r { values ordered; input A = put(value); method B = take() -> value;\n"
         "method C = take() -> empty; rule R0: empty; rule R: u => u B C; }",
         2, "which brings its value in, found none: values are ordered"},
        {RULES "rule R: u where u in B < value* => u A; }", 4,
         "where the rules say `values ordered;`"},
        {RULES "rule R: u where u in {B < 3}* => u A; }", 4, "expected `value`, which methods"},
        {"rules r { values ordered; input A = put(value); method B = take() -> value;\n"
         "method C = take() -> empty; rule R0: empty;\n"
         "rule R: u where u in C < value* => A u; }",
         3, "expected a method that has a value, found `C`"},
        {"rules r { values ordered; input A = put(value); method B = take() -> value;\n"
         "method C = take() -> empty; rule R0: empty;\n"
         "rule R: u where u in A < value* => C u; }",
         3, "expected a method with a value in `R`, which compares with it"},
        {"rules r { values ordered; input A = put(value); method B = take() -> value;\n"
         "rule R0: empty; rule R: u => B u A; }",
         2, "expected `R` to begin with an input method that takes a value"},
        {RULES "rule R: u v where matched(A, u v) => u A v; }", 4, "expected one variable"},
        {RULES "rule R: u v w x where v in A*, x in B* => u v w x A; }", 4,
         "expected at most 2 variables in an expression behind which another one"},
        {"rules r { input A = a(); method B = b(); method C = c(); method D = d(); method E = e(); "
         "method F = f(); method G = g(); method H = h(); method I = i(); method J = j(); method K "
         "= k(); method L = l();\n"
         "rule R0: empty; rule R: A B* C* D* E* F* G* H* I* J* K* L*; }",
         2, "expected at most 10 methods with a star in an expression, found 11"},
        {"rules r of heap {\n input A = put(value); rule R0: empty; }", 1, "found `heap`"},
        {"rules queue {\n input A = put(value); rule R0: empty; }", 2,
         "expected an operation of `queue`, found `put`"},
        {"rules queue {\n input A = enqueue(); rule R0: empty; }", 2,
         "expected `enqueue(value)`, as in `queue`, found `()`"},
        {"spec s { op f() { return ok; } }\nrules s { input A = f(value); rule R0: empty; }", 2,
         "expected `f()`, as in `s`, found `(value)`"},
        {"rules r of s { input A = g(); rule R0: empty; }\nspec s { op f() { return ok; } }", 1,
         "expected an operation of `s`, found `g`"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(mistakes); i++) {
        struct fixture fixture;
        if (read_text(&fixture, mistakes[i].text) != STATUS_INPUT)
            fail_msg("no mistake was found in: %s", mistakes[i].text);
        if (!strstr(fixture.error.message, mistakes[i].message) ||
            fixture.error.line != mistakes[i].line)
            fail_msg("%s: expected line %u: %s\nfound line %u: %s", mistakes[i].text,
                     mistakes[i].line, mistakes[i].message, fixture.error.line,
                     fixture.error.message);
        close(&fixture);
    }
}

static void too_much_is_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *head, *item, *tail, *message;
    } sets[] = {
        {"rules r { rule R0: empty;", " input A# = f#(value);", "}", "at most 32 methods, found"},
        {"rules r { input A = f(value);", " rule R#: A; ", "}", "at most 32 rules, found"},
        {RULES " rule R:", " u#", "=> A; }", "at most 12 variables, found"},
        {RULES " rule R: u where matched(A, u)", ", matched(A, u)", "=> u A; }",
         "at most 12 `matched`"},
        {RULES " rule R: A", " B", "; }", "at most 24 variables and methods in an expression"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++) {
        struct text text = TEXT_EMPTY;
        struct fixture fixture;
        text_append(&text, sets[i].head);
        for (unsigned n = 0; n < 40; n++)
            for (const char *letter = sets[i].item; *letter; letter++)
                if (*letter == '#')
                    text_format(&text, "%u", n);
                else
                    text_append_char(&text, *letter);
        text_append(&text, sets[i].tail);
        assert_int_equal(read_text(&fixture, text_string(&text)), STATUS_INPUT);
        if (!strstr(fixture.error.message, sets[i].message))
            fail_msg("expected %s, found %s", sets[i].message, fixture.error.message);
        close(&fixture);
        text_release(&text);
    }
}

static void rules_mean_what_they_say(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(read_text(&fixture, "rules r of priority_queue { values ordered;\n"
                                         "input A = insert(value);\n"
                                         "method B = delete_min() -> value;\n"
                                         "rule R0: empty;\n"
                                         "rule R: u v w where u, v in {A, B < value}*, w in {}*,\n"
                                         "    matched(A > value, u w) => A u v B* w; }"),
                     STATUS_OK);
    const struct rule_set *set = fixture.module.rules.items[0]->set;
    assert_string_equal(set->name, "r");
    assert_string_equal(set->subject, "priority_queue");
    assert_int_equal(set->values, RULE_VALUES_ORDERED);
    assert_int_equal(set->line, 1);
    assert_int_equal(set->method_count, 2);
    assert_int_equal(set->operation_count, 2);
    assert_true(set->methods[0].is_input && !set->methods[1].is_input);
    const struct rule *rule = &set->rules[1];
    assert_int_equal(rule->item_count, 5);
    assert_int_equal(rule->items[0].kind, RULE_METHOD);
    assert_int_equal(rule->items[3].kind, RULE_CLOSURE);
    assert_int_equal(rule->items[4].number, 2);
    assert_int_equal(rule->variables[0].less, 3);
    assert_int_equal(rule->variables[1].greater, 1);
    assert_int_equal(rule->variables[2].less, 0);
    assert_int_equal(rule->matched_count, 1);
    assert_int_equal(rule->matched[0].variables, 5);
    assert_int_equal(rule->matched[0].compared, RULE_COMPARES_GREATER);
    close(&fixture);
}

/* ---- derivations ---- */

struct comparison {
    const struct rule_set *set;
    struct derivation derivation;
    size_t words, derived, forgotten;
    unsigned most;
    char context[64];
};

static _Noreturn void differ(const struct comparison *comparison, const struct rule_word *word,
                             const char *what)
{
    struct text text = TEXT_EMPTY;
    rule_word_print(comparison->set, word, &text);
    fail_msg("%s: %s: %s", comparison->context, what, text_string(&text));
    abort();
}

static bool derives(const struct rule_set *set, unsigned count, const struct rule_word *word)
{
    struct rule_event scratch[RULE_MOST_EVENTS + 8];
    return rule_set_derives(set, count, word, scratch);
}

static bool compare_word(void *context, const struct rule_word *word)
{
    struct comparison *comparison = context;
    const struct derived *derived = derivation_find(&comparison->derivation, word);
    comparison->words++;
    comparison->derived += derived != NULL;
    for (uint32_t i = 0; i < word->length; i++)
        for (unsigned r = 1; r < comparison->set->rule_count; r++)
            if (rule_matches(&comparison->set->rules[r], word, word->events[i].group) !=
                derivation_makes(comparison->set, r, word, word->events[i].group))
                differ(comparison, word, "matches a rule, or does not");
    for (unsigned count = 1; count <= comparison->set->rule_count; count++)
        if (derives(comparison->set, count, word) != (derived && derived->level <= count))
            differ(comparison, word, derived ? "is derived" : "is not derived");
    return true;
}

static bool compare_labelling(void *context, const struct rule_labelling *labelling)
{
    struct comparison *comparison = context;
    return rule_words_visit(comparison->set, labelling, compare_word, comparison);
}

static void visit_words(struct comparison *comparison, unsigned most,
                        bool (*visit)(void *context, const struct rule_labelling *labelling))
{
    struct budget budget;
    struct rule_shapes shapes;
    budget_init(&budget, NULL, 0);
    vector_init(&shapes.items, &budget);
    assert_true(rule_shapes_find(comparison->set, most, &shapes));
    for (unsigned n = 0; n <= most; n++)
        assert_true(rule_labellings_visit(&shapes, n, visit, comparison));
    vector_release(&shapes.items);
}

/* Every word that is derived is among those visited, and the decision is right for all of them. */
static void compare_derivations(struct comparison *comparison, unsigned most)
{
    derivation_make(&comparison->derivation, comparison->set, most);
    visit_words(comparison, most, compare_labelling);
    if (comparison->derived != comparison->derivation.count)
        fail_msg("%s: %zu words are derived, and %zu visited", comparison->context,
                 comparison->derivation.count, comparison->derived);
    derivation_release(&comparison->derivation);
}

static void shipped_rules_derive_what_the_definition_says(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(shipped); i++) {
        struct fixture fixture;
        struct comparison comparison = {.set = read_shipped(&fixture, shipped[i])};
        snprintf(comparison.context, sizeof comparison.context, "%s", shipped[i]);
        bool many = comparison.set->values != RULE_VALUES_RENAMED;
        compare_derivations(&comparison, many ? 3 : 5);
        print_message("%s: %zu words, %zu derived\n", shipped[i], comparison.words,
                      comparison.derived);
        close(&fixture);
    }
}

static void random_rules_derive_what_the_definition_says(void **unused)
{
    (void)unused;
    struct random random;
    size_t words = 0, derived = 0;
    random_seed(&random, SEED);
    for (unsigned i = 0; i < 400; i++) {
        struct rule_set set;
        rule_set_random(&set, &random);
        struct comparison comparison = {.set = &set};
        snprintf(comparison.context, sizeof comparison.context, "random rules %u of seed %llu", i,
                 (unsigned long long)SEED);
        compare_derivations(&comparison, set.values == RULE_VALUES_ORDERED ? 3 : 4);
        words += comparison.words;
        derived += comparison.derived;
    }
    print_message("%zu words, %zu derived\n", words, derived);
    assert_true(derived > words / 50 && derived < words / 2);
}

/* ---- what is forgotten ---- */

struct continuation {
    struct comparison *comparison;
    uint32_t x, groups;
    struct rule_event events[RULE_MOST_EVENTS + 8];
    uint32_t start;
};

/* Whether the word so far is in the set with x exactly if it is without; and so on, with events of
 * any groups. */
static void continue_from(struct continuation *continuation, uint32_t length, unsigned more)
{
    const struct rule_set *set = continuation->comparison->set;
    struct rule_event rest[RULE_MOST_EVENTS + 8];
    uint32_t kept = 0;
    bool follows = false;
    for (uint32_t i = 0; i < length; i++) {
        bool own = continuation->events[i].group == continuation->x;
        follows |= own && i >= continuation->start;
        if (!own)
            rest[kept++] = continuation->events[i];
    }
    const struct rule_word whole = {continuation->events, length, NULL},
                           without = {rest, kept, NULL};
    bool in = derives(set, set->rule_count, &whole);
    if (in != (!follows && derives(set, set->rule_count, &without)))
        differ(continuation->comparison, &whole, "cannot forget a group of it");
    for (unsigned m = 0; m < set->method_count && more > 0; m++)
        for (uint32_t group = 0; group <= continuation->groups; group++) {
            continuation->events[length] = (struct rule_event){(uint16_t)m, (uint16_t)group};
            continuation->groups += group == continuation->groups;
            continue_from(continuation, length + 1, more - 1);
            continuation->groups -= group + 1 == continuation->groups;
        }
}

static bool forget_in_word(void *context, const struct rule_word *word)
{
    struct comparison *comparison = context;
    struct continuation continuation = {.comparison = comparison, .start = word->length};
    if (!derives(comparison->set, comparison->set->rule_count, word))
        return true;
    for (uint32_t i = 0; i < word->length; i++) {
        continuation.events[i] = word->events[i];
        if (word->events[i].group >= continuation.groups)
            continuation.groups = word->events[i].group + 1u;
    }
    uint32_t groups = continuation.groups;
    for (continuation.x = 0; continuation.x < groups; continuation.x++) {
        if (!rule_set_forgets(comparison->set, word, groups, continuation.x))
            continue;
        comparison->forgotten++;
        continuation.groups = groups;
        continue_from(&continuation, word->length, comparison->most);
    }
    return true;
}

static bool forget_in_labelling(void *context, const struct rule_labelling *labelling)
{
    struct comparison *comparison = context;
    return rule_words_visit(comparison->set, labelling, forget_in_word, comparison);
}

static void what_is_forgotten_is_of_no_matter(void **unused)
{
    (void)unused;
    struct random random;
    size_t forgotten = 0, sets = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(shipped); i++) {
        struct fixture fixture;
        struct comparison comparison = {.set = read_shipped(&fixture, shipped[i]), .most = 3};
        snprintf(comparison.context, sizeof comparison.context, "%s", shipped[i]);
        if (rule_set_may_forget(comparison.set))
            visit_words(&comparison, 4, forget_in_labelling);
        print_message("%s: forgotten %zu times\n", shipped[i], comparison.forgotten);
        assert_true((comparison.forgotten > 0) == (comparison.set->values == RULE_VALUES_RENAMED));
        close(&fixture);
    }
    random_seed(&random, SEED);
    for (unsigned i = 0; i < 3000; i++) {
        struct rule_set set;
        rule_set_random(&set, &random);
        struct comparison comparison = {.set = &set, .most = 3};
        snprintf(comparison.context, sizeof comparison.context, "random rules %u of seed %llu", i,
                 (unsigned long long)SEED);
        if (rule_set_may_forget(&set))
            visit_words(&comparison, 4, forget_in_labelling);
        forgotten += comparison.forgotten;
        sets += comparison.forgotten > 0;
    }
    print_message("%zu groups of words of %zu random sets\n", forgotten, sets);
    assert_true(sets > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(rules_mean_what_they_say),
        cmocka_unit_test(shipped_rules_derive_what_the_definition_says),
        cmocka_unit_test(random_rules_derive_what_the_definition_says),
        cmocka_unit_test(what_is_forgotten_is_of_no_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

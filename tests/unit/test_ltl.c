/* Formulas of linear temporal logic and their automata, against the meaning of the formulas on
 * words that repeat a loop for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lin/parser_formula.h"
#include "logic/buchi_degeneralise.h"
#include "logic/buchi_translate.h"
#include "logic/ltl_formula.h"
#include "support/ltl_words.h"
#include "support/seeds.h"

#define ATOMS             4
#define WORDS_PER_FORMULA 12

static struct seeds seeds = {.first = 1, .count = 3000};

static struct budget unlimited;
static struct limits limits;

static int set_up(void **unused)
{
    (void)unused;
    budget_init(&unlimited, NULL, 0);
    limits_init(&limits, &unlimited);
    return 0;
}

static int nothing_is_leaked(void **unused)
{
    (void)unused;
    return atomic_load(&unlimited.used) != 0;
}

static void translate(struct ltl *ltl, ltl_id formula, struct buchi *buchi)
{
    struct error error;
    assert_int_equal(buchi_translate(ltl, formula, &limits, buchi, &error), STATUS_OK);
}

static void degeneralise(const struct buchi *general, enum buchi_form form, struct buchi *buchi)
{
    struct error error;
    assert_int_equal(buchi_degeneralise(general, form, &limits, buchi, &error), STATUS_OK);
    assert_int_equal(buchi->acceptance_count, 1);
}

static void complain(const struct tree *tree, const struct lasso *word, const char *what,
                     bool expected)
{
    struct text text = TEXT_EMPTY;
    tree_print(tree, &text);
    text_append(&text, "\non");
    lasso_print(word, &text);
    print_error("%s should %s\n%s\n", what, expected ? "accept" : "reject", text_string(&text));
    text_release(&text);
    fail();
}

/* An automaton of the formula, of its negation, and both forms with one acceptance set. */
struct automata {
    struct buchi general, negation, by_edge, by_state;
};

static void check_word(const struct tree *tree, const struct automata *automata,
                       const struct lasso *word)
{
    bool expected = lasso_satisfies(word, tree);
    if (buchi_accepts(&automata->general, word) != expected)
        complain(tree, word, "the automaton", expected);
    if (buchi_accepts(&automata->negation, word) == expected)
        complain(tree, word, "the automaton of the negation", !expected);
    if (buchi_accepts(&automata->by_edge, word) != expected)
        complain(tree, word, "the automaton with one set of edges", expected);
    if (buchi_accepts(&automata->by_state, word) != expected)
        complain(tree, word, "the automaton with one set of states", expected);
}

static void edges_of_a_state_are_accepting_together(const struct buchi *buchi)
{
    for (uint32_t state = 0; state < buchi->state_count; state++) {
        uint32_t first = buchi->first.items[state];
        for (uint32_t i = first; i < buchi->first.items[state + 1]; i++)
            assert_int_equal(buchi->edges.items[i].acceptance,
                             buchi->edges.items[first].acceptance);
    }
}

static void check_formula(struct random *random, const struct tree *tree)
{
    struct ltl ltl;
    assert_true(ltl_init(&ltl, &unlimited));
    ltl_id formula = tree_build(tree, &ltl);
    struct automata automata;
    translate(&ltl, formula, &automata.general);
    translate(&ltl, ltl_not(formula), &automata.negation);
    degeneralise(&automata.general, BUCHI_BY_EDGE, &automata.by_edge);
    degeneralise(&automata.general, BUCHI_BY_STATE, &automata.by_state);
    edges_of_a_state_are_accepting_together(&automata.by_state);
    for (unsigned i = 0; i < WORDS_PER_FORMULA; i++) {
        struct lasso word;
        lasso_random(random, ATOMS, &word);
        check_word(tree, &automata, &word);
    }
    buchi_release(&automata.general);
    buchi_release(&automata.negation);
    buchi_release(&automata.by_edge);
    buchi_release(&automata.by_state);
    ltl_release(&ltl);
}

static void automata_accept_what_satisfies_the_formula(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        random_seed(&random, seed);
        struct tree *tree = tree_random(&random, 1 + random_below(&random, 12), ATOMS, TREE_KINDS);
        check_formula(&random, tree);
        tree_release(tree);
    }
}

/* ---- formulas as text ---- */

struct reading {
    struct script script;
    unsigned atoms;
    char names[LTL_MAX_ATOMS][32];
};

static enum status number_atom(void *context, const struct formula *atom, unsigned *number,
                               struct error *error)
{
    (void)error;
    struct reading *reading = context;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(atom->end - atom->at),
             reading->script.text + atom->at);
    for (*number = 0; *number < reading->atoms; ++*number)
        if (strcmp(reading->names[*number], name) == 0)
            return STATUS_OK;
    strcpy(reading->names[reading->atoms++], name);
    return STATUS_OK;
}

/* The formula that a text means; LTL_REFUSED when it is none. Atoms keep their numbers. */
static ltl_id read_with(struct reading *reading, const char *text, enum ltl_weak weak,
                        struct ltl *ltl)
{
    struct arena arena;
    struct formula *formula;
    struct error error;
    ltl_id made = LTL_REFUSED;
    arena_init(&arena, &unlimited);
    assert_int_equal(
        script_from_text("formula", text, strlen(text), &arena, &reading->script, &error),
        STATUS_OK);
    if (lin_formula_from_text(&reading->script, &arena, &formula, &error) == STATUS_OK) {
        assert_int_equal(formula_number_atoms(formula, number_atom, reading, &error), STATUS_OK);
        made = ltl_from_formula(ltl, formula, weak);
    }
    arena_release(&arena);
    return made;
}

static ltl_id read_formula(struct reading *reading, const char *text, struct ltl *ltl)
{
    return read_with(reading, text, LTL_WEAK_RELEASE, ltl);
}

static void operators_of_lin_bind_as_usual(void **unused)
{
    (void)unused;
    static const char *const same[][2] = {
        {"[] a -> <> b", "([] a) -> (<> b)"},
        {"a || b && c", "a || (b && c)"},
        {"a && b || c && d", "(a && b) || (c && d)"},
        {"a U b && c", "(a U b) && c"},
        {"a U b U c", "a U (b U c)"},
        {"a U b R c W d", "a U (b R (c W d))"},
        {"a -> b -> c", "a -> (b -> c)"},
        {"a <-> b || c", "a <-> (b || c)"},
        {"a xor b || c -> d", "(a xor (b || c)) -> d"},
        {"! a U b", "(!a) U b"},
        {"X a && b", "(X a) && b"},
        {"G F a", "[] (<> a)"},
        {"X X a V b", "(X (X a)) R b"},
        {"! [] ! a", "<> a"},
        {"F(a)", "<> a"},
        {"X U F", "(X) U (F)"}, /* names where no operand follows */
        {"(x == 1) -> X flag", "(x == 1) -> (X flag)"},
        {"call.push -> <> return.push(1)", "(call.push) -> (<> (return.push(1)))"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct ltl ltl;
        struct reading reading = {.atoms = 0};
        assert_true(ltl_init(&ltl, &unlimited));
        ltl_id first = read_formula(&reading, same[i][0], &ltl);
        ltl_id second = read_formula(&reading, same[i][1], &ltl);
        if (first != second || first == LTL_REFUSED)
            fail_msg("%s is not read as %s", same[i][0], same[i][1]);
        ltl_release(&ltl);
    }
}

static void conditions_are_whole_atoms(void **unused)
{
    (void)unused;
    struct ltl ltl;
    struct reading reading = {.atoms = 0};
    assert_true(ltl_init(&ltl, &unlimited));
    ltl_id formula = read_formula(
        &reading, "[] (top != null && top.next == null) || (a && running(0, b))", &ltl);
    assert_int_not_equal(formula, LTL_REFUSED);
    assert_int_equal(reading.atoms, 2);
    assert_string_equal(reading.names[0], "(top != null && top.next == nul"); /* cut */
    assert_string_equal(reading.names[1], "(a && running(0, b))");
    ltl_release(&ltl);
}

static void what_is_no_formula_is_refused(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {"",       "a &&",  "a b",   "(a",     "a)",   "a == 1",
                                        "call.1", "U a",   "a U",   "[] ",    "[ a",  "< a",
                                        "a <- b", "a = b", "(a U)", "(a ==)", "1 U 2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ltl ltl;
        struct reading reading = {.atoms = 0};
        assert_true(ltl_init(&ltl, &unlimited));
        if (read_formula(&reading, wrong[i], &ltl) != LTL_REFUSED)
            fail_msg("%s is read", wrong[i]);
        ltl_release(&ltl);
    }
}

/* What is printed reads as the same formula. */
static void printed_formulas_read_back(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct ltl ltl;
        struct text text = TEXT_EMPTY;
        struct reading reading = {.atoms = ATOMS, .names = {"p0", "p1", "p2", "p3"}};
        random_seed(&random, seed);
        struct tree *tree = tree_random(&random, 1 + random_below(&random, 12), ATOMS, TREE_KINDS);
        assert_true(ltl_init(&ltl, &unlimited));
        ltl_id formula = tree_build(tree, &ltl);
        ltl_print(&ltl, formula, LTL_SYNTAX_OURS, NULL, &text);
        if (read_formula(&reading, text_string(&text), &ltl) != formula)
            fail_msg("%s does not read back", text_string(&text));
        text_release(&text);
        ltl_release(&ltl);
        tree_release(tree);
    }
}

/* Whatever becomes of W. */
static void what_is_read_has_the_words_of_what_was_written(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct ltl ltl;
        struct buchi automaton;
        struct lasso word;
        struct text text = TEXT_EMPTY;
        struct reading reading = {.atoms = ATOMS, .names = {"p0", "p1", "p2", "p3"}};
        random_seed(&random, seed);
        struct tree *tree = tree_random(&random, 1 + random_below(&random, 12), ATOMS, TREE_KINDS);
        tree_print(tree, &text);
        assert_true(ltl_init(&ltl, &unlimited));
        assert_int_equal(read_formula(&reading, text_string(&text), &ltl), tree_build(tree, &ltl));
        translate(&ltl, read_with(&reading, text_string(&text), LTL_WEAK_SPELLED, &ltl),
                  &automaton);
        for (unsigned i = 0; i < WORDS_PER_FORMULA; i++) {
            lasso_random(&random, ATOMS, &word);
            if (buchi_accepts(&automaton, &word) != lasso_satisfies(&word, tree))
                complain(tree, &word, "the automaton", lasso_satisfies(&word, tree));
        }
        buchi_release(&automaton);
        text_release(&text);
        ltl_release(&ltl);
        tree_release(tree);
    }
}

/* ---- rewriting and limits ---- */

static void formulas_are_simplified(void **unused)
{
    (void)unused;
    static const char *const rules[][2] = {
        {"a && !a", "false"},
        {"a U true", "true"},
        {"X true", "true"},
        {"<> <> a", "<> a"},
        {"[] [] a", "[] a"},
        {"<> [] <> a", "[] <> a"},
        {"X [] <> a", "[] <> a"},
        {"X a && X b", "X (a && b)"},
        {"<> X a", "X <> a"},
        {"<> a || <> b", "<> (a || b)"},
        {"[] a && [] b", "[] (a && b)"},
        {"[] <> a || [] <> b", "[] <> (a || b)"},
        {"(a U c) && (b U c)", "(a && b) U c"},
        {"(a U b) || (a U c)", "a U (b || c)"},
        {"a U (a U b)", "a U b"},
        {"<> (a U b)", "<> b"},
        {"!a U (a || b)", "<> (a || b)"},
        {"a && (!a || b)", "a && b"},
        {"[] a && <> a", "[] a"},
        {"[] a && X a", "[] a"},
        {"<> (a && [] <> b)", "<> a && [] <> b"},
        {"a W b", "b R (a || b)"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct ltl ltl;
        struct text text = TEXT_EMPTY;
        struct reading reading = {.atoms = 3, .names = {"a", "b", "c"}};
        static const char *const names[] = {"a", "b", "c"};
        assert_true(ltl_init(&ltl, &unlimited));
        ltl_id formula = read_formula(&reading, rules[i][0], &ltl);
        assert_int_equal(formula, read_formula(&reading, rules[i][1], &ltl));
        ltl_print(&ltl, formula, LTL_SYNTAX_OURS, names, &text);
        if (strlen(text_string(&text)) > strlen(rules[i][1]) + 4) /* parentheses may differ */
            fail_msg("%s became %s", rules[i][0], text_string(&text));
        text_release(&text);
        ltl_release(&ltl);
    }
}

/* As deep as is allowed, and one operator more; what walks formulas recurs. */
static void deep_formulas_are_translated_or_refused(void **unused)
{
    (void)unused;
    struct ltl ltl;
    struct buchi buchi;
    assert_true(ltl_init(&ltl, &unlimited));
    ltl_id formula = ltl_atom(&ltl, 0);
    for (unsigned i = 0; i < LTL_MAX_HEIGHT / 2; i++)
        formula = ltl_next(&ltl, ltl_or(&ltl, ltl_atom(&ltl, 1), formula));
    assert_int_not_equal(formula, LTL_REFUSED);
    translate(&ltl, formula, &buchi);
    assert_true(buchi.state_count > LTL_MAX_HEIGHT / 2);
    buchi_release(&buchi);
    formula = ltl_next(&ltl, formula);
    assert_int_equal(formula, LTL_REFUSED);
    assert_int_equal(ltl_and(&ltl, LTL_TRUE, formula), LTL_REFUSED);
    assert_int_equal(buchi_translate(&ltl, formula, &limits, &buchi, NULL), STATUS_LIMIT);
    ltl_release(&ltl);
}

/* Whatever is refused, the answer is a limit and nothing is leaked. */
static void little_memory_is_a_limit(void **unused)
{
    (void)unused;
    unsigned refused = 0, made = 0;
    for (size_t most = 1000; most < 200000; most += most / 20) {
        struct budget budget;
        struct limits tight;
        struct ltl ltl;
        struct buchi buchi;
        struct random random;
        budget_init(&budget, NULL, most);
        limits_init(&tight, &budget);
        random_seed(&random, seeds.first);
        struct tree *tree = tree_random(&random, 14, ATOMS, TREE_KINDS);
        if (ltl_init(&ltl, &budget)) {
            enum status status =
                buchi_translate(&ltl, tree_build(tree, &ltl), &tight, &buchi, NULL);
            assert_true(status == STATUS_OK || status == STATUS_LIMIT);
            made += status == STATUS_OK;
            refused += status == STATUS_LIMIT;
            buchi_release(&buchi);
            ltl_release(&ltl);
        }
        assert_int_equal(atomic_load(&budget.used), 0);
        tree_release(tree);
    }
    assert_true(refused > 0 && made > 0);
}

static void an_interrupt_ends_a_translation(void **unused)
{
    (void)unused;
    struct ltl ltl;
    struct buchi buchi;
    struct error error;
    atomic_bool stop = true;
    struct limits stopped = limits;
    stopped.interrupt = &stop;
    assert_true(ltl_init(&ltl, &unlimited));
    ltl_id formula = LTL_TRUE;
    for (unsigned i = 0; i < 12; i++) /* 2^12 states and more */
        formula =
            ltl_and(&ltl, formula,
                    ltl_until(&ltl, ltl_atom(&ltl, i), ltl_next(&ltl, ltl_atom(&ltl, i + 20))));
    assert_int_equal(buchi_translate(&ltl, formula, &stopped, &buchi, &error), STATUS_LIMIT);
    assert_int_equal(buchi.state_count, 0);
    ltl_release(&ltl);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automata_accept_what_satisfies_the_formula),
        cmocka_unit_test(operators_of_lin_bind_as_usual),
        cmocka_unit_test(conditions_are_whole_atoms),
        cmocka_unit_test(what_is_no_formula_is_refused),
        cmocka_unit_test(printed_formulas_read_back),
        cmocka_unit_test(what_is_read_has_the_words_of_what_was_written),
        cmocka_unit_test(formulas_are_simplified),
        cmocka_unit_test(deep_formulas_are_translated_or_refused),
        cmocka_unit_test(little_memory_is_a_limit),
        cmocka_unit_test(an_interrupt_ends_a_translation),
    };
    return cmocka_run_group_tests(tests, set_up, nothing_is_leaked);
}

/* Formulas of linear temporal logic and their automata, against the meaning of the formulas on
 * words that repeat a loop for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "support/ltl_words.h"

#define ATOMS             4
#define WORDS_PER_FORMULA 12

static uint64_t first_seed = 1;
static unsigned formula_count = 3000;

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
    for (uint64_t seed = first_seed; seed < first_seed + formula_count; seed++) {
        struct random random;
        random_seed(&random, seed);
        struct tree *tree = tree_random(&random, 1 + random_below(&random, 12), ATOMS, TREE_KINDS);
        check_formula(&random, tree);
        tree_release(tree);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        formula_count = (unsigned)strtoul(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automata_accept_what_satisfies_the_formula),
    };
    return cmocka_run_group_tests(tests, set_up, nothing_is_leaked);
}

/* An oracle for formulas and automata over infinite words: formulas as plain syntax trees, words
 * that repeat a loop for ever, the meaning of the one on the other by fixpoints, and whether an
 * automaton accepts such a word. Shares nothing with what is tested but the automaton's struct. */
#ifndef SUPPORT_LTL_WORDS_H
#define SUPPORT_LTL_WORDS_H

#include "base/random.h"
#include "logic/buchi.h"

enum tree_kind {
    TREE_TRUE,
    TREE_FALSE,
    TREE_ATOM,
    TREE_NOT,
    TREE_EVENTUALLY,
    TREE_ALWAYS,
    TREE_AND,
    TREE_OR,
    TREE_IMPLIES,
    TREE_EQUIVALENT,
    TREE_UNTIL,
    TREE_RELEASE,
    TREE_NEXT, /* from here on not in SPIN as it is packaged */
    TREE_XOR,
    TREE_WEAK_UNTIL,
    TREE_KINDS,
};

struct tree {
    enum tree_kind kind;
    unsigned atom;
    struct tree *left, *right; /* `left` alone for the unary ones */
};

/* letters[0 .. length) and then letters[loop .. length) over and over; at most 64. */
struct lasso {
    unsigned length, loop;
    uint64_t letters[64];
};

/* A formula of at most `size` operators and atoms, over atoms 0 .. atoms - 1, of kinds below
 * `kinds`. Release with tree_release. */
struct tree *tree_random(struct random *random, unsigned size, unsigned atoms, unsigned kinds);
void tree_release(struct tree *tree);

/* The same formula built with the constructors under test. */
ltl_id tree_build(const struct tree *tree, struct ltl *ltl);

/* Fully parenthesised, atoms p0, p1, ...; readable for SPIN if the kinds are. */
void tree_print(const struct tree *tree, struct text *text);

void lasso_random(struct random *random, unsigned atoms, struct lasso *lasso);
void lasso_print(const struct lasso *lasso, struct text *text);

bool lasso_satisfies(const struct lasso *lasso, const struct tree *tree);
bool buchi_accepts(const struct buchi *buchi, const struct lasso *lasso);

#endif

/* Formulas of linear temporal logic over numbered atoms, hash-consed, simplified as they are made,
 * and always in negation normal form: a formula and its negation are made together and their
 * numbers differ in the lowest bit.
 *
 * An atom stands for a fact about one position of an infinite word: a letter is a set of atoms, a
 * mask. What the atoms mean (an event, a condition on the state) is the business of the language
 * that the formula was written in.
 *
 * Constructors never fail half-way: when memory is refused, or a formula would be deeper than
 * LTL_MAX_HEIGHT, they return LTL_REFUSED, and LTL_REFUSED given to a constructor comes back. */
#ifndef LOGIC_LTL_H
#define LOGIC_LTL_H

#include "base/interning.h"
#include "base/table.h"
#include "base/text.h"

typedef uint32_t ltl_id;

#define LTL_TRUE       ((ltl_id)0)
#define LTL_FALSE      ((ltl_id)1)
#define LTL_REFUSED    UINT32_MAX
#define LTL_MAX_ATOMS  64
#define LTL_MAX_HEIGHT 2000 /* what recursion over a formula may cost in stack */

enum ltl_kind {
    LTL_KIND_TRUE,
    LTL_KIND_FALSE,
    LTL_KIND_ATOM,
    LTL_KIND_NOT, /* of an atom */
    LTL_KIND_AND, /* of two operands or more, ascending */
    LTL_KIND_OR,
    LTL_KIND_NEXT,
    LTL_KIND_UNTIL,   /* operands: left, right; `true U f` is `<> f` */
    LTL_KIND_RELEASE, /* the same; `false R f` is `[] f` */
};

/* A formula together with its negation; the odd one has the dual kind. */
struct ltl_pair {
    uint64_t atoms; /* that occur */
    uint16_t height;
    bool eventual;  /* the even one holds wherever it holds later; the odd one: is universal */
    bool universal; /* the even one holds for ever where it holds; the odd one: is eventual */
};

/* One answer of ltl_entails. */
struct ltl_entailment {
    ltl_id first, second; /* two times LTL_TRUE: the place is free */
    bool holds;
};

struct ltl {
    struct budget *budget;
    struct word_arrays nodes; /* the kind of the even one, then its operands */
    VECTOR(struct ltl_pair) pairs;
    VECTOR(struct ltl_entailment) known;
    struct table known_numbers;
    uint64_t work; /* questions asked of ltl_entails */
};

/* `budget` is not owned and must outlive the formulas. False when refused. */
bool ltl_init(struct ltl *ltl, struct budget *budget) MUST_CHECK;
void ltl_release(struct ltl *ltl);

/* `atom`: 0 to LTL_MAX_ATOMS - 1. */
ltl_id ltl_atom(struct ltl *ltl, unsigned atom);
ltl_id ltl_and(struct ltl *ltl, ltl_id left, ltl_id right);
ltl_id ltl_or(struct ltl *ltl, ltl_id left, ltl_id right);
ltl_id ltl_implies(struct ltl *ltl, ltl_id left, ltl_id right);
ltl_id ltl_equivalent(struct ltl *ltl, ltl_id left, ltl_id right);
ltl_id ltl_xor(struct ltl *ltl, ltl_id left, ltl_id right);
ltl_id ltl_next(struct ltl *ltl, ltl_id formula);
ltl_id ltl_until(struct ltl *ltl, ltl_id left, ltl_id right);
ltl_id ltl_release_of(struct ltl *ltl, ltl_id left, ltl_id right); /* `left R right`, also V */
ltl_id ltl_weak_until(struct ltl *ltl, ltl_id left, ltl_id right); /* `left W right` */
ltl_id ltl_eventually(struct ltl *ltl, ltl_id formula);
ltl_id ltl_always(struct ltl *ltl, ltl_id formula);
/* The conjunction of `count` formulas. */
ltl_id ltl_all(struct ltl *ltl, const ltl_id *formulas, size_t count);

static inline ltl_id ltl_not(ltl_id formula)
{
    return formula == LTL_REFUSED ? LTL_REFUSED : formula ^ 1;
}

enum ltl_kind ltl_kind_of(const struct ltl *ltl, ltl_id formula);
size_t ltl_operand_count(const struct ltl *ltl, ltl_id formula);
ltl_id ltl_operand(const struct ltl *ltl, ltl_id formula, size_t which);
/* The number of an atom, of LTL_KIND_ATOM and LTL_KIND_NOT. */
unsigned ltl_atom_of(const struct ltl *ltl, ltl_id formula);

/* Whether the formula holds wherever it holds at a later position, as `<> f` does; whether it holds
 * at all later positions where it holds, as `[] f` does. False may mean: not seen. */
bool ltl_is_eventual(const struct ltl *ltl, ltl_id formula);
bool ltl_is_universal(const struct ltl *ltl, ltl_id formula);

/* Whether every word that satisfies `first` satisfies `second`, as far as their shape says. */
bool ltl_entails(struct ltl *ltl, ltl_id first, ltl_id second);

/* The even formula of these words as it stands: a kind, then an atom's number or operands, none of
 * them refused. For the rules of ltl_rewrite.c, which the constructors above apply. */
ltl_id ltl_make(struct ltl *ltl, const uint32_t *words, size_t length);

enum ltl_syntax {
    LTL_SYNTAX_OURS, /* ! && || X U R <> [] */
    LTL_SYNTAX_SPIN, /* the same with V for R */
    LTL_SYNTAX_LBT,  /* prefix: ! & | X U V F G t f */
};

/* Appends the formula. names[k] is written for atom k; null: p0, p1, ... */
void ltl_print(const struct ltl *ltl, ltl_id formula, enum ltl_syntax syntax,
               const char *const *names, struct text *text);

#endif

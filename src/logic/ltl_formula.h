/* Formulas as they are written, as formulas. */
#ifndef LOGIC_LTL_FORMULA_H
#define LOGIC_LTL_FORMULA_H

#include "lang/formula.h"
#include "logic/ltl.h"

/* What becomes of `f W g`: the words are the same, the automata are not. */
enum ltl_weak {
    LTL_WEAK_RELEASE, /* g R (f || g) */
    LTL_WEAK_SPELLED, /* (f U g) || [] f, as reasons tell it */
};

/* The formula, whose atoms have numbers below LTL_MAX_ATOMS. LTL_REFUSED where it is too large. */
ltl_id ltl_from_formula(struct ltl *ltl, const struct formula *formula, enum ltl_weak weak);

#endif

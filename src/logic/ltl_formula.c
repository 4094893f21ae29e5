/* One case for each operator of the syntax; what formulas lack (implication, W, M, F, G) is written
 * with the others. */
#include "logic/ltl_formula.h"

static ltl_id weak_until(struct ltl *ltl, ltl_id left, ltl_id right, enum ltl_weak weak)
{
    if (weak == LTL_WEAK_RELEASE)
        return ltl_weak_until(ltl, left, right);
    ltl_id until = ltl_until(ltl, left, right); /* formulas are numbered as they are made */
    ltl_id always = ltl_always(ltl, left);
    return ltl_or(ltl, until, always);
}

static ltl_id combine(struct ltl *ltl, enum formula_kind kind, ltl_id left, ltl_id right,
                      enum ltl_weak weak)
{
    switch (kind) {
    case FORMULA_NOT:
        return ltl_not(left);
    case FORMULA_NEXT:
        return ltl_next(ltl, left);
    case FORMULA_ALWAYS:
        return ltl_always(ltl, left);
    case FORMULA_EVENTUALLY:
        return ltl_eventually(ltl, left);
    case FORMULA_UNTIL:
        return ltl_until(ltl, left, right);
    case FORMULA_RELEASE:
        return ltl_release_of(ltl, left, right);
    case FORMULA_WEAK_UNTIL:
        return weak_until(ltl, left, right, weak);
    case FORMULA_AND:
        return ltl_and(ltl, left, right);
    case FORMULA_OR:
        return ltl_or(ltl, left, right);
    case FORMULA_XOR:
        return ltl_xor(ltl, left, right);
    case FORMULA_IMPLIES:
        return ltl_implies(ltl, left, right);
    case FORMULA_EQUIVALENT:
        return ltl_equivalent(ltl, left, right);
    default:
        return kind == FORMULA_TRUE ? LTL_TRUE : LTL_FALSE;
    }
}

ltl_id ltl_from_formula(struct ltl *ltl, const struct formula *formula, enum ltl_weak weak)
{
    if (formula->kind == FORMULA_ATOM)
        return ltl_atom(ltl, formula->number);
    ltl_id left = formula->left ? ltl_from_formula(ltl, formula->left, weak) : LTL_TRUE;
    ltl_id right = formula->right ? ltl_from_formula(ltl, formula->right, weak) : LTL_TRUE;
    return combine(ltl, formula->kind, left, right, weak);
}

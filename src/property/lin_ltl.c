#include "property/lin_ltl.h"

static ltl_id combine(struct ltl *ltl, enum lin_formula_kind kind, ltl_id left, ltl_id right)
{
    switch (kind) {
    case LIN_FORMULA_NOT:
        return ltl_not(left);
    case LIN_FORMULA_NEXT:
        return ltl_next(ltl, left);
    case LIN_FORMULA_ALWAYS:
        return ltl_always(ltl, left);
    case LIN_FORMULA_EVENTUALLY:
        return ltl_eventually(ltl, left);
    case LIN_FORMULA_UNTIL:
        return ltl_until(ltl, left, right);
    case LIN_FORMULA_RELEASE:
        return ltl_release_of(ltl, left, right);
    case LIN_FORMULA_WEAK_UNTIL:
        return ltl_weak_until(ltl, left, right);
    case LIN_FORMULA_AND:
        return ltl_and(ltl, left, right);
    case LIN_FORMULA_OR:
        return ltl_or(ltl, left, right);
    case LIN_FORMULA_XOR:
        return ltl_xor(ltl, left, right);
    case LIN_FORMULA_IMPLIES:
        return ltl_implies(ltl, left, right);
    case LIN_FORMULA_EQUIVALENT:
        return ltl_equivalent(ltl, left, right);
    default:
        return kind == LIN_FORMULA_TRUE ? LTL_TRUE : LTL_FALSE;
    }
}

enum status lin_ltl_build(const struct lin_formula *formula, lin_ltl_atom *atom_of, void *context,
                          struct ltl *ltl, ltl_id *made, struct error *error)
{
    ltl_id left = LTL_TRUE, right = LTL_TRUE;
    if (formula->kind == LIN_FORMULA_CALL || formula->kind == LIN_FORMULA_RETURN ||
        formula->kind == LIN_FORMULA_CONDITION) {
        unsigned number;
        TRY(atom_of(context, formula, &number, error));
        *made = ltl_atom(ltl, number);
        return STATUS_OK;
    }
    if (formula->left)
        TRY(lin_ltl_build(formula->left, atom_of, context, ltl, &left, error));
    if (formula->right)
        TRY(lin_ltl_build(formula->right, atom_of, context, ltl, &right, error));
    *made = combine(ltl, formula->kind, left, right);
    return STATUS_OK;
}

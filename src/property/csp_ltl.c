#include "property/csp_ltl.h"

static ltl_id combine(struct ltl *ltl, enum csp_formula_kind kind, ltl_id left, ltl_id right)
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

enum status csp_ltl_build(const struct csp_formula *formula, csp_ltl_atom *atom_of, void *context,
                          struct ltl *ltl, ltl_id *made, struct error *error)
{
    ltl_id left = LTL_TRUE, right = LTL_TRUE;
    if (formula->kind == FORMULA_ATOM) {
        unsigned number;
        TRY(atom_of(context, formula, &number, error));
        *made = ltl_atom(ltl, number);
        return STATUS_OK;
    }
    if (formula->left)
        TRY(csp_ltl_build(formula->left, atom_of, context, ltl, &left, error));
    if (formula->right)
        TRY(csp_ltl_build(formula->right, atom_of, context, ltl, &right, error));
    *made = combine(ltl, formula->kind, left, right);
    return STATUS_OK;
}

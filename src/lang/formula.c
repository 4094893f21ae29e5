/* Nodes know their height when they are made, so that one that is too high is never walked. */
#include "lang/formula.h"

#include "lang/parser.h"

enum status formula_make(struct parser *parser, enum formula_kind kind, place at,
                         struct formula *left, struct formula *right, struct formula **formula)
{
    struct formula *made = parser_allocate(parser, sizeof *made);
    TRY_MEMORY(made);
    *made = (struct formula){.kind = (uint8_t)kind, .at = at, .left = left, .right = right};
    if (left)
        made->height = (uint16_t)(left->height + 1);
    if (right && right->height >= made->height)
        made->height = (uint16_t)(right->height + 1);
    *formula = made;
    return parser_check_height(parser, made->height, at);
}

enum status formula_make_atom(struct parser *parser, place at, const void *atom,
                              struct formula **formula)
{
    TRY(formula_make(parser, FORMULA_ATOM, at, NULL, NULL, formula));
    (*formula)->end = parser_last_end(parser);
    (*formula)->atom = atom;
    return STATUS_OK;
}

enum status formula_number_atoms(struct formula *formula, formula_number_atom *number_of,
                                 void *context, struct error *error)
{
    if (formula->kind == FORMULA_ATOM) {
        unsigned number;
        TRY(number_of(context, formula, &number, error));
        formula->number = (uint8_t)number;
        return STATUS_OK;
    }
    if (formula->left)
        TRY(formula_number_atoms(formula->left, number_of, context, error));
    return formula->right ? formula_number_atoms(formula->right, number_of, context, error)
                          : STATUS_OK;
}

/* Formulas of linear temporal logic, with the precedence of PAT's port of ltl2ba: unary operators
 * bind tightest, then U, V, R, then all of && || xor -> <-> on one level, from left to right. So
 * `[] a -> <> b` is `([] a) -> (<> b)`. X, F, G, U, V, R are ordinary names elsewhere. */
#include <string.h>

#include "csp/parser.h"

static bool at_letter(const struct parser *parser, const char *letter)
{
    return parser_at(parser, CSP_NAME) && strcmp(parser_token(parser)->name, letter) == 0;
}

/* The unary operator here, FORMULA_ATOM if there is none. */
static enum formula_kind unary_operator(const struct parser *parser)
{
    if (parser_at(parser, CSP_BANG))
        return FORMULA_NOT;
    if (parser_at(parser, CSP_CHOICE) || at_letter(parser, "G"))
        return FORMULA_ALWAYS;
    if (parser_at(parser, CSP_INTERNAL) || at_letter(parser, "F"))
        return FORMULA_EVENTUALLY;
    if (at_letter(parser, "X"))
        return FORMULA_NEXT;
    return FORMULA_ATOM;
}

static enum formula_kind binary_operator(const struct parser *parser)
{
    switch (parser_token(parser)->kind) {
    case CSP_AND_AND:
    case CSP_AND_SLASH:
        return FORMULA_AND;
    case CSP_BAR_BAR:
    case CSP_OR_SLASH:
        return FORMULA_OR;
    case CSP_XOR:
        return FORMULA_XOR;
    case CSP_ARROW:
        return FORMULA_IMPLIES;
    case CSP_EQUIVALENT:
        return FORMULA_EQUIVALENT;
    default:
        return FORMULA_ATOM;
    }
}

/* A component of an event in a formula: a number or a name, no arithmetic. */
static enum status parse_atom(struct parser *parser, struct formula **formula)
{
    const struct token *token = parser_token(parser);
    struct csp_atom *atom = parser_allocate(parser, sizeof *atom);
    if (!atom)
        return STATUS_LIMIT;
    if (token->kind == CSP_STRING) {
        atom->quoted = true;
        atom->event = (struct csp_event){.name = token->name, .at = token->at};
        parser->next++;
    } else {
        TRY(parser_event(parser, &atom->event));
    }
    return formula_make_atom(parser, token->at, atom, formula);
}

static enum status parse_unary(struct parser *parser, struct formula **formula)
{
    const struct token *token = parser_token(parser);
    enum formula_kind kind = unary_operator(parser);
    if (kind != FORMULA_ATOM) {
        parser->next++;
        struct formula *operand = NULL;
        TRY(parser_enter(parser));
        TRY(parse_unary(parser, &operand));
        parser_leave(parser);
        return formula_make(parser, kind, token->at, operand, NULL, formula);
    }
    if (token->kind == CSP_TRUE || token->kind == CSP_FALSE) {
        parser->next++;
        return formula_make(parser, token->kind == CSP_TRUE ? FORMULA_TRUE : FORMULA_FALSE,
                            token->at, NULL, NULL, formula);
    }
    if (parser_accept(parser, CSP_LEFT_PAREN)) {
        TRY(parser_formula(parser, formula));
        return parser_expect(parser, CSP_RIGHT_PAREN, "in the formula");
    }
    if (token->kind != CSP_NAME && token->kind != CSP_STRING)
        return parser_complain(parser, "a formula");
    return parse_atom(parser, formula);
}

static enum status parse_until(struct parser *parser, struct formula **formula)
{
    TRY(parse_unary(parser, formula));
    for (;;) {
        const struct token *token = parser_token(parser);
        bool until = at_letter(parser, "U");
        if (!until && !at_letter(parser, "V") && !at_letter(parser, "R"))
            return STATUS_OK;
        parser->next++;
        struct formula *right = NULL;
        TRY(parse_unary(parser, &right));
        TRY(formula_make(parser, until ? FORMULA_UNTIL : FORMULA_RELEASE, token->at, *formula,
                         right, formula));
    }
}

enum status parser_formula(struct parser *parser, struct formula **formula)
{
    TRY(parser_enter(parser));
    TRY(parse_until(parser, formula));
    for (;;) {
        const struct token *token = parser_token(parser);
        enum formula_kind kind = binary_operator(parser);
        if (kind == FORMULA_ATOM)
            break;
        parser->next++;
        struct formula *right = NULL;
        TRY(parse_until(parser, &right));
        TRY(formula_make(parser, kind, token->at, *formula, right, formula));
    }
    parser_leave(parser);
    return STATUS_OK;
}

/* Formulas of linear temporal logic, with the precedence of PAT's port of ltl2ba: unary operators
 * bind tightest, then U, V, R, then all of && || xor -> <-> on one level, from left to right. So
 * `[] a -> <> b` is `([] a) -> (<> b)`. X, F, G, U, V, R are ordinary names elsewhere. */
#include <string.h>

#include "lang/csp_parser.h"

static enum status make(struct parser *parser, enum csp_formula_kind kind, place at,
                        struct csp_formula *left, struct csp_formula *right,
                        struct csp_formula **formula)
{
    struct csp_formula *made = parser_allocate(parser, sizeof *made);
    *formula = made;
    if (!made)
        return STATUS_LIMIT;
    *made = (struct csp_formula){.kind = (uint8_t)kind, .at = at, .left = left, .right = right};
    if (left)
        made->height = (uint16_t)(left->height + 1);
    if (right && right->height >= made->height)
        made->height = (uint16_t)(right->height + 1);
    return parser_check_height(parser, made->height, at);
}

static bool at_letter(const struct parser *parser, const char *letter)
{
    return parser_at(parser, CSP_NAME) && strcmp(parser_token(parser)->name, letter) == 0;
}

/* The unary operator here, FORMULA_ATOM if there is none. */
static enum csp_formula_kind unary_operator(const struct parser *parser)
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

static enum csp_formula_kind binary_operator(const struct parser *parser)
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
static enum status parse_atom(struct parser *parser, struct csp_formula **formula)
{
    const struct token *token = parser_token(parser);
    TRY(make(parser, FORMULA_ATOM, token->at, NULL, NULL, formula));
    if (token->kind == CSP_STRING) {
        (*formula)->quoted = true;
        (*formula)->atom = (struct csp_event){.name = token->name, .at = token->at};
        parser->next++;
        return STATUS_OK;
    }
    return parser_event(parser, &(*formula)->atom);
}

static enum status parse_unary(struct parser *parser, struct csp_formula **formula)
{
    const struct token *token = parser_token(parser);
    enum csp_formula_kind kind = unary_operator(parser);
    if (kind != FORMULA_ATOM) {
        parser->next++;
        struct csp_formula *operand = NULL;
        TRY(parser_enter(parser));
        TRY(parse_unary(parser, &operand));
        parser_leave(parser);
        return make(parser, kind, token->at, operand, NULL, formula);
    }
    if (token->kind == CSP_TRUE || token->kind == CSP_FALSE) {
        parser->next++;
        return make(parser, token->kind == CSP_TRUE ? FORMULA_TRUE : FORMULA_FALSE, token->at, NULL,
                    NULL, formula);
    }
    if (parser_accept(parser, CSP_LEFT_PAREN)) {
        TRY(parser_formula(parser, formula));
        return parser_expect(parser, CSP_RIGHT_PAREN, "in the formula");
    }
    if (token->kind != CSP_NAME && token->kind != CSP_STRING)
        return parser_complain(parser, "a formula");
    return parse_atom(parser, formula);
}

static enum status parse_until(struct parser *parser, struct csp_formula **formula)
{
    TRY(parse_unary(parser, formula));
    for (;;) {
        const struct token *token = parser_token(parser);
        bool until = at_letter(parser, "U");
        if (!until && !at_letter(parser, "V") && !at_letter(parser, "R"))
            return STATUS_OK;
        parser->next++;
        struct csp_formula *right = NULL;
        TRY(parse_unary(parser, &right));
        TRY(make(parser, until ? FORMULA_UNTIL : FORMULA_RELEASE, token->at, *formula, right,
                 formula));
    }
}

enum status parser_formula(struct parser *parser, struct csp_formula **formula)
{
    TRY(parser_enter(parser));
    TRY(parse_until(parser, formula));
    for (;;) {
        const struct token *token = parser_token(parser);
        enum csp_formula_kind kind = binary_operator(parser);
        if (kind == FORMULA_ATOM)
            break;
        parser->next++;
        struct csp_formula *right = NULL;
        TRY(parse_until(parser, &right));
        TRY(make(parser, kind, token->at, *formula, right, formula));
    }
    parser_leave(parser);
    return STATUS_OK;
}

/* Formulas in CSP# have the precedence of PAT's port of ltl2ba: unary operators bind tightest, then
 * U, V, R, then all of && || xor -> <-> on one level, from left to right. So `[] a -> <> b` is
 * `([] a) -> (<> b)`. X, F, G, U, V, R are ordinary names elsewhere. */
#include "csp/parser_formula.h"

#include "csp/parser_event.h"
#include "lang/formula_parser.h"

static struct formula_unary find_unary(const struct parser *parser)
{
    enum formula_kind kind = FORMULA_ATOM;
    if (parser_at(parser, CSP_BANG))
        kind = FORMULA_NOT;
    else if (parser_at(parser, CSP_CHOICE) || parser_at_word(parser, "G"))
        kind = FORMULA_ALWAYS;
    else if (parser_at(parser, CSP_INTERNAL) || parser_at_word(parser, "F"))
        kind = FORMULA_EVENTUALLY;
    else if (parser_at_word(parser, "X"))
        kind = FORMULA_NEXT;
    return (struct formula_unary){kind, 1};
}

enum {
    LEVEL_CONNECTIVE = 1,
    LEVEL_UNTIL,
};

static struct parser_operator find_binary(const struct parser *parser)
{
    static const struct {
        uint8_t token, kind;
    } connectives[] = {
        {CSP_AND_AND, FORMULA_AND},
        {CSP_AND_SLASH, FORMULA_AND},
        {CSP_BAR_BAR, FORMULA_OR},
        {CSP_OR_SLASH, FORMULA_OR},
        {CSP_XOR, FORMULA_XOR},
        {CSP_ARROW, FORMULA_IMPLIES},
        {CSP_EQUIVALENT, FORMULA_EQUIVALENT},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(connectives); i++)
        if (parser_at(parser, connectives[i].token))
            return (struct parser_operator){LEVEL_CONNECTIVE, connectives[i].kind, 1, false};
    if (parser_at_word(parser, "U"))
        return (struct parser_operator){LEVEL_UNTIL, FORMULA_UNTIL, 1, false};
    if (parser_at_word(parser, "V") || parser_at_word(parser, "R"))
        return (struct parser_operator){LEVEL_UNTIL, FORMULA_RELEASE, 1, false};
    return (struct parser_operator){0};
}

static enum status parse_atom(struct parser *parser, const void **made)
{
    const struct token *token = parser_token(parser);
    struct csp_atom *atom = parser_allocate(parser, sizeof *atom);
    TRY_MEMORY(atom);
    *made = atom;
    if (token->kind == CSP_NAME)
        return csp_parse_event(parser, &atom->event);
    if (token->kind != CSP_STRING)
        return parser_complain(parser, "a formula");
    atom->quoted = true;
    atom->event = (struct csp_event){.name = token->name, .at = token->at};
    parser->next++;
    return STATUS_OK;
}

enum status csp_parse_formula(struct parser *parser, struct formula **formula)
{
    static const struct formula_language language = {
        .true_token = CSP_TRUE,
        .false_token = CSP_FALSE,
        .left_paren = CSP_LEFT_PAREN,
        .right_paren = CSP_RIGHT_PAREN,
        .find_unary = find_unary,
        .find_binary = find_binary,
        .parse_atom = parse_atom,
    };
    return formula_parse(parser, &language, formula);
}

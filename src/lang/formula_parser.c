/* Unary operators by recursion, binary ones by parser_climb. */
#include "lang/formula_parser.h"

static enum status parse_primary(struct parser *parser, const struct formula_language *language,
                                 struct formula **formula)
{
    const struct token *token = parser_token(parser);
    bool is_true = token->kind == language->true_token;
    if (is_true || token->kind == language->false_token) {
        parser->next++;
        return formula_make(parser, is_true ? FORMULA_TRUE : FORMULA_FALSE, token->at, NULL, NULL,
                            formula);
    }
    if (token->kind == language->left_paren &&
        (!language->holds_formula || language->holds_formula(parser))) {
        parser->next++;
        TRY(formula_parse(parser, language, formula));
        return parser_expect(parser, language->right_paren, "in the formula");
    }
    const void *atom = NULL;
    TRY(language->parse_atom(parser, &atom));
    return formula_make_atom(parser, token->at, atom, formula);
}

/* An operand with the unary operators before it. */
static enum status parse_operand(struct parser *parser, const void *context, void **tree)
{
    const struct formula_language *language = context;
    struct formula *formula = NULL;
    void *operand = NULL;
    place at = parser_token(parser)->at;
    struct formula_unary unary = language->find_unary(parser);
    if (unary.kind == FORMULA_ATOM) {
        TRY(parse_primary(parser, language, &formula));
    } else {
        parser->next += unary.tokens;
        TRY(parser_enter(parser));
        TRY(parse_operand(parser, language, &operand));
        parser_leave(parser);
        TRY(formula_make(parser, unary.kind, at, operand, NULL, &formula));
    }
    *tree = formula;
    return STATUS_OK;
}

static enum status join(struct parser *parser, struct parser_operator operator, place at,
                        void **tree, void *right)
{
    struct formula *formula;
    TRY(formula_make(parser, (enum formula_kind) operator.kind, at, *tree, right, &formula));
    *tree = formula;
    return STATUS_OK;
}

enum status formula_parse(struct parser *parser, const struct formula_language *language,
                          struct formula **formula)
{
    const struct parser_operators operators = {
        .find = language->find_binary, .operand = parse_operand, .join = join, .context = language};
    void *tree = NULL;
    TRY(parser_enter(parser));
    TRY(parser_climb(parser, &operators, 1, &tree));
    parser_leave(parser);
    *formula = tree;
    return language->check_end ? language->check_end(parser) : STATUS_OK;
}

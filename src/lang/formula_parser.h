/* Parses formulas of linear temporal logic. Unary operators bind tightest; what binds how tightly
 * between two operands, how operators are spelt and what an atom is, a language says. */
#ifndef LANG_FORMULA_PARSER_H
#define LANG_FORMULA_PARSER_H

#include "lang/formula.h"
#include "lang/parser.h"

/* An operator before its operand. */
struct formula_unary {
    enum formula_kind kind; /* FORMULA_ATOM: there is none */
    size_t tokens;          /* how many it is made of */
};

struct formula_language {
    uint8_t true_token, false_token, left_paren, right_paren;
    /* The operator that begins at the current token. */
    struct formula_unary (*find_unary)(const struct parser *parser);
    /* Likewise between two operands; its kind is one of enum formula_kind. */
    struct parser_operator (*find_binary)(const struct parser *parser);
    /* Whether a formula stands in the parenthesis that opens here; null: always. */
    bool (*holds_formula)(const struct parser *parser);
    /* What an atom is in the language's tree, or a complaint that a formula was expected. */
    enum status (*parse_atom)(struct parser *parser, const void **atom);
    /* Complains of what cannot stand behind a formula; null: of nothing. */
    enum status (*check_end)(struct parser *parser);
};

enum status formula_parse(struct parser *parser, const struct formula_language *language,
                          struct formula **formula) MUST_CHECK;

#endif

/* Formulas have the usual precedence (that of SPOT): unary operators bind
 * tightest, then U R V W, then &&, then ||, then xor, then -> and <->. What stands to the right of
 * U R V W -> <-> may be the same again: a U b U c is a U (b U c).
 *
 * A parenthesis may hold a formula, or a condition, which is evaluated as a whole: in
 * `(top != null && top.next == null)` the right side must not be asked where the left one fails. */
#include "lin/parser_formula.h"

#include <string.h>

#include "lang/formula_parser.h"
#include "lang/references.h"
#include "lin/parser_expression.h"

/* ---- operators ---- */

/* Whether two tokens from `ahead` on are of these kinds. */
static bool at_pair(const struct parser *parser, size_t ahead, unsigned first, unsigned second)
{
    return parser_ahead(parser, ahead)->kind == first &&
           parser_ahead(parser, ahead + 1)->kind == second;
}

static bool is_letter(const struct token *token, const char *letters)
{
    return token->kind == LIN_NAME && token->name[0] && !token->name[1] &&
           strchr(letters, token->name[0]);
}

/* Whether an operand can begin `ahead` tokens from here. */
static bool begins_operand(const struct parser *parser, size_t ahead)
{
    switch (parser_ahead(parser, ahead)->kind) {
    case LIN_NAME:
    case LIN_STRING:
    case LIN_TRUE:
    case LIN_FALSE:
    case LIN_RETURN:
    case LIN_BANG:
    case LIN_LEFT_PAREN:
        return true;
    default:
        return at_pair(parser, ahead, LIN_LEFT_BRACKET, LIN_RIGHT_BRACKET) ||
               at_pair(parser, ahead, LIN_LESS, LIN_GREATER);
    }
}

/* The unary operator `ahead` tokens from here and how many tokens it has; FORMULA_ATOM: it
 * is none. X, F, G are names where no operand follows. */
static enum formula_kind unary_operator(const struct parser *parser, size_t ahead, size_t *length)
{
    const struct token *token = parser_ahead(parser, ahead);
    *length = 1;
    if (token->kind == LIN_BANG)
        return FORMULA_NOT;
    if (is_letter(token, "XFG") && begins_operand(parser, ahead + 1) &&
        !is_letter(parser_ahead(parser, ahead + 1), "URVW"))
        return token->name[0] == 'X'   ? FORMULA_NEXT
               : token->name[0] == 'F' ? FORMULA_EVENTUALLY
                                       : FORMULA_ALWAYS;
    *length = 2;
    if (at_pair(parser, ahead, LIN_LEFT_BRACKET, LIN_RIGHT_BRACKET))
        return FORMULA_ALWAYS;
    if (at_pair(parser, ahead, LIN_LESS, LIN_GREATER))
        return FORMULA_EVENTUALLY;
    return FORMULA_ATOM;
}

static enum formula_kind letter_operator(const struct token *token)
{
    if (!is_letter(token, "URVW"))
        return FORMULA_ATOM;
    return token->name[0] == 'U'   ? FORMULA_UNTIL
           : token->name[0] == 'W' ? FORMULA_WEAK_UNTIL
                                   : FORMULA_RELEASE;
}

/* Levels of the operators between two operands, the loosest first. */
enum {
    LEVEL_IMPLIES = 1,
    LEVEL_XOR,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_UNTIL,
};

static struct parser_operator find_binary(const struct parser *parser)
{
    if (parser_at(parser, LIN_ARROW))
        return (struct parser_operator){LEVEL_IMPLIES, FORMULA_IMPLIES, 1, true};
    if (at_pair(parser, 0, LIN_LESS, LIN_ARROW))
        return (struct parser_operator){LEVEL_IMPLIES, FORMULA_EQUIVALENT, 2, true};
    if (parser_at_word(parser, "xor"))
        return (struct parser_operator){LEVEL_XOR, FORMULA_XOR, 1, false};
    if (parser_at(parser, LIN_BAR_BAR))
        return (struct parser_operator){LEVEL_OR, FORMULA_OR, 1, false};
    if (parser_at(parser, LIN_AND_AND))
        return (struct parser_operator){LEVEL_AND, FORMULA_AND, 1, false};
    enum formula_kind letter = letter_operator(parser_token(parser));
    if (letter != FORMULA_ATOM)
        return (struct parser_operator){LEVEL_UNTIL, (uint8_t)letter, 1, true};
    return (struct parser_operator){0};
}

static struct formula_unary find_unary(const struct parser *parser)
{
    struct formula_unary unary;
    unary.kind = unary_operator(parser, 0, &unary.tokens);
    return unary;
}

/* ---- atoms ---- */

/* Whether a token is of formulas only. */
static bool is_of_formulas(const struct parser *parser, size_t ahead)
{
    size_t length;
    const struct token *token = parser_ahead(parser, ahead);
    if (token->kind == LIN_ARROW || token->kind == LIN_RETURN)
        return true;
    if (token->kind == LIN_NAME && strcmp(token->name, "xor") == 0)
        return true;
    if (token->kind == LIN_NAME && strcmp(token->name, "call") == 0)
        return parser_ahead(parser, ahead + 1)->kind == LIN_DOT;
    if (token->kind != LIN_BANG && unary_operator(parser, ahead, &length) != FORMULA_ATOM)
        return true;
    return ahead > 1 && letter_operator(token) != FORMULA_ATOM && begins_operand(parser, ahead + 1);
}

/* Whether a formula stands in the parenthesis that opens here: something is of formulas only, or
 * all there is are names and the operators that both have. */
static bool holds_formula(const struct parser *parser)
{
    unsigned open = 0;
    bool names_only = true;
    for (size_t i = 0;; i++) {
        unsigned kind = parser_ahead(parser, i)->kind;
        if (is_of_formulas(parser, i))
            return true;
        if (kind == LIN_LEFT_PAREN)
            open++;
        else if (kind == LIN_END || (kind == LIN_RIGHT_PAREN && --open == 0))
            return names_only;
        names_only &= kind == LIN_NAME || kind == LIN_TRUE || kind == LIN_FALSE ||
                      kind == LIN_BANG || kind == LIN_AND_AND || kind == LIN_BAR_BAR ||
                      kind == LIN_LEFT_PAREN || kind == LIN_RIGHT_PAREN;
    }
}

static enum status parse_event(struct parser *parser, struct lin_atom *atom)
{
    parser->next++;
    TRY(parser_expect(parser, LIN_DOT, "before the operation"));
    place at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an operation)", &atom->name));
    references_add_shared(parser->script, at, atom->name, REFERENCE_OPERATION);
    if (!parser_accept(parser, LIN_LEFT_PAREN))
        return STATUS_OK;
    TRY(lin_parse_expression(parser, &atom->expression));
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the thread");
}

/* `call.push`, `return.pop(1)`, `full`, `(a == b)` */
static enum status parse_atom(struct parser *parser, const void **made)
{
    unsigned kind = parser_token(parser)->kind;
    if (kind != LIN_RETURN && kind != LIN_NAME && kind != LIN_STRING && kind != LIN_LEFT_PAREN)
        return parser_complain(parser, "a formula");
    struct lin_atom *atom = parser_allocate(parser, sizeof *atom);
    TRY_MEMORY(atom);
    *made = atom;
    bool is_call = parser_at_word(parser, "call") && parser_ahead(parser, 1)->kind == LIN_DOT;
    atom->kind = is_call              ? LIN_ATOM_CALL
                 : kind == LIN_RETURN ? LIN_ATOM_RETURN
                                      : LIN_ATOM_CONDITION;
    return atom->kind == LIN_ATOM_CONDITION ? lin_parse_postfix(parser, &atom->expression)
                                            : parse_event(parser, atom);
}

/* ---- formulas ---- */

static enum status check_end(struct parser *parser)
{
    switch (parser_token(parser)->kind) {
    case LIN_EQUAL:
    case LIN_NOT_EQUAL:
    case LIN_LESS:
    case LIN_LESS_EQUAL:
    case LIN_GREATER:
    case LIN_GREATER_EQUAL:
    case LIN_IN:
        return parser_complain(parser, "parentheses around a condition");
    default:
        return STATUS_OK;
    }
}

enum status lin_parse_formula(struct parser *parser, struct formula **formula)
{
    static const struct formula_language language = {
        .true_token = LIN_TRUE,
        .false_token = LIN_FALSE,
        .left_paren = LIN_LEFT_PAREN,
        .right_paren = LIN_RIGHT_PAREN,
        .find_unary = find_unary,
        .find_binary = find_binary,
        .holds_formula = holds_formula,
        .parse_atom = parse_atom,
        .check_end = check_end,
    };
    return formula_parse(parser, &language, formula);
}

enum status lin_formula_from_text(const struct script *script, struct arena *arena,
                                  struct formula **formula, struct error *error)
{
    struct parser parser;
    enum status status = parser_start(&parser, script, &lin_dialect, arena, error);
    if (status == STATUS_OK)
        status = lin_parse_formula(&parser, formula);
    if (status == STATUS_OK && !parser_at(&parser, LIN_END))
        status = parser_complain(&parser, "the end of the formula");
    parser_release(&parser);
    return status;
}

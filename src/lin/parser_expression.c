/* Primaries, then indices and fields behind them, unary signs before them, and binary operators by
 * parser_climb; `a ? b : c` binds loosest. */
#include "lin/parser_expression.h"

static enum status make(struct parser *parser, enum lin_expression_kind kind, place at,
                        uint32_t count, struct lin_expression **expression)
{
    *expression = parser_allocate(parser, sizeof **expression);
    TRY_MEMORY(*expression);
    (*expression)->kind = (uint8_t)kind;
    (*expression)->at = at;
    (*expression)->count = count;
    if (count)
        (*expression)->items = parser_allocate(parser, count * sizeof *(*expression)->items);
    return granted(count == 0 || (*expression)->items);
}

/* Expressions up to the token `end`, which is taken. */
static enum status parse_items(struct parser *parser, unsigned end, struct lin_expression *into)
{
    while (!parser_at(parser, end)) {
        struct lin_expression *item = NULL;
        TRY(lin_parse_expression(parser, &item));
        TRY(PARSER_APPEND(parser, into->items, into->count, item));
        if (!parser_accept(parser, LIN_COMMA))
            break;
    }
    return parser_expect(parser, end, NULL);
}

static enum status parse_choose(struct parser *parser, struct lin_expression **expression)
{
    TRY(make(parser, LIN_EXPRESSION_CHOOSE, parser_token(parser)->at, 2, expression));
    parser->next++;
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "after `choose`"));
    TRY(lin_parse_expression(parser, &(*expression)->items[0]));
    (*expression)->count = 1;
    if (parser_accept(parser, LIN_DOT_DOT)) {
        TRY(lin_parse_expression(parser, &(*expression)->items[1]));
        (*expression)->count = 2;
    }
    return parser_expect(parser, LIN_RIGHT_PAREN, "after what to choose from");
}

/* `{}`, `{a, b}`, `{k: v, l: w}` */
static enum status parse_braces(struct parser *parser, struct lin_expression **expression)
{
    TRY(make(parser, LIN_EXPRESSION_SET, parser_token(parser)->at, 0, expression));
    struct lin_expression *made = *expression, *item = NULL;
    parser->next++;
    while (!parser_at(parser, LIN_RIGHT_BRACE)) {
        TRY(lin_parse_expression(parser, &item));
        TRY(PARSER_APPEND(parser, made->items, made->count, item));
        if (made->count == 1 && parser_at(parser, LIN_COLON))
            made->kind = LIN_EXPRESSION_MAP;
        if (made->kind == LIN_EXPRESSION_MAP) {
            TRY(parser_expect(parser, LIN_COLON, "between a key and its value"));
            TRY(lin_parse_expression(parser, &item));
            TRY(PARSER_APPEND(parser, made->items, made->count, item));
        }
        if (!parser_accept(parser, LIN_COMMA))
            break;
    }
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

static enum status parse_constant(struct parser *parser, enum lin_expression_kind kind,
                                  int32_t integer, struct lin_expression **expression)
{
    TRY(make(parser, kind, parser_token(parser)->at, 0, expression));
    (*expression)->integer = integer;
    (*expression)->name = parser_token(parser)->name;
    parser->next++;
    return STATUS_OK;
}

static enum status parse_primary(struct parser *parser, struct lin_expression **expression)
{
    const struct token *token = parser_token(parser);
    switch (token->kind) {
    case LIN_INTEGER:
        return parse_constant(parser, LIN_EXPRESSION_INTEGER, token->integer, expression);
    case LIN_TRUE:
    case LIN_FALSE:
        return parse_constant(parser, LIN_EXPRESSION_BOOLEAN, token->kind == LIN_TRUE, expression);
    case LIN_NULL:
        return parse_constant(parser, LIN_EXPRESSION_NULL, 0, expression);
    case LIN_STRING:
        return parse_constant(parser, LIN_EXPRESSION_STRING, 0, expression);
    case LIN_NAME:
        TRY(parse_constant(parser, LIN_EXPRESSION_NAME, 0, expression));
        if (!parser_accept(parser, LIN_LEFT_PAREN))
            return STATUS_OK;
        (*expression)->kind = LIN_EXPRESSION_CALL;
        return parse_items(parser, LIN_RIGHT_PAREN, *expression);
    case LIN_CHOOSE:
        return parse_choose(parser, expression);
    case LIN_NEW:
        TRY(make(parser, LIN_EXPRESSION_NEW, token->at, 0, expression));
        parser->next++;
        (*expression)->name_at = parser_token(parser)->at;
        TRY(parser_name(parser, "(the struct of the new node)", &(*expression)->name));
        return parser_at(parser, LIN_LEFT_PAREN)
                   ? parser_complain(parser,
                                     "nothing behind the struct (a new node has the initial "
                                     "values of its fields, and then `n.x = 1;` sets one)")
                   : STATUS_OK;
    case LIN_LEFT_BRACKET:
        TRY(make(parser, LIN_EXPRESSION_LIST, token->at, 0, expression));
        parser->next++;
        return parse_items(parser, LIN_RIGHT_BRACKET, *expression);
    case LIN_LEFT_BRACE:
        return parse_braces(parser, expression);
    case LIN_LEFT_PAREN:
        parser->next++;
        TRY(lin_parse_expression(parser, expression));
        return parser_expect(parser, LIN_RIGHT_PAREN, NULL);
    default:
        return parser_complain(parser, "an expression");
    }
}

/* Its items are known: how high it stands. */
static enum status settle(struct parser *parser, struct lin_expression *expression)
{
    for (uint32_t i = 0; i < expression->count; i++)
        if (expression->items[i]->height >= expression->height)
            expression->height = (uint16_t)(expression->items[i]->height + 1);
    return parser_check_height(parser, expression->height, expression->at);
}

enum status lin_parse_postfix(struct parser *parser, struct lin_expression **expression)
{
    TRY(parse_primary(parser, expression));
    TRY(settle(parser, *expression));
    for (;;) {
        struct lin_expression *outer;
        place at = parser_token(parser)->at;
        if (parser_accept(parser, LIN_LEFT_BRACKET)) {
            TRY(make(parser, LIN_EXPRESSION_INDEX, at, 2, &outer));
            TRY(lin_parse_expression(parser, &outer->items[1]));
            TRY(parser_expect(parser, LIN_RIGHT_BRACKET, "after the index"));
        } else if (parser_accept(parser, LIN_DOT)) {
            TRY(make(parser, LIN_EXPRESSION_FIELD, at, 1, &outer));
            outer->name_at = parser_token(parser)->at;
            TRY(parser_name(parser, "(a field)", &outer->name));
            if (parser_at(parser, LIN_LEFT_PAREN))
                return parser_complain(parser, "a field, which is not called (`f(x, 1)` is what "
                                               "C++ writes `x.f(1)`, `x` what it writes "
                                               "`x.load()`)");
        } else {
            return STATUS_OK;
        }
        outer->items[0] = *expression;
        *expression = outer;
        TRY(settle(parser, outer));
    }
}

static enum status parse_unary(struct parser *parser, struct lin_expression **expression)
{
    unsigned kind = parser_token(parser)->kind;
    if (kind != LIN_MINUS && kind != LIN_BANG && kind != LIN_STAR && kind != LIN_AND) {
        TRY(lin_parse_postfix(parser, expression));
        return parser_at(parser, LIN_ARROW)
                   ? parser_complain(parser, "`.` before a field (`p.x` is what C writes `p->x`)")
                   : STATUS_OK;
    }
    TRY(make(parser, LIN_EXPRESSION_UNARY, parser_token(parser)->at, 1, expression));
    (*expression)->sign = (uint8_t)kind;
    parser->next++;
    TRY(parser_enter(parser));
    TRY(parse_unary(parser, &(*expression)->items[0]));
    parser_leave(parser);
    return settle(parser, *expression);
}

/* The operators between two operands, as in C. */
static struct parser_operator find_operator(const struct parser *parser)
{
    static const uint8_t levels[] = {
        [LIN_BAR_BAR] = 1, [LIN_AND_AND] = 2,    [LIN_BAR] = 3,           [LIN_CARET] = 4,
        [LIN_AND] = 5,     [LIN_EQUAL] = 6,      [LIN_NOT_EQUAL] = 6,     [LIN_LESS] = 7,
        [LIN_GREATER] = 7, [LIN_LESS_EQUAL] = 7, [LIN_GREATER_EQUAL] = 7, [LIN_IN] = 7,
        [LIN_PLUS] = 8,    [LIN_MINUS] = 8,      [LIN_STAR] = 9,          [LIN_SLASH] = 9,
        [LIN_PERCENT] = 9,
    };
    uint8_t kind = parser_token(parser)->kind;
    return (struct parser_operator){kind < ARRAY_LENGTH(levels) ? levels[kind] : 0, kind, 1, false};
}

static enum status parse_operand(struct parser *parser, const void *context, void **tree)
{
    (void)context;
    struct lin_expression *operand = NULL;
    TRY(parse_unary(parser, &operand));
    *tree = operand;
    return STATUS_OK;
}

static enum status join(struct parser *parser, struct parser_operator operator, place at,
                        void **tree, void *right)
{
    struct lin_expression *joined;
    TRY(make(parser, LIN_EXPRESSION_BINARY, at, 2, &joined));
    joined->sign = operator.kind;
    joined->items[0] = *tree;
    joined->items[1] = right;
    *tree = joined;
    return settle(parser, joined);
}

static const struct parser_operators operators = {find_operator, parse_operand, join, NULL};

enum status lin_parse_expression(struct parser *parser, struct lin_expression **expression)
{
    TRY(parser_enter(parser));
    void *tree = NULL;
    TRY(parser_climb(parser, &operators, 1, &tree));
    *expression = tree;
    place at = parser_token(parser)->at;
    if (parser_accept(parser, LIN_QUESTION)) {
        struct lin_expression *outer;
        TRY(make(parser, LIN_EXPRESSION_CONDITIONAL, at, 3, &outer));
        outer->items[0] = *expression;
        TRY(lin_parse_expression(parser, &outer->items[1]));
        TRY(parser_expect(parser, LIN_COLON, "between the branches of `?`"));
        TRY(lin_parse_expression(parser, &outer->items[2]));
        *expression = outer;
        TRY(settle(parser, outer));
    }
    parser_leave(parser);
    return STATUS_OK;
}

static enum status parse_argument(struct parser *parser, struct lin_argument *argument)
{
    if (parser_at(parser, LIN_NAME) && parser_ahead(parser, 1)->kind == LIN_ASSIGN) {
        argument->name = parser_token(parser)->name;
        argument->at = parser_token(parser)->at;
        parser->next += 2;
    }
    return lin_parse_expression(parser, &argument->expression);
}

enum status lin_parse_reference_here(struct parser *parser, const char *purpose,
                                     struct lin_reference *reference)
{
    reference->at = parser_token(parser)->at;
    TRY(parser_name(parser, purpose, &reference->name));
    if (parser_accept(parser, LIN_LEFT_PAREN)) {
        while (!parser_at(parser, LIN_RIGHT_PAREN)) {
            struct lin_argument argument = {0};
            TRY(parse_argument(parser, &argument));
            TRY(PARSER_APPEND(parser, reference->arguments, reference->argument_count, argument));
            if (!parser_accept(parser, LIN_COMMA))
                break;
        }
        TRY(parser_expect(parser, LIN_RIGHT_PAREN, "after the arguments"));
    }
    reference->end = parser_last_end(parser);
    return STATUS_OK;
}

#include <string.h>

#include "lin/parser.h"

static enum status make(struct parser *parser, enum lin_expression_kind kind, place at,
                        uint32_t count, struct lin_expression **expression)
{
    *expression = parser_allocate(parser, sizeof **expression);
    if (!*expression)
        return STATUS_LIMIT;
    (*expression)->kind = (uint8_t)kind;
    (*expression)->at = at;
    (*expression)->count = count;
    (*expression)->items = parser_allocate(parser, count * sizeof *(*expression)->items);
    return (*expression)->items ? STATUS_OK : STATUS_LIMIT;
}

/* Expressions up to the token `end`, which is taken. */
static enum status parse_items(struct parser *parser, unsigned end, struct lin_expression *into)
{
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, end)) {
        struct lin_expression *item = NULL;
        status = lin_parse_expression(parser, &item);
        if (status == STATUS_OK && !vector_push(&list, item))
            status = STATUS_LIMIT;
        if (status == STATUS_OK && !parser_accept(parser, LIN_COMMA))
            break;
    }
    enum status taken = parser_take_list(parser, &list, (void ***)&into->items, &into->count);
    TRY(status);
    TRY(taken);
    return parser_expect(parser, end, NULL);
}

enum status lin_parse_arguments(struct parser *parser, struct lin_expression *call)
{
    TRY(parser_expect(parser, LIN_LEFT_PAREN, NULL));
    return parse_items(parser, LIN_RIGHT_PAREN, call);
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
    parser->next++;
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, LIN_RIGHT_BRACE)) {
        struct lin_expression *item = NULL;
        status = lin_parse_expression(parser, &item);
        if (status == STATUS_OK && !vector_push(&list, item))
            status = STATUS_LIMIT;
        if (status == STATUS_OK && list.length == 1 && parser_at(parser, LIN_COLON))
            (*expression)->kind = LIN_EXPRESSION_MAP;
        if (status == STATUS_OK && (*expression)->kind == LIN_EXPRESSION_MAP) {
            status = parser_expect(parser, LIN_COLON, "between a key and its value");
            if (status == STATUS_OK)
                status = lin_parse_expression(parser, &item);
            if (status == STATUS_OK && !vector_push(&list, item))
                status = STATUS_LIMIT;
        }
        if (status == STATUS_OK && !parser_accept(parser, LIN_COMMA))
            break;
    }
    enum status taken =
        parser_take_list(parser, &list, (void ***)&(*expression)->items, &(*expression)->count);
    TRY(status);
    TRY(taken);
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
        if (!parser_at(parser, LIN_LEFT_PAREN))
            return STATUS_OK;
        (*expression)->kind = LIN_EXPRESSION_CALL;
        return lin_parse_arguments(parser, *expression);
    case LIN_CHOOSE:
        return parse_choose(parser, expression);
    case LIN_NEW:
        TRY(make(parser, LIN_EXPRESSION_NEW, token->at, 0, expression));
        parser->next++;
        return parser_name(parser, "(the struct of the new node)", &(*expression)->name);
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
    case LIN_AND:
        return parser_complain(parser, "an expression (locations are written without `&`)");
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
            TRY(parser_name(parser, "(a field)", &outer->name));
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
    if (kind != LIN_MINUS && kind != LIN_BANG) {
        TRY(lin_parse_postfix(parser, expression));
        return parser_at(parser, LIN_ARROW) ? parser_complain(parser, "`.` before a field")
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

/* The operators between two operands, as in C; 0: none. */
static unsigned operator_level(unsigned kind)
{
    static const uint8_t levels[] = {
        [LIN_BAR_BAR] = 1, [LIN_AND_AND] = 2,    [LIN_BAR] = 3,           [LIN_CARET] = 4,
        [LIN_AND] = 5,     [LIN_EQUAL] = 6,      [LIN_NOT_EQUAL] = 6,     [LIN_LESS] = 7,
        [LIN_GREATER] = 7, [LIN_LESS_EQUAL] = 7, [LIN_GREATER_EQUAL] = 7, [LIN_IN] = 7,
        [LIN_PLUS] = 8,    [LIN_MINUS] = 8,      [LIN_STAR] = 9,          [LIN_SLASH] = 9,
        [LIN_PERCENT] = 9,
    };
    return kind < ARRAY_LENGTH(levels) ? levels[kind] : 0;
}

static enum status parse_binary(struct parser *parser, unsigned lowest,
                                struct lin_expression **expression)
{
    TRY(parse_unary(parser, expression));
    for (;;) {
        const struct token *token = parser_token(parser);
        unsigned level = operator_level(token->kind);
        if (level == 0 || level < lowest)
            return STATUS_OK;
        struct lin_expression *outer;
        TRY(make(parser, LIN_EXPRESSION_BINARY, token->at, 2, &outer));
        outer->sign = token->kind;
        outer->items[0] = *expression;
        parser->next++;
        TRY(parse_binary(parser, level + 1, &outer->items[1]));
        *expression = outer;
        TRY(settle(parser, outer));
    }
}

enum status lin_parse_expression(struct parser *parser, struct lin_expression **expression)
{
    TRY(parser_enter(parser));
    TRY(parse_binary(parser, 1, expression));
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

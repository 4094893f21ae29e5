/* Precedence as in the grammar: note that & | ^ share one level and bind looser than == does. */
#include "csp/parser_expression.h"

#include <string.h>

#include "base/text.h"

static enum status make(struct parser *parser, enum csp_expression_kind kind, place at,
                        uint32_t operands, struct csp_expression **expression)
{
    struct csp_expression *made = parser_allocate(parser, sizeof *made);
    *expression = made;
    TRY_MEMORY(made);
    made->kind = (uint8_t)kind;
    made->at = at;
    made->count = operands;
    if (operands) {
        made->operands = parser_allocate(parser, operands * sizeof *made->operands);
        TRY_MEMORY(made->operands);
    }
    return STATUS_OK;
}

/* Its operands are known: how high it stands. */
static enum status settle(struct parser *parser, struct csp_expression *expression)
{
    for (uint32_t i = 0; i < expression->count; i++)
        if (expression->operands[i]->height >= expression->height)
            expression->height = (uint16_t)(expression->operands[i]->height + 1);
    return parser_check_height(parser, expression->height, expression->at);
}

static enum status make_binary(struct parser *parser, enum csp_expression_kind kind,
                               uint8_t operator, place at, struct csp_expression *left,
                               struct csp_expression *right, struct csp_expression **expression)
{
    TRY(make(parser, kind, at, 2, expression));
    (*expression)->operator= operator;
    (*expression)->operands[0] = left;
    (*expression)->operands[1] = right;
    return settle(parser, *expression);
}

/* ---- primaries ---- */

enum status csp_parse_expressions(struct parser *parser, unsigned separator,
                                  struct csp_expression ***items, uint32_t *count)
{
    *items = NULL;
    *count = 0;
    do {
        struct csp_expression *item = NULL;
        TRY(separator == CSP_COMMA ? csp_parse_value(parser, &item)
                                   : csp_parse_expression(parser, &item));
        TRY(PARSER_APPEND(parser, *items, *count, item));
    } while (parser_accept(parser, separator));
    return STATUS_OK;
}

enum status csp_parse_arguments(struct parser *parser, struct csp_expression ***items,
                                uint32_t *count)
{
    TRY(parser_expect(parser, CSP_LEFT_PAREN, NULL));
    *count = 0;
    *items = NULL;
    if (parser_accept(parser, CSP_RIGHT_PAREN))
        return STATUS_OK;
    TRY(csp_parse_expressions(parser, CSP_COMMA, items, count));
    return parser_expect(parser, CSP_RIGHT_PAREN, "after the arguments");
}

enum status csp_parse_called(struct parser *parser, const char *purpose, const char **name)
{
    if (!parser_at(parser, CSP_MIN) && !parser_at(parser, CSP_MAX))
        return parser_name(parser, purpose, name);
    *name = parser_token(parser)->name;
    parser->next++;
    return STATUS_OK;
}

/* call(name, argument, ...) */
static enum status parse_call(struct parser *parser, struct csp_expression **expression)
{
    TRY(make(parser, EXPRESSION_CALL, parser_token(parser)->at, 0, expression));
    parser->next++;
    TRY(parser_expect(parser, CSP_LEFT_PAREN, "after `call`"));
    (*expression)->name_at = parser_token(parser)->at;
    TRY(csp_parse_called(parser, "(a function)", &(*expression)->name));
    if (parser_accept(parser, CSP_COMMA))
        TRY(csp_parse_expressions(parser, CSP_COMMA, &(*expression)->operands,
                                  &(*expression)->count));
    return parser_expect(parser, CSP_RIGHT_PAREN, "after the arguments of `call`");
}

static enum status parse_new(struct parser *parser, struct csp_expression **expression)
{
    TRY(make(parser, EXPRESSION_NEW, parser_token(parser)->at, 0, expression));
    parser->next++;
    TRY(parser_name(parser, "(a type)", &(*expression)->name));
    return csp_parse_arguments(parser, &(*expression)->operands, &(*expression)->count);
}

/* #name(argument, ...) */
static enum status parse_at_work(struct parser *parser, struct csp_expression **expression)
{
    if (parser_ahead(parser, 1)->kind != CSP_NAME)
        return parser_complain(parser, "an expression");
    TRY(make(parser, EXPRESSION_AT_WORK, parser_token(parser)->at, 0, expression));
    parser->next++;
    (*expression)->name_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a process)", &(*expression)->name));
    if (parser_at(parser, CSP_LEFT_PAREN))
        TRY(csp_parse_arguments(parser, &(*expression)->operands, &(*expression)->count));
    return settle(parser, *expression);
}

enum status csp_parse_brackets(struct parser *parser, const char *purpose,
                               struct csp_expression ***items, uint32_t *count)
{
    while (parser_accept(parser, CSP_LEFT_BRACKET)) {
        struct csp_expression *item = NULL;
        TRY(csp_parse_condition(parser, &item));
        TRY(PARSER_APPEND(parser, *items, *count, item));
        TRY(parser_expect(parser, CSP_RIGHT_BRACKET, purpose));
    }
    return STATUS_OK;
}

/* `x[i][j]`: x is operands[0]. */
static enum status parse_indices(struct parser *parser, struct csp_expression **expression)
{
    struct csp_expression *base = *expression, *made;
    TRY(make(parser, EXPRESSION_INDEX, base->at, 0, &made));
    TRY(PARSER_APPEND(parser, made->operands, made->count, base));
    *expression = made;
    return csp_parse_brackets(parser, "after the index", &made->operands, &made->count);
}

/* `list$Field`, behind the `$`: a name that no other thing can have. */
static enum status parse_field(struct parser *parser, struct csp_expression *object)
{
    const char *field = NULL;
    struct text name = TEXT_EMPTY;
    if (object->kind != EXPRESSION_NAME)
        return script_error(parser->script, object->at, parser->error,
                            "expected a variable before `$`, found an element of an array");
    TRY(parser_name(parser, "(a field)", &field));
    text_format(&name, "%s$%s", object->name, field);
    object->name = names_intern(&parser->names, text_string(&name), name.length);
    text_release(&name);
    return granted(object->name);
}

/* What may follow a name: indices, a method call, a field. */
static enum status parse_suffix(struct parser *parser, struct csp_expression **expression)
{
    if (parser_at(parser, CSP_LEFT_BRACKET))
        TRY(parse_indices(parser, expression));
    struct csp_expression *object = *expression;
    if (parser_at(parser, CSP_DOT) && parser_ahead(parser, 1)->kind == CSP_NAME &&
        parser_ahead(parser, 2)->kind == CSP_LEFT_PAREN && parser_ahead(parser, 2)->attached) {
        const char *name = parser_ahead(parser, 1)->name;
        place name_at = parser_ahead(parser, 1)->at;
        parser->next += 2;
        struct csp_expression **arguments = NULL;
        uint32_t count = 0;
        TRY(csp_parse_arguments(parser, &arguments, &count));
        TRY(make(parser, EXPRESSION_METHOD, object->at, count + 1, expression));
        (*expression)->name = name;
        (*expression)->name_at = name_at;
        (*expression)->operands[0] = object;
        if (count)
            memcpy((*expression)->operands + 1, arguments, count * sizeof *arguments);
    } else if (parser_accept(parser, CSP_DOLLAR)) {
        return parse_field(parser, *expression);
    }
    return STATUS_OK;
}

static enum status parse_primary(struct parser *parser, struct csp_expression **expression)
{
    const struct token *token = parser_token(parser);
    switch (token->kind) {
    case CSP_INTEGER:
        TRY(make(parser, EXPRESSION_INTEGER, token->at, 0, expression));
        (*expression)->integer = token->integer;
        parser->next++;
        return STATUS_OK;
    case CSP_TRUE:
    case CSP_FALSE:
        TRY(make(parser, EXPRESSION_BOOLEAN, token->at, 0, expression));
        (*expression)->integer = token->kind == CSP_TRUE;
        parser->next++;
        return STATUS_OK;
    case CSP_NAME:
        TRY(make(parser, EXPRESSION_NAME, token->at, 0, expression));
        (*expression)->name = token->name;
        parser->next++;
        return parse_suffix(parser, expression);
    case CSP_CALL:
        return parse_call(parser, expression);
    case CSP_NEW:
        return parse_new(parser, expression);
    case CSP_LEFT_PAREN:
        parser->next++;
        TRY(csp_parse_expression(parser, expression));
        return parser_expect(parser, CSP_RIGHT_PAREN, NULL);
    case CSP_HASH:
        return parse_at_work(parser, expression);
    default:
        return parser_complain(parser, "an expression");
    }
}

static enum status parse_unary(struct parser *parser, struct csp_expression **expression)
{
    const struct token *token = parser_token(parser);
    if (token->kind == CSP_PLUS || token->kind == CSP_MINUS || token->kind == CSP_BANG) {
        parser->next++;
        struct csp_expression *operand = NULL;
        TRY(parser_enter(parser));
        TRY(parse_unary(parser, &operand));
        parser_leave(parser);
        TRY(make(parser, EXPRESSION_UNARY, token->at, 1, expression));
        (*expression)->operator= token->kind;
        (*expression)->operands[0] = operand;
        return settle(parser, *expression);
    }
    TRY(parse_primary(parser, expression));
    TRY(settle(parser, *expression));
    token = parser_token(parser);
    if (token->kind == CSP_INCREMENT || token->kind == CSP_DECREMENT) {
        struct csp_expression *operand = *expression;
        parser->next++;
        TRY(make(parser, EXPRESSION_STEP, operand->at, 1, expression));
        (*expression)->operator= token->kind;
        (*expression)->operands[0] = operand;
    }
    return STATUS_OK;
}

/* ---- binary operators ---- */

/* The loosest first. */
enum {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_XOR,
    LEVEL_BITS,
    LEVEL_EQUALITY,
    LEVEL_ORDER,
    LEVEL_SUM,
    LEVEL_PRODUCT,
};

static struct parser_operator find_operator(const struct parser *parser)
{
    static const uint8_t levels[] = {
        [CSP_BAR_BAR] = LEVEL_OR,       [CSP_AND_AND] = LEVEL_AND,
        [CSP_XOR] = LEVEL_XOR,          [CSP_AND] = LEVEL_BITS,
        [CSP_BAR] = LEVEL_BITS,         [CSP_CARET] = LEVEL_BITS,
        [CSP_EQUAL] = LEVEL_EQUALITY,   [CSP_NOT_EQUAL] = LEVEL_EQUALITY,
        [CSP_LESS] = LEVEL_ORDER,       [CSP_GREATER] = LEVEL_ORDER,
        [CSP_LESS_EQUAL] = LEVEL_ORDER, [CSP_GREATER_EQUAL] = LEVEL_ORDER,
        [CSP_PLUS] = LEVEL_SUM,         [CSP_MINUS] = LEVEL_SUM,
        [CSP_STAR] = LEVEL_PRODUCT,     [CSP_SLASH] = LEVEL_PRODUCT,
        [CSP_PERCENT] = LEVEL_PRODUCT,
    };
    uint8_t kind = parser_token(parser)->kind;
    return (struct parser_operator){kind < ARRAY_LENGTH(levels) ? levels[kind] : 0, kind, 1, false};
}

static bool is_indexed_start(const struct parser *parser)
{
    unsigned kind = parser_token(parser)->kind;
    return (kind == CSP_BAR_BAR || kind == CSP_AND_AND || kind == CSP_XOR) &&
           parser_ahead(parser, 1)->kind == CSP_NAME && parser_ahead(parser, 2)->kind == CSP_COLON;
}

/* `|| x:{0..3} @ e`: takes all that follows, like the indexed forms of processes. */
static enum status parse_indexed(struct parser *parser, struct csp_expression **expression)
{
    const struct token *token = parser_token(parser);
    parser->next++;
    TRY(make(parser, EXPRESSION_INDEXED, token->at, 1, expression));
    (*expression)->operator= token->kind;
    TRY(csp_parse_ranges(parser, &(*expression)->ranges, &(*expression)->range_count));
    TRY(parser_expect(parser, CSP_AT, "after the ranges"));
    TRY(csp_parse_expression(parser, &(*expression)->operands[0]));
    return settle(parser, *expression);
}

static enum status parse_operand(struct parser *parser, const void *context, void **tree)
{
    (void)context;
    struct csp_expression *operand = NULL;
    TRY(is_indexed_start(parser) ? parse_indexed(parser, &operand) : parse_unary(parser, &operand));
    *tree = operand;
    return STATUS_OK;
}

static enum status join(struct parser *parser, struct parser_operator operator, place at,
                        void **tree, void *right)
{
    struct csp_expression *joined = NULL;
    TRY(make_binary(parser, EXPRESSION_BINARY, operator.kind, at, *tree, right, &joined));
    *tree = joined;
    return STATUS_OK;
}

static enum status parse_from(struct parser *parser, unsigned lowest,
                              struct csp_expression **expression)
{
    static const struct parser_operators operators = {find_operator, parse_operand, join, NULL};
    void *tree = NULL;
    TRY(parser_enter(parser));
    TRY(parser_climb(parser, &operators, lowest, &tree));
    parser_leave(parser);
    *expression = tree;
    return STATUS_OK;
}

enum status csp_parse_sum(struct parser *parser, struct csp_expression **expression)
{
    return parse_from(parser, LEVEL_SUM, expression);
}

enum status csp_parse_condition(struct parser *parser, struct csp_expression **expression)
{
    return parse_from(parser, LEVEL_OR, expression);
}

static bool is_assignable(const struct csp_expression *expression)
{
    return expression->kind == EXPRESSION_NAME || expression->kind == EXPRESSION_INDEX;
}

enum status csp_parse_expression(struct parser *parser, struct csp_expression **expression)
{
    TRY(csp_parse_condition(parser, expression));
    const struct token *token = parser_token(parser);
    if (token->kind != CSP_ASSIGN)
        return STATUS_OK;
    if (!is_assignable(*expression))
        return script_error(parser->script, token->at, parser->error,
                            "expected a variable on the left of `=`, found an expression");
    parser->next++;
    struct csp_expression *left = *expression, *right = NULL;
    TRY(parser_enter(parser));
    TRY(csp_parse_value(parser, &right));
    parser_leave(parser);
    return make_binary(parser, EXPRESSION_ASSIGN, CSP_ASSIGN, token->at, left, right, expression);
}

/* ---- records ---- */

static enum status record_element(struct parser *parser, struct csp_expression **element)
{
    struct csp_expression *first = NULL, *second = NULL;
    TRY(csp_parse_expression(parser, &first));
    *element = first;
    if (parser_accept(parser, CSP_LEFT_PAREN)) {
        TRY(csp_parse_expression(parser, &second));
        TRY(parser_expect(parser, CSP_RIGHT_PAREN, "after the number of copies"));
        return make_binary(parser, EXPRESSION_REPEAT, 0, first->at, first, second, element);
    }
    if (parser_accept(parser, CSP_DOT_DOT)) {
        TRY(csp_parse_expression(parser, &second));
        return make_binary(parser, EXPRESSION_RANGE, 0, first->at, first, second, element);
    }
    return STATUS_OK;
}

enum status csp_parse_record(struct parser *parser, struct csp_expression **expression)
{
    place at = parser_token(parser)->at;
    TRY(parser_expect(parser, CSP_LEFT_BRACKET, NULL));
    if (parser_at(parser, CSP_LEFT_BRACKET))
        return parser_complain(parser, "a number (arrays of several dimensions are initialised by "
                                       "one flat list)");
    TRY(make(parser, EXPRESSION_RECORD, at, 0, expression));
    do {
        struct csp_expression *element = NULL;
        TRY(record_element(parser, &element));
        TRY(PARSER_APPEND(parser, (*expression)->operands, (*expression)->count, element));
    } while (parser_accept(parser, CSP_COMMA));
    return parser_expect(parser, CSP_RIGHT_BRACKET, "after the list");
}

enum status csp_parse_value(struct parser *parser, struct csp_expression **expression)
{
    return parser_at(parser, CSP_LEFT_BRACKET) ? csp_parse_record(parser, expression)
                                               : csp_parse_expression(parser, expression);
}

/* ---- ranges ---- */

static enum status parse_range(struct parser *parser, struct csp_range *range)
{
    range->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an index)", &range->name));
    TRY(parser_expect(parser, CSP_COLON, "after the index"));
    TRY(parser_expect(parser, CSP_LEFT_BRACE, "before the values of the index"));
    do {
        struct csp_expression *item = NULL;
        TRY(csp_parse_sum(parser, &item));
        TRY(PARSER_APPEND(parser, range->values, range->value_count, item));
        if (range->interval)
            break;
        range->interval = range->value_count == 1 && parser_at(parser, CSP_DOT_DOT);
    } while (parser_accept(parser, range->interval ? CSP_DOT_DOT : CSP_COMMA));
    return parser_expect(parser, CSP_RIGHT_BRACE, "after the values of the index");
}

enum status csp_parse_ranges(struct parser *parser, struct csp_range **ranges, uint32_t *count)
{
    do {
        struct csp_range range = {0};
        TRY(parse_range(parser, &range));
        TRY(PARSER_APPEND(parser, *ranges, *count, range));
    } while (parser_accept(parser, CSP_SEMICOLON));
    return STATUS_OK;
}

enum status csp_parse_bounds(struct parser *parser, struct csp_expression **low,
                             struct csp_expression **high)
{
    TRY(parser_expect(parser, CSP_COLON, NULL));
    TRY(parser_expect(parser, CSP_LEFT_BRACE, "before the range"));
    if (!parser_at(parser, CSP_DOT_DOT))
        TRY(csp_parse_sum(parser, low));
    TRY(parser_expect(parser, CSP_DOT_DOT, "between the bounds of the range"));
    if (!parser_at(parser, CSP_RIGHT_BRACE))
        TRY(csp_parse_sum(parser, high));
    return parser_expect(parser, CSP_RIGHT_BRACE, "after the range");
}

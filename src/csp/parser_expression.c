/* Expressions, statements, ranges. Precedence as in the grammar: note that & | ^ share one level
 * and bind looser than == does. */
#include <string.h>

#include "csp/parser.h"

static enum status make(struct parser *parser, enum csp_expression_kind kind, place at,
                        uint32_t operands, struct csp_expression **expression)
{
    struct csp_expression *made = parser_allocate(parser, sizeof *made);
    *expression = made;
    if (!made)
        return STATUS_LIMIT;
    made->kind = (uint8_t)kind;
    made->at = at;
    made->count = operands;
    if (operands) {
        made->operands = parser_allocate(parser, operands * sizeof *made->operands);
        if (!made->operands)
            return STATUS_LIMIT;
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

enum status parser_expressions(struct parser *parser, unsigned separator,
                               struct csp_expression ***items, uint32_t *count)
{
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status;
    do {
        struct csp_expression *item = NULL;
        if (separator == CSP_COMMA && parser_at(parser, CSP_LEFT_BRACKET))
            status = parser_record(parser, &item);
        else
            status = parser_expression(parser, &item);
        if (status == STATUS_OK && !vector_push(&list, item))
            status = STATUS_LIMIT;
    } while (status == STATUS_OK && parser_accept(parser, separator));
    void **taken_items = NULL;
    enum status taken = parser_take_list(parser, &list, &taken_items, count);
    *items = (struct csp_expression **)taken_items;
    TRY(status);
    return taken;
}

enum status parser_arguments(struct parser *parser, struct csp_expression ***items, uint32_t *count)
{
    TRY(parser_expect(parser, CSP_LEFT_PAREN, NULL));
    *count = 0;
    *items = NULL;
    if (parser_accept(parser, CSP_RIGHT_PAREN))
        return STATUS_OK;
    TRY(parser_expressions(parser, CSP_COMMA, items, count));
    return parser_expect(parser, CSP_RIGHT_PAREN, "after the arguments");
}

/* call(name, argument, ...) */
static enum status parse_call(struct parser *parser, struct csp_expression **expression)
{
    TRY(make(parser, EXPRESSION_CALL, parser_token(parser)->at, 0, expression));
    parser->next++;
    TRY(parser_expect(parser, CSP_LEFT_PAREN, "after `call`"));
    TRY(parser_name(parser, "(a function)", &(*expression)->name));
    if (parser_accept(parser, CSP_COMMA))
        TRY(parser_expressions(parser, CSP_COMMA, &(*expression)->operands, &(*expression)->count));
    return parser_expect(parser, CSP_RIGHT_PAREN, "after the arguments of `call`");
}

static enum status parse_new(struct parser *parser, struct csp_expression **expression)
{
    TRY(make(parser, EXPRESSION_NEW, parser_token(parser)->at, 0, expression));
    parser->next++;
    TRY(parser_name(parser, "(a type)", &(*expression)->name));
    return parser_arguments(parser, &(*expression)->operands, &(*expression)->count);
}

/* `x[i][j]`: x is operands[0]. */
static enum status parse_indices(struct parser *parser, struct csp_expression **expression)
{
    struct csp_expression *base = *expression;
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = vector_push(&list, base) ? STATUS_OK : STATUS_LIMIT;
    while (status == STATUS_OK && parser_accept(parser, CSP_LEFT_BRACKET)) {
        struct csp_expression *index = NULL;
        status = parser_condition(parser, &index);
        if (status == STATUS_OK && !vector_push(&list, index))
            status = STATUS_LIMIT;
        if (status == STATUS_OK)
            status = parser_expect(parser, CSP_RIGHT_BRACKET, "after the index");
    }
    void **items = NULL;
    uint32_t count = 0;
    enum status taken = parser_take_list(parser, &list, &items, &count);
    TRY(status);
    TRY(taken);
    TRY(make(parser, EXPRESSION_INDEX, base->at, 0, expression));
    (*expression)->operands = (struct csp_expression **)items;
    (*expression)->count = count;
    return STATUS_OK;
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
        parser->next += 2;
        struct csp_expression **arguments = NULL;
        uint32_t count = 0;
        TRY(parser_arguments(parser, &arguments, &count));
        TRY(make(parser, EXPRESSION_METHOD, object->at, count + 1, expression));
        (*expression)->name = name;
        (*expression)->operands[0] = object;
        if (count)
            memcpy((*expression)->operands + 1, arguments, count * sizeof *arguments);
    } else if (parser_accept(parser, CSP_DOLLAR)) {
        TRY(make(parser, EXPRESSION_FIELD, object->at, 1, expression));
        (*expression)->operands[0] = object;
        return parser_name(parser, "(a field)", &(*expression)->name);
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
        TRY(parser_expression(parser, expression));
        return parser_expect(parser, CSP_RIGHT_PAREN, NULL);
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

/* ---- binary operators, tightest level first ---- */

#define LEVELS        8
#define LEVEL_SUM     1
#define LEVEL_OR      (LEVELS - 1)
#define LEVEL_NOTHING LEVELS

static const uint8_t level_operators[LEVELS][5] = {
    {CSP_STAR, CSP_SLASH, CSP_PERCENT},
    {CSP_PLUS, CSP_MINUS},
    {CSP_LESS, CSP_GREATER, CSP_LESS_EQUAL, CSP_GREATER_EQUAL},
    {CSP_EQUAL, CSP_NOT_EQUAL},
    {CSP_AND, CSP_BAR, CSP_CARET},
    {CSP_XOR},
    {CSP_AND_AND},
    {CSP_BAR_BAR},
};

static unsigned operator_level(unsigned kind)
{
    for (unsigned level = 0; level < LEVELS; level++)
        for (unsigned i = 0; i < 5; i++)
            if (kind != CSP_END && level_operators[level][i] == kind)
                return level;
    return LEVEL_NOTHING;
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
    TRY(parser_ranges(parser, &(*expression)->ranges, &(*expression)->range_count));
    TRY(parser_expect(parser, CSP_AT, "after the ranges"));
    TRY(parser_expression(parser, &(*expression)->operands[0]));
    return settle(parser, *expression);
}

static enum status parse_level(struct parser *parser, unsigned level,
                               struct csp_expression **expression)
{
    if (is_indexed_start(parser))
        return parse_indexed(parser, expression);
    TRY(parse_unary(parser, expression));
    /* Precedence climbing: `found` is the level of the operator that follows. */
    for (;;) {
        const struct token *token = parser_token(parser);
        unsigned found = operator_level(token->kind);
        if (found > level)
            return STATUS_OK;
        parser->next++;
        struct csp_expression *right = NULL;
        TRY(parser_enter(parser));
        if (found == 0)
            TRY(parse_unary(parser, &right));
        else
            TRY(parse_level(parser, found - 1, &right));
        parser_leave(parser);
        TRY(make_binary(parser, EXPRESSION_BINARY, token->kind, token->at, *expression, right,
                        expression));
    }
}

enum status parser_sum(struct parser *parser, struct csp_expression **expression)
{
    TRY(parser_enter(parser));
    TRY(parse_level(parser, LEVEL_SUM, expression));
    parser_leave(parser);
    return STATUS_OK;
}

enum status parser_condition(struct parser *parser, struct csp_expression **expression)
{
    TRY(parser_enter(parser));
    TRY(parse_level(parser, LEVEL_OR, expression));
    parser_leave(parser);
    return STATUS_OK;
}

static bool is_assignable(const struct csp_expression *expression)
{
    return expression->kind == EXPRESSION_NAME || expression->kind == EXPRESSION_INDEX ||
           expression->kind == EXPRESSION_FIELD;
}

enum status parser_expression(struct parser *parser, struct csp_expression **expression)
{
    TRY(parser_condition(parser, expression));
    const struct token *token = parser_token(parser);
    if (token->kind != CSP_ASSIGN)
        return STATUS_OK;
    if (!is_assignable(*expression))
        return script_error(parser->script, token->at, parser->error,
                            "expected a variable on the left of `=`, found an expression");
    parser->next++;
    struct csp_expression *left = *expression, *right = NULL;
    TRY(parser_enter(parser));
    if (parser_at(parser, CSP_LEFT_BRACKET))
        TRY(parser_record(parser, &right));
    else
        TRY(parser_expression(parser, &right));
    parser_leave(parser);
    return make_binary(parser, EXPRESSION_ASSIGN, CSP_ASSIGN, token->at, left, right, expression);
}

/* ---- records ---- */

static enum status record_element(struct parser *parser, struct csp_expression **element)
{
    struct csp_expression *first = NULL, *second = NULL;
    TRY(parser_expression(parser, &first));
    *element = first;
    if (parser_accept(parser, CSP_LEFT_PAREN)) {
        TRY(parser_expression(parser, &second));
        TRY(parser_expect(parser, CSP_RIGHT_PAREN, "after the number of copies"));
        return make_binary(parser, EXPRESSION_REPEAT, 0, first->at, first, second, element);
    }
    if (parser_accept(parser, CSP_DOT_DOT)) {
        TRY(parser_expression(parser, &second));
        return make_binary(parser, EXPRESSION_RANGE, 0, first->at, first, second, element);
    }
    return STATUS_OK;
}

enum status parser_record(struct parser *parser, struct csp_expression **expression)
{
    place at = parser_token(parser)->at;
    TRY(parser_expect(parser, CSP_LEFT_BRACKET, NULL));
    if (parser_at(parser, CSP_LEFT_BRACKET))
        return parser_complain(parser, "a number (arrays of several dimensions are initialised by "
                                       "one flat list)");
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status;
    do {
        struct csp_expression *element = NULL;
        status = record_element(parser, &element);
        if (status == STATUS_OK && !vector_push(&list, element))
            status = STATUS_LIMIT;
    } while (status == STATUS_OK && parser_accept(parser, CSP_COMMA));
    void **items = NULL;
    uint32_t count = 0;
    enum status taken = parser_take_list(parser, &list, &items, &count);
    TRY(status);
    TRY(taken);
    TRY(make(parser, EXPRESSION_RECORD, at, 0, expression));
    (*expression)->operands = (struct csp_expression **)items;
    (*expression)->count = count;
    return parser_expect(parser, CSP_RIGHT_BRACKET, "after the list");
}

/* ---- ranges ---- */

static enum status range_values(struct parser *parser, struct csp_range *range)
{
    parser_list list;
    vector_init(&list, parser->arena->budget);
    struct csp_expression *item = NULL;
    enum status status = parser_sum(parser, &item);
    if (status == STATUS_OK && !vector_push(&list, item))
        status = STATUS_LIMIT;
    range->interval = status == STATUS_OK && parser_at(parser, CSP_DOT_DOT);
    while (status == STATUS_OK &&
           parser_accept(parser, range->interval ? CSP_DOT_DOT : CSP_COMMA)) {
        status = parser_sum(parser, &item);
        if (status == STATUS_OK && !vector_push(&list, item))
            status = STATUS_LIMIT;
        if (range->interval)
            break;
    }
    void **items = NULL;
    enum status taken = parser_take_list(parser, &list, &items, &range->value_count);
    range->values = (struct csp_expression **)items;
    TRY(status);
    return taken;
}

enum status parser_ranges(struct parser *parser, struct csp_range **ranges, uint32_t *count)
{
    VECTOR(struct csp_range) list;
    vector_init(&list, parser->arena->budget);
    enum status status;
    do {
        struct csp_range range = {.at = parser_token(parser)->at};
        status = parser_name(parser, "(an index)", &range.name);
        if (status == STATUS_OK)
            status = parser_expect(parser, CSP_COLON, "after the index");
        if (status == STATUS_OK)
            status = parser_expect(parser, CSP_LEFT_BRACE, "before the values of the index");
        if (status == STATUS_OK)
            status = range_values(parser, &range);
        if (status == STATUS_OK)
            status = parser_expect(parser, CSP_RIGHT_BRACE, "after the values of the index");
        if (status == STATUS_OK && !vector_push(&list, range))
            status = STATUS_LIMIT;
    } while (status == STATUS_OK && parser_accept(parser, CSP_SEMICOLON));
    if (status == STATUS_OK) {
        *count = (uint32_t)list.length;
        *ranges = parser_allocate(parser, list.length * sizeof *list.items);
        if (*ranges)
            memcpy(*ranges, list.items, list.length * sizeof *list.items);
        else
            status = STATUS_LIMIT;
    }
    vector_release(&list);
    return status;
}

enum status parser_bounds(struct parser *parser, struct csp_expression **low,
                          struct csp_expression **high)
{
    TRY(parser_expect(parser, CSP_COLON, NULL));
    TRY(parser_expect(parser, CSP_LEFT_BRACE, "before the range"));
    if (!parser_at(parser, CSP_DOT_DOT))
        TRY(parser_sum(parser, low));
    TRY(parser_expect(parser, CSP_DOT_DOT, "between the bounds of the range"));
    if (!parser_at(parser, CSP_RIGHT_BRACE))
        TRY(parser_sum(parser, high));
    return parser_expect(parser, CSP_RIGHT_BRACE, "after the range");
}

/* ---- statements ---- */

static enum status make_statement(struct parser *parser, enum csp_statement_kind kind,
                                  uint32_t children, struct csp_statement **statement)
{
    struct csp_statement *made = parser_allocate(parser, sizeof *made);
    *statement = made;
    if (!made)
        return STATUS_LIMIT;
    made->kind = (uint8_t)kind;
    made->at = parser_token(parser)->at;
    made->count = children;
    if (children) {
        made->children = parser_allocate(parser, children * sizeof *made->children);
        if (!made->children)
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status parse_statement(struct parser *parser, struct csp_statement **statement);

static enum status parse_local(struct parser *parser, struct csp_statement **statement)
{
    parser->next++;
    TRY(make_statement(parser, STATEMENT_LOCAL, 0, statement));
    TRY(parser_name(parser, "(a local variable)", &(*statement)->name));
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && parser_accept(parser, CSP_LEFT_BRACKET)) {
        struct csp_expression *size = NULL;
        status = parser_expression(parser, &size);
        if (status == STATUS_OK && !vector_push(&list, size))
            status = STATUS_LIMIT;
        if (status == STATUS_OK)
            status = parser_expect(parser, CSP_RIGHT_BRACKET, NULL);
    }
    void **items = NULL;
    enum status taken = parser_take_list(parser, &list, &items, &(*statement)->size_count);
    (*statement)->sizes = (struct csp_expression **)items;
    TRY(status);
    TRY(taken);
    if (parser_accept(parser, CSP_ASSIGN)) {
        if (parser_at(parser, CSP_LEFT_BRACKET))
            TRY(parser_record(parser, &(*statement)->condition));
        else
            TRY(parser_expression(parser, &(*statement)->condition));
    }
    return parser_expect(parser, CSP_SEMICOLON, "after the local variable");
}

/* if and while: the condition in parentheses, then a statement. */
static enum status parse_conditional(struct parser *parser, enum csp_statement_kind kind,
                                     struct csp_statement **statement)
{
    TRY(make_statement(parser, kind, kind == STATEMENT_IF ? 2 : 1, statement));
    parser->next++;
    TRY(parser_expect(parser, CSP_LEFT_PAREN, "before the condition"));
    TRY(parser_expression(parser, &(*statement)->condition));
    TRY(parser_expect(parser, CSP_RIGHT_PAREN, "after the condition"));
    TRY(parse_statement(parser, &(*statement)->children[0]));
    if (kind != STATEMENT_IF)
        return STATUS_OK;
    (*statement)->count = 1;
    if (!parser_accept(parser, CSP_ELSE))
        return STATUS_OK;
    (*statement)->count = 2;
    return parse_statement(parser, &(*statement)->children[1]);
}

static enum status parse_statement_here(struct parser *parser, struct csp_statement **statement)
{
    switch (parser_token(parser)->kind) {
    case CSP_LEFT_BRACE:
        return parser_block(parser, statement);
    case CSP_VAR:
        return parse_local(parser, statement);
    case CSP_IF:
        return parse_conditional(parser, STATEMENT_IF, statement);
    case CSP_WHILE:
        return parse_conditional(parser, STATEMENT_WHILE, statement);
    case CSP_SEMICOLON:
        TRY(make_statement(parser, STATEMENT_BLOCK, 0, statement));
        parser->next++;
        return STATUS_OK;
    default:
        TRY(make_statement(parser, STATEMENT_EXPRESSION, 0, statement));
        TRY(parser_expression(parser, &(*statement)->condition));
        /* The last expression of a block may lack its semicolon. */
        if (parser_at(parser, CSP_RIGHT_BRACE))
            return STATUS_OK;
        return parser_expect(parser, CSP_SEMICOLON, "or `}` after the statement");
    }
}

static enum status parse_statement(struct parser *parser, struct csp_statement **statement)
{
    TRY(parser_enter(parser));
    TRY(parse_statement_here(parser, statement));
    parser_leave(parser);
    return STATUS_OK;
}

enum status parser_block(struct parser *parser, struct csp_statement **block)
{
    TRY(make_statement(parser, STATEMENT_BLOCK, 0, block));
    TRY(parser_expect(parser, CSP_LEFT_BRACE, NULL));
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, CSP_RIGHT_BRACE)) {
        struct csp_statement *statement = NULL;
        if (parser_at(parser, CSP_END))
            status = parser_complain(parser, "a statement or `}`");
        else
            status = parse_statement(parser, &statement);
        if (status == STATUS_OK && !vector_push(&list, statement))
            status = STATUS_LIMIT;
    }
    void **items = NULL;
    enum status taken = parser_take_list(parser, &list, &items, &(*block)->count);
    (*block)->children = (struct csp_statement **)items;
    TRY(status);
    TRY(taken);
    return parser_expect(parser, CSP_RIGHT_BRACE, NULL);
}

#include <string.h>

#include "lang/faults.h"
#include "lin/parser.h"

static enum status parse_statement(struct parser *parser, struct lin_statement **statement);

static enum status make(struct parser *parser, enum lin_statement_kind kind, uint32_t count,
                        struct lin_statement **statement)
{
    *statement = parser_allocate(parser, sizeof **statement);
    if (!*statement)
        return STATUS_LIMIT;
    (*statement)->kind = (uint8_t)kind;
    (*statement)->at = parser_token(parser)->at;
    (*statement)->count = count;
    (*statement)->items = parser_allocate(parser, count * sizeof *(*statement)->items);
    return (*statement)->items ? STATUS_OK : STATUS_LIMIT;
}

/* `(condition)` */
static enum status parse_condition(struct parser *parser, struct lin_statement *statement)
{
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "before the condition"));
    TRY(lin_parse_expression(parser, &statement->expression));
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the condition");
}

/* Words of C at which a statement cannot begin here. */
static bool at_word_of_c(const struct parser *parser)
{
    static const char *const words[] = {"switch", "goto", "const", "static",  "volatile",
                                        "long",   "char", "short", "unsigned"};
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (lin_at_word(parser, words[i]) && parser_ahead(parser, 1)->kind != LIN_ASSIGN)
            return true;
    return false;
}

/* What can only stand outside of operations: a brace is missing before it. */
static bool begins_member(const struct parser *parser)
{
    static const char *const words[] = {"op", "shared", "struct", "record", "spec", "impl"};
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (lin_at_word(parser, words[i]))
            return true;
    return parser_at(parser, LIN_ASSERT) && parser_ahead(parser, 1)->kind == LIN_NAME;
}

/* Goes on behind a statement that is wrong, from `start` on: behind its semicolon or the brace that
 * closes it, or before the brace that closes the block. False: the braces do not tell where that
 * is. */
static bool skip_statement(struct parser *parser, size_t start)
{
    size_t wrong = parser->next;
    unsigned depth = 0;
    parser->next = start;
    if (begins_member(parser))
        return false;
    for (; !parser_at(parser, LIN_END); parser->next++) {
        bool closes = parser_at(parser, LIN_RIGHT_BRACE);
        if (closes && depth == 0)
            return parser->next >= wrong;
        depth += parser_at(parser, LIN_LEFT_BRACE);
        depth -= closes;
        bool ends = depth == 0 && (closes || parser_at(parser, LIN_SEMICOLON));
        if (!ends || parser->next < wrong || parser_ahead(parser, 1)->kind == LIN_ELSE)
            continue;
        parser->next++;
        return true;
    }
    return false;
}

/* Takes over what is wrong in a statement, if the parser can go on behind it. */
static enum status recover(struct parser *parser, enum status status, size_t start, unsigned depth)
{
    size_t wrong = parser->next;
    if (status != STATUS_INPUT || !parser->script->faults)
        return status;
    if (!skip_statement(parser, start)) {
        parser->next = wrong;
        return status;
    }
    parser->depth = depth;
    return faults_keep(parser->script, status, parser->error);
}

/* A statement, or the variables that a declaration makes. */
static enum status parse_item(struct parser *parser, parser_list *list)
{
    enum status status;
    if (at_word_of_c(parser))
        return parser_complain(parser, "a statement (this is one of C only)");
    if (lin_at_declaration(parser)) {
        struct lin_type type;
        parser_list variables;
        vector_init(&variables, parser->arena->budget);
        status = lin_parse_type(parser, &type);
        if (status == STATUS_OK)
            status = lin_parse_variables(parser, &type, false, &variables);
        for (size_t i = 0; status == STATUS_OK && i < variables.length; i++) {
            struct lin_statement *declare;
            status = make(parser, LIN_STATEMENT_DECLARE, 0, &declare);
            if (status == STATUS_OK) {
                declare->variable = variables.items[i];
                declare->at = declare->variable->at;
                if (!vector_push(list, declare))
                    status = STATUS_LIMIT;
            }
        }
        vector_release(&variables);
        return status;
    }
    struct lin_statement *statement = NULL;
    status = parse_statement(parser, &statement);
    return status == STATUS_OK && !vector_push(list, statement) ? STATUS_LIMIT : status;
}

enum status lin_parse_block(struct parser *parser, struct lin_statement **block)
{
    TRY(make(parser, LIN_STATEMENT_BLOCK, 0, block));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !parser_at(parser, LIN_RIGHT_BRACE)) {
        size_t start = parser->next;
        unsigned depth = parser->depth;
        status = recover(parser, parse_item(parser, &list), start, depth);
    }
    enum status taken =
        parser_take_list(parser, &list, (void ***)&(*block)->items, &(*block)->count);
    TRY(status);
    TRY(taken);
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

/* The operator of `+=` and its kin, LIN_ASSIGN for `=`, 0 for others. */
static unsigned assignment_operator(unsigned kind)
{
    switch (kind) {
    case LIN_ASSIGN:
        return LIN_ASSIGN;
    case LIN_ADD_ASSIGN:
        return LIN_PLUS;
    case LIN_SUBTRACT_ASSIGN:
        return LIN_MINUS;
    case LIN_MULTIPLY_ASSIGN:
        return LIN_STAR;
    case LIN_DIVIDE_ASSIGN:
        return LIN_SLASH;
    case LIN_MODULO_ASSIGN:
        return LIN_PERCENT;
    default:
        return 0;
    }
}

/* An assignment, `x++`, or a call: what may stand alone. */
static enum status parse_effect(struct parser *parser, struct lin_expression **expression)
{
    struct lin_expression *inner;
    place start = parser_token(parser)->at;
    TRY(lin_parse_expression(parser, &inner));
    unsigned kind = parser_token(parser)->kind;
    unsigned sign = assignment_operator(kind);
    bool step = kind == LIN_INCREMENT || kind == LIN_DECREMENT;
    *expression = inner;
    if (!sign && !step) {
        if (inner->kind == LIN_EXPRESSION_CALL)
            return STATUS_OK;
        return script_error(parser->script, start, parser->error,
                            "expected a statement, found an expression whose value is not used");
    }
    struct lin_expression *outer = parser_allocate(parser, sizeof *outer);
    if (!outer)
        return STATUS_LIMIT;
    outer->kind = step ? LIN_EXPRESSION_STEP : LIN_EXPRESSION_ASSIGN;
    outer->at = parser_token(parser)->at;
    outer->sign = (uint8_t)(step ? (kind == LIN_INCREMENT ? LIN_PLUS : LIN_MINUS) : sign);
    outer->count = step ? 1 : 2;
    outer->items = parser_allocate(parser, 2 * sizeof *outer->items);
    if (!outer->items)
        return STATUS_LIMIT;
    outer->items[0] = inner;
    parser->next++;
    if (!step)
        TRY(lin_parse_expression(parser, &outer->items[1]));
    *expression = outer;
    return STATUS_OK;
}

static enum status parse_if(struct parser *parser, struct lin_statement **statement)
{
    TRY(make(parser, LIN_STATEMENT_IF, 2, statement));
    parser->next++;
    TRY(parse_condition(parser, *statement));
    TRY(parse_statement(parser, &(*statement)->items[0]));
    (*statement)->count = 1;
    if (!parser_accept(parser, LIN_ELSE))
        return STATUS_OK;
    (*statement)->count = 2;
    return parse_statement(parser, &(*statement)->items[1]);
}

static enum status parse_do(struct parser *parser, struct lin_statement **statement)
{
    TRY(make(parser, LIN_STATEMENT_DO, 1, statement));
    parser->next++;
    TRY(parse_statement(parser, &(*statement)->items[0]));
    TRY(parser_expect(parser, LIN_WHILE, "after the body of `do`"));
    TRY(parse_condition(parser, *statement));
    return parser_expect(parser, LIN_SEMICOLON, "after the condition");
}

/* The first part of a `for`: a declaration of one variable, an effect, or nothing. */
static enum status parse_for_start(struct parser *parser, struct lin_statement **start)
{
    *start = NULL;
    if (parser_accept(parser, LIN_SEMICOLON))
        return STATUS_OK;
    if (!lin_at_declaration(parser)) {
        TRY(make(parser, LIN_STATEMENT_EXPRESSION, 0, start));
        TRY(parse_effect(parser, &(*start)->expression));
        return parser_expect(parser, LIN_SEMICOLON, "after the first part of `for`");
    }
    struct lin_type type;
    parser_list variables;
    vector_init(&variables, parser->arena->budget);
    place at = parser_token(parser)->at;
    enum status status = make(parser, LIN_STATEMENT_DECLARE, 0, start);
    if (status == STATUS_OK)
        status = lin_parse_type(parser, &type);
    if (status == STATUS_OK)
        status = lin_parse_variables(parser, &type, false, &variables);
    if (status == STATUS_OK && variables.length != 1)
        status = script_error(parser->script, at, parser->error,
                              "expected one variable in `for`, found %zu", variables.length);
    if (status == STATUS_OK)
        (*start)->variable = variables.items[0];
    vector_release(&variables);
    return status;
}

static enum status parse_for(struct parser *parser, struct lin_statement **statement)
{
    TRY(make(parser, LIN_STATEMENT_FOR, 2, statement));
    parser->next++;
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "after `for`"));
    TRY(parse_for_start(parser, &(*statement)->items[0]));
    if (!parser_at(parser, LIN_SEMICOLON))
        TRY(lin_parse_expression(parser, &(*statement)->expression));
    TRY(parser_expect(parser, LIN_SEMICOLON, "after the condition of `for`"));
    if (!parser_at(parser, LIN_RIGHT_PAREN))
        TRY(parse_effect(parser, &(*statement)->step));
    TRY(parser_expect(parser, LIN_RIGHT_PAREN, "after the parts of `for`"));
    return parse_statement(parser, &(*statement)->items[1]);
}

/* `either { } or { } or { }` */
static enum status parse_either(struct parser *parser, struct lin_statement **statement)
{
    TRY(make(parser, LIN_STATEMENT_EITHER, 0, statement));
    parser->next++;
    parser_list list;
    vector_init(&list, parser->arena->budget);
    enum status status;
    do {
        struct lin_statement *branch = NULL;
        status = lin_parse_block(parser, &branch);
        if (status == STATUS_OK && !vector_push(&list, branch))
            status = STATUS_LIMIT;
    } while (status == STATUS_OK && lin_accept_word(parser, "or"));
    if (status == STATUS_OK && list.length < 2)
        status = parser_complain(parser, "`or` and another block after `either`");
    enum status taken =
        parser_take_list(parser, &list, (void ***)&(*statement)->items, &(*statement)->count);
    TRY(status);
    return taken;
}

/* `return e;`, `await (c);`, ...: a word, an expression, a semicolon. */
static enum status parse_simple(struct parser *parser, enum lin_statement_kind kind,
                                struct lin_statement **statement)
{
    bool alone = kind == LIN_STATEMENT_BREAK || kind == LIN_STATEMENT_CONTINUE;
    TRY(make(parser, kind, 0, statement));
    if (kind != LIN_STATEMENT_EXPRESSION)
        parser->next++;
    if ((kind == LIN_STATEMENT_RETURN || kind == LIN_STATEMENT_LINEARIZE) &&
        parser_at(parser, LIN_SEMICOLON))
        alone = true;
    if (kind == LIN_STATEMENT_AWAIT || kind == LIN_STATEMENT_ASSUME || kind == LIN_STATEMENT_ASSERT)
        TRY(parse_condition(parser, *statement));
    else if (kind == LIN_STATEMENT_EXPRESSION)
        TRY(parse_effect(parser, &(*statement)->expression));
    else if (!alone)
        TRY(lin_parse_expression(parser, &(*statement)->expression));
    return parser_expect(parser, LIN_SEMICOLON, "after the statement");
}

static enum status parse_inner(struct parser *parser, struct lin_statement **statement)
{
    switch (parser_token(parser)->kind) {
    case LIN_LEFT_BRACE:
        return lin_parse_block(parser, statement);
    case LIN_SEMICOLON:
        TRY(make(parser, LIN_STATEMENT_BLOCK, 0, statement));
        parser->next++;
        return STATUS_OK;
    case LIN_IF:
        return parse_if(parser, statement);
    case LIN_WHILE:
        TRY(make(parser, LIN_STATEMENT_WHILE, 1, statement));
        parser->next++;
        TRY(parse_condition(parser, *statement));
        return parse_statement(parser, &(*statement)->items[0]);
    case LIN_DO:
        return parse_do(parser, statement);
    case LIN_FOR:
        return parse_for(parser, statement);
    case LIN_ATOMIC:
        TRY(make(parser, LIN_STATEMENT_ATOMIC, 1, statement));
        parser->next++;
        return lin_parse_block(parser, &(*statement)->items[0]);
    case LIN_EITHER:
        return parse_either(parser, statement);
    case LIN_RETURN:
        return parse_simple(parser, LIN_STATEMENT_RETURN, statement);
    case LIN_BREAK:
        return parse_simple(parser, LIN_STATEMENT_BREAK, statement);
    case LIN_CONTINUE:
        return parse_simple(parser, LIN_STATEMENT_CONTINUE, statement);
    case LIN_AWAIT:
        return parse_simple(parser, LIN_STATEMENT_AWAIT, statement);
    case LIN_ASSUME:
        return parse_simple(parser, LIN_STATEMENT_ASSUME, statement);
    case LIN_ASSERT:
        return parse_simple(parser, LIN_STATEMENT_ASSERT, statement);
    case LIN_LINEARIZE:
        return parse_simple(parser, LIN_STATEMENT_LINEARIZE, statement);
    case LIN_PRINT:
        return parse_simple(parser, LIN_STATEMENT_PRINT, statement);
    default:
        if (lin_at_declaration(parser))
            return parser_complain(parser, "a statement (declare variables in a block)");
        return parse_simple(parser, LIN_STATEMENT_EXPRESSION, statement);
    }
}

static enum status parse_statement(struct parser *parser, struct lin_statement **statement)
{
    TRY(parser_enter(parser));
    TRY(parse_inner(parser, statement));
    parser_leave(parser);
    return STATUS_OK;
}

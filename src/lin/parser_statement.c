/* Recursive descent over statements. Behind a fault the parser goes on at the missing semicolon, or
 * behind the statement: at its semicolon, or at the brace that closes it. */
#include "lin/parser_statement.h"

#include <string.h>

#include "lang/faults.h"
#include "lang/references.h"
#include "lin/parser_expression.h"

/* ---- types and variables ---- */

bool lin_at_declaration(const struct parser *parser)
{
    if (!parser_at(parser, LIN_NAME))
        return false;
    if (parser_ahead(parser, 1)->kind == LIN_NAME)
        return true;
    return parser_at_word(parser, "int") && parser_ahead(parser, 1)->kind == LIN_LEFT_PAREN;
}

static const struct {
    const char *name;
    enum lin_type_kind kind;
} types[] = {{"void", LIN_TYPE_VOID},   {"int", LIN_TYPE_INT},   {"bool", LIN_TYPE_BOOL},
             {"value", LIN_TYPE_VALUE}, {"list", LIN_TYPE_LIST}, {"set", LIN_TYPE_SET},
             {"map", LIN_TYPE_MAP}};

bool lin_at_type_word(const struct parser *parser)
{
    bool at = false;
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        at |= parser_at_word(parser, types[i].name);
    return at;
}

/* `unsigned int k`, `long long k`: of an integer type of one word the check tells. */
static bool at_integer_of_c(const struct parser *parser)
{
    static const char *const words[] = {"long", "char", "short", "unsigned", "signed"};
    return parser_at_any_word(parser, words, ARRAY_LENGTH(words)) &&
           parser_ahead(parser, 1)->kind == LIN_NAME && parser_ahead(parser, 2)->kind == LIN_NAME;
}

enum status lin_parse_type(struct parser *parser, struct lin_type *type)
{
    *type = (struct lin_type){.kind = LIN_TYPE_STRUCT, .at = parser_token(parser)->at};
    if (at_integer_of_c(parser))
        return parser_complain(parser, "`int`, which has 32 bits, or `int(0..3)`, of a range");
    if (parser_at_word(parser, "enum") && parser_ahead(parser, 1)->kind == LIN_NAME)
        type->says_enum = parser_accept_word(parser, "enum");
    type->name_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a type)", &type->name));
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (strcmp(types[i].name, type->name) == 0)
            type->kind = (uint8_t)types[i].kind;
    if (type->kind != LIN_TYPE_INT || !parser_accept(parser, LIN_LEFT_PAREN))
        return STATUS_OK;
    TRY(lin_parse_expression(parser, &type->low));
    TRY(parser_expect(parser, LIN_DOT_DOT, "between the bounds of the range"));
    TRY(lin_parse_expression(parser, &type->high));
    return parser_expect(parser, LIN_RIGHT_PAREN, "after the range");
}

/* `x`, `x[2][3]`, with its initial value */
static enum status parse_variable(struct parser *parser, const struct lin_type *type, bool shared,
                                  struct lin_variable **variable)
{
    *variable = parser_allocate(parser, sizeof **variable);
    if (!*variable)
        return STATUS_LIMIT;
    (*variable)->type = *type;
    (*variable)->shared = shared;
    (*variable)->at = parser_token(parser)->at;
    if (parser_at(parser, LIN_STAR))
        return parser_complain(parser, "a name (of a struct a variable is a reference already: "
                                       "`node x` is what C writes `node *x`)");
    TRY(parser_name(parser, "(a variable)", &(*variable)->name));
    while (parser_accept(parser, LIN_LEFT_BRACKET)) {
        struct lin_expression *length = NULL;
        TRY(lin_parse_expression(parser, &length));
        TRY(PARSER_APPEND(parser, (*variable)->lengths, (*variable)->length_count, length));
        TRY(parser_expect(parser, LIN_RIGHT_BRACKET, "after the length"));
    }
    if (parser_accept(parser, LIN_ASSIGN))
        TRY(lin_parse_expression(parser, &(*variable)->initial));
    return STATUS_OK;
}

enum status lin_parse_variables(struct parser *parser, const struct lin_type *type, bool shared,
                                struct lin_variable ***variables, uint32_t *count)
{
    do {
        struct lin_variable *variable;
        TRY(parse_variable(parser, type, shared, &variable));
        variable->number = *count;
        TRY(PARSER_APPEND(parser, *variables, *count, variable));
    } while (parser_accept(parser, LIN_COMMA));
    return parser_expect(parser, LIN_SEMICOLON, "after the declaration");
}

/* ---- statements ---- */

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
    if (count)
        (*statement)->items = parser_allocate(parser, count * sizeof *(*statement)->items);
    return count == 0 || (*statement)->items ? STATUS_OK : STATUS_LIMIT;
}

/* `(condition)` */
static enum status parse_condition(struct parser *parser, struct lin_statement *statement)
{
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "before the condition"));
    TRY(lin_parse_expression(parser, &statement->expression));
    return parser_close_condition(parser, LIN_RIGHT_PAREN, LIN_ASSIGN, "after the condition");
}

/* Words of C at which a statement cannot begin here. */
static bool at_word_of_c(const struct parser *parser)
{
    static const char *const words[] = {"goto", "const", "static", "volatile"};
    return parser_at_any_word(parser, words, ARRAY_LENGTH(words)) &&
           parser_ahead(parser, 1)->kind != LIN_ASSIGN;
}

/* What can only stand outside of operations: a brace is missing before it. */
static bool begins_member(const struct parser *parser)
{
    static const char *const words[] = {"op", "shared", "struct", "record", "spec", "impl"};
    return parser_at_any_word(parser, words, ARRAY_LENGTH(words)) ||
           (parser_at(parser, LIN_ASSERT) && parser_ahead(parser, 1)->kind == LIN_NAME);
}

/* Whether a semicolon is all that is missing, and something that can stand behind it follows. */
static bool lacks_semicolon(const struct parser *parser)
{
    unsigned kind = parser_token(parser)->kind;
    bool begins = kind == LIN_NAME || kind == LIN_RIGHT_BRACE ||
                  (kind >= LIN_IF && kind <= LIN_CHOOSE && kind != LIN_ELSE);
    return begins && parser_lacks(parser, LIN_SEMICOLON);
}

/* Goes on behind an item that is wrong, from `start` on: behind its semicolon or the brace that
 * closes it, or before the brace that closes what it stands in. False: the braces do not tell where
 * that is. */
static bool skip_item(struct parser *parser, size_t start)
{
    size_t wrong = parser->next;
    unsigned depth = 0;
    for (parser->next = start; !parser_at(parser, LIN_END); parser->next++) {
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

enum status lin_recover(struct parser *parser, enum status status, size_t start, unsigned depth)
{
    size_t wrong = parser->next;
    if (status != STATUS_INPUT || !parser->script->faults)
        return status;
    place from = parser->tokens.items.items[start].at;
    if (wrong > start && lacks_semicolon(parser)) {
        references_put(parser->script, parser_last_end(parser), from, ';');
    } else if (skip_item(parser, start)) {
        references_leave_out(parser->script, from, parser_last_end(parser));
    } else {
        parser->next = wrong;
        return status;
    }
    parser->depth = depth;
    return faults_keep(parser->script, status, parser->error);
}

/* `node x, y = null;`: a statement for each variable, behind one another in `block`. */
static enum status parse_declaration(struct parser *parser, struct lin_statement *block)
{
    struct lin_type type;
    struct lin_variable **variables = NULL;
    uint32_t count = 0;
    TRY(lin_parse_type(parser, &type));
    TRY(lin_parse_variables(parser, &type, false, &variables, &count));
    for (uint32_t i = 0; i < count; i++) {
        struct lin_statement *declare;
        TRY(make(parser, LIN_STATEMENT_DECLARE, 0, &declare));
        declare->variable = variables[i];
        declare->at = variables[i]->at;
        TRY(PARSER_APPEND(parser, block->items, block->count, declare));
    }
    return STATUS_OK;
}

/* `case 1:`, `default:` */
static bool at_label(const struct parser *parser)
{
    unsigned ahead = parser_ahead(parser, 1)->kind;
    if (parser_at_word(parser, "default"))
        return ahead == LIN_COLON;
    return parser_at_word(parser, "case") &&
           (ahead == LIN_NAME || ahead == LIN_INTEGER || ahead == LIN_MINUS || ahead == LIN_TRUE ||
            ahead == LIN_FALSE || ahead == LIN_NULL || ahead == LIN_STRING);
}

/* A statement or a declaration, appended to the block. */
static enum status parse_item(struct parser *parser, struct lin_statement *block)
{
    if (at_label(parser))
        return parser_complain(parser,
                               "a statement (labels stand between the braces of a `switch`, "
                               "in no other block)");
    if (parser_at(parser, LIN_ELSE))
        return parser_complain(parser, "a statement (there is no `if` right before this `else`)");
    if (at_word_of_c(parser))
        return parser_complain(parser, "a statement (this is one of C only)");
    if (parser_at_word(parser, "shared") && parser_ahead(parser, 1)->kind == LIN_NAME)
        return parser_complain(parser, "a statement or `}` (what threads share stands outside of "
                                       "the operations)");
    if (lin_at_declaration(parser))
        return parse_declaration(parser, block);
    struct lin_statement *statement = NULL;
    TRY(parse_statement(parser, &statement));
    return PARSER_APPEND(parser, block->items, block->count, statement);
}

/* The same, going on behind what is wrong. */
static enum status parse_item_or_skip(struct parser *parser, struct lin_statement *block)
{
    size_t start = parser->next;
    unsigned depth = parser->depth;
    bool lacks_brace = begins_member(parser);
    enum status status = parse_item(parser, block);
    return lacks_brace ? status : lin_recover(parser, status, start, depth);
}

enum status lin_parse_block(struct parser *parser, struct lin_statement **block)
{
    TRY(make(parser, LIN_STATEMENT_BLOCK, 0, block));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, NULL));
    while (!parser_at(parser, LIN_RIGHT_BRACE))
        TRY(parse_item_or_skip(parser, *block));
    return parser_expect(parser, LIN_RIGHT_BRACE, NULL);
}

/* A label, and the statements up to the next one. */
static enum status parse_case(struct parser *parser, struct lin_statement **statement)
{
    TRY(make(parser, LIN_STATEMENT_CASE, 0, statement));
    if (!at_label(parser))
        return parser_complain(parser, "`case` and a constant, `default:` or `}`");
    if (!parser_accept_word(parser, "default")) {
        parser->next++;
        TRY(lin_parse_expression(parser, &(*statement)->expression));
    }
    TRY(parser_expect(parser, LIN_COLON, "after the label"));
    while (!at_label(parser) && !parser_at(parser, LIN_RIGHT_BRACE))
        TRY(parse_item_or_skip(parser, *statement));
    return STATUS_OK;
}

static enum status parse_switch(struct parser *parser, struct lin_statement **statement)
{
    TRY(make(parser, LIN_STATEMENT_SWITCH, 0, statement));
    parser->next++;
    TRY(parse_condition(parser, *statement));
    TRY(parser_expect(parser, LIN_LEFT_BRACE, "after what is switched on"));
    while (!parser_at(parser, LIN_RIGHT_BRACE)) {
        struct lin_statement *part = NULL;
        TRY(parse_case(parser, &part));
        TRY(PARSER_APPEND(parser, (*statement)->items, (*statement)->count, part));
    }
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
    struct lin_variable **variables = NULL;
    uint32_t count = 0;
    place at = parser_token(parser)->at;
    TRY(make(parser, LIN_STATEMENT_DECLARE, 0, start));
    TRY(lin_parse_type(parser, &type));
    TRY(lin_parse_variables(parser, &type, false, &variables, &count));
    (*start)->variable = variables[0];
    if (count == 1)
        return STATUS_OK;
    return script_error(parser->script, at, parser->error,
                        "expected one variable in `for`, found %u", count);
}

static enum status parse_for(struct parser *parser, struct lin_statement **statement)
{
    TRY(make(parser, LIN_STATEMENT_FOR, 2, statement));
    parser->next++;
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "after `for`"));
    TRY(parse_for_start(parser, &(*statement)->items[0]));
    if (!parser_at(parser, LIN_SEMICOLON))
        TRY(lin_parse_expression(parser, &(*statement)->expression));
    TRY(parser_close_condition(parser, LIN_SEMICOLON, LIN_ASSIGN, "after the condition of `for`"));
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
    do {
        struct lin_statement *branch = NULL;
        TRY(lin_parse_block(parser, &branch));
        TRY(PARSER_APPEND(parser, (*statement)->items, (*statement)->count, branch));
    } while (parser_accept_word(parser, "or"));
    return (*statement)->count > 1
               ? STATUS_OK
               : parser_complain(parser, "`or` and another block after `either`");
}

/* `linearize;`, `linearize e;`, `linearize t: e;`, `linearize t:;` */
static enum status parse_point(struct parser *parser, struct lin_statement **statement)
{
    TRY(make(parser, LIN_STATEMENT_LINEARIZE, 0, statement));
    parser->next++;
    if (!parser_at(parser, LIN_SEMICOLON))
        TRY(lin_parse_expression(parser, &(*statement)->expression));
    if (parser_accept(parser, LIN_COLON)) {
        (*statement)->step = (*statement)->expression;
        (*statement)->expression = NULL;
        if (!parser_at(parser, LIN_SEMICOLON))
            TRY(lin_parse_expression(parser, &(*statement)->expression));
    }
    return parser_expect(parser, LIN_SEMICOLON, "after the statement");
}

/* `return v, w;`: the answers of operations that take effect together, as a list marked by its
 * sign.
 */
static enum status parse_answers(struct parser *parser, struct lin_expression **expression)
{
    struct lin_expression *first = *expression, *list = parser_allocate(parser, sizeof *list);
    if (!list)
        return STATUS_LIMIT;
    *list = (struct lin_expression){
        .kind = LIN_EXPRESSION_LIST, .sign = LIN_COMMA, .at = first->at, .height = first->height};
    TRY(PARSER_APPEND(parser, list->items, list->count, first));
    while (parser_accept(parser, LIN_COMMA)) {
        struct lin_expression *next;
        TRY(lin_parse_expression(parser, &next));
        TRY(PARSER_APPEND(parser, list->items, list->count, next));
        list->height = next->height > list->height ? next->height : list->height;
    }
    list->height++;
    *expression = list;
    return STATUS_OK;
}

/* `return e;`, `await (c);`, ...: a word, an expression, a semicolon. */
static enum status parse_simple(struct parser *parser, enum lin_statement_kind kind,
                                struct lin_statement **statement)
{
    bool alone = kind == LIN_STATEMENT_BREAK || kind == LIN_STATEMENT_CONTINUE;
    TRY(make(parser, kind, 0, statement));
    if (kind != LIN_STATEMENT_EXPRESSION)
        parser->next++;
    if (kind == LIN_STATEMENT_RETURN && parser_at(parser, LIN_SEMICOLON))
        alone = true;
    if (kind == LIN_STATEMENT_AWAIT || kind == LIN_STATEMENT_ASSUME || kind == LIN_STATEMENT_ASSERT)
        TRY(parse_condition(parser, *statement));
    else if (kind == LIN_STATEMENT_EXPRESSION)
        TRY(parse_effect(parser, &(*statement)->expression));
    else if (!alone)
        TRY(lin_parse_expression(parser, &(*statement)->expression));
    if (kind == LIN_STATEMENT_RETURN && !alone && parser_at(parser, LIN_COMMA))
        TRY(parse_answers(parser, &(*statement)->expression));
    return parser_expect(parser, LIN_SEMICOLON, "after the statement");
}

static enum status parse_inner(struct parser *parser, struct lin_statement **statement)
{
    static const struct {
        uint8_t token, kind;
    } simple[] = {
        {LIN_RETURN, LIN_STATEMENT_RETURN},     {LIN_BREAK, LIN_STATEMENT_BREAK},
        {LIN_CONTINUE, LIN_STATEMENT_CONTINUE}, {LIN_AWAIT, LIN_STATEMENT_AWAIT},
        {LIN_ASSUME, LIN_STATEMENT_ASSUME},     {LIN_ASSERT, LIN_STATEMENT_ASSERT},
        {LIN_PRINT, LIN_STATEMENT_PRINT},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(simple); i++)
        if (parser_at(parser, simple[i].token))
            return parse_simple(parser, (enum lin_statement_kind)simple[i].kind, statement);
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
    case LIN_LINEARIZE:
        return parse_point(parser, statement);
    default:
        if (parser_at_word(parser, "switch") && parser_ahead(parser, 1)->kind == LIN_LEFT_PAREN)
            return parse_switch(parser, statement);
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

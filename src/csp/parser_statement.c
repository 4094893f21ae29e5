/* Recursive descent over statements; conditions and effects are expressions. */
#include "csp/parser_statement.h"

#include "csp/parser_expression.h"

static enum status make(struct parser *parser, enum csp_statement_kind kind, uint32_t children,
                        struct csp_statement **statement)
{
    struct csp_statement *made = parser_allocate(parser, sizeof *made);
    *statement = made;
    TRY_MEMORY(made);
    made->kind = (uint8_t)kind;
    made->at = parser_token(parser)->at;
    made->count = children;
    if (children) {
        made->children = parser_allocate(parser, children * sizeof *made->children);
        TRY_MEMORY(made->children);
    }
    return STATUS_OK;
}

static enum status parse_statement(struct parser *parser, struct csp_statement **statement);

static enum status parse_local(struct parser *parser, struct csp_statement **statement)
{
    parser->next++;
    TRY(make(parser, STATEMENT_LOCAL, 0, statement));
    TRY(parser_name(parser, "(a local variable)", &(*statement)->name));
    TRY(csp_parse_brackets(parser, NULL, &(*statement)->sizes, &(*statement)->size_count));
    if (parser_accept(parser, CSP_ASSIGN))
        TRY(csp_parse_value(parser, &(*statement)->condition));
    return parser_expect(parser, CSP_SEMICOLON, "after the local variable");
}

/* if and while: the condition in parentheses, then a statement. */
static enum status parse_conditional(struct parser *parser, enum csp_statement_kind kind,
                                     struct csp_statement **statement)
{
    TRY(make(parser, kind, kind == STATEMENT_IF ? 2 : 1, statement));
    parser->next++;
    TRY(parser_expect(parser, CSP_LEFT_PAREN, "before the condition"));
    TRY(csp_parse_expression(parser, &(*statement)->condition));
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
        return csp_parse_block(parser, statement);
    case CSP_VAR:
        return parse_local(parser, statement);
    case CSP_IF:
        return parse_conditional(parser, STATEMENT_IF, statement);
    case CSP_WHILE:
        return parse_conditional(parser, STATEMENT_WHILE, statement);
    case CSP_SEMICOLON:
        TRY(make(parser, STATEMENT_BLOCK, 0, statement));
        parser->next++;
        return STATUS_OK;
    default:
        TRY(make(parser, STATEMENT_EXPRESSION, 0, statement));
        TRY(csp_parse_expression(parser, &(*statement)->condition));
        /* The last expression of a block may lack its semicolon. */
        if (parser_at(parser, CSP_RIGHT_BRACE)) {
            unsigned kind = (*statement)->condition->kind;
            (*statement)->is_value = kind != EXPRESSION_ASSIGN && kind != EXPRESSION_STEP;
            return STATUS_OK;
        }
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

enum status csp_parse_block(struct parser *parser, struct csp_statement **block)
{
    TRY(make(parser, STATEMENT_BLOCK, 0, block));
    TRY(parser_expect(parser, CSP_LEFT_BRACE, NULL));
    while (!parser_at(parser, CSP_RIGHT_BRACE)) {
        struct csp_statement *statement = NULL;
        if (parser_at(parser, CSP_END))
            return parser_complain(parser, "a statement or `}`");
        TRY(parse_statement(parser, &statement));
        TRY(PARSER_APPEND(parser, (*block)->children, (*block)->count, statement));
    }
    return parser_expect(parser, CSP_RIGHT_BRACE, NULL);
}

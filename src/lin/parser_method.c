/* Methods in `.lin`, of rules and automata:
 *
 *     method := (`input` | `method`) NAME `=` OPERATION `(` [`value`] `)` [`->` answer] `;`
 *     answer := `value` | `empty` | `ok` | `true` | `false` | SYMBOL */
#include "lin/parser.h"

static enum status parse_answer(struct parser *parser, struct lin_method *method)
{
    if (parser_accept(parser, LIN_TRUE)) {
        method->answer = LIN_METHOD_ANSWERS_TRUE;
    } else if (parser_accept(parser, LIN_FALSE)) {
        method->answer = LIN_METHOD_ANSWERS_FALSE;
    } else if (lin_accept_word(parser, "value")) {
        method->answer = LIN_METHOD_ANSWERS_VALUE;
    } else if (!lin_accept_word(parser, "ok")) {
        method->answer = LIN_METHOD_ANSWERS_SYMBOL;
        return parser_name(parser, "(what it answers: `value`, `empty`, `ok`, true, false)",
                           &method->symbol);
    }
    return STATUS_OK;
}

enum status lin_parse_method(struct parser *parser, parser_list *methods)
{
    struct lin_method *method = parser_allocate(parser, sizeof *method);
    if (!method || !vector_push(methods, method))
        return STATUS_LIMIT;
    method->is_input = lin_at_word(parser, "input");
    parser->next++;
    method->at = parser_token(parser)->at;
    TRY(parser_name(parser, "(a method)", &method->name));
    TRY(parser_expect(parser, LIN_ASSIGN, "and the operation that the method is"));
    method->operation_at = parser_token(parser)->at;
    TRY(parser_name(parser, "(an operation)", &method->operation));
    TRY(parser_expect(parser, LIN_LEFT_PAREN, "after the operation"));
    method->takes_value = lin_accept_word(parser, "value");
    TRY(parser_expect(parser, LIN_RIGHT_PAREN,
                      method->takes_value ? "after `value`" : "or `value`"));
    if (parser_accept(parser, LIN_ARROW))
        TRY(parse_answer(parser, method));
    return parser_expect(parser, LIN_SEMICOLON, "after the method");
}

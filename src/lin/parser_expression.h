/* Expressions of `.lin`, with the precedence of C, and references, which have some as arguments. */
#ifndef LIN_PARSER_EXPRESSION_H
#define LIN_PARSER_EXPRESSION_H

#include "lang/parser.h"
#include "lin/ast.h"
#include "lin/lexer.h"

/* An expression without assignment. */
enum status lin_parse_expression(struct parser *parser,
                                 struct lin_expression **expression) MUST_CHECK;

/* An operand of one: a name, a call, what stands in parentheses, with indices and fields. */
enum status lin_parse_postfix(struct parser *parser, struct lin_expression **expression) MUST_CHECK;

/* `stack`, `hw_queue(2)`, `register(initial = 3)` */
enum status lin_parse_reference_here(struct parser *parser, const char *purpose,
                                     struct lin_reference *reference) MUST_CHECK;

#endif

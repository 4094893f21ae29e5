/* Assertions of `.lin`. */
#ifndef LIN_PARSER_ASSERTION_H
#define LIN_PARSER_ASSERTION_H

#include "lang/parser.h"
#include "lin/ast.h"

/* From `assert` to behind the semicolon. */
enum status lin_parse_assertion(struct parser *parser, struct lin_assertion *assertion) MUST_CHECK;

#endif

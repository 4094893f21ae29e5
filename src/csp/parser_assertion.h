/* Assertions of CSP#. */
#ifndef CSP_PARSER_ASSERTION_H
#define CSP_PARSER_ASSERTION_H

#include "csp/ast.h"
#include "lang/parser.h"

/* What follows `#assert`, with the semicolon. */
enum status csp_parse_assertion(struct parser *parser, struct csp_assertion *assertion) MUST_CHECK;

#endif

/* Programs of CSP#: statements in braces. */
#ifndef CSP_PARSER_STATEMENT_H
#define CSP_PARSER_STATEMENT_H

#include "csp/ast.h"
#include "lang/parser.h"

enum status csp_parse_block(struct parser *parser, struct csp_statement **block) MUST_CHECK;

#endif

/* Processes of CSP#. */
#ifndef CSP_PARSER_PROCESS_H
#define CSP_PARSER_PROCESS_H

#include "csp/ast.h"
#include "lang/parser.h"

/* `interleave` of the grammar. */
enum status csp_parse_process(struct parser *parser, struct csp_process **process) MUST_CHECK;

#endif

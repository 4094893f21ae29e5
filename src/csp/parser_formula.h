/* Formulas of linear temporal logic in CSP#: what follows `|=`. */
#ifndef CSP_PARSER_FORMULA_H
#define CSP_PARSER_FORMULA_H

#include "lang/formula.h"
#include "lang/parser.h"

enum status csp_parse_formula(struct parser *parser, struct formula **formula) MUST_CHECK;

#endif

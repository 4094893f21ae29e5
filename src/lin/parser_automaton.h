/* Violation automata in `.lin`. */
#ifndef LIN_PARSER_AUTOMATON_H
#define LIN_PARSER_AUTOMATON_H

#include "lang/parser.h"
#include "lin/ast.h"

/* `automaton NAME of SPECIFICATION { ... }`, the first word being the current token. */
enum status lin_parse_automaton(struct parser *parser, struct lin_module *module) MUST_CHECK;

#endif

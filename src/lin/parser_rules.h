/* Inductive rules and violation automata in `.lin`, which both speak of methods. */
#ifndef LIN_PARSER_RULES_H
#define LIN_PARSER_RULES_H

#include "lang/parser.h"
#include "lin/ast.h"

/* `rules NAME { ... }`, the first word being the current token. */
enum status lin_parse_rules(struct parser *parser, struct lin_module *module) MUST_CHECK;

/* `automaton NAME of SPECIFICATION { ... }`, likewise. */
enum status lin_parse_automaton(struct parser *parser, struct lin_module *module) MUST_CHECK;

#endif

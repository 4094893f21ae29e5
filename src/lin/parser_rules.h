/* Inductive rules in `.lin`, and the methods that rules and automata speak of. */
#ifndef LIN_PARSER_RULES_H
#define LIN_PARSER_RULES_H

#include "lang/parser.h"
#include "lin/ast.h"

/* `rules NAME { ... }`, the first word being the current token. */
enum status lin_parse_rules(struct parser *parser, struct lin_module *module) MUST_CHECK;

/* `input Enq = enqueue(value);`, `method Deq = dequeue() -> value;`, the first word being the
 * current token. Appends to the methods. */
enum status lin_parse_method(struct parser *parser, struct lin_method ***methods,
                             uint32_t *count) MUST_CHECK;

#endif

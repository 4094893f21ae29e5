/* Shared by the files of the `.lin` parser. Nothing here is for others; lin/ast.h has lin_parse. */
#ifndef LIN_PARSER_H
#define LIN_PARSER_H

#include "lang/parser.h"
#include "lin/ast.h"
#include "lin/lexer.h"

/* Whether the current token is this word, which is no keyword. */
bool lin_at_word(const struct parser *parser, const char *word);
bool lin_accept_word(struct parser *parser, const char *word);

/* An expression without assignment. */
enum status lin_parse_expression(struct parser *parser,
                                 struct lin_expression **expression) MUST_CHECK;

/* An operand of one: a name, a call, what stands in parentheses, with indices and fields. */
enum status lin_parse_postfix(struct parser *parser, struct lin_expression **expression) MUST_CHECK;

/* A formula of linear temporal logic. */
enum status lin_parse_formula(struct parser *parser, struct formula **formula) MUST_CHECK;

/* `(a, b)`, the parenthesis being the current token. */
enum status lin_parse_arguments(struct parser *parser, struct lin_expression *call) MUST_CHECK;

/* Whether a declaration begins here: `node x`, `int(0..3) i`. */
bool lin_at_declaration(const struct parser *parser);
enum status lin_parse_type(struct parser *parser, struct lin_type *type) MUST_CHECK;

/* `x`, `x[3] = e`: what follows the type. The variables of one declaration go to `list`. */
enum status lin_parse_variables(struct parser *parser, const struct lin_type *type, bool shared,
                                parser_list *list) MUST_CHECK;

enum status lin_parse_block(struct parser *parser, struct lin_statement **block) MUST_CHECK;

/* `stack`, `hw_queue(2)`, `register(initial = 3)` */
enum status lin_parse_reference_here(struct parser *parser, const char *purpose,
                                     struct lin_reference *reference) MUST_CHECK;

/* `rules NAME { ... }`, the first word being the current token. */
enum status lin_parse_rules(struct parser *parser, struct lin_module *module) MUST_CHECK;

/* `input Enq = enqueue(value);`, `method Deq = dequeue() -> value;`, the first word being the
 * current token. The method goes to `methods`. */
enum status lin_parse_method(struct parser *parser, parser_list *methods) MUST_CHECK;

/* `automaton NAME of SPECIFICATION { ... }`, the first word being the current token. */
enum status lin_parse_automaton(struct parser *parser, struct lin_module *module) MUST_CHECK;

#endif

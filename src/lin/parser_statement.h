/* Types, variables and statements of `.lin`. */
#ifndef LIN_PARSER_STATEMENT_H
#define LIN_PARSER_STATEMENT_H

#include "lang/parser.h"
#include "lin/ast.h"
#include "lin/lexer.h"

/* Whether a word stands here that begins a type: `int`, `list`. */
bool lin_at_type_word(const struct parser *parser);

/* Whether a declaration begins here: `node x`, `int(0..3) i`. */
bool lin_at_declaration(const struct parser *parser);
enum status lin_parse_type(struct parser *parser, struct lin_type *type) MUST_CHECK;

/* `x`, `x[3] = e`: what follows the type. The variables of one declaration, numbered, are appended
 * to the others. */
enum status lin_parse_variables(struct parser *parser, const struct lin_type *type, bool shared,
                                struct lin_variable ***variables, uint32_t *count) MUST_CHECK;

/* Takes over what is wrong in an item, if the parser can go on behind it: a statement of a block, a
 * member of an object. `start` and `depth`: the parser's token and depth before it. Else the
 * status. */
enum status lin_recover(struct parser *parser, enum status status, size_t start,
                        unsigned depth) MUST_CHECK;

/* Where a script has a list of faults, a statement that is wrong is left out of the block. */
enum status lin_parse_block(struct parser *parser, struct lin_statement **block) MUST_CHECK;

#endif

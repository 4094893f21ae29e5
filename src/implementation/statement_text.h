/* Statements as the text of an implementation has them. */
#ifndef IMPLEMENTATION_STATEMENT_TEXT_H
#define IMPLEMENTATION_STATEMENT_TEXT_H

#include "lin/ast.h"

/* The text of the statement that a place is in; of one on a line with its condition, what the place
 * is in of the two. */
void lin_find_statement(const struct script *script, place where, const char **start,
                        const char **end);

#endif

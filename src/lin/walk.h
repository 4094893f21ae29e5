/* Questions to all of a tree: whether a test holds somewhere in it. A test that remembers what it
 * met, and never holds, visits everything, from the first to the last. */
#ifndef LIN_WALK_H
#define LIN_WALK_H

#include "lin/ast.h"

typedef bool lin_expression_test(void *context, const struct lin_expression *expression);
typedef bool lin_statement_test(void *context, const struct lin_statement *statement);

/* Of an expression and its parts, outer ones first. Null has none. */
bool lin_some_part(const struct lin_expression *expression, lin_expression_test *test,
                   void *context);

/* Of what an answer may be: the branches of `a ? b : c`, in turn. Null is one. */
bool lin_some_branch(const struct lin_expression *answer, lin_expression_test *test, void *context);

/* Of a statement and those in it. Null has none. */
bool lin_some_statement(const struct lin_statement *statement, lin_statement_test *test,
                        void *context);

/* Of the parts of the expressions in a statement, initial values included. */
bool lin_some_expression(const struct lin_statement *statement, lin_expression_test *test,
                         void *context);

/* Of what follows `return` in a statement: null where nothing does. */
bool lin_some_return(const struct lin_statement *statement, lin_expression_test *test,
                     void *context);

#endif

/* Expressions of CSP#, records and ranges. */
#ifndef CSP_PARSER_EXPRESSION_H
#define CSP_PARSER_EXPRESSION_H

#include "csp/ast.h"
#include "csp/lexer.h"
#include "lang/parser.h"

/* `expr` of the grammar: an assignment or anything below. */
enum status csp_parse_expression(struct parser *parser,
                                 struct csp_expression **expression) MUST_CHECK;
/* `orExpr`: no assignment. */
enum status csp_parse_condition(struct parser *parser,
                                struct csp_expression **expression) MUST_CHECK;
/* `addExpr`: sums and below. */
enum status csp_parse_sum(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* `[` elements `]` */
enum status csp_parse_record(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* A record or an expression. */
enum status csp_parse_value(struct parser *parser, struct csp_expression **expression) MUST_CHECK;

/* Expressions separated by `separator`, in an array of the arena. */
enum status csp_parse_expressions(struct parser *parser, unsigned separator,
                                  struct csp_expression ***items, uint32_t *count) MUST_CHECK;
/* The name of a macro or function: that of `call(max, ...)` is one, though a keyword elsewhere. */
enum status csp_parse_called(struct parser *parser, const char *purpose,
                             const char **name) MUST_CHECK;
/* `( args? )`, the parenthesis being the current token. */
enum status csp_parse_arguments(struct parser *parser, struct csp_expression ***items,
                                uint32_t *count) MUST_CHECK;
/* `[3][4]`, or nothing; appends to the items. `purpose` of the closing bracket may be null. */
enum status csp_parse_brackets(struct parser *parser, const char *purpose,
                               struct csp_expression ***items, uint32_t *count) MUST_CHECK;

/* `x:{..}; y:{..}`, appended to the ranges. */
enum status csp_parse_ranges(struct parser *parser, struct csp_range **ranges,
                             uint32_t *count) MUST_CHECK;
/* `:{low..high}`, either bound missing. */
enum status csp_parse_bounds(struct parser *parser, struct csp_expression **low,
                             struct csp_expression **high) MUST_CHECK;

#endif

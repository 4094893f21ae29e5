/* Shared by the parser's files: declarations, processes, expressions, formulas. Nothing here is for
 * others; csp/ast.h has csp_parse. */
#ifndef CSP_PARSER_H
#define CSP_PARSER_H

#include "csp/ast.h"
#include "csp/lexer.h"
#include "lang/parser.h"

struct csp_parser {
    struct parser frame; /* first: see csp_module_of */
    struct csp_module *module;
};

static inline struct csp_module *csp_module_of(struct parser *parser)
{
    return ((struct csp_parser *)parser)->module;
}

/* `expr` of the grammar: an assignment or anything below. */
enum status parser_expression(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* `orExpr`: no assignment. */
enum status parser_condition(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* `addExpr`: sums and below. */
enum status parser_sum(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* Expressions separated by `separator` into an arena array. */
enum status parser_expressions(struct parser *parser, unsigned separator,
                               struct csp_expression ***items, uint32_t *count) MUST_CHECK;
/* `( args? )`, the parenthesis being the current token. */
enum status parser_arguments(struct parser *parser, struct csp_expression ***items,
                             uint32_t *count) MUST_CHECK;
/* `[` elements `]` */
enum status parser_record(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* `x:{..}; y:{..}` */
enum status parser_ranges(struct parser *parser, struct csp_range **ranges,
                          uint32_t *count) MUST_CHECK;
/* `:{low..high}`, either bound missing. */
enum status parser_bounds(struct parser *parser, struct csp_expression **low,
                          struct csp_expression **high) MUST_CHECK;

enum status parser_block(struct parser *parser, struct csp_statement **block) MUST_CHECK;

/* `interleave` of the grammar. */
enum status parser_process(struct parser *parser, struct csp_process **process) MUST_CHECK;
enum status parser_event(struct parser *parser, struct csp_event *event) MUST_CHECK;
/* `hidden`: communications over channels may be among them. */
enum status parser_event_sets(struct parser *parser, bool hidden, struct csp_event_set **sets,
                              uint32_t *count) MUST_CHECK;

/* What follows `|=`. */
enum status parser_formula(struct parser *parser, struct formula **formula) MUST_CHECK;

#endif

/* Shared by the parser's files: declarations, processes, expressions, formulas. Nothing here is for
 * others; csp_ast.h has csp_parse. */
#ifndef LANG_CSP_PARSER_H
#define LANG_CSP_PARSER_H

#include "lang/csp_ast.h"
#include "lang/csp_lexer.h"

/* Nested deeper than this, a model is refused rather than the stack risked. */
#define PARSER_MAX_DEPTH 500

struct parser {
    struct csp_module *module;
    struct names names;
    struct csp_tokens tokens;
    size_t next; /* index of the current token */
    unsigned depth;
    struct error *error;
};

/* A list under construction; its items move to the arena when it is complete. */
typedef VECTOR(void *) parser_list;

static inline const struct csp_token *parser_token(const struct parser *parser)
{
    return &parser->tokens.items.items[parser->next];
}

/* The token `ahead` places further, or the end. */
const struct csp_token *parser_ahead(const struct parser *parser, size_t ahead);

static inline bool parser_at(const struct parser *parser, enum csp_token_kind kind)
{
    return parser_token(parser)->kind == kind;
}

/* Takes the current token if it is of this kind. */
bool parser_accept(struct parser *parser, enum csp_token_kind kind);

/* Takes a token of this kind, or says that it was expected (`purpose` may be null). */
enum status parser_expect(struct parser *parser, enum csp_token_kind kind,
                          const char *purpose) MUST_CHECK;
enum status parser_name(struct parser *parser, const char *purpose, const char **name) MUST_CHECK;

/* "expected <wanted>, found <the current token>" */
enum status parser_complain(struct parser *parser, const char *wanted);

/* Zeroed memory from the module's arena; null when refused. */
void *parser_allocate(struct parser *parser, size_t size) MUST_CHECK;

/* Moves the list's items into the arena and releases the list, whatever the status. */
enum status parser_take_list(struct parser *parser, parser_list *list, void ***items,
                             uint32_t *count) MUST_CHECK;

/* Guards recursion: enter before, leave after. */
enum status parser_enter(struct parser *parser) MUST_CHECK;
void parser_leave(struct parser *parser);

/* `expr` of the grammar: an assignment or anything below. */
enum status parser_expression(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* `orExpr`: no assignment. */
enum status parser_condition(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* `addExpr`: sums and below. */
enum status parser_sum(struct parser *parser, struct csp_expression **expression) MUST_CHECK;
/* Expressions separated by `separator` into an arena array. */
enum status parser_expressions(struct parser *parser, enum csp_token_kind separator,
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
enum status parser_event_sets(struct parser *parser, struct csp_event_set **sets,
                              uint32_t *count) MUST_CHECK;

/* What follows `|=`. */
enum status parser_formula(struct parser *parser, struct csp_formula **formula) MUST_CHECK;

#endif

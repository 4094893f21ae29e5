/* The frame that the parsers of both languages stand in: recursive descent over a list of tokens.
 */
#ifndef LANG_PARSER_H
#define LANG_PARSER_H

#include "lang/lexer.h"

/* Nested deeper than this, a model is refused rather than the stack risked. */
#define PARSER_MAX_DEPTH  500
#define PARSER_MAX_HEIGHT 2000 /* of an expression: chains of operators are as deep as long */

struct parser {
    const struct script *script;
    const struct dialect *dialect;
    struct arena *arena; /* of what is parsed */
    struct names names;
    struct tokens tokens;
    size_t next; /* index of the current token */
    unsigned depth;
    struct error *error;
};

/* A list under construction; its items move to the arena when it is complete. */
typedef VECTOR(void *) parser_list;

static inline const struct token *parser_token(const struct parser *parser)
{
    return &parser->tokens.items.items[parser->next];
}

/* Where the last token that was taken ends. */
place parser_last_end(const struct parser *parser);

/* Whether a place is in a file that the model includes: whose assertions are not the model's. */
bool parser_in_included(const struct parser *parser, place at);

/* The token `ahead` places further, or the end. */
const struct token *parser_ahead(const struct parser *parser, size_t ahead);

static inline bool parser_at(const struct parser *parser, unsigned kind)
{
    return parser_token(parser)->kind == kind;
}

/* Takes the current token if it is of this kind. */
bool parser_accept(struct parser *parser, unsigned kind);

/* Takes a token of this kind, or says that it was expected (`purpose` may be null). */
enum status parser_expect(struct parser *parser, unsigned kind, const char *purpose) MUST_CHECK;
enum status parser_name(struct parser *parser, const char *purpose, const char **name) MUST_CHECK;

/* "expected <wanted>, found <the current token>" */
enum status parser_complain(struct parser *parser, const char *wanted);

/* Zeroed memory from the arena; null when refused. */
void *parser_allocate(struct parser *parser, size_t size) MUST_CHECK;

/* Moves the list's items into the arena and releases the list, whatever the status. */
enum status parser_take_list(struct parser *parser, parser_list *list, void ***items,
                             uint32_t *count) MUST_CHECK;

/* Guards recursion: enter before, leave after. */
enum status parser_enter(struct parser *parser) MUST_CHECK;
void parser_leave(struct parser *parser);

/* Complains about an expression that is higher than PARSER_MAX_HEIGHT: who walks it recurs. */
enum status parser_check_height(struct parser *parser, unsigned height, place at) MUST_CHECK;

/* Reads the script's tokens into a new parser. Release it whatever the status. */
enum status parser_start(struct parser *parser, const struct script *script,
                         const struct dialect *dialect, struct arena *arena,
                         struct error *error) MUST_CHECK;
void parser_release(struct parser *parser);

#endif

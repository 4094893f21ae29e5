/* The frame that the parsers of both languages stand in: recursive descent over a list of tokens,
 * and, for what stands between two operands, precedence climbing (Richards, BCPL; Clarke 1986).
 *
 * What is made lives in the parser's arena: arrays grow there, so that nothing has to be released
 * where a parser gives up. */
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
    unsigned lacked;  /* of the last complaint: the token that was expected, */
    size_t lacked_at; /* and where; see parser_lacks */
    uint32_t steps;   /* since the limits of the script were looked at */
    struct error *error;
};

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

/* Whether the current token is this word, which is no keyword. */
bool parser_at_word(const struct parser *parser, const char *word);
bool parser_at_any_word(const struct parser *parser, const char *const *words, size_t count);
bool parser_accept_word(struct parser *parser, const char *word);

/* Takes a token of this kind, or says that it was expected (`purpose` may be null). */
enum status parser_expect(struct parser *parser, unsigned kind, const char *purpose) MUST_CHECK;
enum status parser_name(struct parser *parser, const char *purpose, const char **name) MUST_CHECK;

/* Whether the last complaint was that a token of this kind is missing before the current one, which
 * begins a line: then that is all that is wrong, and what follows can be parsed. */
bool parser_lacks(const struct parser *parser, unsigned kind);

/* Expects what closes a condition; where there is an assignment, says what compares. */
enum status parser_close_condition(struct parser *parser, unsigned kind, unsigned assign,
                                   const char *purpose) MUST_CHECK;

/* "expected <wanted>, found <the current token>" */
enum status parser_complain(struct parser *parser, const char *wanted);

/* Zeroed memory from the arena; null when refused, or when a limit of the script is reached. */
void *parser_allocate(struct parser *parser, size_t size) MUST_CHECK;

/* Appends an item to an array in the arena that began as null with a count of 0. A status. */
#define PARSER_APPEND(parser, items, count, item)                                                  \
    (((items) = parser_make_room((parser), (items), (count), sizeof *(items)))                     \
         ? ((items)[(count)++] = (item), STATUS_OK)                                                \
         : STATUS_LIMIT)

/* Behind PARSER_APPEND: the array with room for one item more, moved if it was full; null when
 * refused. */
void *parser_make_room(struct parser *parser, void *items, uint32_t count, size_t size) MUST_CHECK;

/* Guards recursion: enter before, leave after. */
enum status parser_enter(struct parser *parser) MUST_CHECK;
void parser_leave(struct parser *parser);

/* ---- operators between two operands ---- */

struct parser_operator {
    uint8_t level;   /* the higher, the tighter it binds; 0: no operator */
    uint8_t kind;    /* for `join`: the token's, or a language's own */
    uint8_t tokens;  /* how many it is made of */
    bool goes_right; /* a U b U c is a U (b U c) */
};

/* How a language writes its trees, of which only these functions know the type. */
struct parser_operators {
    /* The operator that begins at the current token. */
    struct parser_operator (*find)(const struct parser *parser);
    /* What stands before and behind an operator. */
    enum status (*operand)(struct parser *parser, const void *context, void **tree);
    /* Makes `*tree`, the left operand, the tree of both. */
    enum status (*join)(struct parser *parser, struct parser_operator operator, place at,
                        void **tree, void *right);
    const void *context; /* of `operand` */
};

/* Parses operands and the operators between them from level `lowest` (at least 1) on. */
enum status parser_climb(struct parser *parser, const struct parser_operators *operators,
                         unsigned lowest, void **tree) MUST_CHECK;

/* Complains about an expression that is higher than PARSER_MAX_HEIGHT: who walks it recurs. */
enum status parser_check_height(struct parser *parser, unsigned height, place at) MUST_CHECK;

/* Reads the script's tokens into a new parser. Release it whatever the status. */
enum status parser_start(struct parser *parser, const struct script *script,
                         const struct dialect *dialect, struct arena *arena,
                         struct error *error) MUST_CHECK;
void parser_release(struct parser *parser);

#endif

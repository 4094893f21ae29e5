/* Tokens: words, integers, strings and signs, as a dialect's tables spell them. */
#ifndef LANG_LEXER_H
#define LANG_LEXER_H

#include <stdbool.h>

#include "base/table.h"
#include "base/vector.h"
#include "lang/script.h"

/* A token's kind: one of these, or a keyword or sign of the dialect (from TOKEN_LAST_COMMON + 1).
 */
enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_INTEGER,
    TOKEN_STRING, /* the quotes are not part of the token's letters */
    TOKEN_LAST_COMMON = TOKEN_STRING,
};

struct spelling {
    uint8_t kind;
    uint8_t length;
    const char *letters, *quoted;
};

/* The row of a dialect's table for one keyword or sign. */
#define SPELLING(token_kind, text)                                                                 \
    {                                                                                              \
        .kind = (token_kind), .length = sizeof(text) - 1, .letters = (text),                       \
        .quoted = "`" text "`"                                                                     \
    }

struct dialect {
    const char *name; /* for messages */
    const struct spelling *keywords;
    size_t keyword_count;
    const struct spelling *signs; /* longest first: the first row that matches is taken */
    size_t sign_count;
    const char *foreign; /* ending of the names of included files that are not of this dialect */
    bool imports; /* `#import "NAME"` includes a file, too, where there is one of that name */
};

struct token {
    uint8_t kind;
    bool attached; /* no white space or comment before it */
    place at;      /* where its letters start */
    uint32_t length;
    const char *name; /* names, keywords, strings: interned letters; two equal names, one address */
    int32_t integer;  /* TOKEN_INTEGER */
};

struct tokens {
    VECTOR(struct token) items; /* the last one is TOKEN_END */
};

/* Names by content: equal letters, equal address. */
struct names {
    struct arena *arena;
    VECTOR(const char *) items;
    struct table numbers;
};

void names_init(struct names *names, struct arena *arena);
/* Null when refused. */
const char *names_intern(struct names *names, const char *letters, size_t length) MUST_CHECK;
void names_release(struct names *names);

/* Cuts the script into tokens, those of a file that is included in the place of the directive.
 * STATUS_INPUT for a character that begins no token, an unfinished
 * comment or string, an integer beyond 32 bits; STATUS_LIMIT. */
enum status tokenize(const struct script *script, const struct dialect *dialect,
                     struct names *names, struct tokens *tokens, struct error *error) MUST_CHECK;

/* For messages: "`->`", "a name", "the end of the file". */
const char *token_kind_name(const struct dialect *dialect, unsigned kind);

#endif

/* The words of TLA+, as far as histories need them, and writing them. */
#ifndef HISTORY_TLA_H
#define HISTORY_TLA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "history/history.h"

enum tla_token_kind {
    TLA_END,
    TLA_NAME,
    TLA_NUMBER,
    TLA_TEXT,           /* with its quotes */
    TLA_BROKEN_TEXT,    /* no closing quote on the line */
    TLA_BROKEN_COMMENT, /* no closing *) */
    TLA_OPEN,           /* << */
    TLA_CLOSE,          /* >> */
    TLA_MAPS,           /* |-> */
    TLA_DEFINE,         /* == */
    TLA_OTHER,          /* one byte, or a row of - or = */
};

struct tla_token {
    enum tla_token_kind kind;
    uint32_t line;
    const char *start;
    size_t length;
};

/* Small enough to be copied: a copy is a place to come back to. */
struct tla_lexer {
    const char *at, *end;
    uint32_t line;
};

/* The next token, white space and comments passed. At the end TLA_END, again and again. */
struct tla_token tla_lex(struct tla_lexer *lexer);

bool tla_is_sign(const struct tla_token *token, char sign);
bool tla_is_word(const struct tla_token *token, const char *word);

#define TLA_MAX_DEPTH 32 /* of a value; records of a history are flat, so this is generous */

/* struct format's write. */
enum status tla_write(const struct history *history, FILE *out, struct error *error);

#endif

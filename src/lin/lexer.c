/* The tables of lin/lexer.h as a dialect. */
#include "lin/lexer.h"

#define LIN_SPELLING(name, letters) SPELLING(LIN_##name, letters),

static const struct spelling keywords[] = {LIN_KEYWORDS(LIN_SPELLING)};
static const struct spelling signs[] = {LIN_SIGNS(LIN_SPELLING)};

const struct dialect lin_dialect = {
    .name = ".lin",
    .keywords = keywords,
    .keyword_count = ARRAY_LENGTH(keywords),
    .signs = signs,
    .sign_count = ARRAY_LENGTH(signs),
};

/* The tables of csp/lexer.h as a dialect. */
#include "csp/lexer.h"

#define CSP_SPELLING(name, letters) SPELLING(CSP_##name, letters),

static const struct spelling keywords[] = {CSP_KEYWORDS(CSP_SPELLING)};
static const struct spelling signs[] = {CSP_SIGNS(CSP_SPELLING)};

const struct dialect csp_dialect = {
    .name = "CSP#",
    .keywords = keywords,
    .keyword_count = ARRAY_LENGTH(keywords),
    .signs = signs,
    .sign_count = ARRAY_LENGTH(signs),
    .foreign = ".lin",
    .imports = true,
};

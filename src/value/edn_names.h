/* Tokens and names of EDN, for its reader. */
#ifndef VALUE_EDN_NAMES_H
#define VALUE_EDN_NAMES_H

#include "value/edn.h"

/* How many bytes from `at` on are one token. */
size_t edn_token_length(const char *at, const char *end);

/* Whether the token is this word. */
bool edn_token_is(const char *token, size_t length, const char *word);

/* Whether the letters are one token, not empty, in UTF-8. */
bool edn_is_token(const char *letters, size_t length);

/* A name must not begin like something else, nor like what only programs contain. */
bool edn_starts_name(char c);

/* A map's key in the map's namespace (of length 0: none): a keyword or symbol without one gets it,
 * one in `_` gets none, any other key stays. VALUE_REFUSED when the pool refuses. */
value edn_qualify(struct value_pool *pool, const char *name, size_t length, value key);

#endif

#include "value/edn_names.h"

#include <string.h>

#include "base/utf8.h"
#include "value/number.h"

/* Bytes that end a token. */
static bool is_delimiter(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f || strchr("()[]{}\";,\\", c);
}

size_t edn_token_length(const char *at, const char *end)
{
    const char *stop = at;
    while (stop < end && !is_delimiter(*stop))
        stop++;
    return (size_t)(stop - at);
}

bool edn_token_is(const char *token, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(token, word, length) == 0;
}

bool edn_is_token(const char *letters, size_t length)
{
    return length > 0 && edn_token_length(letters, letters + length) == length &&
           utf8_is_valid(letters, length);
}

bool edn_starts_name(char c)
{
    return !is_delimiter(c) && !strchr("#'`~@^:", c);
}

bool edn_is_keyword(const char *letters, size_t length)
{
    return edn_is_token(letters, length) && *letters != ':';
}

bool edn_is_symbol(const char *letters, size_t length)
{
    if (!edn_is_token(letters, length) || !edn_starts_name(*letters) ||
        edn_token_is(letters, length, "nil") || edn_token_is(letters, length, "true") ||
        edn_token_is(letters, length, "false"))
        return false;
    if (!number_starts(letters, length))
        return true;
    struct number number;
    number_read(letters, length, &number);
    return number.kind == NUMBER_LETTERS && number.length == length &&
           memcmp(number.letters, letters, length) == 0;
}

value edn_qualify(struct value_pool *pool, const char *name, size_t length, value key)
{
    enum value_kind kind = value_kind_of(key);
    size_t size;
    const char *letters = value_get_text(key, &size);
    if (kind != KIND_KEYWORD && kind != KIND_SYMBOL)
        return key;
    if (size > 2 && memcmp(letters, "_/", 2) == 0)
        return value_text(pool, kind, letters + 2, size - 2);
    if (length == 0 || memchr(letters, '/', size))
        return key;
    struct text text = TEXT_EMPTY;
    text_append_bytes(&text, name, length);
    text_append_char(&text, '/');
    text_append_bytes(&text, letters, size);
    value qualified = value_text(pool, kind, text_string(&text), text.length);
    text_release(&text);
    return qualified;
}

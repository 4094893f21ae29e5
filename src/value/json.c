#include "value/json.h"

#include <math.h>

#include "value/edn.h"
#include "value/print.h"

#define SET_TAG "~#set"
#define MAP_TAG "~#cmap"

static const char *print_exactly(value v, unsigned depth, struct text *text);

static const char *print_items(const value *items, size_t length, unsigned depth, struct text *text)
{
    const char *complaint = NULL;
    text_append_char(text, '[');
    for (size_t i = 0; i < length && !complaint; i++) {
        text_append(text, i > 0 ? ", " : "");
        complaint = print_exactly(items[i], depth, text);
    }
    text_append_char(text, ']');
    return complaint;
}

/* Whether the map would be read as something else. */
static bool looks_tagged(const value *items, size_t length)
{
    return length == 2 && (value_text_is(items[0], SET_TAG) || value_text_is(items[0], MAP_TAG));
}

static bool has_text_keys(const value *items, size_t length)
{
    bool all = true;
    for (size_t i = 0; i < length; i += 2) {
        enum value_kind kind = value_kind_of(items[i]);
        all &= kind == KIND_STRING || kind == KIND_KEYWORD;
    }
    return all;
}

static const char *print_map(const value *items, size_t length, unsigned depth, struct text *text)
{
    const char *complaint =
        looks_tagged(items, length) ? "a map of one key " SET_TAG " or " MAP_TAG : NULL;
    text_append_char(text, '{');
    for (size_t i = 0; i < length && !complaint; i += 2) {
        text_append(text, i > 0 ? ", " : "");
        value_print_json(items[i], text);
        text_append(text, ": ");
        complaint = print_exactly(items[i + 1], depth, text);
    }
    text_append_char(text, '}');
    return complaint;
}

static const char *print_tagged(const char *tag, const value *items, size_t length, unsigned depth,
                                struct text *text)
{
    text_format(text, "{\"%s\": ", tag);
    const char *complaint = print_items(items, length, depth + 1, text);
    text_append_char(text, '}');
    return complaint;
}

/* `depth`: of the collections around v. */
static const char *print_exactly(value v, unsigned depth, struct text *text)
{
    size_t length;
    const value *items = value_get_items(v, &length);
    enum value_kind kind = value_kind_of(v);
    bool tagged = kind == KIND_SET || (kind == KIND_MAP && !has_text_keys(items, length));
    if (items && depth + tagged >= VALUE_MAX_DEPTH)
        return "more than 200 collections within one another";
    if (tagged)
        return print_tagged(kind == KIND_SET ? SET_TAG : MAP_TAG, items, length, depth + 1, text);
    if (kind == KIND_MAP)
        return print_map(items, length, depth + 1, text);
    if (kind == KIND_LIST)
        return print_items(items, length, depth + 1, text);
    if (kind == KIND_REAL && !isfinite(value_object(v)->content.real))
        return "a number that is not finite";
    value_print_json(v, text);
    return NULL;
}

const char *value_print_json_exactly(value v, struct text *text)
{
    return print_exactly(v, 0, text);
}

value value_json_object(struct value_pool *pool, const value *items, size_t length)
{
    if (length == 2 && items[0] != VALUE_REFUSED && items[1] != VALUE_REFUSED &&
        looks_tagged(items, length) && value_kind_of(items[1]) == KIND_LIST) {
        size_t count;
        const value *inner = value_get_items(items[1], &count);
        if (value_text_is(items[0], SET_TAG))
            return value_set(pool, inner, count);
        if (count % 2 == 0)
            return value_map(pool, inner, count);
    }
    return value_map(pool, items, length);
}

/* Values in the installed types: made, read and printed. */
#include <linchpin/value.h>

#include <string.h>

#include "api/objects.h"
#include "base/require.h"
#include "value/edn.h"
#include "value/print.h"

_Static_assert(LP_VALUE_NIL == VALUE_NIL && LP_VALUE_REFUSED == VALUE_REFUSED, "lp_value is value");
_Static_assert((int)LP_MAP == (int)KIND_MAP, "lp_kind is enum value_kind");

lp_value lp_value_boolean(bool boolean)
{
    return value_boolean(boolean);
}

lp_value lp_value_integer(lp_context *context, int64_t integer)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    return value_integer(context->pool, integer);
}

lp_value lp_value_real(lp_context *context, double real)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    return value_real(context->pool, real);
}

static lp_value text_value(lp_context *context, enum value_kind kind, const char *text)
{
    return value_text(context->pool, kind, text, strlen(text));
}

lp_value lp_value_string(lp_context *context, const char *text)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(text);
    return text_value(context, KIND_STRING, text);
}

lp_value lp_value_keyword(lp_context *context, const char *text)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(text);
    return text_value(context, KIND_KEYWORD, text);
}

lp_value lp_value_symbol(lp_context *context, const char *text)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(text);
    return text_value(context, KIND_SYMBOL, text);
}

lp_value lp_value_list(lp_context *context, const lp_value *items, size_t length)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE(items || length == 0, "items is null");
    return value_list(context->pool, items, length);
}

lp_value lp_value_text(lp_context *context, lp_kind kind, const char *text, size_t length)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE(kind == LP_STRING || kind == LP_KEYWORD || kind == LP_SYMBOL, "no kind of text");
    REQUIRE(text || length == 0, "text is null");
    return value_text(context->pool, (enum value_kind)kind, text ? text : "", length);
}

lp_value lp_value_set(lp_context *context, const lp_value *items, size_t length)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE(items || length == 0, "items is null");
    return value_set(context->pool, items, length);
}

lp_value lp_value_map(lp_context *context, const lp_value *items, size_t length)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE(items || length == 0, "items is null");
    REQUIRE(length % 2 == 0, "a key has no value");
    return value_map(context->pool, items, length);
}

bool lp_value_integers(lp_context *context, const int64_t *integers, size_t count, lp_value *values)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE((integers && values) || count == 0, "integers or values is null");
    for (size_t i = 0; i < count; i++) {
        lp_value made = value_integer(context->pool, integers[i]);
        if (made == VALUE_REFUSED)
            return false;
        memcpy(&values[i], &made, sizeof made); /* the same memory, perhaps */
    }
    return true;
}

enum status parse_value(lp_context *context, const char *text, value *result, struct error *error)
{
    struct edn_cursor cursor;
    edn_open(&cursor, context->pool, text, strlen(text), NULL, 0, error);
    enum status status = edn_value(&cursor, result);
    if (status == STATUS_OK)
        status = edn_space(&cursor);
    if (status == STATUS_OK && cursor.at < cursor.end)
        status = edn_fault(&cursor, "one value");
    edn_close(&cursor);
    return status;
}

lp_status lp_value_parse(lp_context *context, const char *text, lp_value *result, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(text);
    REQUIRE_NOT_NULL(result);
    struct error fault;
    return report_status(parse_value(context, text, result, &fault), &fault, error);
}

static void require_value(lp_value v, const char *function)
{
    if (UNLIKELY(v == LP_VALUE_REFUSED))
        require_failed(function, "the value is LP_VALUE_REFUSED");
}

lp_kind lp_value_kind(lp_value v)
{
    require_value(v, __func__);
    return (lp_kind)value_kind_of(v);
}

bool lp_value_get_boolean(lp_value v, bool *boolean)
{
    require_value(v, __func__);
    REQUIRE_NOT_NULL(boolean);
    if (value_kind_of(v) != KIND_BOOLEAN)
        return false;
    *boolean = v == VALUE_TRUE;
    return true;
}

bool lp_value_get_integer(lp_value v, int64_t *integer)
{
    require_value(v, __func__);
    REQUIRE_NOT_NULL(integer);
    int64_t got;
    if (!value_get_integer(v, &got))
        return false;
    *integer = got;
    return true;
}

bool lp_value_get_real(lp_value v, double *real)
{
    require_value(v, __func__);
    REQUIRE_NOT_NULL(real);
    if (value_kind_of(v) != KIND_REAL)
        return false;
    *real = value_object(v)->content.real;
    return true;
}

bool lp_value_get_text(lp_value v, const char **text, size_t *length)
{
    require_value(v, __func__);
    REQUIRE_NOT_NULL(text);
    size_t got;
    const char *letters = value_get_text(v, &got);
    if (!letters)
        return false;
    *text = letters;
    if (length)
        *length = got;
    return true;
}

bool lp_value_get_items(lp_value v, const lp_value **items, size_t *length)
{
    require_value(v, __func__);
    REQUIRE_NOT_NULL(items);
    REQUIRE_NOT_NULL(length);
    enum value_kind kind = value_kind_of(v);
    if (kind != KIND_LIST && kind != KIND_SET && kind != KIND_MAP)
        return false;
    *items = value_get_items(v, length);
    return true;
}

char *lp_value_to_edn(lp_value v)
{
    require_value(v, __func__);
    struct text text = TEXT_EMPTY;
    value_print_edn(v, &text);
    return text_take(&text);
}

char *lp_value_to_text(lp_value v)
{
    require_value(v, __func__);
    struct text text = TEXT_EMPTY;
    value_print_shown(v, &text);
    return text_take(&text);
}

char *lp_value_to_json(lp_value v)
{
    require_value(v, __func__);
    struct text text = TEXT_EMPTY;
    value_print_json(v, &text);
    return text_take(&text);
}

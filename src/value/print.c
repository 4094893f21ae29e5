/* Values as EDN and as JSON. Recursive over collections, at most VALUE_MAX_DEPTH deep. */
#include "value/print.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "value/edn.h"
#include "value/number.h"

/* The fewest digits that read back as the same double; always with a point or an exponent, for 1.0
 * and 1 are different values. */
static void print_real(double real, struct text *text)
{
    char letters[40];
    locale_t plain = newlocale(LC_ALL_MASK, "C", NULL), before = uselocale(plain);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(letters, sizeof letters, "%.*g", digits, real);
        if (strtod_l(letters, NULL, plain) == real)
            break;
    }
    uselocale(before);
    text_append(text, letters);
    if (!strpbrk(letters, ".e"))
        text_append(text, ".0");
}

static const char *print_symbolic(double real)
{
    return isnan(real) ? "##NaN" : real > 0 ? "##Inf" : "##-Inf";
}

static void print_string_edn(const char *letters, size_t length, struct text *text)
{
    text_append_char(text, '"');
    for (size_t i = 0; i < length; i++) {
        static const char special[] = "\"\\\n\t\r", name[] = "\"\\ntr";
        unsigned char c = (unsigned char)letters[i];
        const char *found = c ? strchr(special, c) : NULL;
        if (found)
            text_format(text, "\\%c", name[found - special]);
        else if (c < ' ')
            text_format(text, "\\u%04x", c);
        else
            text_append_char(text, (char)c);
    }
    text_append_char(text, '"');
}

static void print_name_edn(value v, struct text *text)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    bool keyword = value_kind_of(v) == KIND_KEYWORD;
    if (keyword ? edn_is_keyword(letters, length) : edn_is_symbol(letters, length)) {
        if (keyword)
            text_append_char(text, ':');
        text_append_bytes(text, letters, length);
        return;
    }
    text_append(text, keyword ? "#" EDN_KEYWORD_TAG " " : "#" EDN_SYMBOL_TAG " ");
    print_string_edn(letters, length, text);
}

static void print_edn(value v, unsigned depth, struct text *text);

static void print_items_edn(value v, enum value_kind kind, unsigned depth, struct text *text)
{
    size_t length;
    const value *items = value_get_items(v, &length);
    if (kind == KIND_SET)
        text_append_char(text, '#');
    text_append_char(text, kind == KIND_LIST ? '[' : '{');
    if (depth == VALUE_MAX_DEPTH) {
        text_append(text, "...");
        length = 0;
    }
    for (size_t i = 0; i < length; i++) {
        if (i > 0)
            text_append(text, kind == KIND_MAP && i % 2 == 0 ? ", " : " ");
        print_edn(items[i], depth + 1, text);
    }
    text_append_char(text, kind == KIND_LIST ? ']' : '}');
}

static void print_edn(value v, unsigned depth, struct text *text)
{
    int64_t integer = 0;
    size_t length;
    const char *letters;
    enum value_kind kind = value_kind_of(v);
    switch (kind) {
    case KIND_NIL:
        text_append(text, "nil");
        break;
    case KIND_BOOLEAN:
        text_append(text, v == VALUE_TRUE ? "true" : "false");
        break;
    case KIND_INTEGER:
        (void)value_get_integer(v, &integer);
        text_format(text, "%" PRId64, integer);
        break;
    case KIND_REAL:
        if (isfinite(value_object(v)->content.real))
            print_real(value_object(v)->content.real, text);
        else
            text_append(text, print_symbolic(value_object(v)->content.real));
        break;
    case KIND_STRING:
        letters = value_get_text(v, &length);
        print_string_edn(letters, length, text);
        break;
    case KIND_KEYWORD:
    case KIND_SYMBOL:
        print_name_edn(v, text);
        break;
    case KIND_LIST:
    case KIND_SET:
    case KIND_MAP:
        print_items_edn(v, kind, depth, text);
        break;
    }
}

void value_print_edn(value v, struct text *text)
{
    print_edn(v, 0, text);
}

static bool has_control(const char *letters, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)letters[i] < ' ' || letters[i] == 0x7f)
            return true;
    return false;
}

void value_print_shown(value v, struct text *text)
{
    if (value_kind_of(v) == KIND_SYMBOL) {
        size_t length;
        const char *letters = value_get_text(v, &length);
        if (!has_control(letters, length)) {
            text_append_bytes(text, letters, length);
            return;
        }
    }
    value_print_edn(v, text);
}

/* The bytes of one UTF-8 character at letters[at], 1 for a byte that begins none. */
static size_t character_size(const char *letters, size_t length, size_t at)
{
    unsigned char first = (unsigned char)letters[at];
    size_t size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return at + size <= length && utf8_is_valid(letters + at, size) ? size : 1;
}

static void print_string_json(const char *letters, size_t length, struct text *text)
{
    text_append_char(text, '"');
    for (size_t i = 0; i < length;) {
        static const char special[] = "\"\\\n\t\r\b\f", name[] = "\"\\ntrbf";
        unsigned char c = (unsigned char)letters[i];
        const char *found = c ? strchr(special, c) : NULL;
        size_t size = character_size(letters, length, i);
        if (found)
            text_format(text, "\\%c", name[found - special]);
        else if (c < ' ' || c == 0x7f)
            text_format(text, "\\u%04x", c);
        else if (size == 1 && c >= 0x80)
            text_append(text, "\\ufffd");
        else
            text_append_bytes(text, letters + i, size);
        i += size;
    }
    text_append_char(text, '"');
}

/* A symbol that is an integer beyond 64 bits, or a real beyond a double's range, is a number in
 * JSON too. */
static bool is_json_number(value v)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    struct number number;
    if (value_kind_of(v) != KIND_SYMBOL)
        return false;
    number_read(letters, length, &number);
    return number.kind == NUMBER_LETTERS && number.length == length &&
           memcmp(number.letters, letters, length) == 0 &&
           strspn(letters, "-0123456789.e") == length;
}

static void print_json(value v, unsigned depth, struct text *text);

static void print_map_json(value v, unsigned depth, struct text *text)
{
    size_t length;
    const value *items = value_get_items(v, &length);
    for (size_t i = 0; i < length; i += 2) {
        if (i > 0)
            text_append(text, ", ");
        size_t size;
        const char *letters = value_get_text(items[i], &size);
        if (letters) {
            print_string_json(letters, size, text);
        } else {
            struct text key = TEXT_EMPTY;
            value_print_edn(items[i], &key);
            print_string_json(text_string(&key), key.length, text);
            text_release(&key);
        }
        text_append(text, ": ");
        print_json(items[i + 1], depth + 1, text);
    }
}

static void print_items_json(value v, enum value_kind kind, unsigned depth, struct text *text)
{
    size_t length;
    const value *items = value_get_items(v, &length);
    text_append_char(text, kind == KIND_MAP ? '{' : '[');
    if (depth == VALUE_MAX_DEPTH)
        text_append(text, kind == KIND_MAP ? "\"...\": null" : "\"...\"");
    else if (kind == KIND_MAP)
        print_map_json(v, depth, text);
    else
        for (size_t i = 0; i < length; i++) {
            if (i > 0)
                text_append(text, ", ");
            print_json(items[i], depth + 1, text);
        }
    text_append_char(text, kind == KIND_MAP ? '}' : ']');
}

static void print_json(value v, unsigned depth, struct text *text)
{
    size_t length;
    enum value_kind kind = value_kind_of(v);
    const char *letters = value_get_text(v, &length);
    if (kind == KIND_NIL)
        text_append(text, "null");
    else if (kind >= KIND_LIST)
        print_items_json(v, kind, depth, text);
    else if (kind == KIND_REAL && !isfinite(value_object(v)->content.real))
        text_format(text, "\"%s\"", print_symbolic(value_object(v)->content.real));
    else if (letters && is_json_number(v))
        text_append_bytes(text, letters, length);
    else if (letters)
        print_string_json(letters, length, text);
    else
        print_edn(v, depth, text);
}

void value_print_json(value v, struct text *text)
{
    print_json(v, 0, text);
}

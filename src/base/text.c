#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void text_reserve(struct text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity < 64 ? 64 : text->capacity * 2;
    if (capacity < needed)
        capacity = needed;
    char *moved = memory_small(capacity);
    if (text->length)
        memcpy(moved, text->bytes, text->length);
    free(text->bytes);
    text->bytes = moved;
    text->capacity = capacity;
}

void text_append_bytes(struct text *text, const char *bytes, size_t length)
{
    text_reserve(text, length);
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void text_append(struct text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

void text_append_char(struct text *text, char character)
{
    text_append_bytes(text, &character, 1);
}

void text_format_list(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    text_reserve(text, 0); /* most fits: twice is seldom */
    const size_t room = text->capacity - text->length;
    const int length = vsnprintf(text->bytes + text->length, room, format, arguments);
    if (length > 0 && (size_t)length >= room) {
        text_reserve(text, (size_t)length);
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length > 0)
        text->length += (size_t)length;
    text->bytes[text->length] = 0;
}

void text_format(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_format_list(text, format, arguments);
    va_end(arguments);
}

void text_append_code(struct text *text, uint32_t code)
{
    if (code < 0x80) {
        text_append_char(text, (char)code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    text_append_char(text, (char)(lead[more] | (code >> (6 * more))));
    while (more-- > 0)
        text_append_char(text, (char)(0x80 | ((code >> (6 * more)) & 0x3f)));
}

const char *text_string(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

char *text_take(struct text *text)
{
    text_reserve(text, 0);
    text->bytes[text->length] = 0;
    char *string = text->bytes;
    *text = TEXT_EMPTY;
    return string;
}

char *text_copy(const char *string)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, string);
    return text_take(&text);
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->bytes)
        text->bytes[0] = 0;
}

void text_release(struct text *text)
{
    free(text->bytes);
    *text = TEXT_EMPTY;
}

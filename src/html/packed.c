#include "html/packed.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/utf8.h"

void packed_number(struct text *bytes, uint64_t number)
{
    char digits[10];
    size_t count = 0;
    for (; number >= 0x80; number >>= 7)
        digits[count++] = (char)((number & 0x7f) | 0x80);
    digits[count++] = (char)number;
    text_append_bytes(bytes, digits, count);
}

void packed_signed(struct text *bytes, int64_t number)
{
    uint64_t doubled = (uint64_t)number << 1;
    packed_number(bytes, number < 0 ? ~doubled : doubled);
}

void packed_text(struct text *bytes, const char *string)
{
    utf8_append_valid(bytes, string, strlen(string));
    text_append_bytes(bytes, "", 1);
}

static void append_base64(const unsigned char *bytes, size_t length, struct text *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (left > 1)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (left > 2)
            group |= bytes[i + 2];
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        left > 1 ? digits[group >> 6 & 63] : '=',
                        left > 2 ? digits[group & 63] : '='};
        text_append_bytes(text, four, sizeof four);
    }
}

bool packed_append(const struct text *bytes, struct text *text)
{
    uLongf length = compressBound(bytes->length);
    unsigned char *deflated = malloc(length);
    bool good = deflated && compress2(deflated, &length, (const unsigned char *)text_string(bytes),
                                      bytes->length, Z_DEFAULT_COMPRESSION) == Z_OK;
    if (good)
        append_base64(deflated, length, text);
    free(deflated);
    return good;
}

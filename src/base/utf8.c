/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#include "base/utf8.h"

size_t utf8_decode(const char *bytes, size_t length, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *in = (const unsigned char *)bytes;
    unsigned char lead = in[0];
    *point = lead;
    if (lead < 0x80)
        return 1;
    size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    *point = UTF8_INVALID;
    if (lead < 0xC2 || lead > 0xF4 || size > length)
        return 1;
    uint32_t result = lead & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((in[i] & 0xC0) != 0x80)
            return 1;
        result = result << 6 | (in[i] & 0x3Fu);
    }
    if (result < least[size] || result > 0x10FFFF || (result >= 0xD800 && result <= 0xDFFF))
        return 1;
    *point = result;
    return size;
}

bool utf8_is_valid(const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t point = 0;
        if ((unsigned char)bytes[at] < 0x80) /* nearly always */
            at++;
        else
            at += utf8_decode(bytes + at, length - at, &point);
        if (point == UTF8_INVALID)
            return false;
    }
    return true;
}

void utf8_append_valid(struct text *text, const char *bytes, size_t length)
{
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t point;
        size = utf8_decode(bytes + at, length - at, &point);
        if (point == UTF8_INVALID)
            text_append(text, "\xEF\xBF\xBD");
        else
            text_append_bytes(text, bytes + at, size);
    }
}

/* Whether it breaks a line or turns the direction of what follows, so that what is shown is not
 * what is there (Boucher and Anderson, Trojan Source, USENIX Security 2023). */
static bool moves_text(uint32_t point)
{
    return (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ||
           point == 0x200E || point == 0x200F || point == 0x061C;
}

void utf8_append_shown(struct text *text, const char *bytes, size_t length, bool unicode)
{
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t point;
        size = utf8_decode(bytes + at, length - at, &point);
        if (point == UTF8_INVALID)
            text_format(text, "\\x%02x", (unsigned char)bytes[at]);
        else if (point < 0x20 || (point >= 0x7F && point < 0xA0))
            text_format(text, "\\x%02x", (unsigned)point);
        else if (point >= 0x80 && (!unicode || moves_text(point)))
            text_format(text, "\\u%04x", (unsigned)point);
        else
            text_append_bytes(text, bytes + at, size);
    }
}

/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. Widths follow
 * the East Asian Width property (UAX #11) in coarse ranges rather than wcwidth, which depends on
 * the locale: the same text is laid out alike everywhere. */
#include "base/utf8.h"

#include <assert.h>

struct range {
    uint32_t first, last;
};

static const struct range combining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},   {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},   {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

static const struct range wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x20000, 0x3FFFD},
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t point)
{
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    return false;
}

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

void utf8_append_shown(struct text *text, const char *bytes, size_t length, bool unicode)
{
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t point;
        size = utf8_decode(bytes + at, length - at, &point);
        if (point == UTF8_INVALID)
            text_format(text, "\\x%02x", (unsigned char)bytes[at]);
        else if (point < 0x20 || (point >= 0x7F && point < 0xA0))
            text_format(text, "\\x%02x", (unsigned)point);
        else if (point >= 0x80 && !unicode)
            text_format(text, "\\u%04x", (unsigned)point);
        else
            text_append_bytes(text, bytes + at, size);
    }
}

static size_t point_columns(uint32_t point)
{
    if (point < 0x300)
        return 1;
    if (in_ranges(combining, ARRAY_LENGTH(combining), point))
        return 0;
    return in_ranges(wide, ARRAY_LENGTH(wide), point) ? 2 : 1;
}

size_t utf8_columns(const char *bytes, size_t length)
{
    size_t columns = 0;
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t point;
        size = utf8_decode(bytes + at, length - at, &point);
        columns += point_columns(point == UTF8_INVALID ? 0 : point);
    }
    return columns;
}

size_t utf8_fit(const char *bytes, size_t length, size_t columns)
{
    size_t at = 0;
    while (at < length) {
        uint32_t point;
        size_t size = utf8_decode(bytes + at, length - at, &point);
        size_t more = point_columns(point == UTF8_INVALID ? 0 : point);
        if (more > columns)
            break;
        columns -= more;
        at += size;
    }
    return at;
}

/* Where the longest end of the text begins that fits into `columns`. */
static size_t fit_end(const char *bytes, size_t length, size_t columns)
{
    size_t at = 0, left = utf8_columns(bytes, length);
    while (left > columns) {
        uint32_t point;
        size_t size = utf8_decode(bytes + at, length - at, &point);
        left -= utf8_columns(bytes + at, size);
        at += size;
    }
    return at;
}

void utf8_append_ends(struct text *text, const char *bytes, size_t length, size_t columns,
                      bool unicode)
{
    assert(columns >= 8);
    if (utf8_columns(bytes, length) <= columns) {
        text_append_bytes(text, bytes, length);
        return;
    }
    const char *ellipsis = unicode ? "…" : "...";
    size_t room = columns - (unicode ? 1 : 3), end = fit_end(bytes, length, room / 2);
    text_append_bytes(text, bytes, utf8_fit(bytes, length, room - room / 2));
    text_append(text, ellipsis);
    text_append_bytes(text, bytes + end, length - end);
}

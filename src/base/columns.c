#include "base/columns.h"

#include <assert.h>

#include <utf8proc.h>

#include "base/utf8.h"

/* Of letters in front of the combining marks one, control characters included: they are shown as
 * \xNN. */
static size_t point_columns(uint32_t point)
{
    return point < 0x300 ? 1 : (size_t)utf8proc_charwidth((utf8proc_int32_t)point);
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

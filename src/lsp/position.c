/* Lines are found once; what is in a line is counted when it is asked for. */
#include "lsp/position.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "report/json.h"

/* Behind the line end at `at`; `at` where there is none. */
static size_t behind_end(const char *text, size_t length, size_t at)
{
    if (text[at] == '\r')
        return at + 1 + (at + 1 < length && text[at + 1] == '\n');
    return text[at] == '\n' ? at + 1 : at;
}

void lines_init(struct lines *lines, const char *text, size_t length, enum position_unit unit)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t count = 1;
    *lines = (struct lines){.text = text, .length = length, .unit = unit};
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n' || text[i] == '\r';
    lines->starts = memory_small(count * sizeof *lines->starts);
    lines->starts[lines->count++] = 0;
    for (size_t i = 0; i < length;) {
        size_t behind = behind_end(text, length, i);
        if (behind > i)
            lines->starts[lines->count++] = behind;
        i = behind > i ? behind : i + 1;
    }
    lines->told = memory_small(count * sizeof *lines->told);
    lines->told[lines->told_count++] = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n')
            lines->told[lines->told_count++] = i + 1;
}

void lines_release(struct lines *lines)
{
    free(lines->starts);
    free(lines->told);
    *lines = (struct lines){0};
}

/* Where a line's letters end. */
static size_t line_end(const struct lines *lines, size_t line)
{
    size_t end = line + 1 < lines->count ? lines->starts[line + 1] : lines->length;
    while (line + 1 < lines->count && end > lines->starts[line] &&
           (lines->text[end - 1] == '\n' || lines->text[end - 1] == '\r'))
        end--;
    return end;
}

/* The units that a character takes; *bytes: its length. */
static uint32_t units(const struct lines *lines, size_t at, size_t end, size_t *bytes)
{
    uint32_t point;
    *bytes = utf8_decode(lines->text + at, end - at, &point);
    if (lines->unit == POSITION_UTF8)
        return (uint32_t)*bytes;
    return point != UTF8_INVALID && point > 0xffff ? 2 : 1;
}

size_t lines_offset(const struct lines *lines, struct position position)
{
    if (position.line >= lines->count)
        return lines->length;
    size_t at = lines->starts[position.line], end = line_end(lines, position.line), bytes;
    uint32_t character = 0;
    while (at < end) {
        character += units(lines, at, end, &bytes);
        if (character > position.character)
            break;
        at += bytes;
    }
    return at;
}

struct position lines_position(const struct lines *lines, size_t offset)
{
    size_t low = 0, high = lines->count, bytes;
    offset = offset > lines->length ? lines->length : offset;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lines->starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    struct position position = {.line = (uint32_t)low};
    size_t end = line_end(lines, low);
    end = end < offset ? end : offset;
    for (size_t at = lines->starts[low]; at < end; at += bytes)
        position.character += units(lines, at, lines->length, &bytes);
    return position;
}

size_t lines_place(const struct lines *lines, uint32_t line, uint32_t column)
{
    if (line > lines->told_count)
        return lines->length;
    size_t index = line ? line - 1 : 0, start = lines->told[index];
    size_t end = index + 1 < lines->told_count ? lines->told[index + 1] - 1 : lines->length;
    if (column == 0)
        while (start < end && strchr(" \t\r\f", lines->text[start]))
            start++;
    else
        start = column - 1 < end - start ? start + column - 1 : end;
    return start;
}

void json_add_position(yajl_gen json, const char *key, struct position position)
{
    json_open_object(json, key);
    json_add_number(json, "line", position.line);
    json_add_number(json, "character", position.character);
    yajl_gen_map_close(json);
}

void json_add_range(yajl_gen json, const char *key, const struct lines *lines, size_t start,
                    size_t end)
{
    json_open_object(json, key);
    json_add_position(json, "start", lines_position(lines, start));
    json_add_position(json, "end", lines_position(lines, end));
    yajl_gen_map_close(json);
}

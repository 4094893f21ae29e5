/* Places in a text as the protocol has them: lines, ended by \n, \r\n or \r, and in a line units of
 * UTF-16, or bytes where the client takes them. */
#ifndef LSP_POSITION_H
#define LSP_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <yajl/yajl_gen.h>

/* Which units the characters of a line are counted in. */
enum position_unit {
    POSITION_UTF16,
    POSITION_UTF8,
};

struct position {
    uint32_t line, character; /* from 0 */
};

/* A text (not owned) with the starts of its lines. */
struct lines {
    const char *text;
    size_t length;
    size_t *starts; /* in bytes */
    size_t count;
    size_t *told; /* of the lines that linchpin's messages count, in bytes */
    size_t told_count;
    enum position_unit unit;
};

void lines_init(struct lines *lines, const char *text, size_t length, enum position_unit unit);
void lines_release(struct lines *lines);

/* The byte at a position: behind the line's end it is that end, behind the last line the end of the
 * text. Never inside a character. */
size_t lines_offset(const struct lines *lines, struct position position);

/* The position of a byte. */
struct position lines_position(const struct lines *lines, size_t offset);

/* The byte at a line and column as linchpin's messages have them: from 1, lines ended by \n alone,
 * columns in bytes (0: the line's first letter), a byte order mark not counted. */
size_t lines_place(const struct lines *lines, uint32_t line, uint32_t column);

/* Writes the object of a position, of a range of bytes. */
void json_add_position(yajl_gen json, const char *key, struct position position);
void json_add_range(yajl_gen json, const char *key, const struct lines *lines, size_t start,
                    size_t end);

#endif

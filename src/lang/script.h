/* The text of a model, that of the files it includes behind it, and messages that point into it.
 *
 * `#include "FILE"` is found wherever it stands outside of comments and strings; FILE is relative
 * to the folder of the file that includes it, and read once however often it is included. Of a path
 * of Windows, which has backslashes or a drive, as much counts from the end as leads to a file from
 * there. `#import "NAME"` includes NAME.csp or else NAME.lin, if there is such a file; NAME loses
 * its folder and `.dll`. Files of other names than FILE.lin and FILE.csp, links followed, are
 * refused: what is read may be shown. What an included file means is up to the parser: lexer.h puts
 * its tokens in the place of the directive. */
#ifndef LANG_SCRIPT_H
#define LANG_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/status.h"

/* A place in a script: a byte offset. */
typedef uint32_t place;

/* One file's text: text[start] to text[end], which is 0. */
struct script_part {
    const char *name;
    place directive; /* included ones: the first byte between the quotes that name it */
    place start, end;
};

struct faults;
struct references;

struct script {
    const char *name; /* as the user gave it; owned by the arena */
    const char *text; /* 0-terminated, without a byte order mark; owned by the arena */
    size_t length;    /* of all parts */
    const struct script_part *parts; /* owned by the arena */
    uint32_t part_count;
    uint32_t main;                 /* the part that is the model; the others are included */
    struct faults *faults;         /* not owned; null: the first fault ends reading */
    const struct limits *limits;   /* of reading it; not owned; null: none */
    struct references *references; /* not owned; null: nobody asks what names mean */
};

/* Beyond this a file is no model: an input error. Keeps every place within 32 bits. */
#define SCRIPT_MAX_BYTES ((size_t)64 << 20)

/* At most so many files, at most so deep. */
#define SCRIPT_MAX_PARTS 1000
#define SCRIPT_MAX_DEPTH 50

/* Reads a whole model file ("-" is standard input) into `arena`, with all that it includes.
 * STATUS_INPUT when one cannot be read, is too large, or holds a 0 byte; STATUS_LIMIT when refused,
 * or when the limits (may be null) are reached before its end. */
enum status script_read(const char *path, struct arena *arena, const struct limits *limits,
                        struct script *script, struct error *error) MUST_CHECK;

/* A text that stands for the file of a path, whatever that has, be there one or not. */
struct script_file {
    const char *path, *text;
    size_t length;
};

/* The same of texts, which are copied: the first of `count` (at least 1) is the model, the others
 * stand for what is included, where that is among them. */
enum status script_read_as(const struct script_file *files, size_t count, struct arena *arena,
                           const struct limits *limits, struct script *script,
                           struct error *error) MUST_CHECK;

/* A script from memory; the text is copied. Nothing is read, so that an `#include` in it is one of
 * no part. */
enum status script_from_text(const char *name, const char *text, size_t length, struct arena *arena,
                             struct script *script, struct error *error) MUST_CHECK;

/* Another script with the parts of `script` and with `more` behind the text of its model. */
enum status script_extend(const struct script *script, const char *more, struct arena *arena,
                          struct script *extended, struct error *error) MUST_CHECK;

/* The part that is included where `directive` says so; UINT32_MAX: none. A file that was included
 * before has no text the second time. */
uint32_t script_find_part(const struct script *script, place directive);

/* The complaint about a directive of no part. */
enum status script_unread(const struct script *script, place directive, struct error *error);

/* A place's file. */
uint32_t script_part_at(const struct script *script, place at);

/* `script`, with one of the files that it includes as the model. It shares all memory. */
struct script script_of_part(const struct script *script, uint32_t part);

uint32_t script_line(const struct script *script, place at);   /* 1-based, in its file */
uint32_t script_column(const struct script *script, place at); /* 1-based, in bytes */

/* Writes a message at a place, with the line and a caret below it; returns STATUS_INPUT. */
enum status script_error(const struct script *script, place at, struct error *error,
                         const char *format, ...) PRINTF_LIKE(4, 5);

#endif

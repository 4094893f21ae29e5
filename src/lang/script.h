/* The text of one model file, and messages that point into it. */
#ifndef LANG_SCRIPT_H
#define LANG_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/status.h"

/* A place in a script: a byte offset. */
typedef uint32_t place;

struct script {
    const char *name; /* as the user gave it; owned by the arena */
    const char *text; /* 0-terminated, without a byte order mark; owned by the arena */
    size_t length;
};

/* Beyond this a file is no model: an input error. Keeps every place within 32 bits. */
#define SCRIPT_MAX_BYTES ((size_t)64 << 20)

/* Reads a whole model file ("-" is standard input) into `arena`. STATUS_INPUT when it cannot be
 * read, is too large, or holds a 0 byte; STATUS_LIMIT when refused, or when the limits (may be
 * null) are reached before its end. */
enum status script_read(const char *path, struct arena *arena, const struct limits *limits,
                        struct script *script, struct error *error) MUST_CHECK;

/* A script from memory; the text is copied. */
enum status script_from_text(const char *name, const char *text, size_t length, struct arena *arena,
                             struct script *script, struct error *error) MUST_CHECK;

uint32_t script_line(const struct script *script, place at);   /* 1-based */
uint32_t script_column(const struct script *script, place at); /* 1-based, in bytes */

/* Writes a message at a place, with the line and a caret below it; returns STATUS_INPUT. */
enum status script_error(const struct script *script, place at, struct error *error,
                         const char *format, ...) PRINTF_LIKE(4, 5);

#endif

/* A string under construction: messages, printed values, report lines. Never null-terminated by
 * hand: `text_string` is always a C string. Not counted against a budget: what is built here is
 * shown to someone. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct text {
    char *bytes; /* null while empty */
    size_t length, capacity;
};

#define TEXT_EMPTY ((struct text){0})

void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const char *bytes, size_t length);
void text_append_char(struct text *text, char character);
void text_format(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_format_list(struct text *text, const char *format, va_list arguments) PRINTF_LIKE(2, 0);

/* Appends a code point as UTF-8. */
void text_append_code(struct text *text, uint32_t code);

/* The string so far; valid until the next change. */
const char *text_string(const struct text *text);

/* The string so far as a block of its own, released with free(); the text is empty afterwards. */
char *text_take(struct text *text);

/* A copy of a string, released with free(). */
char *text_copy(const char *string);

void text_clear(struct text *text);   /* empties, keeps the room */
void text_release(struct text *text); /* empties, gives the room back */

#endif

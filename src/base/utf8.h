/* Text of unknown origin made fit to show: valid UTF-8, no control characters, known width. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define UTF8_INVALID UINT32_MAX

/* The code point that begins at `bytes` (length > 0) in `*point`, UTF8_INVALID if what stands there
 * is not UTF-8; returns the number of bytes it takes, at least 1. */
size_t utf8_decode(const char *bytes, size_t length, uint32_t *point);

/* True if all bytes are well-formed UTF-8 (no surrogates, no overlong forms). */
bool utf8_is_valid(const char *bytes, size_t length);

/* Appends `bytes` with everything that is not UTF-8 replaced by U+FFFD: for JSON and XML. */
void utf8_append_valid(struct text *text, const char *bytes, size_t length);

/* Appends `bytes` as a terminal may show them: control characters and invalid bytes as \xNN; line
 * separators, what turns the direction of text and, unless `unicode`, everything beyond ASCII as
 * \uNNNN. One line, in the order that came in, whatever that is. */
void utf8_append_shown(struct text *text, const char *bytes, size_t length, bool unicode);

#endif

/* Many numbers and texts as one short text that a browser unpacks: bytes of variable length,
 * deflated (RFC 1950), in base64. */
#ifndef HTML_PACKED_H
#define HTML_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Appends a number, seven bits a byte, the low ones first; the high bit says that more follow. */
void packed_number(struct text *bytes, uint64_t number);

/* The same of a number that may be negative: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
void packed_signed(struct text *bytes, int64_t number);

/* Appends a text and a zero byte. */
void packed_text(struct text *bytes, const char *string);

/* Appends what was gathered, deflated, in base64; false if there is no memory for that. */
bool packed_append(const struct text *bytes, struct text *text);

#endif

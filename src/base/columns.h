/* How wide texts are on a terminal. Widths are those of utf8proc (UAX #11) rather than of wcwidth,
 * which depends on the locale: the same text is laid out alike everywhere. */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include "base/text.h"

/* The columns that a text takes on a terminal: 0 for a combining mark, 2 for a wide character. */
size_t utf8_columns(const char *bytes, size_t length);

/* The longest beginning of the text (in bytes) that fits into `columns`. */
size_t utf8_fit(const char *bytes, size_t length, size_t columns);

/* Appends the text; of one that takes more than `columns` (at least 8) the beginning and the end
 * with an ellipsis between them ("..." unless `unicode`), which together fit. */
void utf8_append_ends(struct text *text, const char *bytes, size_t length, size_t columns,
                      bool unicode);

#endif

/* What docs/manual says of a word or sign of the languages. The pages are part of the program, so
 * that what an editor shows is what stands there. */
#ifndef LSP_MANUAL_H
#define LSP_MANUAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

extern const char manual_lin[], manual_csp[];

/* Appends, in Markdown, the rows of tables of the page whose first column has the word, or else the
 * paragraphs that speak of it. False: there are none. */
bool manual_append(const char *page, const char *word, size_t length, struct text *text);

#endif

/* Answers as one HTML file that needs nothing else: the page (src/html/page), and behind it the
 * data of each answer, which it shows. */
#ifndef HTML_HTML_H
#define HTML_HTML_H

#include <stdio.h>

#include "html/history.h"
#include "report/text.h"

/* Appends the data of an answer; `history`: what it is about; null: that of the operations that are
 * drawn of it, if there are any. */
struct result;
void html_append_result(const struct result *result, const struct html_history *history,
                        struct text *text);

/* Appends an input that could not be read or decided. */
void html_append_error(const char *input, const char *message, struct text *text);

/* Write what stands in front of the answers, and behind them. */
void html_begin(FILE *out);
void html_end(FILE *out);

#endif

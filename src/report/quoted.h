/* Strings for DOT and HOA, between quotes. */
#ifndef REPORT_QUOTED_H
#define REPORT_QUOTED_H

#include "base/text.h"

/* Appends what stands between the quotes: what is not UTF-8 is replaced, a line's end is a space.
 */
void quoted_append(struct text *text, const char *string);

#endif

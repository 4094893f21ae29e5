/* Whether two histories are the same. */
#ifndef SUPPORT_DIFFERENCE_H
#define SUPPORT_DIFFERENCE_H

#include "history/history.h"

/* Null if the histories hold the same operations and annotations (their names, formats, lines and
 * what the file says of the object left out), else the first difference, static. `pool` values of
 * both must be of one pool. */
const char *history_difference(const struct history *a, const struct history *b);

/* The same, with lines. */
const char *history_difference_with_lines(const struct history *a, const struct history *b);

#endif

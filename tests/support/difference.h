/* Whether two histories are the same. */
#ifndef SUPPORT_DIFFERENCE_H
#define SUPPORT_DIFFERENCE_H

#include "history/history.h"

/* Null if the histories hold the same operations and annotations (their names, formats, lines and
 * what the file says of the object left out), else the first difference, static. Their
 * values must be of one pool. */
const char *history_difference(const struct history *a, const struct history *b);

/* The same, whichever process ran an operation: LiMo's numbers may name operations. */
const char *history_difference_but_processes(const struct history *a, const struct history *b);

/* As history_difference, with lines. */
const char *history_difference_with_lines(const struct history *a, const struct history *b);

/* Whether two readers found the same event. */
bool event_is_same(const struct event *a, const struct event *b);

#endif

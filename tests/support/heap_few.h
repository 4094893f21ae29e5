/* What few threads do with the first implementation of a text. */
#ifndef TESTS_SUPPORT_HEAP_FEW_H
#define TESTS_SUPPORT_HEAP_FEW_H

#include <stdbool.h>

/* Whether two threads with two operations each, or three with one or two, violate the
 * specification, as the search over all interleavings sees it. */
bool heap_few_violate(const char *text, const char *specification);

/* Whether they take effect otherwise than its points say: an operation has none, or two, or the
 * specification does not do what these say in their order. */
bool heap_few_miss_points(const char *text, const char *specification);

#endif

/* What a name that nobody knows was meant to be. */
#ifndef BASE_SUGGESTION_H
#define BASE_SUGGESTION_H

#include <stddef.h>

/* The place in `names` of the one that is nearest to `name`, the first of several; `count` if none
 * is near enough: one letter inserted, deleted or changed, or two neighbours swapped; where `name`
 * has five letters or more, two such slips. A hyphen and an underscore are the same. */
size_t suggestion_find(const char *name, size_t length, const char *const *names, size_t count);

#endif

/* Names that users write, of objects, operations and choices: hyphen and underscore are the same in
 * them, upper and lower case are not. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stdbool.h>
#include <string.h>

static inline char name_letter(char letter)
{
    return letter == '_' ? '-' : letter;
}

/* Whether a name, as of a table, is the one given. */
static inline bool name_is(const char *one, const char *name, size_t length)
{
    if (strlen(one) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (name_letter(name[i]) != name_letter(one[i]))
            return false;
    return true;
}

#endif

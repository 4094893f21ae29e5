#include "base/suggestion.h"

#include <stdbool.h>
#include <string.h>

#include "base/names.h"

#define LONGEST_NAME 32 /* beyond this there are no suggestions */

static bool same(char a, char b)
{
    return name_letter(a) == name_letter(b);
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of letters to insert, delete or change, and of neighbours to swap (Damerau and
 * Levenshtein; what was swapped is not changed again). */
static size_t distance(const char *name, size_t length, const char *other, size_t other_length)
{
    size_t rows[3][LONGEST_NAME + 1]; /* of the last three prefixes of `name` */
    for (size_t i = 0; i <= length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= other_length; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            row[j] = least_of(above[j], row[j - 1]) + 1;
            row[j] = least_of(row[j], above[j - 1] + !same(name[i - 1], other[j - 1]));
            if (i > 1 && j > 1 && same(name[i - 1], other[j - 2]) &&
                same(name[i - 2], other[j - 1]))
                row[j] = least_of(row[j], second[j - 2] + 1);
        }
    }
    return rows[length % 3][other_length];
}

size_t suggestion_find(const char *name, size_t length, const char *const *names, size_t count)
{
    size_t nearest = count, least = length < 5 ? 2 : 3;
    for (size_t i = 0; length <= LONGEST_NAME && i < count; i++) {
        size_t other_length = strlen(names[i]);
        if (other_length > LONGEST_NAME)
            continue;
        size_t far = distance(name, length, names[i], other_length);
        if (far < least) {
            least = far;
            nearest = i;
        }
    }
    return nearest;
}

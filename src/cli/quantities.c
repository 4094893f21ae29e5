#include "cli/quantities.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"

/* Splits "1.5h" into number and unit. */
static bool split(const char *text, double *number, const char **unit)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    size_t digits = strspn(text, "0123456789.");
    errno = 0;
    *number = strtod(text, &end);
    *unit = end;
    return !errno && end == text + digits && *number > 0 && isfinite(*number);
}

bool quantity_read_time(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
    double number;
    const char *unit;
    if (!split(text, &number, &unit))
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(units); i++)
        if (strcmp(unit, units[i].name) == 0) {
            *seconds = number * units[i].seconds;
            return *seconds >= 1e-9 && *seconds < 1e9; /* what is counted in nanoseconds is not 0 */
        }
    return false;
}

bool quantity_read_size(const char *text, size_t *bytes)
{
    static const char letters[] = "KMGT";
    double number;
    const char *unit;
    if (!split(text, &number, &unit) || !*unit)
        return false;
    const char *letter = strchr(letters, *unit);
    if (!letter || (unit[1] && strcmp(unit + 1, "B") != 0 && strcmp(unit + 1, "iB") != 0))
        return false;
    for (long i = letter - letters; i >= 0; i--)
        number *= 1024;
    if (number < 1 || number >= (double)((size_t)1 << 60))
        return false;
    *bytes = (size_t)number;
    return true;
}

bool quantity_read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    size_t digits = strspn(text, "0123456789");
    errno = 0;
    *number = strtoull(text, NULL, 10);
    return digits && !text[digits] && !errno && *number >= least && *number <= most;
}

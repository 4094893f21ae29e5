/* C# has them on floating-point numbers, too: of a root or power that is no integer the part before
 * the point counts. */
#include "csp/functions.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/attributes.h"

enum {
    FUNCTION_ABS,
    FUNCTION_MAX,
    FUNCTION_MIN,
    FUNCTION_POW,
    FUNCTION_SIGN,
    FUNCTION_SQRT,
};

static const struct function {
    const char *name;
    uint32_t arguments;
} functions[] = {
    [FUNCTION_ABS] = {"Abs", 1}, [FUNCTION_MAX] = {"Max", 2},   [FUNCTION_MIN] = {"Min", 2},
    [FUNCTION_POW] = {"Pow", 2}, [FUNCTION_SIGN] = {"Sign", 1}, [FUNCTION_SQRT] = {"Sqrt", 1},
};

static bool is_named(const struct function *function, const char *name)
{
    return tolower((unsigned char)function->name[0]) == tolower((unsigned char)name[0]) &&
           strcmp(function->name + 1, name + 1) == 0;
}

uint32_t csp_function_arguments(const char *name)
{
    for (size_t i = 0; *name && i < ARRAY_LENGTH(functions); i++)
        if (is_named(&functions[i], name))
            return functions[i].arguments;
    return 0;
}

int csp_function_find(const char *name, uint32_t arguments)
{
    for (size_t i = 0; *name && i < ARRAY_LENGTH(functions); i++)
        if (is_named(&functions[i], name) && functions[i].arguments == arguments)
            return (int)i;
    return -1;
}

/* By squaring. What leaves 32 bits stays outside: no factor that is still to come is smaller. */
static const char *power(int64_t base, int32_t exponent, int64_t *result)
{
    if (exponent < 0 && base == 0)
        return "a negative power of 0";
    *result = 1;
    if (exponent < 0 && base != 1 && base != -1) {
        *result = 0;
        return NULL;
    }
    for (int64_t left = exponent < 0 ? -(int64_t)exponent : exponent; left > 0; left /= 2) {
        if (left % 2)
            *result *= base;
        if (*result > INT32_MAX || *result < INT32_MIN)
            return NULL;
        if (left == 1)
            break;
        base *= base;
        if (base > INT32_MAX) { /* a factor that is still to come */
            *result = *result < 0 ? (int64_t)INT32_MIN - 1 : (int64_t)INT32_MAX + 1;
            return NULL;
        }
    }
    return NULL;
}

static int64_t root(int64_t square)
{
    int64_t low = 0, high = 65536;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        *(middle * middle <= square ? &low : &high) = middle;
    }
    assert(low * low <= square && square < high * high);
    return low;
}

const char *csp_function_apply(int function, const int32_t *arguments, int64_t *result)
{
    int64_t first = arguments[0];
    switch (function) {
    case FUNCTION_ABS:
        *result = first < 0 ? -first : first;
        return NULL;
    case FUNCTION_MAX:
        *result = first > arguments[1] ? first : arguments[1];
        return NULL;
    case FUNCTION_MIN:
        *result = first < arguments[1] ? first : arguments[1];
        return NULL;
    case FUNCTION_POW:
        return power(first, arguments[1], result);
    case FUNCTION_SIGN:
        *result = (first > 0) - (first < 0);
        return NULL;
    default:
        assert(function == FUNCTION_SQRT);
        if (first < 0)
            return "the root of a negative number";
        *result = root(first);
        return NULL;
    }
}

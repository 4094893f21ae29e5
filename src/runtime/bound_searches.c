/* Sorting and searching arrays, searching texts, and the numbers that stand in them. What the
 * user's function compares it reads itself; what is read and moved besides is told before. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"

typedef int (*comparison)(const void *left, const void *right);

/* ---- arrays ---- */

struct array {
    char *elements;
    size_t size; /* of each */
    comparison compare;
    const void *at;
};

static char *element(const struct array *array, size_t index)
{
    return array->elements + index * array->size;
}

static void swap(const struct array *array, size_t left, size_t right)
{
    char *x = element(array, left), *y = element(array, right);
    execution_plain(x, array->size, true, array->at);
    execution_plain(y, array->size, true, array->at);
    for (size_t i = 0; i < array->size; i++) {
        char byte = x[i];
        x[i] = y[i];
        y[i] = byte;
    }
}

/* Of a heap of `count` only the element at `top` may be less than one below it. */
static void sift(const struct array *array, size_t top, size_t count)
{
    for (size_t below; (below = 2 * top + 1) < count; top = below) {
        if (below + 1 < count &&
            array->compare(element(array, below), element(array, below + 1)) < 0)
            below++;
        if (array->compare(element(array, top), element(array, below)) >= 0)
            return;
        swap(array, top, below);
    }
}

BOUND_FUNCTION(void, qsort, void *elements, size_t count, size_t size, comparison compare)
{
    const struct array array = {elements, size, compare, CALLER};
    for (size_t top = count / 2; top-- > 0;)
        sift(&array, top, count);
    for (size_t left = count; left-- > 1;) {
        swap(&array, 0, left);
        sift(&array, 0, left);
    }
}

BOUND_FUNCTION(void *, bsearch, const void *key, const void *elements, size_t count, size_t size,
               comparison compare)
{
    return bsearch(key, elements, count, size, compare); /* which itself reads nothing */
}

/* ---- texts ---- */

static void reads(const char *text, const void *at)
{
    execution_plain(text, strlen(text) + 1, false, at);
}

BOUND_FUNCTION(char *, strstr, const char *text, const char *wanted)
{
    reads(text, CALLER);
    reads(wanted, CALLER);
    return strstr((char *)text, wanted);
}

BOUND_FUNCTION(char *, strpbrk, const char *text, const char *wanted)
{
    reads(text, CALLER);
    reads(wanted, CALLER);
    return strpbrk((char *)text, wanted);
}

BOUND_FUNCTION(size_t, strspn, const char *text, const char *wanted)
{
    reads(text, CALLER);
    reads(wanted, CALLER);
    return strspn(text, wanted);
}

BOUND_FUNCTION(size_t, strcspn, const char *text, const char *wanted)
{
    reads(text, CALLER);
    reads(wanted, CALLER);
    return strcspn(text, wanted);
}

/* ---- numbers ---- */

static void reads_number(const char *text, char **end, const void *at)
{
    reads(text, at);
    if (end)
        execution_plain(end, sizeof *end, true, at);
}

#define NUMBER(TYPE, NAME)                                                                         \
    BOUND_FUNCTION(TYPE, NAME, const char *text, char **end, int base)                             \
    {                                                                                              \
        reads_number(text, end, CALLER);                                                           \
        return NAME(text, end, base);                                                              \
    }
NUMBER(long, strtol)
NUMBER(unsigned long, strtoul)
NUMBER(long long, strtoll)
NUMBER(unsigned long long, strtoull)

BOUND_FUNCTION(double, strtod, const char *text, char **end)
{
    reads_number(text, end, CALLER);
    return strtod(text, end);
}

BOUND_FUNCTION(float, strtof, const char *text, char **end)
{
    reads_number(text, end, CALLER);
    return strtof(text, end);
}

#define NUMBER_OF(TYPE, NAME)                                                                      \
    BOUND_FUNCTION(TYPE, NAME, const char *text)                                                   \
    {                                                                                              \
        reads(text, CALLER);                                                                       \
        return NAME(text);                                                                         \
    }
NUMBER_OF(int, atoi)
NUMBER_OF(long, atol)
NUMBER_OF(long long, atoll)
NUMBER_OF(double, atof)

/* Printing: what is printed goes nowhere, but the strings that it is made of are read. */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/execution.h"

static const size_t any = PTRDIFF_MAX; /* length */

static void reads(const char *text, size_t most, const void *at)
{
    size_t length = text ? strnlen(text, most) : 0;
    size_t size = length < most ? length + 1 : most;
    if (text && size > 0)
        execution_plain(text, size, false, at);
}

static void reads_wide(const wchar_t *text, const void *at)
{
    if (text)
        execution_plain(text, (wcslen(text) + 1) * sizeof *text, false, at);
}

/* ---- formats ---- */

struct conversion {
    size_t precision; /* any: none */
    bool is_long, is_long_double, is_short, is_char;
    char letter;
};

static int next_number(const char **format, va_list *list)
{
    if (**format == '*') {
        ++*format;
        return va_arg(*list, int);
    }
    char *end;
    long number = strtol(*format, &end, 10);
    *format = end;
    return (int)number;
}

/* What stands behind a %; takes what says how wide it is. */
static struct conversion next_conversion(const char **format, va_list *list, const void *at)
{
    struct conversion found = {.precision = any};
    *format += strspn(*format, "-+ #0'I");
    if (**format == '*' || isdigit((unsigned char)**format))
        next_number(format, list);
    if (**format == '$' || (isdigit((unsigned char)**format)))
        execution_refuse("printing arguments by their numbers", at);
    if (**format == '.') {
        ++*format;
        bool has_number = **format == '*' || **format == '-' || isdigit((unsigned char)**format);
        int precision = has_number ? next_number(format, list) : 0;
        found.precision = precision < 0 ? any : (size_t)precision;
    }
    for (; **format && strchr("hlqLjzZt", **format); ++*format) {
        found.is_char |= **format == 'h' && found.is_short;
        found.is_short |= **format == 'h';
        found.is_long_double |= **format == 'L';
        found.is_long |= **format != 'h';
    }
    found.letter = **format;
    if (found.letter)
        ++*format;
    return found;
}

static size_t counted_size(const struct conversion *conversion)
{
    if (conversion->is_long)
        return sizeof(long);
    if (conversion->is_char)
        return 1;
    return conversion->is_short ? sizeof(short) : sizeof(int);
}

static void take(const struct conversion *conversion, va_list *list, const void *at)
{
    switch (conversion->letter) {
    case '%':
    case 'm':
    case '\0':
        return;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'c':
    case 'C':
        if (conversion->is_long)
            (void)va_arg(*list, long);
        else
            (void)va_arg(*list, int);
        return;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (conversion->is_long_double)
            (void)va_arg(*list, long double);
        else
            (void)va_arg(*list, double);
        return;
    case 'p':
        (void)va_arg(*list, void *);
        return;
    case 's':
        if (conversion->is_long)
            reads_wide(va_arg(*list, const wchar_t *), at);
        else
            reads(va_arg(*list, const char *), conversion->precision, at);
        return;
    case 'S':
        reads_wide(va_arg(*list, const wchar_t *), at);
        return;
    case 'n':
        execution_plain(va_arg(*list, void *), counted_size(conversion), true, at);
        return;
    default:
        execution_refuse("a conversion of printf that C does not have", at);
    }
}

void printed_reads(const char *format, va_list list, const void *at)
{
    va_list rest;
    if (execution.phase == PHASE_OUTSIDE)
        return;
    va_copy(rest, list);
    reads(format, any, at);
    while (*(format += strcspn(format, "%"))) {
        format++;
        struct conversion conversion = next_conversion(&format, &rest, at);
        take(&conversion, &rest, at);
    }
    va_end(rest);
}

/* ---- what prints ---- */

static int print(const char *format, va_list list, const void *at)
    __attribute__((format(printf, 1, 0)));
static int print(const char *format, va_list list, const void *at)
{
    printed_reads(format, list, at);
    return vsnprintf(NULL, 0, format, list);
}

#define PRINT(LAST)                                                                                \
    va_list list;                                                                                  \
    va_start(list, LAST);                                                                          \
    int length = print(LAST, list, CALLER);                                                        \
    va_end(list);                                                                                  \
    return length

__attribute__((format(printf, 1, 2))) BOUND_FUNCTION(int, printf, const char *format, ...)
{
    PRINT(format);
}

__attribute__((format(printf, 2, 3)))
BOUND_FUNCTION(int, fprintf, FILE *stream, const char *format, ...)
{
    (void)stream;
    PRINT(format);
}

/* With _FORTIFY_SOURCE. */
__attribute__((format(printf, 2, 3)))
BOUND_FUNCTION(int, __printf_chk, int flag, const char *format, ...)
{
    (void)flag;
    PRINT(format);
}

__attribute__((format(printf, 3, 4)))
BOUND_FUNCTION(int, __fprintf_chk, FILE *stream, int flag, const char *format, ...)
{
    (void)stream;
    (void)flag;
    PRINT(format);
}

__attribute__((format(printf, 1, 0))) BOUND_FUNCTION(int, vprintf, const char *format, va_list list)
{
    return print(format, list, CALLER);
}

__attribute__((format(printf, 2, 0)))
BOUND_FUNCTION(int, vfprintf, FILE *stream, const char *format, va_list list)
{
    (void)stream;
    return print(format, list, CALLER);
}

BOUND_FUNCTION(int, puts, const char *text)
{
    reads(text, any, CALLER);
    return 1;
}

BOUND_FUNCTION(int, fputs, const char *text, FILE *stream)
{
    (void)stream;
    reads(text, any, CALLER);
    return 1;
}

BOUND_FUNCTION(size_t, fwrite, const void *bytes, size_t size, size_t count, FILE *stream)
{
    (void)stream;
    if (size * count > 0)
        execution_plain(bytes, size * count, false, CALLER);
    return size ? count : 0;
}

BOUND_FUNCTION(void, perror, const char *text)
{
    reads(text, any, CALLER);
}
